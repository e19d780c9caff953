import { decimal, minorUnits } from './money.ts';

/**
 * What a cart comes to: the one place where subtotal, discount, shipping, tax and total are computed, for carts, checkouts
 * and orders alike. Pure, in minor units. `total = subtotal − discount + shipping_cost + tax`; with prices that include
 * tax, the tax is the contained part and is not added.
 */
export interface PricedLine {
  id: string;
  product_id: string | null;
  /** Minor units for one. */
  price: number;
  quantity: number;
  /** Standard where there is none. */
  tax_class?: string;
}

export interface DiscountTerms {
  kind: 'percentage' | 'fixed_amount' | 'free_shipping';
  /** Percent, or an amount; a decimal string. */
  value: string;
  /** Whether the code applies to this line. */
  covers: (line: PricedLine) => boolean;
}

export interface TaxTerms {
  /**
   * The rate of the shipping cost, and of every class without one of its own. 0.19 is 19 %; a decimal string with four decimals
   * at most.
   */
  rate: string;
  /** The rates of other classes. */
  rates?: Record<string, string>;
  included: boolean;
}

export interface Totals {
  subtotal: number;
  discount: number;
  shipping_cost: number;
  tax: number;
  total: number;
  /** What the discount takes from each line it covers; together exactly `discount`. */
  allocations: { id: string; amount: number }[];
  /** The tax of each line, and its rate. */
  taxes: { id: string; amount: number; rate: string }[];
  /** The tax of the shipping cost, which is a line of its own. With those of the lines it is exactly `tax`. */
  shipping_tax: number;
}

export interface TotalsInput {
  lines: PricedLine[];
  discount: DiscountTerms | undefined;
  shipping: number;
  tax: TaxTerms;
  digits: number;
}

export function totalsOf({ lines, discount, shipping, tax, digits }: TotalsInput): Totals {
  const subtotal = sum(lines.map(amountOf));
  const allocations = allocationsOf(lines, discount, digits);
  const off = new Map(allocations.map(({ id, amount }) => [id, amount]));
  const taxes = lines.map((line) => {
    const rate = rateOf(tax, line.tax_class);
    const amount = taxOf(amountOf(line) - (off.get(line.id) ?? 0), { rate, included: tax.included });
    return { id: line.id, amount, rate };
  });
  const shipping_cost = discount?.kind === 'free_shipping' ? 0 : shipping;
  const shipping_tax = taxOf(shipping_cost, tax);
  const amounts = {
    subtotal,
    discount: sum(allocations.map(({ amount }) => amount)),
    shipping_cost,
    tax: sum(taxes.map(({ amount }) => amount)) + shipping_tax,
  };
  const added = tax.included ? 0 : amounts.tax;
  return {
    ...amounts,
    total: subtotal - amounts.discount + amounts.shipping_cost + added,
    allocations,
    taxes,
    shipping_tax,
  };
}

/** A code never takes more than the total of the lines it covers, and never a part of a minor unit. */
function allocationsOf(lines: PricedLine[], discount: DiscountTerms | undefined, digits: number) {
  if (!discount) return [];
  const covered = lines.filter(discount.covers);
  const whole = sum(covered.map(amountOf));
  const shares = allocate(amountOff(discount, whole, digits), covered.map(amountOf));
  return covered.map(({ id }, i) => ({ id, amount: shares[i] ?? 0 }));
}

function amountOff({ kind, value }: DiscountTerms, whole: number, digits: number): number {
  switch (kind) {
    case 'free_shipping':
      return 0;
    case 'fixed_amount':
      return Math.min(minorUnits(value, digits), whole);
    case 'percentage':
      // Rounded down: a code promises "up to".
      return Number((BigInt(whole) * BigInt(minorUnits(value, 2))) / 10_000n);
  }
}

/**
 * Splits an amount by weights so that the shares add up to it exactly, by largest remainder: each share is rounded down, and
 * the units left over go, one each, to the shares that lost most. Among equal losses the earlier wins.
 */
export function allocate(amount: number, weights: number[]): number[] {
  const whole = BigInt(sum(weights)) || 1n;
  const exact = weights.map((weight) => BigInt(amount) * BigInt(weight));
  const shares = exact.map((share) => Number(share / whole));
  const losses = exact.map((share, i) => ({ i, loss: share % whole }));
  losses.sort((a, b) => (a.loss === b.loss ? a.i - b.i : a.loss > b.loss ? -1 : 1));
  for (const { i } of losses.slice(0, amount - sum(shares))) shares[i] = (shares[i] ?? 0) + 1;
  return shares;
}

export const STANDARD_CLASS = 'standard';

export function rateOf({ rate, rates = {} }: TaxTerms, tax_class = STANDARD_CLASS): string {
  return Object.hasOwn(rates, tax_class) ? (rates[tax_class] ?? rate) : rate;
}

const RATE_DIGITS = 4;
const RATE_UNIT = 10_000n;

/** The tax of an amount after discount, rounded half up. */
function taxOf(amount: number, { rate, included }: TaxTerms): number {
  const parts = BigInt(minorUnits(rate, RATE_DIGITS));
  const divisor = included ? RATE_UNIT + parts : RATE_UNIT;
  return Number((2n * BigInt(amount) * parts + divisor) / (2n * divisor));
}

function amountOf({ price, quantity }: PricedLine): number {
  return price * quantity;
}

function sum(amounts: number[]): number {
  return amounts.reduce((total, amount) => total + amount, 0);
}

/** Totals as the wire has them. */
export function totalsOnTheWire(totals: Totals, digits: number) {
  return {
    subtotal: decimal(totals.subtotal, digits),
    discount: decimal(totals.discount, digits),
    shipping_cost: decimal(totals.shipping_cost, digits),
    tax: decimal(totals.tax, digits),
    total: decimal(totals.total, digits),
  };
}
