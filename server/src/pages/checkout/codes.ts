import type { Language } from '../../language/language.ts';

const WORDS = {
  discount_not_found: 'checkout.code_not_found',
  discount_not_started: 'checkout.code_not_started',
  discount_expired: 'checkout.code_expired',
  discount_minimum_not_met: 'checkout.code_minimum',
  discount_usage_limit_reached: 'checkout.code_used_up',
  discount_customer_limit_reached: 'checkout.code_used_by_you',
  discount_not_applicable: 'checkout.code_not_applicable',
} as const;

/** Returns a sentence for the reason why a discount code has no effect. */
export function codeInWords({ say }: Language, reason: string): string {
  return say(WORDS[reason as keyof typeof WORDS] ?? 'checkout.code_unusable');
}
