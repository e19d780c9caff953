import { describe, expect, test } from 'vitest';
import { companionOf, neededOf } from './matches.ts';
import { strongExpected } from './term-weights.ts';

/** Words by how many of the shop's products have them. */
function weighed(size: number, ...products: number[]) {
  const weights = products.map((count) => ({
    ...{ products: count, titles: 0, heads: 0 },
    rarity: count === 0 ? 0 : Math.log(1 + (size - count + 0.5) / (count + 0.5)) ** 0.456,
  }));
  return { weights, size };
}

const needed = ({ weights }: ReturnType<typeof weighed>, least: number) =>
  neededOf(weights, least).toSorted((a, b) => a - b);

describe('a product must have one of the words without which too much is lacking', () => {
  test('all of them where each alone is enough', () => {
    expect(needed(weighed(900, 90, 100), 0.35)).toEqual([0, 1]);
  });

  test('the commonest are done without first, as long as all of those together are too little', () => {
    expect(needed(weighed(900, 400, 10, 300, 20), 0.35)).toEqual([1, 3]);
    expect(needed(weighed(900, 400, 10, 300, 20), 0.1)).toEqual([0, 1, 2, 3]);
  });

  test('a word that no product has is nothing to look for', () => {
    expect(needed(weighed(900, 0, 90), 0.35)).toEqual([1]);
  });
});

test('of several words the commonest only accompanies the thing where much of a large shop has it, and names hardly do', () => {
  const sizeM = weighed(50_000, 400, 13_000);
  const shirt = { ...sizeM, weights: sizeM.weights.map((weight) => ({ ...weight, titles: weight.products / 2 })) };

  expect(companionOf(sizeM)).toBe(1);
  expect(companionOf(shirt)).toBeUndefined();
  expect(companionOf(weighed(500, 4, 130))).toBeUndefined();
  expect(companionOf(weighed(50_000, 400, 4_000))).toBeUndefined();
  expect(companionOf(weighed(50_000, 0, 13_000))).toBeUndefined();
});

test('how many products have the better part of the words is reckoned as if words came together by chance', () => {
  // Of two words that are as rare as each other, one is half.
  expect(strongExpected(weighed(1_000, 100, 100), 0.5)).toBeCloseTo(190);
  // Of three such words, two are more than half.
  expect(strongExpected(weighed(1_000, 100, 100, 100), 0.5)).toBeCloseTo(28);
  expect(strongExpected(weighed(1_000, ...Array.from({ length: 11 }, () => 900)), 0.5)).toBe(0);
});
