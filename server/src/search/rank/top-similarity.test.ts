import { expect, test } from 'vitest';
import { DIMENSIONS } from '../index/latent.ts';
import type { Candidate } from './candidates.ts';
import { topSimilarities } from './top-similarity.ts';

function candidate(name: string, direction?: number[]): Candidate {
  const vector = direction && Int8Array.from({ length: DIMENSIONS }, (_, i) => direction[i] ?? 0);
  const rest = {
    price: '1.00',
    sales_count: 0,
    score: 1,
    head_groups: 0,
    vendor_match: false,
    failed: 0,
    exact_groups: 0,
    guessed_groups: 0,
    code_match: false,
    in_stock: true,
  };
  return { product_id: name, name, vector, ...rest };
}

test('the `head` of a candidate is the share of the best candidates whose names have the same head noun', () => {
  const names = ['Oak chair', 'Chair for two', 'Chairs, white', 'Oak table'];

  const shares = topSimilarities(names.map((name) => candidate(name))).map(({ head }) => head);

  expect(shares).toEqual([0.75, 0.75, 0.75, 0.25]);
});

test('compares the head nouns of all candidates with the first ten candidates, and their vectors with the first five', () => {
  const best = Array.from({ length: 10 }, (_, i) => candidate('Chair', i < 5 ? [100] : [0, 100]));
  const others = Array.from({ length: 10 }, () => candidate('Table', [0, 100]));

  const similarities = topSimilarities([...best, ...others]);

  expect([similarities[0], similarities[9], similarities[19]]).toEqual([
    { head: 1, semantic: 1 },
    { head: 1, semantic: 0 },
    { head: 0, semantic: 0 },
  ]);
});

test('a candidate without a vector gets the average similarity, and all are equal if none has a vector', () => {
  const similarities = topSimilarities([
    candidate('Chair', [10]),
    candidate('Chair', [100]),
    candidate('Chair'),
    candidate('Chair', [0, 1]),
  ]);
  const [first, second, withoutVector, last] = similarities.map(({ semantic }) => semantic);

  // Only the direction of a vector counts, not its length.
  expect([first, second]).toEqual([expect.closeTo(2 / Math.sqrt(5)), expect.closeTo(2 / Math.sqrt(5))]);
  expect(withoutVector).toBeCloseTo(((first ?? 0) + (second ?? 0) + (last ?? 0)) / 3);
  expect(topSimilarities([candidate('Chair'), candidate('Table')]).map(({ semantic }) => semantic)).toEqual([0, 0]);
});
