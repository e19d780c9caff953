import { describe, expect, test } from 'vitest';
import { essentialGroups, modifierOf } from './matches.ts';
import { expectedMatches } from './term-weights.ts';

/** A weighted query of words; each number is the number of the shop's products that have the word. */
function weighted(productCount: number, ...products: number[]) {
  const weights = products.map((count) => ({
    ...{ products: count, titles: 0, heads: 0 },
    idf: count === 0 ? 0 : Math.log(1 + (productCount - count + 0.5) / (count + 0.5)) ** 0.456,
  }));
  return { weights, productCount };
}

const essential = ({ weights }: ReturnType<typeof weighted>, minCoverage: number) =>
  essentialGroups(weights, minCoverage).toSorted((a, b) => a - b);

describe('the essential words of a query', () => {
  test('all words are essential if each alone reaches the minimum coverage', () => {
    expect(essential(weighted(900, 90, 100), 0.35)).toEqual([0, 1]);
  });

  test('the most frequent words are not essential if together they do not reach the minimum coverage', () => {
    expect(essential(weighted(900, 400, 10, 300, 20), 0.35)).toEqual([1, 3]);
    expect(essential(weighted(900, 400, 10, 300, 20), 0.1)).toEqual([0, 1, 2, 3]);
  });

  test('a word that no product contains is not essential', () => {
    expect(essential(weighted(900, 0, 90), 0.35)).toEqual([1]);
  });
});

test('a frequent word is a modifier if many products of a large shop have it, but few names contain it', () => {
  const sizeM = weighted(50_000, 400, 13_000);
  const inTitles = { ...sizeM, weights: sizeM.weights.map((weight) => ({ ...weight, titles: weight.products / 2 })) };

  expect(modifierOf(sizeM)).toBe(1);
  expect(modifierOf(inTitles)).toBeUndefined();
  expect(modifierOf(weighted(500, 4, 130))).toBeUndefined();
  expect(modifierOf(weighted(50_000, 400, 4_000))).toBeUndefined();
  expect(modifierOf(weighted(50_000, 0, 13_000))).toBeUndefined();
});

test('the estimate of how many products contain most of the words treats the words as independent', () => {
  // One of two equally rare words has half of the weight.
  expect(expectedMatches(weighted(1_000, 100, 100), 0.5)).toBeCloseTo(190);
  // Two of three such words have more than half of the weight.
  expect(expectedMatches(weighted(1_000, 100, 100, 100), 0.5)).toBeCloseTo(28);
  expect(expectedMatches(weighted(1_000, ...Array.from({ length: 11 }, () => 900)), 0.5)).toBe(0);
});
