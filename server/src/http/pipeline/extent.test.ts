import { expect, test } from 'vitest';
import { excessOf, MAX_DEPTH, MAX_ENTRIES, MAX_FIELDS, MAX_VALUES } from './extent.ts';

const excess = (text: string) => excessOf(Buffer.from(text));
const list = (count: number, entry = '0') => `[${Array(count).fill(entry).join(',')}]`;
const object = (count: number) => `{${Array.from({ length: count }, (_, i) => `"k${i}":0`).join(',')}}`;

test('accepts JSON at the limits of depth, fields and entries, and names an exceeded limit', () => {
  expect(excess('['.repeat(MAX_DEPTH) + ']'.repeat(MAX_DEPTH))).toBeUndefined();
  expect(excess('{"a":'.repeat(MAX_DEPTH + 1))).toBe('too_deep');
  expect(excess(list(MAX_ENTRIES))).toBeUndefined();
  expect(excess(list(MAX_ENTRIES + 1))).toBe('too_many_entries');
  expect(excess(object(MAX_FIELDS))).toBeUndefined();
  expect(excess(object(MAX_FIELDS + 1))).toBe('too_many_fields');
  expect(excess(list(MAX_VALUES / MAX_ENTRIES, list(MAX_ENTRIES)))).toBe('too_many_values');
});

test('the limits of JSON bodies ignore brackets and commas in strings', () => {
  const text = JSON.stringify({ a: '[{'.repeat(50), b: '\\",[,'.repeat(20_000), '[': ',' });
  expect(excess(text)).toBeUndefined();
});

test('the limit of entries in JSON bodies counts each list separately', () => {
  expect(excess(`[${list(6_000)},${list(6_000)}]`)).toBeUndefined();
  expect(excess(`[${list(2)},${list(MAX_ENTRIES + 1)},0]`)).toBe('too_many_entries');
});

test('finds no exceeded limit in text that is not JSON, and does not throw', () => {
  for (const text of ['', ']]]]', '"', '"\\', '}{', ',,,', '[1,2', '\u0000']) expect(excess(text)).toBeUndefined();
});
