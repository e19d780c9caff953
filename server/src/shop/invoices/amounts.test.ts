import fc from 'fast-check';
import { expect, test } from 'vitest';
import { chargedByRate, differenceOf, linesOf, originalByRate, type Part, priceOfPieces, totalOf } from './amounts.ts';

const mug: Part = { line_item_id: 'mug', rate: '0.19', quantity: 3, refunded: 0, gross: 3000, tax: 479 };
const book: Part = { line_item_id: 'book', rate: '0.07', quantity: 1, refunded: 0, gross: 1000, tax: 65 };

test('charges the original amounts when nothing was refunded', () => {
  const charged = chargedByRate([mug, book], originalByRate([mug, book]), 4000);

  expect([...charged]).toEqual([
    ['0.19', { gross: 3000, tax: 479 }],
    ['0.07', { gross: 1000, tax: 65 }],
  ]);
});

test('divides a goodwill refund among the rates in proportion', () => {
  const before = originalByRate([mug, book]);

  const credited = differenceOf(before, chargedByRate([mug, book], before, 3600));

  // 400 of 4000: 300 at 19 % (tax 479 − round(479 × 2700 / 3000) = 48), 100 at 7 % (65 − 59 = 6, because 58.5 rounds up).
  expect([...credited]).toEqual([
    ['0.19', { gross: 300, tax: 48 }],
    ['0.07', { gross: 100, tax: 6 }],
  ]);
});

test('credits returned pieces at their own rate, and keeps a fee there', () => {
  const before = originalByRate([mug, book]);
  const parts = [mug, { ...book, refunded: 1 }];

  const credited = differenceOf(before, chargedByRate(parts, before, 3200));

  // The book for 1000 is back and 800 were refunded: 200 are still charged, divided among the rates with room for them.
  expect([...credited]).toEqual([['0.07', { gross: 800, tax: 52 }]]);
});

const parts = fc.array(
  fc.record({
    rate: fc.constantFrom('0', '0.07', '0.19', '0.2'),
    quantity: fc.integer({ min: 1, max: 20 }),
    gross: fc.integer({ min: 0, max: 500_000 }),
  }),
  { minLength: 1, maxLength: 6 },
);

function taxIn(gross: number, rate: string): number {
  return Math.round((gross * Number(rate)) / (1 + Number(rate)));
}

test('credit notes never exceed the invoice at any rate, and cancel it to the cent when nothing is charged any more', () => {
  const moves = fc.array(
    fc.record({ refunded: fc.array(fc.nat(20)), charged: fc.double({ min: 0, max: 1, noNaN: true }) }),
    {
      maxLength: 5,
    },
  );
  fc.assert(
    fc.property(parts, moves, (given, steps) => {
      let now: Part[] = given.map((part, i) => ({
        ...part,
        line_item_id: String(i),
        refunded: 0,
        tax: taxIn(part.gross, part.rate),
      }));
      const original = originalByRate(now);
      let before = original;
      let charged = totalOf(original.values()).gross;
      for (const step of [...steps, { refunded: [], charged: 0 }]) {
        now = now.map((part, i) => ({
          ...part,
          refunded: Math.max(part.refunded, Math.min(part.quantity, step.refunded[i] ?? part.refunded)),
        }));
        charged = Math.floor(charged * step.charged);
        const after = chargedByRate(now, before, charged);
        const credited = differenceOf(before, after);
        for (const { gross, tax } of credited.values()) {
          expect(gross).toBeGreaterThan(0);
          expect(tax).toBeGreaterThanOrEqual(0);
          expect(tax).toBeLessThanOrEqual(gross);
        }
        expect(totalOf(after.values()).gross).toBe(charged);
        before = after;
      }
      expect(totalOf(before.values())).toEqual({ gross: 0, tax: 0 });
    }),
  );
});

test('the lines of a document add up to its amounts at each rate', () => {
  fc.assert(
    fc.property(parts, fc.double({ min: 0, max: 1, noNaN: true }), (given, share) => {
      const all: Part[] = given.map((part, i) => ({
        ...part,
        line_item_id: String(i),
        refunded: 0,
        tax: taxIn(part.gross, part.rate),
      }));
      const original = originalByRate(all);
      const charged = Math.floor(totalOf(original.values()).gross * share);
      const target = chargedByRate(all, original, charged);
      const pieces = all.map((part) => ({
        part,
        rate: part.rate,
        quantity: part.quantity,
        ...priceOfPieces(part, 0, part.quantity),
      }));

      const lines = linesOf(target, pieces);

      for (const [rate, amounts] of target) {
        expect(totalOf(lines.filter((line) => line.rate === rate))).toEqual(amounts);
      }
    }),
  );
});
