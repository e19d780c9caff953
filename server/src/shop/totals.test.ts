import fc from 'fast-check';
import { expect, test } from 'vitest';
import { allocate, type PricedLine, totalsOf } from './totals.ts';

const cart = fc.array(
  fc.record({
    id: fc.uuid(),
    product_id: fc.constantFrom('a', 'b', 'c'),
    price: fc.integer({ min: 0, max: 100_000_000 }),
    quantity: fc.integer({ min: 1, max: 999 }),
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
const tax = fc.record({ rate: fc.constantFrom('0', '0.07', '0.19', '0.2125', '1'), included: fc.boolean() });

test('for any cart and any code the parts add up: allocations to the discount, all of it to the total', () => {
  fc.assert(
    fc.property(cart, terms, tax, fc.integer({ min: 0, max: 10_000 }), (lines, discount, taxTerms, shipping) => {
      const totals = totalsOf({ lines, discount, shipping, tax: taxTerms, digits: 2 });
      const allocated = totals.allocations.reduce((whole, { amount }) => whole + amount, 0);
      const added = taxTerms.included ? 0 : totals.tax;
      const taxed = totals.taxes.reduce((whole, { amount }) => whole + amount, totals.shipping_tax);

      expect(allocated).toBe(totals.discount);
      expect(taxed).toBe(totals.tax);
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

test('what cannot be split evenly goes to the shares that lost most, the earlier first', () => {
  expect(allocate(1000, [1000, 1000, 1000])).toEqual([334, 333, 333]);
  expect(allocate(100, [1, 2, 4])).toEqual([14, 29, 57]);
  expect(allocate(0, [5, 5])).toEqual([0, 0]);
});

test('contained tax is shown and not added, tax on top is added, both rounded half up per line, shipping as a line', () => {
  const lines = [
    { id: 'x', product_id: null, price: 999, quantity: 1 },
    { id: 'y', product_id: null, price: 50, quantity: 1 },
  ];
  const base = { lines, discount: undefined, shipping: 490, digits: 2 };

  expect(totalsOf({ ...base, tax: { rate: '0.19', included: true } })).toMatchObject({ tax: 246, total: 1539 });
  expect(totalsOf({ ...base, tax: { rate: '0.19', included: false } })).toMatchObject({ tax: 293, total: 1832 });
});
