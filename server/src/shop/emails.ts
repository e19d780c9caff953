/** In a domain that no mail reaches (RFC 2606). */
const NO_EMAIL = '@phone.invalid';
const SHORTEST_PHONE = 5;

/**
 * What stands for the e-mail of a customer that has only a phone number, so that importing the customer again finds it. Undefined
 * for a text with too few digits.
 */
export function placeholderEmail(phone: string): string | undefined {
  const digits = phone.replace(/\D/g, '').replace(/^00/, '');
  return digits.length < SHORTEST_PHONE ? undefined : `${digits}${NO_EMAIL}`;
}

/** The form in which e-mail addresses are kept and compared: one account, however its owner types the address. */
export function foldEmail(email: string): string {
  return email.normalize('NFC').toLowerCase();
}
