/**
 * The SDK's mocks calculate totals themselves, because the SDK does not depend on the server. Both calculations must
 * be equal.
 */

import fc from 'fast-check';
import { expect, test } from 'vitest';
import { decimal as mockDecimal, totalsOf as mockTotals } from '../../sdk/src/mocks/money.ts';
import { decimal } from '../src/shop/money.ts';
import { totalsOf } from '../src/shop/totals.ts';

const line = fc.record({
  price: fc.integer({ min: 0, max: 1_000_000 }),
  quantity: fc.integer({ min: 1, max: 999 }),
  tax_class: fc.constantFrom('standard', 'reduced', 'zero'),
  covered: fc.boolean(),
  requires_shipping: fc.boolean(),
});
const rate = fc.integer({ min: 0, max: 3_000 }).map((parts) => `0.${String(parts).padStart(4, '0')}`);
const discount = fc.option(
  fc.oneof(
    fc.record({ kind: fc.constant('percentage' as const), value: fc.integer({ min: 1, max: 100 }).map(String) }),
    fc.record({
      kind: fc.constant('fixed_amount' as const),
      value: fc.integer({ min: 1, max: 100_000 }).map((cents) => (cents / 100).toFixed(2)),
    }),
    fc.record({ kind: fc.constant('free_shipping' as const), value: fc.constant('0') }),
  ),
  { nil: undefined },
);

test('the mocks calculate the same totals as the server for random carts', () => {
  const cart = fc.record({
    lines: fc.array(line, { maxLength: 12 }),
    ...{ discount, rate, reduced: rate, included: fc.boolean() },
    shipping: fc.integer({ min: 0, max: 100_000 }),
    shipping_tax: fc.constantFrom('goods' as const, 'class' as const),
  });
  fc.assert(
    fc.property(cart, ({ lines, discount: code, rate: standard, reduced, included, shipping, shipping_tax }) => {
      const named = lines.map((one, i) => ({ ...one, id: `line ${i}`, product_id: `product ${i}` }));
      const covered = new Set(named.filter((one) => one.covered).map(({ product_id }) => product_id));
      const tax = { rate: standard, rates: { zero: '0', reduced }, included, shipping: shipping_tax };
      const ours = totalsOf({
        ...{ lines: named, shipping, tax, digits: 2 },
        discount: code && { ...code, covers: ({ product_id }) => covered.has(product_id ?? '') },
      });
      const theirs = mockTotals({
        ...{ lines: named, shipping, tax, digits: 2 },
        discount: code && { ...code, covers: (product_id) => covered.has(product_id) },
      });
      const { taxes: _, shipping_taxes, ...compared } = ours;
      expect(theirs).toEqual(compared);
      expect(mockDecimal(theirs.total, 2)).toBe(decimal(ours.total, 2));
    }),
    { numRuns: 1_000 },
  );
});
