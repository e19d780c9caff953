/** A limit must be understood or reported, and not dropped silently. */

import { expect, test } from 'vitest';
import type { Language } from '../words/languages.ts';
import { parseQuery } from './parse.ts';

function read(sentence: string, language: Language = 'en') {
  const { constraints } = parseQuery(sentence, undefined, { isSentence: true, language });
  return constraints.map(({ kind, min, max, currency, value, isUnread }) => {
    const isOpen = isUnread || (kind === 'price' && min === undefined && max === undefined);
    return [kind, isOpen ? '?' : (value ?? `${min ?? ''}..${max ?? ''}`), kind === 'value' ? '' : currency]
      .filter(Boolean)
      .join(' ');
  });
}

test.each<[string, string[]]>([
  ['a mug under 20 smackers', ['value ?']],
  ['a handful of euros for a mug', ['price ?']],
  ['a lamp for 40 dollars and some euros', ['price ..40 USD', 'price ?']],
  ['a mug, 20 is what we said', []],
  ['a mug under 20 pounds', ['price ?']],
  ['gift for exactly $25', ['price ? USD']],
  ['a mug below what I paid', ['price ?']],
  ['a scarf, itchy so none of that', ['without ?']],
  ['a scarf without', ['without ?']],
])('reports a limit that it does not understand, but not a plain number: %s', (sentence, reported) => {
  expect(read(sentence)).toEqual(reported);
});

test.each<[string, string[]]>([
  ['keine Becher, die mehr als 20 Euro kosten', ['price ..20 EUR']],
  ['Becher, nix über 40 Euro', ['price ..40 EUR']],
  ['gift, I would hate to spend more than 20', ['price ..20']],
  ['gift less then 15', ['price ..15']],
  ['gift below15', ['price ..15']],
  ['a watch below 1.5k dollars', ['price ..1500 USD']],
  ['mugs below the forty euro mark', ['price ..40 EUR']],
  ['gift, 20 or 30 euros', ['price 20..30 EUR']],
  ['Becher 20 bis höchstens 30 Euro', ['price 20..30 EUR']],
  ['hoodie, max_price 35, currency USD', ['price ..35 USD']],
  ['hoodies in dollars, under 50', ['price ..50 USD']],
  ['lamp, price below or equal to 120', ['price ..120']],
  ['lamp; price_range: [90, 120]', ['price 90..120']],
])('understands an amount as a price limit: %s', (sentence, limits) => {
  expect(read(sentence)).toEqual(limits);
});

test.each<[string, string[]]>([
  ['two mugs for 40 altogether', ['quantity 2', 'price ..20']],
  ['grab me 3 mugs', ['quantity 3']],
  ['at least 3 mugs', ['quantity 3']],
  ['no more than two mugs', ['quantity 2']],
  ['three things: a mug and a candle', []],
])('reads the requested quantity in an unusual wording: %s', (sentence, quantities) => {
  expect(read(sentence)).toEqual(quantities);
});

test.each<[string, string[]]>([
  ['throw but wool irritates me', ['without wool']],
  ['Decke, Wolle kratzt mich', ['without wolle']],
  ['scarf with zero wool', ['without wool']],
  ['tee, skip white', ['without white']],
  ['hoodie, but black is not my thing', ['without black']],
  ['pants, leggings excepted', ['without legging']],
])('understands an exclusion before or after its object: %s', (sentence, refused) => {
  expect(read(sentence)).toEqual(refused);
});

test.each<[string, string[]]>([
  ['pan, 24 cm or larger', ['value cm']],
  ['Tasche zwischen 20 und 30 Litern', ['value l']],
  ['Regal unter 80 Zentimeter', ['value cm']],
])('recognizes a limit on a measure: %s', (sentence, limits) => {
  expect(read(sentence)).toEqual(limits);
});
