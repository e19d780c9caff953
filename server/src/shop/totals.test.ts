import fc from 'fast-check';
import { expect, test } from 'vitest';
import { allocate, type PricedLine, totalsOf } from './totals.ts';

const cart = fc.array(
  fc.record({
    id: fc.uuid(),
    product_id: fc.constantFrom('a', 'b', 'c'),
    price: fc.integer({ min: 0, max: 100_000_000 }),
    quantity: fc.integer({ min: 1, max: 999 }),
    tax_class: fc.constantFrom('standard', 'reduced', 'zero', 'own'),
    requires_shipping: fc.boolean(),
  }),
  { minLength: 1, maxLength: 100 },
);
const terms = fc.option(
  fc.record({
    kind: fc.constantFrom('percentage' as const, 'fixed_amount' as const, 'free_shipping' as const),
    value: fc
      .integer({ min: 0, max: 10_000 })
      .map((value) => `${Math.floor(value / 100)}.${String(value % 100).padStart(2, '0')}`),
    covers: fc.constantFrom(
      () => true,
      (line: PricedLine) => line.product_id === 'a',
    ),
  }),
  { nil: undefined },
);
const tax = fc.record({
  rate: fc.constantFrom('0', '0.07', '0.19', '0.2125', '1'),
  rates: fc.constant({ reduced: '0.07', zero: '0' }),
  included: fc.boolean(),
  shipping: fc.constantFrom('goods' as const, 'class' as const),
});

test('for any cart and discount code, line discounts add up to the total discount, and all amounts to the total', () => {
  fc.assert(
    fc.property(cart, terms, tax, fc.integer({ min: 0, max: 10_000 }), (lines, discount, taxTerms, shipping) => {
      const totals = totalsOf({ lines, discount, shipping, tax: taxTerms, digits: 2 });
      const allocated = totals.allocations.reduce((whole, { amount }) => whole + amount, 0);
      const added = taxTerms.included ? 0 : totals.tax;
      const taxed = [
        ...totals.taxes.map(({ amount }) => amount),
        ...totals.shipping_taxes.map((part) => part.tax),
      ].reduce((whole, amount) => whole + amount, 0);
      const delivered = totals.shipping_taxes.reduce((whole, { amount }) => whole + amount, 0);

      expect(allocated).toBe(totals.discount);
      expect(taxed).toBe(totals.tax);
      expect(delivered).toBe(totals.shipping_cost);
      expect(totals.total).toBe(totals.subtotal - totals.discount + totals.shipping_cost + added);
      expect(totals.discount).toBeLessThanOrEqual(totals.subtotal);
      for (const { id, amount } of totals.allocations) {
        const line = lines.find((one) => one.id === id);
        expect(amount).toBeGreaterThanOrEqual(0);
        expect(amount).toBeLessThanOrEqual((line?.price ?? 0) * (line?.quantity ?? 0));
      }
    }),
    { numRuns: 2_000 },
  );
});

test('gives leftover cents to the lines with the largest remainders, earlier ones first', () => {
  expect(allocate(1000, [1000, 1000, 1000])).toEqual([334, 333, 333]);
  expect(allocate(100, [1, 2, 4])).toEqual([14, 29, 57]);
  expect(allocate(0, [5, 5])).toEqual([0, 0]);
});

test('shows included tax, adds excluded tax, and rounds half up per line and for shipping', () => {
  const lines = [
    { id: 'x', product_id: null, price: 999, quantity: 1 },
    { id: 'y', product_id: null, price: 50, quantity: 1 },
  ];
  const base = { lines, discount: undefined, shipping: 490, digits: 2 };

  expect(totalsOf({ ...base, tax: { rate: '0.19', included: true } })).toMatchObject({ tax: 246, total: 1539 });
  expect(totalsOf({ ...base, tax: { rate: '0.19', included: false } })).toMatchObject({ tax: 293, total: 1832 });
});

const mixed: PricedLine[] = [
  { id: 'book', product_id: null, price: 3000, quantity: 1, tax_class: 'reduced' },
  { id: 'lamp', product_id: null, price: 3500, quantity: 2 },
];
const german = { rate: '0.19', rates: { reduced: '0.07' }, included: true, shipping: 'goods' as const };
const of = (
  lines: PricedLine[],
  { shipping = 500, tax = german, discount }: Partial<Parameters<typeof totalsOf>[0]> = {},
) => totalsOf({ lines, discount, shipping, tax, digits: 2 });

test('taxes shipping at the tax rate of the goods, and splits the cost by their value if they have several rates', () => {
  expect(of(mixed.slice(0, 1)).shipping_taxes).toEqual([{ tax_class: 'reduced', rate: '0.07', amount: 500, tax: 33 }]);
  expect(of(mixed)).toMatchObject({
    tax: 196 + 1118 + 10 + 56,
    shipping_taxes: [
      { tax_class: 'reduced', rate: '0.07', amount: 150, tax: 10 },
      { tax_class: 'standard', rate: '0.19', amount: 350, tax: 56 },
    ],
  });
});

test('divides the shipping cost among tax rates by discounted value, or by full value if the discount covers everything', () => {
  const amounts = (value: string, covers: (line: PricedLine) => boolean) =>
    of(mixed, { discount: { kind: 'percentage', value, covers } }).shipping_taxes.map(({ amount }) => amount);

  expect(amounts('100', ({ id }) => id === 'book')).toEqual([500]);
  expect(amounts('50', ({ id }) => id === 'lamp')).toEqual([231, 269]);
  expect(amounts('100', () => true)).toEqual([150, 350]);
});

test('taxes shipping at the rates of the shipped goods, not at the rates of downloads', () => {
  const [book, lamp] = mixed as [PricedLine, PricedLine];
  const lines = [book, { ...lamp, requires_shipping: false }];
  expect(of(lines).shipping_taxes).toEqual([{ tax_class: 'reduced', rate: '0.07', amount: 500, tax: 33 }]);
});

test('taxes shipping at the standard rate if the shop has chosen that', () => {
  const tax = { ...german, shipping: 'class' as const };
  expect(of(mixed, { tax }).shipping_taxes).toEqual([{ tax_class: 'standard', rate: '0.19', amount: 500, tax: 80 }]);
});

test('rounds a percentage discount half up, like the tax', () => {
  const off = (price: number, value: string) =>
    of([{ id: 'x', product_id: null, price, quantity: 1 }], {
      discount: { kind: 'percentage', value, covers: () => true },
    }).discount;

  // 10 % of 10,268.16 is 1,026.816; 50 % of 0.01 is half a cent.
  expect([off(1_026_816, '10'), off(1, '50'), off(1, '49.99'), off(1, '100')]).toEqual([102_682, 1, 0, 1]);
});
