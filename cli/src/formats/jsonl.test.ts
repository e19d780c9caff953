import { expect, test } from 'vitest';
import { readText, refusals } from './testing.ts';

test('reads one product per line, skips blank lines, keeps U+2028 in texts, and derives a missing slug from the name', async () => {
  const { reads } = await readText('\uFEFF{"name":"Red Mug"}\r\n\r\n{"name":"a\u2028b","slug":"ab","price":"1"}', {
    name: 'products.jsonl',
  });
  expect(reads).toEqual([
    { line: 1, product: { name: 'Red Mug', slug: 'red-mug' } },
    { line: 3, product: { name: 'a\u2028b', slug: 'ab', price: '1' } },
  ]);
});

test('reports each invalid line with the reason, and reads the others', async () => {
  const lines = [
    '{"name":"Mug","slug":"mug"}',
    '{"name":"Mug" "slug":"x"}',
    '[1]',
    '{"slug":"nameless"}',
    '{"name":"日本"}',
    '{"name":"Mug"}',
    JSON.stringify({ name: 'Long', slug: 'long', description: 'x'.repeat(65_536), tags: ['t'.repeat(256)] }),
    JSON.stringify({ name: 'NUL\0', slug: 'Not A Slug', variants: [{ option1: 'S' }, { option1: 'S' }] }),
    '{"name":"Lone \\ud800","slug":"lone"}',
    JSON.stringify({ name: 'M', slug: 'm', metadata: { care: 'x'.repeat(501) } }),
    '{"name":"Last","slug":"last"}',
  ];
  const { reads, products } = await readText(lines.join('\n'), { name: 'products.jsonl' });
  expect(products.map(({ slug }) => slug)).toEqual(['mug', 'last']);
  expect(refusals(reads)).toEqual([
    expect.stringMatching(/^2 json: The line is not valid JSON: Expected ',' .*\(column 15\)$/),
    '3 json: The line must hold one JSON object, a product.',
    '4 name: The name is missing.',
    expect.stringMatching(/^5 slug: The name has no letter/),
    '6 slug: "mug" is already the slug of the product on line 1.',
    '7 description: The text has 65536 characters; at most 65535 are kept.',
    '7 tags: The text has 256 characters; at most 255 are kept.',
    expect.stringMatching(/^8 slug: /),
    expect.stringMatching(/^8 name: .*NUL/),
    expect.stringMatching(/^8 variants\.1\.option1: Another variant/),
    expect.stringMatching(/^9 name: .*surrogate/),
    '10 metadata.care: The text has 501 characters; at most 500 are kept.',
  ]);
});

test('rejects a line that is too long, and reads the line after it', async () => {
  const { reads } = await readText(`{"name":"a"}\n${'x'.repeat(9_000_000)}\n{"name":"b"}\n`, { name: 'a.jsonl' });
  expect(reads.map((read) => [read.line, 'product' in read])).toEqual([
    [1, true],
    [2, false],
    [3, true],
  ]);
});
