/** Tests a merchant's main tasks with products, stock and collections. */

import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { unwrap } from '@commerce-backend/sdk';
import { afterAll, expect, onTestFinished } from 'vitest';
import type { Jobs } from '../../server/src/jobs/run.ts';
import { workJobs } from '../../server/test/jobs.ts';
import { PATIENCE_MS } from '../../server/test/tab.ts';
import { inPanel, inPanelAndOnPhone, type Visit } from './visit.ts';

let jobs: Jobs | undefined;
afterAll(() => jobs?.stop());

inPanel('a product with twelve variants and pictures is published', async (visit) => {
  const { open, fill, sees, look, tab, dashboard, storefront, width } = visit;
  const press = (name: string, role?: Reached) => reach(visit, name, role);
  // Background jobs process the uploaded images.
  jobs ??= await workJobs({ baseUrl: visit.demo.base_url });
  const [, picture, second] = await picturesOf(visit);
  await open('/products');
  await look('products');
  await press('Add product', 'link');
  const name = `Walking coat ${width}`;
  await fill('Name', name);
  await fill('Description', 'Keeps the rain out.');
  await fill('Vendor', 'Northwind');
  await fill('Tags', 'outdoor');
  await tab.keyboard.press('Enter');
  for (const url of [picture, second]) {
    await fill('Add a picture by its address', url ?? '');
    await tab.keyboard.press('Enter');
  }
  await look('pictures');
  await press('Move picture 2 up');
  await fill('Alt text of picture 1', 'The coat from behind');
  for (const [option, word, values] of [
    ['Option 1', 'Size', 'S, M, L'],
    ['Option 2', 'Colour', 'Red, Blue, Green, Black'],
  ] as const) {
    await press('Add an option');
    await fill(option, word);
    await fill(`Values of ${word}`, values);
    await tab.keyboard.press('Enter');
  }
  await sees('3 × 4 = 12 variants.');
  await press('Save and publish');
  await sees('Should be an amount such as 4.90.');
  for (const [field, value] of [
    ['price', '89.90'],
    ['inventory_quantity', '5'],
  ] as const) {
    await fill('For all variants', field);
    await fill('Value', value);
    if (field === 'price') await press('Apply to all');
    else await tab.keyboard.press('Enter');
  }
  expect(await tab.evaluate('document.body.innerText')).not.toContain('Should be an amount');
  await tab.locator('::-p-aria([name="SKU, L / Black"][role="textbox"])').fill(`COAT-${width}`);
  await tab.locator('::-p-aria([name="Price, L / Black"][role="textbox"])').fill('99,90');
  await look('new-product');
  await press('Choose the variants of picture 1');
  await press('All Red', 'checkbox');
  await press('L / Black', 'checkbox');
  await look('picture-variants');
  await press('Done');
  await sees('Of 4 variants');
  await press('Save and publish');
  await sees('Saved and published.');

  const { products } = await unwrap(
    storefront.GET('/api/storefront/products', { params: { query: { q: name, limit: 1 } } }),
  );
  expect(products[0]).toMatchObject({ name, total_inventory: 60, vendor: 'Northwind', tags: ['outdoor'] });
  expect(products[0]?.variants).toHaveLength(12);
  expect(products[0]?.images.map(({ url, alt }) => [url, alt])).toEqual([
    [second, 'The coat from behind'],
    [picture, null],
  ]);
  const last = products[0]?.variants.find(({ option1, option2 }) => option1 === 'L' && option2 === 'Black');
  expect(last).toMatchObject({ sku: `COAT-${width}`, price: '99.90', image_url: second });
  expect(products[0]?.images.map(({ variant_ids }) => variant_ids.length)).toEqual([4, 0]);

  // Options can be added later without creating a new product.
  await sees('Variants (12)');
  // A message stays open while the pointer is over it, so the pointer moves away.
  await tab.mouse.move(0, 0);
  await tab.waitForFunction(`!document.querySelector('.toast')`);
  await fill('Values of Size', 'XL');
  await tab.keyboard.press('Enter');
  await press('Create the 4 missing variants');
  await tab.locator('::-p-aria([name="Available, S / Red"][role="textbox"])').fill('7');
  await press('Choose the variants of picture 1');
  await press('L / Black', 'checkbox');
  await press('XL / Red', 'checkbox');
  await press('Done');
  await sees('Of Red');
  await press('Remove picture 2');
  // The editor of the description has a button with the same name.
  await tab.locator('.toast .undo').click();
  await tab.waitForSelector('.images li:nth-child(2)');
  await press('Remove picture 2');
  const folder = await mkdtemp(join(tmpdir(), 'panel-pictures-'));
  const file = join(folder, 'own.png') as `${string}.png`;
  await tab.screenshot({ path: file, clip: { x: 0, y: 0, width: 200, height: 150 } });
  await choose(visit, 'Pictures to upload', file);
  await tab.waitForSelector('.images li:nth-child(2) img', { timeout: 60_000 });
  await rm(folder, { recursive: true });
  await look('product');
  await press('Save');
  await sees('Saved.');
  const id = products[0]?.id ?? '';
  const now = await unwrap(
    dashboard.GET('/api/dashboard/products/{product_id}', { params: { path: { product_id: id } } }),
  );
  expect(now.variants).toHaveLength(16);
  expect(now.images).toHaveLength(2);
  const red = now.variants.filter(({ option2 }) => option2 === 'Red').map(({ id }) => id);
  expect(now.images.map(({ variant_ids }) => variant_ids)).toEqual([red, []]);
  expect(now.images[1]?.url).toContain('/files/');
  expect(now.total_inventory).toBe(62);
});

inPanelAndOnPhone('a product without options is published', async (visit) => {
  const { open, fill, press, sees, storefront, width } = visit;
  const name = `Plain mug ${width}`;
  await open('/products/new');
  await fill('Name', name);
  await fill('Price', '14.00');
  await fill('Available', '24');
  await press('Save and publish');
  await sees('Saved and published.');
  const query = { q: name, limit: 1 };
  const { products } = await unwrap(storefront.GET('/api/storefront/products', { params: { query } }));
  expect(products[0]).toMatchObject({ name, price: '14.00', total_inventory: 24 });
});

inPanel(
  'saving a product that somebody else has changed shows both versions, and saves the chosen one',
  async (visit) => {
    const { open, press, fill, sees, look, text, tab, dashboard, width } = visit;
    const { id } = await unwrap(
      dashboard.POST('/api/dashboard/products', { body: { name: `Lamp ${width}`, price: '30.00' } }),
    );
    const params = { path: { product_id: id } };
    const read = () => unwrap(dashboard.GET('/api/dashboard/products/{product_id}', { params }));
    await open(`/products/${id}`);
    await fill('Name', `Desk lamp ${width}`);
    await fill('Price', '35.00');
    await unwrap(
      dashboard.PATCH('/api/dashboard/products/{product_id}', { params, body: { vendor: 'Other', price: '32.00' } }),
    );
    await press('Save');
    await sees('Somebody else changed this meanwhile');
    const shown = await text();
    for (const word of ['Vendor', 'Other', '35.00', '32.00', 'both changed it']) expect(shown).toContain(word);
    await look('conflict');
    await press('Keep mine');
    await sees('Saved.');
    expect(await read()).toMatchObject({ name: `Desk lamp ${width}`, vendor: 'Other', price: '35.00' });

    await fill('Name', 'Never saved');
    if (width < 896) await tab.locator('.menu-button').click();
    await press('Collections', 'link');
    await sees('Leave without saving?');
    await look('unsaved');
    await press('Cancel');
    await unwrap(dashboard.PATCH('/api/dashboard/products/{product_id}', { params, body: { vendor: 'Third' } }));
    await press('Save');
    await sees('Somebody else changed this meanwhile');
    await press('Take theirs');
    await tab.waitForFunction(`!document.querySelector('.save-bar')`);
    expect(await read()).toMatchObject({ name: `Desk lamp ${width}`, vendor: 'Third' });
  },
);

inPanelAndOnPhone(
  'the prices of thirty products change in five steps, and the preview shows the new prices',
  async (visit) => {
    const { open, press, fill, sees, seesNoDialog, look, tab, dashboard, width } = visit;
    const vendor = `Thirty ${width}`;
    const products = Array.from({ length: 30 }, (_, i) => ({
      ...{ name: `Cup ${width} ${i}`, slug: `cup-${width}-${i}`, vendor, price: '19.99', status: 'active' as const },
    }));
    await unwrap(dashboard.POST('/api/dashboard/products/import', { body: { products } }));
    const query = { vendor: [vendor], limit: 100 };
    const prices = async () => {
      const page = await unwrap(dashboard.GET('/api/dashboard/products', { params: { query } }));
      return page.products.map(({ price }) => price);
    };
    await open(`/products?vendor=${encodeURIComponent(vendor)}`);
    await press('Select all on this page', 'checkbox');
    await press('Select all 30 that match');
    await sees('30 selected');
    await press('Change prices');
    await fill('Percent', '15');
    await sees('€22.99');
    await look('bulk-prices');
    expect(new Set(await prices())).toEqual(new Set(['19.99']));
    await tab.keyboard.press('Enter');
    await sees('30 changed.');
    await seesNoDialog();
    expect(await prices()).toEqual(Array(30).fill('22.99'));

    await press('Select all on this page', 'checkbox');
    await press('Change prices');
    await fill('Percent', '900');
    await press('Change 25 products');
    await sees('The price changes by more than 80 %.');
    await look('bulk-prices-question');
    await press('Cancel');
    expect(await prices()).toEqual(Array(30).fill('22.99'));
  },
);

inPanelAndOnPhone(
  'variants of several products are edited in a table, and a conflict is shown at its cell',
  async (visit) => {
    const { open, press, sees, look, tab, dashboard, width } = visit;
    const vendor = `Table ${width}`;
    const make = (name: string) =>
      unwrap(
        dashboard.POST('/api/dashboard/products', {
          body: { name: `${name} ${width}`, vendor, price: '10.00', sku: `${name}-${width}`, inventory_quantity: 5 },
        }),
      );
    const [bowl, jug] = [await make('Bowl'), await make('Jug')];
    const cell = (name: string) => tab.locator(`::-p-aria([name="${name}"][role="textbox"])`);
    await open(`/products?vendor=${encodeURIComponent(vendor)}`);
    await press('Select all on this page', 'checkbox');
    await press('Edit as table');
    await sees('Edit 2 variants');
    await look('bulk-editor');
    await cell(`Price, Bowl ${width}`).fill('12.50');
    await cell(`Available, Bowl ${width}`).fill('8');
    await cell(`Price, Jug ${width}`).fill('11');
    const path = { product_id: jug.id };
    await unwrap(
      dashboard.PATCH('/api/dashboard/products/{product_id}', { params: { path }, body: { price: '17.00' } }),
    );
    await press('Save');
    await sees('The price is now 17.00. Check it and retry.');
    await look('bulk-editor-conflict');
    const read = async (product_id: string) => {
      const params = { path: { product_id } };
      const { variants } = await unwrap(dashboard.GET('/api/dashboard/products/{product_id}', { params }));
      return [variants[0]?.price, variants[0]?.inventory_quantity];
    };
    expect([await read(bowl.id), await read(jug.id)]).toEqual([
      ['12.50', 8],
      ['17.00', 5],
    ]);
    await tab.waitForFunction(`!document.querySelector('.held[inert]')`);
    await press('Save');
    await tab.waitForFunction(`!document.querySelector('.save-bar')`);
    expect(await read(jug.id)).toEqual(['11.00', 5]);
  },
);

inPanel(
  'archived products are restored by Undo, and a closed dialog returns the focus to its button',
  async (visit) => {
    const { open, press, sees, tab, dashboard, width } = visit;
    const vendor = `Archive ${width}`;
    for (const status of ['active', 'draft'] as const) {
      const body = { name: `Vase ${status} ${width}`, vendor, price: '10.00', status };
      await unwrap(dashboard.POST('/api/dashboard/products', { body }));
    }
    const statuses = async () => {
      const query = { vendor: [vendor], sort: 'name_asc' as const };
      const { products } = await unwrap(dashboard.GET('/api/dashboard/products', { params: { query } }));
      return products.map(({ status }) => status);
    };
    await open(`/products?vendor=${encodeURIComponent(vendor)}`);
    await press('Select all on this page', 'checkbox');
    await press('More');
    await press('Tags');
    await visit.seesDialog();
    await tab.keyboard.press('Escape');
    await tab.waitForFunction(`document.activeElement.textContent === 'More'`);
    await press('More');
    await press('Archive');
    await sees('2 changed.');
    expect(await statuses()).toEqual(['archived', 'archived']);
    await press('Undo');
    await expect.poll(statuses, { timeout: PATIENCE_MS }).toEqual(['active', 'draft']);
  },
);

inPanel('an import file is previewed, then imported, and rejected rows are listed with their line', async (visit) => {
  const { open, press, fill, sees, look, text, dashboard, width } = visit;
  const folder = await mkdtemp(join(tmpdir(), 'panel-import-'));
  const path = join(folder, 'products.csv');
  const rows = [
    'Handle,Title,Option1 Name,Option1 Value,Variant SKU,Variant Price,Variant Inventory Qty,Status',
    `pot-${width},Pot ${width},Size,Small,POT-${width}-S,12.00,4,active`,
    `pot-${width},,Size,Large,POT-${width}-L,18.00,6,`,
    `pan-${width},Pan ${width},Title,Default Title,PAN-${width},cheap,4,active`,
    `lid-${width},Lid ${width},Title,Default Title,POT-${width}-S,5.00,4,active`,
  ];
  await writeFile(path, rows.join('\n'));
  const isThere = async () => {
    const query = { q: `Pot ${width}`, limit: 100 };
    const { products } = await unwrap(dashboard.GET('/api/dashboard/products', { params: { query } }));
    return products.some(({ slug }) => slug === `pot-${width}`);
  };
  try {
    await open('/products/import');
    await look('import');
    await choose(visit, 'File of products', path);
    await press('Try it first (dry run)');
    await sees('Preview of the import');
    const visible = await text();
    for (const word of ['Refused (1)', 'Variant Price', `PAN-${width}`, 'is not an amount', 'already, in line 2']) {
      expect(visible).toContain(word);
    }
    await look('import-tried');
    expect(await isThere()).toBe(false);
    const rule = 'A SKU that an earlier variant of the file has';
    for (const [choice, outcome] of [
      ['refuse', 'Refused (2)'],
      ['suffix', `it becomes "POT-${width}-S-2"`],
      ['keep-first', 'is imported without a SKU'],
    ] as const) {
      await fill(rule, choice);
      await press('Try it first (dry run)');
      await sees(outcome);
    }
    await press('Import 2 products');
    await sees('Result of the import');
    expect(await isThere()).toBe(true);
    await look('imported');
  } finally {
    await rm(folder, { recursive: true });
  }
});

inPanel('the first hundred problems of an import file are shown, and the download contains all', async (visit) => {
  const { open, press, sees, tab, width } = visit;
  const folder = await mkdtemp(join(tmpdir(), 'panel-many-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const path = join(folder, 'products.csv');
  const rows = Array.from({ length: 150 }, (_, i) => `same-${width}-${i},Same ${i},SAME-${width},5.00`);
  await writeFile(path, ['Handle,Title,Variant SKU,Variant Price', ...rows].join('\n'));
  await open('/products/import');
  await choose(visit, 'File of products', path);
  await press('Try it first (dry run)');
  await sees('Changed during the import (149)');
  await sees('The first 100 are shown; the file has all of them.');
  await expect.poll(() => tab.$$eval('tbody tr', (shown) => shown.length), { timeout: PATIENCE_MS }).toBe(100);
  await tab.evaluate(
    'URL.createObjectURL = (blob) => { blob.text().then((text) => { window.listed = text; }); return "#"; }',
  );
  await press('Download as CSV');
  await tab.waitForFunction('window.listed !== undefined');
  const listed = String(await tab.evaluate('window.listed'))
    .trim()
    .split('\r\n');
  expect(listed).toHaveLength(150);
  expect(listed[1]).toContain(`SAME-${width}`);
});

inPanel(
  'stock is edited in the list, and a quantity that has changed in the meantime is not overwritten',
  async ({ open, press, fill, sees, look, dashboard, width }) => {
    // Unique, because a failed test is repeated in the same shop.
    const name = `Bowl ${width} ${Date.now()}`;
    const body = { name, options: [{ name: 'Size', values: ['S', 'M', 'L'] }], price: '8.00' };
    const variants = ['S', 'M', 'L'].map((option1) => ({ option1, inventory_quantity: 10 }));
    const product = await unwrap(dashboard.POST('/api/dashboard/products', { body: { ...body, variants } }));
    await open('/stock');
    await look('stock');
    await fill('Search', name);
    await sees('1–3 of 3');
    await fill(`Available, ${name}, S`, '7');
    await fill(`Available, ${name}, M`, '+24');
    await fill(`Available, ${name}, L`, '1');
    // A unit is recorded as damaged in the meantime, so that the entered quantity is out of date.
    await unwrap(
      dashboard.POST('/api/dashboard/inventory/{variant_id}/adjust', {
        params: { path: { variant_id: product.variants[2]?.id ?? '' } },
        body: { delta: -1, reason: 'damaged' },
      }),
    );
    await fill('Reason', 'received');
    await look('stock-changed');
    await press('Save');
    await sees('2 quantities saved.');
    await sees('1 changed');
    await press('Discard');
    const now = await unwrap(
      dashboard.GET('/api/dashboard/inventory', { params: { query: { product_id: product.id } } }),
    );
    expect(now.inventory.map(({ inventory_quantity }) => inventory_quantity)).toEqual([7, 34, 9]);
    await press(`Movements of ${name}, M`);
    await sees('Received');
    await look('movements');
  },
);

inPanel(
  'a collection is sorted with buttons and by dragging, and a change by somebody else is reported',
  async (visit) => {
    const { open, fill, sees, look, tab, dashboard, width } = visit;
    const press = (name: string, role?: 'button' | 'link') => reach(visit, name, role);
    const { products } = await unwrap(
      dashboard.GET('/api/dashboard/products', { params: { query: { limit: 4, status: 'active', sort: 'name_asc' } } }),
    );
    const [a, b, c, d] = products.map(({ name }) => name);
    await open('/collections');
    await look('collections');
    await press('Add collection', 'link');
    const title = `Picked ${width}`;
    await fill('Title', title);
    for (const name of [a, b, c]) {
      await fill('Find products to add', name ?? '');
      await press(`Add ${name}`);
    }
    await look('new-collection');
    await press('Save collection');
    // `Delete` appears when the collection has its own screen; until then, the form that created it is shown.
    await sees('Delete');
    // A message stays open while the pointer is over it, so the pointer moves away.
    await tab.mouse.move(0, 0);
    await tab.waitForFunction(`!document.querySelector('.toast')`);
    await press(`Move ${a} down`);
    await sees('Not saved yet.');
    await drag(visit, 2, 0);
    await look('collection');
    await press('Save');
    await tab.waitForFunction(`!document.querySelector('.save-bar')`);
    const found = await unwrap(dashboard.GET('/api/dashboard/collections', { params: { query: { q: title } } }));
    const path = { collection_id: found.collections[0]?.id ?? '' };
    const read = () => unwrap(dashboard.GET('/api/dashboard/collections/{collection_id}', { params: { path } }));
    expect((await read()).products.map(({ name }) => name)).toEqual([c, b, a]);

    await unwrap(
      dashboard.POST('/api/dashboard/collections/{collection_id}/products', {
        params: { path },
        body: { product_ids: products.filter(({ name }) => name === d).map(({ id }) => id) },
      }),
    );
    await press(`Take ${b} out`);
    await press('Save');
    await sees('Somebody else changed this meanwhile');
    await look('collection-conflict');
    await press('Take theirs');
    await sees(d ?? '');
    expect((await read()).products).toHaveLength(4);
  },
);

inPanel('pictures of a product are sorted by dragging', async (visit) => {
  const { open, tab, dashboard, width } = visit;
  // The oldest products are the demo shop's, which have images. Products of other tests are newer.
  const query = { limit: 5, sort: 'oldest' as const };
  const { products } = await unwrap(dashboard.GET('/api/dashboard/products', { params: { query } }));
  const images = products.flatMap(({ images: all }) => all.map(({ url }) => ({ url }))).slice(0, 2);
  const body = { name: `Dragged ${width}`, price: '8.00', images };
  const { id } = await unwrap(dashboard.POST('/api/dashboard/products', { body }));
  await open(`/products/${id}`);
  const shown = () => tab.$$eval('.images li img', (all) => all.map(({ src }) => src));
  const before = await shown();
  await tab.$eval('.images', (list) => list.scrollIntoView({ block: 'center' }));
  const [first, second] = await tab.$$('.images li img');
  const [start, end] = [await first?.boundingBox(), await second?.boundingBox()];
  if (!start || !end) throw new Error('There are no two pictures.');
  await tab.mouse.move(start.x + 40, start.y + 40);
  await tab.mouse.down();
  await tab.mouse.move(end.x + 40, end.y + 40, { steps: 8 });
  await tab.mouse.up();
  await expect.poll(shown, { timeout: PATIENCE_MS }).toEqual([...before].reverse());
});

inPanel('a collection longer than the window scrolls while a row is dragged to its edge', async (visit) => {
  const { open, tab, dashboard, width } = visit;
  const { products } = await unwrap(dashboard.GET('/api/dashboard/products', { params: { query: { limit: 40 } } }));
  const made = dashboard.POST('/api/dashboard/collections', {
    body: { title: `Long ${width}`, product_ids: products.map(({ id }) => id) },
  });
  await open(`/collections/${(await unwrap(made)).id}`);
  const first = await tab.waitForSelector('[data-index="0"] .grip');
  await first?.evaluate((grip) => grip.scrollIntoView({ block: 'center' }));
  const start = await first?.boundingBox();
  if (!start) throw new Error('There is no row.');
  const bottom = Number(await tab.evaluate('window.innerHeight')) - 5;
  await tab.mouse.move(start.x + 5, start.y + 5);
  await tab.mouse.down();
  await tab.mouse.move(start.x + 5, bottom, { steps: 10 });
  const isAtEnd = 'window.scrollY + window.innerHeight >= document.documentElement.scrollHeight - 1';
  await tab.waitForFunction(isAtEnd, { polling: 100 });
  const last = await tab.$(`[data-index="${products.length - 1}"]`);
  const end = await last?.boundingBox();
  if (!end) throw new Error('There is no last row.');
  await tab.mouse.move(start.x + 5, end.y + end.height / 2, { steps: 4 });
  await tab.mouse.up();
  const [dragged, ...others] = products.map(({ name }) => name);
  await expect.poll(() => listedIn(visit), { timeout: PATIENCE_MS }).toEqual([...others, dragged]);
});

inPanel('a row that is dragged quickly over two others moves below both', async (visit) => {
  const { open, tab, dashboard, width } = visit;
  const { products } = await unwrap(dashboard.GET('/api/dashboard/products', { params: { query: { limit: 4 } } }));
  const made = dashboard.POST('/api/dashboard/collections', {
    body: { title: `Fast ${width}`, product_ids: products.map(({ id }) => id) },
  });
  await open(`/collections/${(await unwrap(made)).id}`);
  const grip = await tab.waitForSelector('[data-index="0"] .grip');
  await grip?.evaluate((each) => each.scrollIntoView({ block: 'center' }));
  const start = await grip?.boundingBox();
  if (!start) throw new Error('There is no row.');
  await tab.mouse.move(start.x + 5, start.y + 5);
  await tab.mouse.down();
  // Both moves are sent in one script, because React could draw the screen between two moves of a real mouse.
  await tab.evaluate(`for (const index of [1, 2]) {
    const { left, top, height } = document.querySelector('[data-index="' + index + '"] .grip').getBoundingClientRect();
    document.dispatchEvent(new PointerEvent('pointermove', { clientX: left + 5, clientY: top + height / 2 }));
  }`);
  await tab.mouse.up();
  const [a, b, c, d] = products.map(({ name }) => name);
  await expect.poll(() => listedIn(visit), { timeout: PATIENCE_MS }).toEqual([b, c, a, d]);
});

/** Returns the names of a collection's products, in the order on the screen. */
function listedIn({ tab }: Visit): Promise<(string | null)[]> {
  return tab.$$eval('[data-index] a', (links) => links.map(({ textContent }) => textContent));
}

/** Chooses a file, as with the browser's file dialog. */
async function choose({ tab }: Visit, label: string, path: string): Promise<void> {
  const input = await tab.waitForSelector(`input[type="file"][aria-label="${label}"]`);
  await (input as Awaited<ReturnType<typeof tab.$<'input'>>>)?.uploadFile(path);
}

type Reached = 'button' | 'link' | 'checkbox';

/** Scrolls a button into view before pressing it, because a bar at the lower edge may cover it. */
async function reach({ tab, press }: Visit, name: string, role: Reached = 'button'): Promise<void> {
  const handle = await tab.locator(`::-p-aria([name="${name}"][role="${role}"])`).waitHandle();
  await handle.evaluate((element) => element.scrollIntoView({ block: 'center' }));
  await press(name, role);
}

async function picturesOf({ dashboard }: Visit): Promise<string[]> {
  // The oldest products are the demo shop's. Products of other tests have no pictures.
  const query = { limit: 10, sort: 'oldest' as const };
  const { products } = await unwrap(dashboard.GET('/api/dashboard/products', { params: { query } }));
  // A duplicated product has the same pictures.
  return [...new Set(products.flatMap(({ images }) => images.map(({ url }) => url)))];
}

/** Drags a row by its handle. */
async function drag({ tab }: Visit, from: number, to: number): Promise<void> {
  const grips = await tab.$$('.grip');
  await grips[from]?.scrollIntoView();
  const [start, end] = [await grips[from]?.boundingBox(), await grips[to]?.boundingBox()];
  if (!start || !end) throw new Error('There is no such row.');
  await tab.mouse.move(start.x + start.width / 2, start.y + start.height / 2);
  await tab.mouse.down();
  await tab.mouse.move(end.x + end.width / 2, end.y + end.height / 2, { steps: 12 });
  await tab.mouse.up();
}
