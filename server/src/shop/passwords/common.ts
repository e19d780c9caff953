import { bodyMistake, ValidationError } from '../errors.ts';

/**
 * Passwords that attackers try first: the list of @zxcvbn-ts/language-common, made from leaked passwords. Loaded when
 * the first password is chosen.
 */
let common: Promise<ReadonlySet<string>> | undefined;

async function load(): Promise<ReadonlySet<string>> {
  const { dictionary } = await import('@zxcvbn-ts/language-common');
  return new Set(dictionary['passwords-common'].map(String));
}

const COMMON_PASSWORD = 'This password is too common. Choose another one, such as four unrelated words.';

/** Whether the password is on the list, ignoring case. */
export async function isCommonPassword(password: string): Promise<boolean> {
  common ??= load();
  return (await common).has(password.normalize('NFKC').toLowerCase());
}

/** Throws a ValidationError that names the field. */
export async function refuseCommonPassword(password: string, field: string): Promise<void> {
  if (!(await isCommonPassword(password))) return;
  throw new ValidationError([bodyMistake([field], 'password_too_common', COMMON_PASSWORD)]);
}
