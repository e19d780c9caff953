/** The form in which e-mail addresses are kept and compared: one account, however its owner types the address. */
export function foldEmail(email: string): string {
  return email.normalize('NFC').toLowerCase();
}
