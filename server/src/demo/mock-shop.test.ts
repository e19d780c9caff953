import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { mockShop } from './mock-shop.ts';

test('the generated demo-shop.json of `commerce mock` is up to date', async () => {
  const kept = await readFile(new URL('../../../cli/src/mock/generated/demo-shop.json', import.meta.url), 'utf8');
  expect(JSON.parse(kept), 'Run: node server/scripts/write-mock-shop.ts').toEqual(
    JSON.parse(JSON.stringify(mockShop())),
  );
});
