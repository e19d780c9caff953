import type { Language } from '../../language/language.ts';

/** Parts of a checkout on the review page, with their headings. */
const HEADINGS = {
  items: 'checkout.your_order',
  total: 'checkout.total',
  email: 'checkout.answer_contact',
  phone: 'checkout.answer_contact',
  shipping_address: 'checkout.answer_deliver_to',
  shipping_option: 'checkout.delivery',
  billing_address: 'checkout.answer_bill_to',
  payment_method: 'checkout.payment',
  note: 'checkout.answer_note',
} as const;

export type ReviewedPart = keyof typeof HEADINGS;

export function partInWords({ say }: Language, part: ReviewedPart): string {
  return say(HEADINGS[part]);
}

/** The headings of these parts as a list without repetitions. */
export function partsInWords(language: Language, parts: readonly ReviewedPart[]): string {
  return [...new Set(parts.map((part) => partInWords(language, part)))].join(', ');
}
