import { expect, test } from 'vitest';
import { asCalled, type Column, painter, plain, table } from './output.ts';

type Row = { name: string; price: string; stock: number };

const COLUMNS: Column<Row>[] = [
  { title: 'NAME', value: ({ name }) => name, shrinks: true },
  { title: 'PRICE', value: ({ price }) => price, right: true },
  {
    title: 'STOCK',
    value: ({ stock }) => stock,
    right: true,
    colour: ({ stock }) => (stock === 0 ? 'red' : undefined),
  },
];

const ROWS: Row[] = [
  { name: '湯呑み', price: '1250.00', stock: 0 },
  { name: 'Café au lait', price: '9.50', stock: 120 },
];

const still = painter({ env: {} }, { isTTY: false });
const coloured = painter({ env: {} }, { isTTY: true });

test('aligns columns by display width, and amounts to the right', () => {
  expect(table(COLUMNS, ROWS, { paint: still, width: undefined })).toBe(
    [
      'NAME            PRICE  STOCK', //
      '湯呑み        1250.00      0',
      'Café au lait     9.50    120',
    ].join('\n'),
  );
});

test('shrinks a column on a narrow terminal', () => {
  const rows = [{ name: 'A very long name of a product', price: '9.50', stock: 1 }];
  expect(table(COLUMNS, rows, { paint: still, width: 34 })).toBe(
    [
      'NAME                  PRICE  STOCK', //
      'A very long name of…   9.50      1',
    ].join('\n'),
  );
});

test('uses colours only in a terminal without NO_COLOR', () => {
  expect(table(COLUMNS, ROWS, { paint: coloured, width: undefined })).toContain('\x1b[31m0\x1b[0m');
  expect(painter({ env: { NO_COLOR: '1' } }, { isTTY: true })('red', 'x')).toBe('x');
  expect(painter({ env: {} }, {})('red', 'x')).toBe('x');
});

test('escapes control characters in untrusted text', () => {
  expect(plain('a\x1b[2J\nb\u202ec\u0007')).toBe('a [2J bc ');
});

test('shows commands with npx if the CLI was started with npx', () => {
  const words = 'Log in: commerce login --demo, or npx commerce login. See @commerce-backend/cli and my-commerce shop.';
  expect(asCalled(words, { env: {} })).toBe(words);
  expect(asCalled(words, { env: { npm_command: 'exec' } })).toBe(words.replace('in: commerce', 'in: npx commerce'));
});
