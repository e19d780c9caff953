import { bodyMistake, ValidationError } from '../errors.ts';

/**
 * The passwords that attackers try first: the list in @zxcvbn-ts/language-common, from leaked passwords. Loaded on
 * first use.
 */
let common: Promise<ReadonlySet<string>> | undefined;

async function load(): Promise<ReadonlySet<string>> {
  const { dictionary } = await import('@zxcvbn-ts/language-common');
  return new Set(dictionary['passwords-common'].map(String));
}

const COMMON_PASSWORD = 'This password is too common. Choose another one, such as four unrelated words.';

/** Ignores case. */
export async function isCommonPassword(password: string): Promise<boolean> {
  common ??= load();
  return (await common).has(password.normalize('NFKC').toLowerCase());
}

/** Throws a ValidationError for the field if the password is common. */
export async function refuseCommonPassword(password: string, field: string): Promise<void> {
  if (!(await isCommonPassword(password))) return;
  throw new ValidationError([bodyMistake([field], 'password_too_common', COMMON_PASSWORD)]);
}
