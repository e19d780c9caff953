import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const ROOT = join(import.meta.dirname, '../..');

test('each file and folder that docs/architecture.md names is there', () => {
  const page = readFileSync(join(ROOT, 'docs/architecture.md'), 'utf8');
  const named = [
    ...page.matchAll(/`((?:server|scripts|http|shop|search|pages|jobs|db|storefront|dashboard|agent)\/[\w/.-]*)`/g),
  ];
  const missing = named
    .map(([, path = '']) => path)
    .filter((path) => ![ROOT, join(ROOT, 'server/src')].some((folder) => existsSync(join(folder, path))));

  expect(named.length).toBeGreaterThan(30);
  expect(missing).toEqual([]);
});
