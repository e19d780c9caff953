/** Validates, normalizes and corrects e-mail addresses. */

import { domainToASCII, domainToUnicode } from 'node:url';

/** A domain that never receives mail (RFC 2606). */
const NO_EMAIL = '@phone.invalid';
const SHORTEST_PHONE = 5;

/**
 * The placeholder address of a customer with only a phone number, by which a later import finds the customer. Undefined
 * for a text with too few digits.
 */
export function placeholderEmail(phone: string): string | undefined {
  const digits = phone.replace(/\D/g, '').replace(/^00/, '');
  return digits.length < SHORTEST_PHONE ? undefined : `${digits}${NO_EMAIL}`;
}

const LOCAL_PART = /^[^\s@"<>()[\],;:\\]{1,64}$/;
const MAX_LENGTH = 254;

/** Whether mail could reach the e-mail address: its domain has at least two labels and does not end in a number. */
export function isEmail(text: string): boolean {
  if (text.length > MAX_LENGTH) return false;
  const { local, domain } = partsOf(canonicalEmail(text));
  return LOCAL_PART.test(local) && isPublicName(domain) && local.length + domain.length < MAX_LENGTH;
}

const LABEL = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/;
const TOP_LABEL = /^(?:[a-z]{2,63}|xn--[a-z0-9-]{1,59})$/;

function isPublicName(domain: string): boolean {
  const labels = domain.split('.');
  return labels.length >= 2 && labels.every((label) => LABEL.test(label)) && TOP_LABEL.test(labels.at(-1) ?? '');
}

/** The stored form, with the domain in lower-case ASCII: `info@müller.de` becomes `info@xn--mller-kva.de`. */
export function canonicalEmail(text: string): string {
  const { local, domain } = partsOf(text.normalize('NFC'));
  if (!domain) return local;
  const isAscii = /^[\x21-\x7e]*$/.test(domain);
  return `${local}@${(isAscii ? domain : domainToASCII(domain) || domain).toLowerCase()}`;
}

/** The lower-case form in which accounts are compared. */
export function foldEmail(text: string): string {
  return canonicalEmail(text).toLowerCase();
}

/** The form for people: `info@müller.de`. */
export function readableEmail(email: string): string {
  const { local, domain } = partsOf(email);
  return domain.includes('xn--') ? `${local}@${domainToUnicode(domain) || domain}` : email;
}

function partsOf(text: string): { local: string; domain: string } {
  const at = text.lastIndexOf('@');
  return at < 0 ? { local: text, domain: '' } : { local: text.slice(0, at), domain: text.slice(at + 1) };
}

/** Large mail providers in countries whose languages the pages support. */
const PROVIDERS =
  `aol.com bluewin.ch free.fr freenet.de gmail.com gmx.at gmx.ch gmx.de gmx.net googlemail.com hotmail.co.uk
  hotmail.com hotmail.de hotmail.fr icloud.com laposte.net live.com mail.com mail.de mailbox.org me.com msn.com orange.fr outlook.com
  outlook.de outlook.fr posteo.de proton.me protonmail.com sfr.fr t-online.de wanadoo.fr web.de yahoo.co.uk yahoo.com yahoo.de
  yahoo.fr ymail.com`.split(/\s+/);

/** Shorter domains differ by one character from too many real ones. */
const SHORTEST_SUGGESTED = 'gmail.com'.length;

/**
 * Returns the address with the domain of a large provider if its own domain is one typing mistake away from it, such as
 * `gmial.com`; otherwise undefined.
 */
export function suggestedEmail(email: string): string | undefined {
  const { local, domain } = partsOf(foldEmail(email));
  if (PROVIDERS.includes(domain)) return undefined;
  const meant = PROVIDERS.find((name) => name.length >= SHORTEST_SUGGESTED && isOneSlipFrom(domain, name));
  return meant && `${local}@${meant}`;
}

/** Whether one text becomes the other by adding, removing or replacing a character, or swapping two adjacent ones. */
function isOneSlipFrom(typed: string, name: string): boolean {
  if (Math.abs(typed.length - name.length) > 1) return false;
  let at = 0;
  while (at < name.length && typed[at] === name[at]) at += 1;
  const [restTyped, restName] = [typed.slice(at), name.slice(at)];
  const exchanged = `${restName.slice(1, 2)}${restName.slice(0, 1)}${restName.slice(2)}`;
  return (
    restTyped.slice(1) === restName ||
    restTyped === restName.slice(1) ||
    restTyped.slice(1) === restName.slice(1) ||
    restTyped === exchanged
  );
}
