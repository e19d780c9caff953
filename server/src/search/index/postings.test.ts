import { expect, test } from 'vitest';
import { headOf, PLACE, postingsOf, type Source } from './postings.ts';

const PRINTER: Source = {
  name: 'Alder laser printer black',
  description: '',
  vendor: 'Alder',
  product_type: 'Printers',
  tags: [],
  metadata: { colour: 'Black' },
  options: [],
  codes: ['al-1'],
};

test('a name says what the thing is by its last word, but for what it is for, numbers and values of its own', () => {
  const heads = [
    ['Gaming mouse pad', 'pad'],
    ['Case for phones, black', 'case'],
    ['Notebook 39.1 cm', 'notebook'],
    ['Mouse 1000', 'mouse'],
    ['Black', 'black'],
  ];

  for (const [name = '', head] of heads) expect(headOf(name, ['black'])).toBe(head);
  expect(headOf('Laser printer black', ['black'])).toBe('printer');
  expect(headOf('Laser printer black', [])).toBe('black');
});

test('a term tells where it stands: in the name, as the thing itself, as the vendor', () => {
  const places = new Map(postingsOf(PRINTER).map(({ term, place }) => [term, place]));

  expect(places.get('printer')).toBe(PLACE.title | PLACE.headOfTitle);
  expect(places.get('alder')).toBe(PLACE.title | PLACE.vendor);
  expect(places.get('black')).toBe(PLACE.title);
});

test('a word in the name speaks more strongly of a product than one in its description', () => {
  const impacts = new Map(
    postingsOf({ ...PRINTER, description: 'a scanner that copies and prints pages of any size in a minute' }).map(
      ({ term, impact }) => [term, impact],
    ),
  );

  expect(impacts.get('printer') ?? 0).toBeGreaterThan(impacts.get('scanner') ?? 1);
});
