import { expect, test } from 'vitest';
import { DIMENSIONS } from '../index/latent.ts';
import type { Candidate } from './candidates.ts';
import { companyOf } from './top-similarity.ts';

function candidate(name: string, direction?: number[]): Candidate {
  const vector = direction && Int8Array.from({ length: DIMENSIONS }, (_, i) => direction[i] ?? 0);
  const rest = {
    price: '1.00',
    sales_count: 0,
    score: 1,
    heads: 0,
    by_vendor: false,
    misses: 0,
    whole: 0,
    guessed: 0,
    is_code: false,
  };
  return { product_id: name, name, vector, ...rest };
}

test('a candidate is of the kind of the best as far as their names say the same thing', () => {
  const names = ['Oak chair', 'Chair for two', 'Chairs, white', 'Oak table'];

  const kinds = companyOf(names.map((name) => candidate(name))).map(({ kind }) => kind);

  expect(kinds).toEqual([0.75, 0.75, 0.75, 0.25]);
});

test('only the best say what is meant, by their names the first ten and by their meaning the first five', () => {
  const best = Array.from({ length: 10 }, (_, i) => candidate('Chair', i < 5 ? [100] : [0, 100]));
  const others = Array.from({ length: 10 }, () => candidate('Table', [0, 100]));

  const company = companyOf([...best, ...others]);

  expect([company[0], company[9], company[19]]).toEqual([
    { kind: 1, meaning: 1 },
    { kind: 1, meaning: 0 },
    { kind: 0, meaning: 0 },
  ]);
});

test('what has no place among the meanings stands in the middle of the others, and without any all are alike', () => {
  const company = companyOf([
    candidate('Chair', [10]),
    candidate('Chair', [100]),
    candidate('Chair'),
    candidate('Chair', [0, 1]),
  ]);
  const [first, second, unplaced, last] = company.map(({ meaning }) => meaning);

  // However long a vector is, only its direction counts.
  expect([first, second]).toEqual([expect.closeTo(2 / Math.sqrt(5)), expect.closeTo(2 / Math.sqrt(5))]);
  expect(unplaced).toBeCloseTo(((first ?? 0) + (second ?? 0) + (last ?? 0)) / 3);
  expect(companyOf([candidate('Chair'), candidate('Table')]).map(({ meaning }) => meaning)).toEqual([0, 0]);
});
