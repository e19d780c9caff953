/** Amounts are decimal strings in the API, and integer minor units (cents, yen, fils) in the mocks. */

/** Number of decimals of a currency: 2 for EUR, 0 for JPY, 3 for KWD. */
export function currencyDigits(currency: string): number {
  return new Intl.NumberFormat('en', { style: 'currency', currency }).resolvedOptions().maximumFractionDigits ?? 2;
}

/** Converts a decimal amount to minor units: `10.50` with two decimals is 1050. */
export function minorUnits(amount: string, digits: number): number {
  const [whole = '0', fraction = ''] = amount.split('.');
  return Number(whole + fraction.slice(0, digits).padEnd(digits, '0'));
}

/** Converts minor units to a decimal amount: 1050 with two decimals is `10.50`. */
export function decimal(minor: number, digits: number): string {
  const text = String(minor).padStart(digits + 1, '0');
  return digits === 0 ? text : `${text.slice(0, -digits)}.${text.slice(-digits)}`;
}

export interface PricedLine {
  id: string;
  product_id: string;
  /** Unit price in minor units. */
  price: number;
  quantity: number;
  tax_class: string;
  requires_shipping: boolean;
}

export interface DiscountTerms {
  kind: 'percentage' | 'fixed_amount' | 'free_shipping';
  /** A percentage or an amount, as a decimal string. */
  value: string;
  covers(product_id: string): boolean;
}

export interface TaxTerms {
  /** The standard tax rate: `0.19` is 19 %. */
  rate: string;
  /** Tax rates of classes that differ from the standard rate. */
  rates: Record<string, string>;
  included: boolean;
  /** Whether shipping is taxed at the rates of the goods or at the standard rate. */
  shipping: 'goods' | 'class';
}

export interface Totals {
  subtotal: number;
  discount: number;
  shipping_cost: number;
  tax: number;
  total: number;
  /** How the discount is split between the lines to which it applies. */
  allocations: { id: string; amount: number }[];
}

interface TotalsInput {
  lines: PricedLine[];
  discount: DiscountTerms | undefined;
  /** Shipping cost in minor units. */
  shipping: number;
  tax: TaxTerms;
  digits: number;
}

/** Calculates totals like the server: amounts are rounded per line, and discounts are split by largest remainder. */
export function totalsOf({ lines, discount, shipping, tax, digits }: TotalsInput): Totals {
  const subtotal = sum(lines.map(amountOf));
  const covered = lines.filter(({ product_id }) => discount?.covers(product_id));
  const weights = covered.map(amountOf);
  const shares = allocate(discount ? amountOff(discount, sum(weights), digits) : 0, weights);
  const allocations = covered.map(({ id }, i) => ({ id, amount: shares[i] ?? 0 }));
  const off = new Map(allocations.map(({ id, amount }) => [id, amount]));
  const shipping_cost = discount?.kind === 'free_shipping' ? 0 : shipping;
  const taxes = lines.map((line) =>
    taxOf(amountOf(line) - (off.get(line.id) ?? 0), tax.rates[line.tax_class] ?? tax.rate, tax.included),
  );
  const taxed = sum(taxes) + shippingTaxOf(shipping_cost, lines, off, tax);
  const taken = sum(shares);
  const total = subtotal - taken + shipping_cost + (tax.included ? 0 : taxed);
  return { subtotal, discount: taken, shipping_cost, tax: taxed, total, allocations };
}

/**
 * Tax on shipping: at the standard rate, or split between the rates of the shipped goods by their value after the
 * discount (if that is 0, by their value before it or their number).
 */
function shippingTaxOf(cost: number, lines: PricedLine[], off: Map<string, number>, tax: TaxTerms): number {
  const groups = new Map<string, { value: number; before: number; pieces: number }>();
  for (const line of tax.shipping === 'class' ? [] : lines) {
    if (!line.requires_shipping) continue;
    const rate = tax.rates[line.tax_class] ?? tax.rate;
    const key = String(minorUnits(rate, 4));
    const group = groups.get(key) ?? { value: 0, before: 0, pieces: 0 };
    group.value += amountOf(line) - (off.get(line.id) ?? 0);
    group.before += amountOf(line);
    group.pieces += line.quantity;
    groups.set(key, group);
  }
  if (groups.size === 0) return taxOf(cost, tax.rate, tax.included);
  const all = [...groups.values()];
  const measures = (['value', 'before', 'pieces'] as const).map((name) => all.map((group) => group[name]));
  const shares = allocate(cost, measures.find((weights) => sum(weights) > 0) ?? []);
  return sum([...groups.keys()].map((parts, i) => taxOf(shares[i] ?? 0, decimal(Number(parts), 4), tax.included)));
}

/** Converts totals to decimal strings. */
export function onTheWire({ subtotal, discount, shipping_cost, tax, total }: Totals, digits: number) {
  return {
    subtotal: decimal(subtotal, digits),
    discount: decimal(discount, digits),
    shipping_cost: decimal(shipping_cost, digits),
    tax: decimal(tax, digits),
    total: decimal(total, digits),
  };
}

function amountOff({ kind, value }: DiscountTerms, whole: number, digits: number): number {
  if (kind === 'free_shipping') return 0;
  if (kind === 'fixed_amount') return Math.min(minorUnits(value, digits), whole);
  // Rounds half up.
  return Number((2n * BigInt(whole) * BigInt(minorUnits(value, 2)) + 10_000n) / 20_000n);
}

function allocate(amount: number, weights: number[]): number[] {
  const whole = BigInt(sum(weights)) || 1n;
  const exact = weights.map((weight) => BigInt(amount) * BigInt(weight));
  const shares = exact.map((share) => Number(share / whole));
  const losses = exact.map((share, i) => ({ i, loss: share % whole }));
  losses.sort((a, b) => (a.loss === b.loss ? a.i - b.i : a.loss > b.loss ? -1 : 1));
  for (const { i } of losses.slice(0, amount - sum(shares))) shares[i] = (shares[i] ?? 0) + 1;
  return shares;
}

/** Calculates a tax, rounded half up. */
function taxOf(amount: number, rate: string, included: boolean): number {
  const parts = BigInt(minorUnits(rate, 4));
  const divisor = included ? 10_000n + parts : 10_000n;
  return Number((2n * BigInt(amount) * parts + divisor) / (2n * divisor));
}

function amountOf({ price, quantity }: PricedLine): number {
  return price * quantity;
}

function sum(amounts: number[]): number {
  return amounts.reduce((total, amount) => total + amount, 0);
}
