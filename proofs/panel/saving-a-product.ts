/**
 * A product is saved in one call. A rejected save must change nothing, and two people who save one product must not
 * lose changes.
 */

import { unwrap } from '@commerce-backend/sdk';
import { expect } from 'vitest';
import { PATIENCE_MS } from '../../server/test/tab.ts';
import { inPanel, type Visit } from './visit.ts';

inPanel('a mistake in the third variant prevents saving, and the form keeps its input', async (visit) => {
  const { open, fill, press, sees, look, tab, width } = visit;
  const { id, read } = await withSizes(visit, `Vase ${width}`);
  const before = await read();
  const changes = listen(visit);
  await open(`/products/${id}`);
  await fill('Name', `Tall vase ${width}`);
  await cell(visit, 'Price, S').fill('9.50');
  await cell(visit, 'SKU, M').fill(`VASE-M-${width}`);
  await cell(visit, 'Compare-at price, L').fill('1.00');
  await press('Save');
  await sees('Nothing is saved: correct the fields that are marked.');
  expect(await tab.$eval('td .error', (error) => error.closest('tr')?.textContent), 'the row that is marked').toContain(
    'L',
  );
  const focused = () => tab.evaluate('document.activeElement.getAttribute("aria-label")');
  await expect.poll(focused, { timeout: PATIENCE_MS }).toBe('Compare-at price, L');
  await look('product-refused');
  expect(await read()).toEqual(before);
  expect(await typedIn(visit, 'Price, S')).toBe('9.50');
  expect(await typedIn(visit, 'SKU, M')).toBe(`VASE-M-${width}`);

  await cell(visit, 'Compare-at price, L').fill('11.00');
  await press('Save');
  await sees('Saved.');
  expect(changes.splice(0)).toEqual([`PUT /api/dashboard/products/${id}`, `PUT /api/dashboard/products/${id}`]);
  const after = await read();
  expect(after.name).toBe(`Tall vase ${width}`);
  expect(after.variants).toMatchObject([{ price: '9.50' }, { sku: `VASE-M-${width}` }, { compare_at_price: '11.00' }]);
});

inPanel('if two people save one product, both changes are kept', async (visit) => {
  const { open, fill, press, sees, look, text, dashboard, width } = visit;
  const { id, read } = await withSizes(visit, `Crate ${width}`);
  await open(`/products/${id}`);
  await fill('Description', 'Of pine.');
  await fill('Tags', 'mine');
  await cell(visit, 'Price, S').fill('7.50');
  await press('Add a field');
  await fill('Name 1', 'wood');
  await fill('Value of wood', 'pine');

  const { data, response } = await dashboard.GET('/api/dashboard/products/{product_id}', {
    params: { path: { product_id: id } },
  });
  const [option] = data?.options ?? [];
  const [small, middle, large] = data?.variants ?? [];
  const variants = [
    { id: small?.id, sku: `CRATE-S-${width}` },
    { id: middle?.id },
    { id: large?.id, price: '12.00' },
    { option1: 'XL', price: '14.00', inventory_quantity: 2 },
  ];
  const options = [{ id: option?.id, values: ['S', 'M', 'L', 'XL'] }];
  await unwrap(
    dashboard.PUT('/api/dashboard/products/{product_id}', {
      params: { path: { product_id: id } },
      body: { vendor: 'Theirs', tags: ['theirs'], metadata: { origin: 'Norway' }, options, variants },
      headers: { 'If-Match': response.headers.get('ETag') ?? '' },
    }),
  );

  await press('Save');
  await sees('Somebody else changed this meanwhile');
  const shown = await text();
  for (const word of ['Vendor', 'Theirs', 'L: Price', '12.00', 'XL: Price', '14.00', 'Of pine.', 'both changed it']) {
    expect(shown).toContain(word);
  }
  await look('product-conflict');
  await press('Keep mine');
  await sees('Saved.');
  expect(await read()).toMatchObject({
    description: 'Of pine.',
    vendor: 'Theirs',
    tags: ['theirs', 'mine'],
    metadata: { wood: 'pine', origin: 'Norway' },
    variants: [
      { option1: 'S', price: '7.50', sku: `CRATE-S-${width}` },
      { option1: 'M', price: '8.00' },
      { option1: 'L', price: '12.00' },
      { option1: 'XL', price: '14.00', inventory_quantity: 2 },
    ],
  });
});

inPanel(
  'saving a product does not overwrite stock that has changed in the meantime, and saves all other changes',
  async (visit) => {
    const { open, fill, press, sees, look, dashboard, width } = visit;
    const { id, read } = await withSizes(visit, `Bucket ${width}`);
    await open(`/products/${id}`);
    await fill('Vendor', 'Cooper');
    await cell(visit, 'Available, S').fill('20');
    await cell(visit, 'Available, M').fill('30');
    const { variants } = await read();
    await unwrap(
      dashboard.POST('/api/dashboard/inventory/{variant_id}/adjust', {
        params: { path: { variant_id: variants[1]?.id ?? '' } },
        body: { delta: -1, reason: 'damaged' },
      }),
    );
    await press('Save');
    await sees('The product is saved, but not the stock that is marked.');
    await look('product-stock-refused');
    const quantities = async () => (await read()).variants.map(({ inventory_quantity }) => inventory_quantity);
    expect((await read()).vendor).toBe('Cooper');
    expect(await quantities()).toEqual([20, 9, 10]);
    expect(await typedIn(visit, 'Available, M')).toBe('30');
    await press('Save');
    await sees('Saved.');
    expect(await quantities()).toEqual([20, 30, 10]);
  },
);

inPanel('new variants between stored ones do not inherit their SKU, barcode or picture', async (visit) => {
  const { open, fill, press, sees, tab, width } = visit;
  const { id, read } = await withSizes(visit, `Bowl ${width}`);
  await open(`/products/${id}`);
  await press('Show barcode, cost, weight and more', 'checkbox');
  for (const size of ['S', 'M', 'L']) {
    await cell(visit, `SKU, ${size}`).fill(`BOWL-${size}-${width}`);
    await cell(visit, `Barcode, ${size}`).fill(`40000${width}${size}`);
  }
  await press('Save');
  await sees('Saved.');
  await tab.mouse.move(0, 0);
  await tab.waitForFunction(`!document.querySelector('.toast')`);
  await press('Add an option');
  await fill('Option 2', 'Colour');
  await fill('Values of Colour', 'Red,Blue,');
  await press('Create the 3 missing variants');
  await press('Save');
  await sees('Saved.');
  const own = (size: string) => ({ option1: size, sku: `BOWL-${size}-${width}`, barcode: `40000${width}${size}` });
  const without = (size: string) => ({ option1: size, option2: 'Blue', sku: null, barcode: null, image_url: null });
  expect((await read()).variants).toMatchObject(['S', 'M', 'L'].flatMap((size) => [own(size), without(size)]));
});

inPanel('leaving a changed product or collection asks for confirmation', async (visit) => {
  const { open, fill, press, sees, tab, dashboard, width } = visit;
  const { id } = await withSizes(visit, `Kept box ${width}`);
  const { id: collection } = await unwrap(
    dashboard.POST('/api/dashboard/collections', { body: { title: `Boxes ${width}` } }),
  );
  for (const [path, field] of [
    [`/products/${id}`, 'Vendor'],
    ['/products/new', 'Name'],
    [`/collections/${collection}`, 'Title'],
  ] as const) {
    await open(path);
    await fill(field, 'Changed');
    if (width < 896) await tab.locator('.menu-button').click();
    await press('Customers', 'link');
    await sees('Leave without saving?');
    await press('Cancel');
    expect(
      await tab.$eval(`::-p-aria([name="${field}"])`, (input) => (input as unknown as { value: string }).value),
    ).toBe('Changed');
    await press('Customers', 'link');
    await press('Leave without saving');
    await tab.waitForFunction(`document.querySelector('h1')?.textContent === 'Customers'`);
  }
});

async function withSizes({ dashboard }: Visit, name: string) {
  const variants = ['S', 'M', 'L'].map((option1) => ({ option1, inventory_quantity: 10 }));
  const body = { name, price: '8.00', options: [{ name: 'Size', values: ['S', 'M', 'L'] }], variants };
  const { id } = await unwrap(dashboard.POST('/api/dashboard/products', { body }));
  const params = { path: { product_id: id } };
  return { id, read: () => unwrap(dashboard.GET('/api/dashboard/products/{product_id}', { params })) };
}

/** Records the writing requests that the panel sends from now on. Returns the list to which they are added. */
function listen({ tab }: Visit): string[] {
  const changes: string[] = [];
  tab.on('request', (request) => {
    if (request.method() !== 'GET') changes.push(`${request.method()} ${new URL(request.url()).pathname}`);
  });
  return changes;
}

function cell({ tab }: Visit, name: string) {
  return tab.locator(`::-p-aria([name="${name}"][role="textbox"])`);
}

async function typedIn({ tab }: Visit, name: string): Promise<string> {
  return tab.$eval(`input[aria-label="${name}"]`, (input) => input.value);
}
