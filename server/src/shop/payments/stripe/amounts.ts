import { currencyDigits } from '../../money.ts';

/**
 * The currencies that do not have two decimals at Stripe. Some have another number of decimals in ISO 4217 or on this
 * server. Source: https://docs.stripe.com/currencies, sections "Zero-decimal currencies", "Three-decimal currencies"
 * and "Special cases".
 */
const DECIMALS: Record<number, string> = {
  0: 'BIF CLP DJF GNF JPY KMF KRW MGA PYG RWF VND VUV XAF XOF XPF',
  3: 'BHD JOD KWD OMR TND',
};

/** Stripe requires amounts in these currencies to be multiples of 100 or 10. */
const STEPS: Record<number, string> = { 100: 'ISK UGX', 10: 'BHD JOD KWD OMR TND' };

/** Converts an amount in our minor units to Stripe's; undefined if Stripe cannot charge exactly this amount. */
export function toStripe(amount: number, currency: string): number | undefined {
  const exact = amount * 10 ** (decimalsOf(currency) - currencyDigits(currency));
  const counted = Math.round(exact);
  return Math.abs(counted - exact) < 1e-6 && counted % stepOf(currency) === 0 ? counted : undefined;
}

/** Converts a Stripe amount to our minor units. */
export function fromStripe(amount: number, currency: string): number {
  const code = currency.toUpperCase();
  return amount * 10 ** (currencyDigits(code) - decimalsOf(code));
}

function decimalsOf(currency: string): number {
  return keyOf(DECIMALS, currency) ?? 2;
}

function stepOf(currency: string): number {
  return keyOf(STEPS, currency) ?? 1;
}

function keyOf(lists: Record<number, string>, currency: string): number | undefined {
  const found = Object.entries(lists).find(([, codes]) => codes.split(' ').includes(currency));
  return found && Number(found[0]);
}
