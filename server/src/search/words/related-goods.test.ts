import { expect, test } from 'vitest';
import { narrowerGoods, widerGoods } from './related-goods.ts';

test('goods stand for their kinds, nearer ones first, and for what they are a kind of', () => {
  expect(narrowerGoods('seat').slice(0, 4)).toContain('chair');
  expect(widerGoods('fedora')).toContain('hat');
  expect(widerGoods('parka')).toContain('jacket');
  expect(widerGoods('pooch')).toContain('dog');
});

test('a word that is no goods, or for too many of them, stands for none', () => {
  expect(narrowerGoods('device')).toEqual([]);
  expect(narrowerGoods('democracy')).toEqual([]);
  expect(widerGoods('democracy')).toEqual([]);
});

test('goods do not stand for what shares their name: a skateboard is no board', () => {
  expect(widerGoods('skateboard')).not.toContain('board');
});
