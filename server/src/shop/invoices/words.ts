import type { Language } from '../../language/language.ts';
import { decimal, minorUnits } from '../money.ts';
import type { DocumentContent, DocumentLine } from './content.ts';

/** Returns the company of the buyer, otherwise the name, otherwise the e-mail address. */
export function buyerName({ buyer }: DocumentContent): string | null {
  const person = [buyer.first_name, buyer.last_name].filter(Boolean).join(' ');
  return buyer.company || person || buyer.email;
}

/** The name of a line in the language of the document. */
export function lineName(content: DocumentContent, line: DocumentLine, language: Language): string {
  if (line.kind === 'shipping') return language.say('invoice.shipping');
  if (line.kind === 'rest') return restWords(content, line, language);
  return [line.name, line.variant].filter(Boolean).join(', ');
}

/** Explains why a document charges or credits more or less than the price of its items. */
export function restWords({ kind }: DocumentContent, { total }: DocumentLine, { say }: Language): string {
  const lowers = total.startsWith('-');
  if (kind === 'invoice') return say(lowers ? 'invoice.rest_lowered' : 'invoice.rest_charged');
  return say(lowers ? 'invoice.rest_kept' : 'invoice.rest_credited');
}

/** States the amount still due, with the payment deadline if the invoice has one. */
export function paymentNote(
  { kind, total, paid, currency, due_on, payment_method }: DocumentContent,
  language: Language,
  digits: number,
): string {
  if (kind === 'credit_note') return language.say('invoice.credited');
  const open = minorUnits(total, digits) - minorUnits(paid, digits);
  if (open <= 0) return language.say('invoice.nothing_open');
  const amount = language.amount(decimal(open, digits), currency);
  if (due_on !== null) return language.say('invoice.open_until', { amount, day: language.date(due_on) });
  return language.say(payment_method === 'manual' ? 'invoice.open_on_receipt' : 'invoice.open', { amount });
}
