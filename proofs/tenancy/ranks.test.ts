import { expect, test } from 'vitest';
import { chanceOf } from '../testing/random.ts';
import { rankSumTest } from './ranks.ts';

test('the rank sum test matches a manual calculation', () => {
  // Here U is 1, and z is (12.5 - 1 - 0.5) / √(5 × 5 × 11 / 12) = 2.298.
  expect(rankSumTest([1.1, 2.2, 3.3, 4.4, 5.5], [4.5, 6.1, 7.2, 8.3, 9.4])).toBeCloseTo(0.02157, 4);
  expect(rankSumTest([1, 1, 1], [1, 1, 1])).toBe(1);
});

test('the rank sum test detects a shift, and reports a difference between equal samples only as often as expected', () => {
  const { next } = chanceOf(7);
  const sample = (shift: number) => Array.from({ length: 400 }, () => next() + shift);
  const alike = Array.from({ length: 500 }, () => rankSumTest(sample(0), sample(0)));

  expect(rankSumTest(sample(0), sample(0.1))).toBeLessThan(0.001);
  const share = alike.filter((p) => p < 0.05).length / alike.length;
  expect(share).toBeGreaterThan(0.02);
  expect(share).toBeLessThan(0.08);
});
