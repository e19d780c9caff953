import { bodyMistake, ValidationError } from '../errors.ts';

/**
 * Passwords that guessers try first: the list of @zxcvbn-ts/language-common, which is made from leaked passwords. It is loaded
 * when the first password is chosen.
 */
let common: Promise<ReadonlySet<string>> | undefined;

async function load(): Promise<ReadonlySet<string>> {
  const { dictionary } = await import('@zxcvbn-ts/language-common');
  return new Set(dictionary['passwords-common'].map(String));
}

const COMMON_PASSWORD =
  'This password is one of those that are guessed first. Choose another, such as four unrelated words.';

/** Whether guessers would soon try it, ignoring case. */
export async function isCommonPassword(password: string): Promise<boolean> {
  common ??= load();
  return (await common).has(password.normalize('NFKC').toLowerCase());
}

/** Throws a ValidationError that names the field. */
export async function refuseCommonPassword(password: string, field: string): Promise<void> {
  if (!(await isCommonPassword(password))) return;
  throw new ValidationError([bodyMistake([field], 'password_too_common', COMMON_PASSWORD)]);
}
