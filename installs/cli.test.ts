import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openShop } from '../server/test/shop.ts';
import contract from '../spec/generated/openapi.json' with { type: 'json' };
import { done, emptyFolder, install, pack, ran } from './outside.ts';

/** Tests the CLI as users install it: from its tarball, in a folder outside of the repository. */

let folder: string;
let remove: () => Promise<void>;

beforeAll(async () => {
  ({ folder, remove } = await emptyFolder());
  await install(folder, await pack('cli', folder));
}, 300_000);

afterAll(() => remove?.());

test("the CLI's tarball runs without our other packages, and prints help and version", async () => {
  const manifest = JSON.parse(await readFile(join(folder, 'node_modules/@commerce-backend/cli/package.json'), 'utf8'));
  expect(Object.keys(manifest.dependencies).filter((name) => name.startsWith('@commerce-backend/'))).toEqual([]);
  expect(await done(folder, ['npx', '--no', '--', 'commerce', '--help'])).toContain('Usage: commerce');
  expect(await done(folder, ['npx', '--no', '--', 'commerce', '--version'])).toBe(`${manifest.version}\n`);
});

test("the installed CLI imports and lists products, and prints the contract's remedy after an error", async () => {
  const { baseUrl, credentials } = await openShop();
  const env = { COMMERCE_URL: baseUrl, COMMERCE_API_KEY: credentials.api_key, COMMERCE_CONFIG: join(folder, 'config') };
  await writeFile(join(folder, 'products.jsonl'), JSON.stringify({ name: 'Mug', slug: 'mug', price: '14.00' }));
  const commerce = (...args: string[]) => ran(folder, ['node_modules/.bin/commerce', ...args, '--json'], env);

  const imported = await commerce('products', 'import', 'products.jsonl');
  expect({ code: imported.code, counts: JSON.parse(imported.out).counts }).toMatchObject({
    code: 0,
    counts: { created: 1, refused: 0 },
  });
  const listed = await commerce('products', 'list');
  expect(JSON.parse(listed.out).products).toMatchObject([{ slug: 'mug', price: '14.00' }]);
  const refused = await commerce('webhooks', 'test', '0192f3a0-4444-7000-8000-000000000001');
  expect(refused.code).toBe(1);
  const { remedy } = contract.components.schemas.ErrorCode['x-error-catalogue'].not_found;
  expect(JSON.parse(refused.err)).toMatchObject({ error: 'not_found', remedy });
});
