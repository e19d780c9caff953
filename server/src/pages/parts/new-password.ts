import { document } from '../../http/contract/contract.ts';
import { valueErrors } from '../../http/contract/validator.ts';
import type { Language } from '../../language/language.ts';
import { isCommonPassword } from '../../shop/passwords/common.ts';

/** The contract's rules for a new password. */
export const PASSWORD_RULES = document.components.schemas?.NewPassword as { minLength: number; maxLength: number };

/** Explains why a new password is not acceptable; undefined if it is. */
export async function newPasswordMistake(language: Language, password: string): Promise<string | undefined> {
  const { say } = language;
  if (password === '') return say('account.reset_empty');
  if (password.includes('\0')) return say('account.reset_untypable');
  if (valueErrors('NewPassword', password).length > 0) {
    const characters = [...password].length;
    const length = language.number(characters);
    return characters < PASSWORD_RULES.minLength
      ? say('account.reset_short', { count: language.number(PASSWORD_RULES.minLength), length })
      : say('account.reset_long', { count: language.number(PASSWORD_RULES.maxLength), length });
  }
  return (await isCommonPassword(password)) ? say('account.reset_common') : undefined;
}
