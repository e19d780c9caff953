import { expect, test } from 'vitest';
import { splitsOf } from './compounds.ts';
import { parseQuery } from './parse.ts';
import type { Constraint } from './parsed-query.ts';

/** The parsed sentence: its constraints without positions, and the remaining words. */
function parsed(sentence: string, names: string[] = []) {
  const { constraints, words } = parseQuery(sentence, { names: new Set(names), values: new Set() });
  return {
    constraints: constraints.map(({ text: _text, start: _start, end: _end, ...constraint }) => constraint),
    words: words.map(({ text }) => text).join(' '),
  };
}

const price = (limits: Partial<Constraint>) => ({ kind: 'price', ...limits });

test.each([
  ['garden chair under €80', [price({ max: 80, currency: 'EUR' })], 'garden chair'],
  ['kettle for less than 45 euros', [price({ max: 45, currency: 'EUR' })], 'kettle'],
  ['a rug that does not cost more than $1,200', [price({ max: 1200, currency: 'USD' })], 'a rug'],
  ['shelf between 30 and 60 dollars', [price({ min: 30, max: 60, currency: 'USD' })], 'shelf'],
  ['vase £15-25', [price({ min: 15, max: 25, currency: 'GBP' })], 'vase'],
  ['Please show me a tent, maximum price 150', [price({ max: 150 })], 'tent'],
  ['lantern 20 dollars or less', [price({ max: 20, currency: 'USD' })], 'lantern'],
  ['wool coat from €90 up to €140', [price({ min: 90, max: 140, currency: 'EUR' })], 'wool coat'],
  ['armchair over 300', [price({ min: 300 })], 'armchair'],
])('parses a price limit: %s', (sentence, constraints, words) => {
  expect(parsed(sentence)).toEqual({ constraints, words });
});

test.each([
  ['blender rated above 4.2 stars', [{ kind: 'rating', min: 4.2 }]],
  ['blender with 4.5+ star ratings', [{ kind: 'rating', min: 4.5 }]],
  ['blender rated 3.5 or higher', [{ kind: 'rating', min: 3.5 }]],
  ['blender with ratings between 3 and 4 stars', [{ kind: 'rating', min: 3, max: 4 }]],
  ['blender with at least 250 customer reviews', [{ kind: 'reviews', min: 250 }]],
  ['blender with 1,500+ reviews', [{ kind: 'reviews', min: 1500 }]],
])('reads a limit on ratings or reviews, not on the price: %s', (sentence, constraints) => {
  expect(parsed(sentence)).toEqual({ constraints, words: 'blender' });
});

test.each([
  'tower fan 7 plus',
  'lens 50mm',
  '4-in-1 tool',
  'notebook 2 pro max 15',
  'cable 2 m',
  'socket set 3/8',
  'size 42 boots',
])('does not read a number in a name as a limit: %s', (sentence) =>
  expect(parseQuery(sentence).constraints).toEqual([]),
);

test('does not read a measure after a comparison as a price', () => {
  expect(parseQuery('suitcase under 10 kg').constraints).toEqual([]);
  expect(parseQuery('table for up to 8 people').constraints).toEqual([]);
});

test('separates negations, quantity, sort order and preferences from the product', () => {
  expect(parsed('belt without leather')).toEqual({
    constraints: [{ kind: 'without', value: 'leather' }],
    words: 'belt',
  });
  expect(parsed('I need 4 plates')).toEqual({ constraints: [{ kind: 'quantity', value: '4' }], words: 'plates' });
  expect(parsed('cheapest bicycle in stock')).toEqual({
    constraints: [
      { kind: 'sort', value: 'price_asc' },
      { kind: 'in_stock', value: 'true' },
    ],
    words: 'bicycle',
  });
  expect(parsed('affordable and highly rated headlamp')).toEqual({
    constraints: [
      { kind: 'wish', value: 'low_price' },
      { kind: 'wish', value: 'rating' },
    ],
    words: 'headlamp',
  });
});

test('each constraint contains the words of the sentence that express it', () => {
  const sentence = 'Find me a crème bowl under €30, not plastic';
  const { constraints } = parseQuery(sentence);
  expect(constraints.map(({ text, start, end }) => [text, sentence.slice(start, end)])).toEqual([
    ['under €30', 'under €30'],
    ['not plastic', 'not plastic'],
  ]);
});

test('keeps the words of a name that look like an opening or a negation', () => {
  expect(parsed('order pad').words).toBe('order pad');
  expect(parsed('without').words).toBe('without');
  expect(parsed('no show socks', ['no show']).words).toBe('no show socks');
  expect(parsed('No 7 cream').constraints).toEqual([]);
});

test.each([
  ['I would like to buy 2 oat mugs please', 2, 'oat mugs'],
  ['2 mugs in oat', 2, 'mugs in oat'],
  ['two oat mugs', 2, 'oat mugs'],
  ['order two mugs', 2, 'mugs'],
  ['mug in oat, 2 pieces', 2, 'mug in oat'],
  ['oat mug x 3', 3, 'oat mug'],
  ['mug, quantity: 4', 4, 'mug'],
  ['a pair of socks', 1, 'socks'],
  ['three pairs of socks', 3, 'socks'],
  ['12 pieces of soap', 12, 'soap'],
])('parses the quantity: %s', (sentence, quantity, words) => {
  expect(parsed(sentence)).toEqual({ constraints: [{ kind: 'quantity', value: String(quantity) }], words });
});

test.each([
  '501 jeans',
  '4 person tents',
  '3-tier shelf',
  '2 m cables',
  'phone 8 plus',
  'blanket 200 x 220',
  'one size cap',
])('does not read a number in a name as a quantity: %s', (sentence) =>
  expect(parseQuery(sentence).constraints).toEqual([]),
);

test.each([
  ['mug for less than twenty euros', { max: 20 }],
  ['mug under twenty-five euros', { max: 25 }],
  ['mug under a hundred euros', { max: 100 }],
  ['mug under two hundred and fifty euros', { max: 250 }],
])('parses a price limit in words: %s', (sentence, limits) => {
  expect(parsed(sentence)).toEqual({ constraints: [price({ ...limits, currency: 'EUR' })], words: 'mug' });
});

test('does not read a number in words without a unit as a limit', () => {
  expect(parsed('over one shoulder bag').constraints).toEqual([]);
  expect(parsed('five star notebook').constraints).toEqual([]);
});

test.each([
  ['not leather bag', 'bag'],
  ['no leather bag', 'bag'],
  ['a non-leather bag', 'bag'],
  ['I want no leather bag', 'bag'],
  ['bag but no leather', 'bag'],
])('excludes a negated word, and never searches for it: %s', (sentence, word) => {
  const { constraints, words } = parsed(sentence);
  expect(constraints).toEqual([{ kind: 'without', value: 'leather' }]);
  expect(words.split(' ').filter((text) => text !== 'a')).toEqual([word]);
});

test('the parts of a very long word have fewer letters in total than the parts of many words', () => {
  const lettersOf = (sentence: string) =>
    sentence
      .split(' ')
      .flatMap((word) => splitsOf(word).flatMap(({ left, right }) => [...left, ...right]))
      .join('').length;
  const words = 'Donaudampfschifffahrtskapitänsmütze '.repeat(14).trim();

  expect(splitsOf('Damenjacke').length).toBeGreaterThan(0);
  expect(lettersOf('rugmuglamp'.repeat(50))).toBeLessThan(lettersOf(words));
});
