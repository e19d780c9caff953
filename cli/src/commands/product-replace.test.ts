import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import contract from '@commerce-backend/spec/openapi.json' with { type: 'json' };
import { expect, test } from 'vitest';
import { fakeServer, folder, loggedIn, pageOf, refusal } from '../testing.ts';

// biome-ignore lint/suspicious/noExplicitAny: the contract's own example of a product.
const PRODUCT: any = contract.components.examples.Product.value;
const { id, slug, options, variants, images } = PRODUCT;
const PATH = `/api/dashboard/products/${id}`;
const ETAG = '"5X0pXq2m9nFQv3yqTj6Fqw"';

/** Starts a fake shop with the product and a logged-in user. Records the calls that save the product. */
async function merchant(answer: object = { body: PRODUCT }) {
  const server = await fakeServer({
    'GET /api/dashboard/products': { body: pageOf('products', [PRODUCT]) },
    [`GET ${PATH}`]: { body: PRODUCT, headers: { ETag: ETAG } },
    [`PUT ${PATH}`]: answer,
  });
  const user = await loggedIn(server.url);
  const path = join(await folder(), 'product.json');
  const replace = async (file: object, ...more: string[]) => {
    await writeFile(path, JSON.stringify(file));
    return user.commerce(['products', 'replace', slug, '--input', path, ...more]);
  };
  return { ...user, replace, saved: () => server.seen.filter(({ method }) => method === 'PUT') };
}

test('`products replace` accepts a printed product, and sends it without response-only fields and with its ETag', async () => {
  const { replace, saved } = await merchant();

  const { code, out } = await replace({ ...PRODUCT, name: 'Cup' });

  expect([code, out]).toEqual([0, expect.stringContaining(PRODUCT.name)]);
  const [call] = saved();
  expect(call?.headers['if-match']).toBe(ETAG);
  expect(call?.body).toMatchObject({ name: 'Cup', slug, tags: PRODUCT.tags, metadata: PRODUCT.metadata });
  for (const field of ['id', 'merchant_id', 'price', 'currency', 'in_stock', 'created_at', 'updated_at']) {
    expect(call?.body).not.toHaveProperty(field);
  }
  expect(call?.body.options).toEqual(options.map(({ position: _, ...option }: { position: number }) => option));
  expect(call?.body.variants[0]).toMatchObject({ id: variants[0].id, sku: variants[0].sku, price: variants[0].price });
  expect(call?.body.variants[0]).not.toHaveProperty('inventory_quantity');
  expect(call?.body.images).toEqual([
    { id: images[0].id, url: images[0].url, alt: images[0].alt, width: images[0].width, height: images[0].height },
  ]);
});

test.each(['abc', 15, null])(
  "`products replace` sends the invalid price %j to the server, and shows the field and message of the server's error",
  async (price) => {
    const loc = ['body', 'variants', 0, 'price'];
    const mistake = { loc, msg: 'Should be an amount such as 4.90.', type: 'value_error' };
    const { replace, saved } = await merchant(
      refusal(422, 'validation_error', 'The request does not fit.', { detail: [mistake] }),
    );

    const changed = variants.map((one: { id: string }, at: number) => ({ id: one.id, ...(at === 0 && { price }) }));
    const { code, err } = await replace({ variants: changed });

    expect(code).toBe(1);
    expect(err).toContain('variants.0.price: Should be an amount such as 4.90.');
    expect(saved()[0]?.body.variants[0].price).toBe(price);
  },
);

test('`products replace` sends partial JSON from standard input unchanged, with the given ETag', async () => {
  const { commerce, saved } = await merchant();
  const body = {
    seo_titel: 'A slip',
    variants: [...variants.map((one: { id: string }) => ({ id: one.id })), { option1: 'Moss', inventory_quantity: 3 }],
  };

  const args = ['products', 'replace', id, '--input', '-', '--if-match', '"older"', '--json'];
  const { out } = await commerce(args, { input: JSON.stringify(body) });

  expect(JSON.parse(out)).toEqual(PRODUCT);
  expect(saved()[0]?.body).toEqual(body);
  expect(saved()[0]?.headers['if-match']).toBe('"older"');
});

test('`products replace` rejects an outdated product and a computed price before it saves', async () => {
  const { replace, saved } = await merchant();

  const late = await replace({ ...PRODUCT, updated_at: '2026-01-01T00:00:00.000Z' });
  const derived = await replace({ ...PRODUCT, price: '1.00' });

  expect([late.code, late.err]).toEqual([1, expect.stringContaining('was changed since the file was read')]);
  expect([derived.code, derived.err]).toEqual([2, expect.stringContaining('Change variants.0.price in the file.')]);
  expect(saved()).toEqual([]);
});

test('`products replace` asks for confirmation before it deletes parts or changes a price by much, unless --yes is given', async () => {
  const { replace, saved } = await merchant();
  const file = { variants: [{ id: variants[0].id, price: '99.00' }], images: [] };

  const asked = await replace(file);
  expect([asked.code, asked.err]).toEqual([2, expect.stringContaining('Add --yes.')]);
  expect(saved()).toEqual([]);

  expect((await replace(file, '--yes')).code).toBe(0);
  expect(saved()[0]?.body).toEqual(file);
});

test('`products replace` reports a mistake with its path in the file', async () => {
  const detail = [{ loc: ['body', 'variants', 1, 'price'], msg: 'Should be an amount.', type: 'value_error' }];
  const { replace } = await merchant(refusal(422, 'validation_error', 'The request does not fit.', { detail }));

  const { code, err } = await replace({ variants });

  expect(code).toBe(1);
  expect(err).toContain('variants.1.price: Should be an amount.');
});
