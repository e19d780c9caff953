import fc from 'fast-check';
import { expect, test } from 'vitest';
import { chargedByRate, differenceOf, linesOf, originalByRate, type Part, priceOfPieces, totalOf } from './amounts.ts';

const mug: Part = { line_item_id: 'mug', rate: '0.19', quantity: 3, refunded: 0, gross: 3000, tax: 479 };
const book: Part = { line_item_id: 'book', rate: '0.07', quantity: 1, refunded: 0, gross: 1000, tax: 65 };

test('charges the original amounts if nothing was refunded', () => {
  const charged = chargedByRate([mug, book], originalByRate([mug, book]), 4000);

  expect([...charged]).toEqual([
    ['0.19', { gross: 3000, tax: 479 }],
    ['0.07', { gross: 1000, tax: 65 }],
  ]);
});

test('divides a goodwill refund among the tax rates in proportion to their amounts', () => {
  const before = originalByRate([mug, book]);

  const credited = differenceOf(before, chargedByRate([mug, book], before, 3600));

  // 400 of 4000: 300 at 19 % (tax 479 − round(479 × 2700 / 3000) = 48) and 100 at 7 % (tax 65 − 59 = 6, because 58.5
  // rounds up).
  expect([...credited]).toEqual([
    ['0.19', { gross: 300, tax: 48 }],
    ['0.07', { gross: 100, tax: 6 }],
  ]);
});

test('credits returned items at their tax rate, and charges a retained fee at the same rate', () => {
  const before = originalByRate([mug, book]);
  const parts = [mug, { ...book, refunded: 1 }];

  const credited = differenceOf(before, chargedByRate(parts, before, 3200));

  // The book for 1000 was returned and 800 were refunded. The other 200 stay charged at the rate of the book.
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

/** The share is often close to 1, where rounding matters. */
const share = fc.oneof(fc.double({ min: 0, max: 1, noNaN: true }), fc.double({ min: 0.95, max: 1, noNaN: true }));
const RUNS = { numRuns: 3_000 };

function taxIn(gross: number, rate: string): number {
  return Math.round((gross * Number(rate)) / (1 + Number(rate)));
}

test('credit notes never exceed the invoice at any rate, and add up to the invoice once nothing is charged', () => {
  const moves = fc.array(fc.record({ refunded: fc.array(fc.nat(20)), charged: share }), {
    maxLength: 5,
  });
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
    RUNS,
  );
});

test('the lines of an invoice document add up to its amount at each tax rate', () => {
  fc.assert(
    fc.property(parts, share, fc.array(fc.nat(20)), (given, portion, refunded) => {
      const all: Part[] = given.map((part, i) => ({
        ...part,
        line_item_id: String(i),
        refunded: Math.min(part.quantity, refunded[i] ?? 0),
        tax: taxIn(part.gross, part.rate),
      }));
      const original = originalByRate(all);
      const charged = Math.floor(totalOf(original.values()).gross * portion);
      const target = chargedByRate(all, original, charged);
      const pieces = all.map((part) => ({
        part,
        rate: part.rate,
        quantity: part.quantity,
        ...priceOfPieces(part, part.refunded, part.quantity),
      }));

      const lines = linesOf(target, pieces);

      for (const [rate, amounts] of target) {
        expect(totalOf(lines.filter((line) => line.rate === rate))).toEqual(amounts);
      }
    }),
    RUNS,
  );
});

test('an earlier goodwill refund does not increase the amount charged at a rate after a return', () => {
  const [one, two] = [mug, book].map((part) => ({ ...part, quantity: 1, gross: 1000, tax: 100 })) as [Part, Part];
  const before = chargedByRate([one, two], originalByRate([one, two]), 1800);

  const after = chargedByRate([{ ...one, refunded: 1 }, two], before, 1000);

  // 900 were charged at each rate. 800 were refunded for the returned piece, so 100 are still charged at its rate.
  expect([...differenceOf(before, after)].map(([rate, { gross }]) => [rate, gross])).toEqual([['0.19', 800]]);
});

test('assigns the tax left over by rounding to a single line', () => {
  const [fork, spoon, knife] = [4, 2, 2].map((gross, i) => ({
    ...mug,
    ...{ line_item_id: String(i), quantity: 1, gross, tax: gross === 4 ? 1 : 0, refunded: gross === 4 ? 1 : 0 },
  })) as [Part, Part, Part];
  const parts = [fork, spoon, knife];
  const target = chargedByRate(parts, originalByRate(parts), 4);
  const pieces = [spoon, knife].map((part) => ({ part, rate: part.rate, quantity: 1, ...priceOfPieces(part, 0, 1) }));

  const lines = linesOf(target, pieces);

  // Half of the amount has half of the tax of 1, which rounds to 1.
  expect(target.get('0.19')).toEqual({ gross: 4, tax: 1 });
  expect(lines.map(({ gross, tax }) => [gross, tax])).toEqual([
    [2, 1],
    [2, 0],
  ]);
});
