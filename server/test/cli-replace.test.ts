import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { folder, loggedIn } from '../../cli/src/testing.ts';
import { givenTee, readProduct } from './saved-product.ts';
import { openShop } from './shop.ts';

test('`products replace` saves the output of `products get`, and fails (exit code 1) if the product has changed since', async () => {
  const shop = await openShop();
  const tee = await givenTee(shop);
  const { commerce } = await loggedIn(shop.baseUrl, shop.credentials.api_key);
  const path = join(await folder(), 'tee.json');
  const printed = await commerce(['products', 'get', tee.slug, '--json']);
  await shop.givenOrder({ content: [{ variant_id: tee.variants[0]?.id ?? '', quantity: 1 }] });
  const replace = (...more: string[]) => commerce(['products', 'replace', tee.slug, '--input', path, ...more]);

  await writeFile(path, printed.out);
  expect(await replace('--json')).toMatchObject({ code: 0, err: '' });
  const { product } = await readProduct(shop, tee.id);
  expect(product.updated_at).toBe(tee.updated_at);
  expect(product.variants[0]?.inventory_quantity).toBe(2);

  const [first, ...rest] = JSON.parse(printed.out).variants;
  await writeFile(
    path,
    JSON.stringify({ ...JSON.parse(printed.out), variants: [...rest, { ...first, price: '18.00' }] }),
  );
  expect((await replace()).code).toBe(0);
  expect((await readProduct(shop, tee.id)).product.variants.map(({ price }) => price)).toEqual([
    ...['20.00', '20.00', '20.00', '18.00'],
  ]);
  const late = await replace();
  expect([late.code, late.err]).toEqual([1, expect.stringContaining('was changed since the file was read')]);
});
