/**
 * Calculates the totals of carts, checkouts and orders in minor units: subtotal, discount, shipping, tax and total.
 * `total = subtotal − discount + shipping_cost + tax`. If prices include tax, `tax` is the included part and is not
 * added.
 */

import type { ShippingTax } from '@commerce-backend/spec';
import { decimal, minorUnits } from './money.ts';

export interface PricedLine {
  id: string;
  product_id: string | null;
  /** Price of one item in minor units. */
  price: number;
  quantity: number;
  /** Default: the standard class. */
  tax_class?: string;
  /** False for services and downloads, which do not affect the tax of shipping. */
  requires_shipping?: boolean;
}

export interface DiscountTerms {
  kind: 'percentage' | 'fixed_amount' | 'free_shipping';
  /** Percentage or amount, as a decimal string. */
  value: string;
  /** Whether the discount applies to this line. */
  covers: (line: PricedLine) => boolean;
}

export interface TaxTerms {
  /** The rate of every tax class that is not in `rates`: a decimal string with at most four decimals, 0.19 for 19 %. */
  rate: string;
  /** Rates by tax class, except the standard class. */
  rates?: Record<string, string>;
  included: boolean;
  /** The tax rates of shipping: the rates of the goods, or the standard rate. */
  shipping?: ShippingTax;
}

/** A part of the shipping cost that is taxed at one rate. */
export interface ShippingTaxPart {
  tax_class: string;
  rate: string;
  amount: number;
  tax: number;
}

export interface Totals {
  subtotal: number;
  discount: number;
  shipping_cost: number;
  tax: number;
  total: number;
  /** The discount of each line. The sum is exactly `discount`. */
  allocations: { id: string; amount: number }[];
  /** The tax of each line, with its rate. */
  taxes: { id: string; amount: number; rate: string }[];
  /** The parts of the shipping cost by rate. Their sum is exactly `shipping_cost`, and their tax is part of `tax`. */
  shipping_taxes: ShippingTaxPart[];
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
  const shipping_taxes = shippingTaxesOf(shipping_cost, lines, off, tax);
  const amounts = {
    subtotal,
    discount: sum(allocations.map(({ amount }) => amount)),
    shipping_cost,
    tax: sum([...taxes.map(({ amount }) => amount), ...shipping_taxes.map((part) => part.tax)]),
  };
  const added = tax.included ? 0 : amounts.tax;
  return {
    ...amounts,
    total: subtotal - amounts.discount + amounts.shipping_cost + added,
    allocations,
    taxes,
    shipping_taxes,
  };
}

/**
 * Splits the shipping cost by tax rate. In EU VAT law, delivery is taxed like the goods (directive 2006/112/EC, article
 * 78 b). If the goods have several rates, the cost is split by their value after the discount.
 */
export function shippingTaxesOf(
  cost: number,
  lines: PricedLine[],
  off: Map<string, number>,
  tax: TaxTerms,
): ShippingTaxPart[] {
  if (cost === 0) return [];
  const goods = tax.shipping === 'class' ? [] : lines.filter(({ requires_shipping = true }) => requires_shipping);
  const byRate = [...Map.groupBy(goods, ({ tax_class }) => minorUnits(rateOf(tax, tax_class), RATE_DIGITS)).values()];
  const shares = allocate(cost, valuesOf(byRate, off));
  const classes = byRate.length === 0 ? [STANDARD_CLASS] : byRate.map(([line]) => line?.tax_class ?? STANDARD_CLASS);
  return classes.flatMap((tax_class, i) => {
    const [rate, amount] = [rateOf(tax, tax_class), byRate.length === 0 ? cost : (shares[i] ?? 0)];
    return amount === 0 ? [] : [{ tax_class, rate, amount, tax: taxOf(amount, { rate, included: tax.included }) }];
  });
}

/**
 * The value of each group of lines after the discount. If all these values are 0, their value before the discount; if
 * that is 0 too, their quantity.
 */
function valuesOf(groups: PricedLine[][], off: Map<string, number>): number[] {
  const values = [
    (line: PricedLine) => amountOf(line) - (off.get(line.id) ?? 0),
    amountOf,
    ({ quantity }: PricedLine) => quantity,
  ].map((worth) => groups.map((lines) => sum(lines.map(worth))));
  return values.find((weights) => sum(weights) > 0) ?? [];
}

/** The discount of each line: never more than the line's total, and never a fraction of a minor unit. */
function allocationsOf(lines: PricedLine[], discount: DiscountTerms | undefined, digits: number) {
  if (!discount) return [];
  const covered = lines.filter(discount.covers);
  const whole = sum(covered.map(amountOf));
  const shares = allocate(amountOff(discount, whole, digits), covered.map(amountOf));
  return covered.map(({ id }, i) => ({ id, amount: shares[i] ?? 0 }));
}

/** Returns the discount on an amount. A percentage is rounded half up, like the tax. */
function amountOff({ kind, value }: DiscountTerms, whole: number, digits: number): number {
  switch (kind) {
    case 'free_shipping':
      return 0;
    case 'fixed_amount':
      return Math.min(minorUnits(value, digits), whole);
    case 'percentage':
      return Number((2n * BigInt(whole) * BigInt(minorUnits(value, 2)) + 10_000n) / 20_000n);
  }
}

/**
 * Splits an amount by weights with the largest remainder method, so that the shares add up exactly. Each share is
 * rounded down; the remaining units go to the largest remainders, earlier ones first.
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

/** The tax of an amount after the discount, rounded half up. */
export function taxOf(amount: number, { rate, included }: TaxTerms): number {
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

/** The totals as the API returns them. */
export function totalsOnTheWire(totals: Totals, digits: number) {
  return {
    subtotal: decimal(totals.subtotal, digits),
    discount: decimal(totals.discount, digits),
    shipping_cost: decimal(totals.shipping_cost, digits),
    tax: decimal(totals.tax, digits),
    total: decimal(totals.total, digits),
  };
}
