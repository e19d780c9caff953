import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { decimal, minorUnits } from '../../server/src/shop/money.ts';
import { type DiscountTerms, type Totals, type TotalsInput, totalsOf } from '../../server/src/shop/totals.ts';
import {
  type Checkout,
  onlyVariantOf,
  putInCarts,
  putOnSale,
  takeTransfers,
} from '../testing/products-and-checkouts.ts';
import { type Figures, type Proof, pick } from '../testing/proof.ts';
import { type Chance, chanceOf } from '../testing/random.ts';
import { type OpenShop, onPremises, type Premises } from '../testing/test-server.ts';

/**
 * Computes totals of random carts, discounts and taxes: most of them with the server's function for totals, the others
 * over HTTP.
 */
export const D5: Proof = {
  id: 'D5',
  promise: 'The discounts of the lines add up to the discount of the code, and all parts add up to the total.',
  run: (trial) =>
    onPremises(trial, async (premises) => {
      const computed = pick(trial.size, 5_000, 100_000);
      const result = fc.check(
        fc.property(carts, (input) => {
          const faults = faultsIn(input, totalsOf(termsIn(input)));
          if (faults.length > 0) throw new Error(faults.join('; '));
        }),
        { seed: trial.seed, numRuns: computed },
      );
      if (result.failed) premises.violations.add(fc.defaultReportMessage(result) ?? 'a cart failed');
      trial.progress(`${computed} carts computed`);
      const ordered = await orderCarts(premises, chanceOf(trial.seed), pick(trial.size, 2, 60));
      return {
        tried: computed,
        unit: 'carts',
        violations: premises.violations.list,
        note: `${ordered} more ordered over HTTP; currencies of 0, 2 and 3 digits, tax added and included`,
      } satisfies Figures;
    }),
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
    ...{
      digits,
      lines,
      shipping,
      tax: {
        ...{ rate: decimal(rate, 4), rates: { reduced: decimal(reduced, 4), zero: '0' } },
        ...{ included, shipping: shipped_as },
      },
    },
    discount: kind && { kind, value: kind === 'percentage' ? decimal(percent, 2) : decimal(amount, digits) },
  }));

function termsIn({ digits, lines, discount, shipping, tax }: CartInput): TotalsInput {
  const named = lines.map((line, at) => ({ ...line, id: String(at), product_id: String(at) }));
  const covers = ({ id }: { id: string }) => lines[Number(id)]?.covered ?? false;
  return { lines: named, discount: discount && { ...discount, covers }, shipping, tax, digits };
}

/** Returns the rules that the totals break. Each is checked separately and in exact arithmetic. */
function faultsIn({ digits, lines, discount, shipping, tax }: CartInput, totals: Totals): string[] {
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

/**
 * Orders random carts over HTTP. All amounts in the responses and the order must follow the rules. Returns the number
 * of orders.
 */
async function orderCarts(premises: Premises, chance: Chance, perShop: number): Promise<number> {
  let ordered = 0;
  for (const [currency, top] of [
    ['EUR', 9_999],
    ['JPY', 99_999],
    ['KWD', 99_999],
  ] as const) {
    for (const included of [true, false]) {
      const shop = await premises.openShop({ currency });
      const reduced = chance.of(['0', '0.07', '0.0725']);
      const rates = {
        prices_include_tax: included,
        default_tax_rate: chance.of(['0', '0.07', '0.19', '0.1234']),
        tax_rates: [{ country: 'DE', class: 'reduced', rate: reduced }],
        shipping_tax: chance.of(['goods', 'class'] as const),
      };
      await takeTransfers(shop);
      await shop.must('dashboard.updateSettings', { body: rates });
      const digits = shop.tenant.currency_digits;
      const random = (most: number) => decimal(1 + Math.floor(chance.next() * most), digits);
      const products = await Promise.all(
        Array.from({ length: 8 }, () =>
          putOnSale(shop, {
            ...{ price: random(top), track_inventory: false, requires_shipping: true },
            tax_class: chance.of(['standard', 'reduced', 'zero']),
          }),
        ),
      );
      const { id: shipping_option_id, price } = await shop.must('dashboard.createShippingOption', {
        body: { name: 'Parcel', price: random(999) },
      });
      const tax = {
        rate: rates.default_tax_rate,
        rates: { reduced, zero: '0' },
        included,
        shipping: rates.shipping_tax,
      };
      const terms = { tax, shipping: minorUnits(price, digits), shipping_option_id, digits, random };
      for (let i = 0; i < perShop; i += 1) {
        const faults = await orderCart(
          shop,
          chance,
          products.map((one) => ({ ...one, variant_id: onlyVariantOf(one) })),
          terms,
        );
        for (const fault of faults) premises.violations.add(`${currency}, ${JSON.stringify(tax)}: ${fault}`);
        ordered += 1;
      }
    }
  }
  return ordered;
}

interface Terms extends Pick<CartInput, 'tax' | 'shipping' | 'digits'> {
  shipping_option_id: string;
  random(most: number): string;
}

const ADDRESS = { last_name: 'Okafor', address1: 'Lindenallee 7', city: 'Berlin', postal_code: '10115', country: 'DE' };

async function orderCart(
  shop: OpenShop,
  chance: Chance,
  products: { id: string; variant_id: string; tax_class: string }[],
  { tax, shipping, digits, shipping_option_id, random }: Terms,
): Promise<string[]> {
  const chosen = chance.some(products, 1 + Math.floor(chance.next() * 6));
  const pieces = chosen.map(({ variant_id }) => ({ variant_id, quantity: 1 + Math.floor(chance.next() * 9) }));
  const covered = chance.some(chosen, 1 + Math.floor(chance.next() * chosen.length)).map(({ id }) => id);
  const [cart_id = ''] = await putInCarts(shop, [pieces]);
  const kind = chance.of(['percentage', 'fixed_amount', 'free_shipping', undefined] as const);
  const value = kind === 'percentage' ? decimal(1 + Math.floor(chance.next() * 10_000), 2) : random(50_000);
  const discount = kind && { kind, value: kind === 'free_shipping' ? '0' : value };
  const applied = discount && (await apply(shop, cart_id, discount, covered));
  const { id: checkout_id } = await shop.must('storefront.createCheckout', { body: { cart_id } });
  const path = { checkout_id };
  const body = {
    email: 'june@example.com',
    payment_method: 'bank_transfer',
    shipping_address: ADDRESS,
    shipping_option_id,
  } as const;
  const checkout = await shop.must('storefront.updateCheckout', { path, body });
  const { order } = await shop.must('storefront.completeCheckout', { path, body: {} });

  const lines = checkout.items.map(({ price, quantity, product_id }) => ({
    ...{ price: minorUnits(price, digits), quantity, covered: covered.includes(product_id) },
    tax_class: products.find(({ id }) => id === product_id)?.tax_class ?? '',
    requires_shipping: true,
  }));
  const input = { digits, lines, discount, shipping, tax };
  const computed = totalsOf(termsIn(input));
  const faults = faultsIn(input, computed);
  for (const shown of [checkout, order]) faults.push(...differences(shown, computed, digits));
  if (applied) {
    const inCart = computed.allocations.map(
      ({ id, amount }) => `${checkout.items[Number(id)]?.id} ${decimal(amount, digits)}`,
    );
    const shown = applied.allocations.map(({ line_item_id, amount_off }) => `${line_item_id} ${amount_off}`);
    if (shown.join() !== inCart.join()) faults.push(`expected the allocations ${inCart}, got ${shown}`);
    if (applied.amount_off !== decimal(computed.discount, digits))
      faults.push(`expected amount_off ${decimal(computed.discount, digits)}, got ${applied.amount_off}`);
  }
  return faults.map((fault) => `${fault} in ${JSON.stringify(input)}`);
}

async function apply(
  shop: OpenShop,
  cart_id: string,
  { kind, value }: NonNullable<CartInput['discount']>,
  product_ids: string[],
) {
  const code = `CODE-${randomUUID().slice(0, 8)}`;
  const given = kind === 'free_shipping' ? {} : { value };
  await shop.must('dashboard.createDiscount', { body: { code, kind, product_ids, ...given } });
  return shop.must('storefront.applyDiscount', { path: { cart_id }, body: { code } });
}

const PARTS = ['subtotal', 'discount', 'shipping_cost', 'tax', 'total'] as const;

function differences(shown: Pick<Checkout, (typeof PARTS)[number]>, computed: Totals, digits: number): string[] {
  return PARTS.filter((part) => shown[part] !== decimal(computed[part], digits)).map(
    (part) => `${part} is shown as ${shown[part]}, and comes to ${decimal(computed[part], digits)}`,
  );
}
