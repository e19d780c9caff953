import fc from 'fast-check';
import { decimal, minorUnits } from '../../server/src/shop/money.ts';
import { type DiscountTerms, type Totals, totalsOf } from '../../server/src/shop/totals.ts';
import { type Figures, type Proof, pick } from '../testing/proof.ts';

/** Computes totals of random carts, discounts and taxes with the server's function for totals. */
export const D5: Proof = {
  id: 'D5',
  promise: 'The discounts of the lines add up to the discount of the code, and all parts add up to the total.',
  async run(trial) {
    const tried = pick(trial.size, 5_000, 100_000);
    const result = fc.check(
      fc.property(carts, (input) => {
        const faults = faultsIn(input);
        if (faults.length > 0) throw new Error(faults.join('; '));
      }),
      { seed: trial.seed, numRuns: tried },
    );
    const violations = result.failed ? [fc.defaultReportMessage(result) ?? 'a cart failed'] : [];
    const note = 'currencies of 0, 2 and 3 digits, tax added and included';
    return { tried, unit: 'carts', violations, note } satisfies Figures;
  },
};

/** A generated cart. Each line has a flag that shows whether the code covers it. */
interface CartInput {
  digits: number;
  lines: { price: number; quantity: number; covered: boolean; tax_class?: string; requires_shipping: boolean }[];
  discount: { kind: DiscountTerms['kind']; value: string } | undefined;
  shipping: number;
  tax: { rate: string; rates?: Record<string, string>; included: boolean; shipping: 'goods' | 'class' };
}

/** Carts with a higher subtotal are rejected (carts/limits.ts). */
const MAX_SUBTOTAL = 1e15;

const carts: fc.Arbitrary<CartInput> = fc
  .record({
    digits: fc.constantFrom(0, 2, 3),
    lines: fc.array(
      fc.record({
        price: fc.oneof(
          fc.nat(20),
          fc.nat(10_000),
          fc.nat(100_000_000),
          fc.maxSafeNat().map((n) => n % 1e12),
        ),
        quantity: fc.oneof(fc.integer({ min: 1, max: 5 }), fc.integer({ min: 1, max: 999 })),
        covered: fc.boolean(),
        tax_class: fc.constantFrom('standard', 'reduced', 'zero', 'unheard-of'),
        requires_shipping: fc.boolean(),
      }),
      { minLength: 1, maxLength: 12, size: 'max' },
    ),
    kind: fc.constantFrom('percentage' as const, 'fixed_amount' as const, 'free_shipping' as const, undefined),
    percent: fc.integer({ min: 1, max: 10_000 }),
    amount: fc.oneof(fc.integer({ min: 1, max: 5_000 }), fc.integer({ min: 1, max: 1e12 })),
    shipping: fc.oneof(
      fc.constant(0),
      fc.nat(10_000),
      fc.maxSafeNat().map((n) => n % 1e15),
    ),
    rate: fc.oneof(fc.constantFrom(0, 700, 1_900, 10_000), fc.nat(10_000)),
    reduced: fc.oneof(fc.constantFrom(0, 700, 1_000), fc.nat(10_000)),
    included: fc.boolean(),
    shipped_as: fc.constantFrom('goods' as const, 'class' as const),
  })
  .filter(({ lines }) => lines.reduce((sum, { price, quantity }) => sum + price * quantity, 0) <= MAX_SUBTOTAL)
  .map(({ digits, lines, kind, percent, amount, shipping, rate, reduced, included, shipped_as }) => ({
    ...{ digits, lines, shipping },
    tax: { rate: decimal(rate, 4), rates: { reduced: decimal(reduced, 4), zero: '0' }, included, shipping: shipped_as },
    discount: kind && { kind, value: kind === 'percentage' ? decimal(percent, 2) : decimal(amount, digits) },
  }));

/** Returns the rules that the totals break. Each is checked separately and in exact arithmetic. */
function faultsIn({ digits, lines, discount, shipping, tax }: CartInput): string[] {
  const named = lines.map((line, at) => ({ ...line, id: String(at), product_id: String(at) }));
  const covers = ({ id }: { id: string }) => lines[Number(id)]?.covered ?? false;
  const totals = totalsOf({ lines: named, discount: discount && { ...discount, covers }, shipping, tax, digits });
  const faults: string[] = [];
  const check = (rule: string, holds: boolean) => {
    if (!holds) faults.push(rule);
  };
  const amounts = lines.map(({ price, quantity }) => BigInt(price) * BigInt(quantity));
  const off = new Map(totals.allocations.map(({ id, amount }) => [Number(id), BigInt(amount)]));
  const whole = sum(lines.map(({ covered }, at) => (covered ? (amounts[at] ?? 0n) : 0n)));
  const promised = discount ? amountOff(discount, whole, digits) : 0n;
  check('the subtotal is not the sum of the lines', BigInt(totals.subtotal) === sum(amounts));
  check(`the code promises ${promised}, and takes ${totals.discount}`, BigInt(totals.discount) === promised);
  check('the allocations do not come to the discount', sum([...off.values()]) === promised);
  for (const [at, amount] of amounts.entries()) {
    const share = off.get(at) ?? 0n;
    check(`line ${at} is below zero`, share >= 0n && share <= amount);
    check(`line ${at} is not for the code`, share === 0n || (lines[at]?.covered ?? false));
    // Largest remainder method: each share differs from its exact value by less than one minor unit.
    const distance = share * whole - promised * amount;
    if (lines[at]?.covered) check(`line ${at} is a unit off`, distance < (whole || 1n) && -distance < (whole || 1n));
    check(
      `the tax of line ${at}`,
      isRounded(totals.taxes[at]?.amount, amount - share, taxOfLine(tax, lines[at]?.tax_class)),
    );
  }
  const shipped = discount?.kind === 'free_shipping' ? 0 : shipping;
  check('the shipping cost', totals.shipping_cost === shipped);
  faults.push(...shippingFaults(totals, amounts, { lines, tax }));
  check(
    'the tax is not its parts',
    BigInt(totals.tax) ===
      sum([...totals.taxes.map(({ amount }) => amount), ...totals.shipping_taxes.map((part) => part.tax)].map(BigInt)),
  );
  const added = tax.included ? 0n : BigInt(totals.tax);
  check('the total is not its parts', BigInt(totals.total) === sum(amounts) - promised + BigInt(shipped) + added);
  check('an amount is beyond exactness', Number.isSafeInteger(totals.total) && totals.total >= 0);
  return faults;
}

/**
 * The shipping cost is split over the tax rates of the shipped goods, in proportion to their value. Each share must
 * differ from its exact value by less than one minor unit.
 */
function shippingFaults(totals: Totals, amounts: bigint[], { lines, tax }: Pick<CartInput, 'lines' | 'tax'>): string[] {
  const faults: string[] = [];
  const cost = BigInt(totals.shipping_cost);
  const parts = totals.shipping_taxes;
  if (sum(parts.map(({ amount }) => BigInt(amount))) !== cost)
    faults.push('the shares of the shipping cost do not add up to it');
  for (const { rate, amount, tax: taxed } of parts) {
    if (!isRounded(taxed, BigInt(amount), { ...tax, rate }))
      faults.push(`the tax of the shipping cost at ${rate} is rounded wrongly`);
  }
  const off = new Map(totals.allocations.map(({ id, amount }) => [Number(id), BigInt(amount)]));
  const shipped = [...lines.entries()].filter(([, line]) => tax.shipping === 'goods' && line.requires_shipping);
  const left = shipped.map(([at]) => (amounts[at] ?? 0n) - (off.get(at) ?? 0n));
  const before = shipped.map(([at]) => amounts[at] ?? 0n);
  const weights = sum(left) > 0n ? left : sum(before) > 0n ? before : shipped.map(([, one]) => BigInt(one.quantity));
  const whole = sum(weights);
  const expected = new Map<bigint, bigint>();
  const add = (rate: string, weight: bigint) => {
    const parts_of_rate = BigInt(minorUnits(rate, 4));
    expected.set(parts_of_rate, (expected.get(parts_of_rate) ?? 0n) + weight);
  };
  for (const [i, [, line]] of shipped.entries()) add(taxOfLine(tax, line.tax_class).rate, weights[i] ?? 0n);
  if (shipped.length === 0) add(tax.rate, 1n);
  for (const [rate, weight] of expected) {
    const share = parts.filter((part) => BigInt(minorUnits(part.rate, 4)) === rate);
    const distance = sum(share.map(({ amount }) => BigInt(amount))) * (whole || 1n) - cost * weight;
    if (distance >= (whole || 1n) || -distance >= (whole || 1n))
      faults.push(`the share of the shipping cost at ${rate} is not proportional`);
  }
  return faults;
}

function amountOff({ kind, value }: NonNullable<CartInput['discount']>, whole: bigint, digits: number): bigint {
  if (kind === 'free_shipping') return 0n;
  if (kind === 'percentage') return (2n * whole * BigInt(minorUnits(value, 2)) + 10_000n) / 20_000n;
  const amount = BigInt(minorUnits(value, digits));
  return amount < whole ? amount : whole;
}

/** Returns the tax of a class: its own rate, or the rate of the standard class. */
function taxOfLine({ rate, rates = {}, included }: CartInput['tax'], tax_class = 'standard'): CartInput['tax'] {
  return { rate: rates[tax_class] ?? rate, included, shipping: 'goods' };
}

/** Whether a tax equals its exact value, rounded half up to a minor unit. */
function isRounded(tax: number | undefined, amount: bigint, { rate, included }: CartInput['tax']): boolean {
  const parts = BigInt(minorUnits(rate, 4));
  const divisor = included ? 10_000n + parts : 10_000n;
  const twiceTooMuch = 2n * (BigInt(tax ?? -1) * divisor - amount * parts);
  return twiceTooMuch <= divisor && twiceTooMuch > -divisor;
}

function sum(amounts: bigint[]): bigint {
  return amounts.reduce((total, amount) => total + amount, 0n);
}
