import { expect, test } from 'vitest';
import { headTermOf, PLACE, postingsOf, type SearchDocument } from './postings.ts';

const PRINTER: SearchDocument = {
  name: 'Alder laser printer black',
  description: '',
  vendor: 'Alder',
  product_type: 'Printers',
  tags: [],
  metadata: { colour: 'Black' },
  options: [],
  codes: ['al-1'],
};

test("the head noun is the last word of a name, without its purpose, numbers and the product's own values", () => {
  const heads = [
    ['Gaming mouse pad', 'pad'],
    ['Case for phones, black', 'case'],
    ['Notebook 39.1 cm', 'notebook'],
    ['Mouse 1000', 'mouse'],
    ['Black', 'black'],
  ];

  for (const [name = '', head] of heads) expect(headTermOf(name, ['black'])).toBe(head);
  expect(headTermOf('Laser printer black', ['black'])).toBe('printer');
  expect(headTermOf('Laser printer black', [])).toBe('black');
});

test('a posting records whether its term is in the name, is the head noun, or is the vendor', () => {
  const places = new Map(postingsOf(PRINTER).map(({ term, place }) => [term, place]));

  expect(places.get('printer')).toBe(PLACE.title | PLACE.titleHead);
  expect(places.get('alder')).toBe(PLACE.title | PLACE.vendor);
  expect(places.get('black')).toBe(PLACE.title);
});

test('a word in the name has a higher weight than a word in the description', () => {
  const impacts = new Map(
    postingsOf({ ...PRINTER, description: 'a scanner that copies and prints pages of any size in a minute' }).map(
      ({ term, impact }) => [term, impact],
    ),
  );

  expect(impacts.get('printer') ?? 0).toBeGreaterThan(impacts.get('scanner') ?? 1);
});
