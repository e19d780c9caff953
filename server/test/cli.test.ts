/** Tests the CLI with the real server: imports and exports, orders, discounts, customers, settings and login. */

import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { folder, loggedIn, user } from '../../cli/src/testing.ts';
import { openShop } from './shop.ts';

const FIXTURE = new URL('fixtures/shopify-products.csv', import.meta.url).pathname;

async function merchant() {
  const shop = await openShop();
  const { commerce } = await loggedIn(shop.baseUrl, shop.credentials.api_key);
  return { ...shop, commerce };
}

const countsOf = (out: string) => JSON.parse(out).counts;

test('products import imports the valid products of a Shopify file, and names the invalid ones by line (exit code 5)', async () => {
  const { commerce, storefront } = await merchant();
  const { code, err } = await commerce(['products', 'import', FIXTURE, '--duplicate-skus', 'refuse']);
  expect(code).toBe(5);
  expect(err).toContain('line 9: Variant Price: "twelve" is not an amount');
  expect(err).toContain(
    'line 10: Variant SKU: The product "stoneware-mug" already has the SKU "MUG-1", in line 5. (copied-sku)',
  );
  expect(err).toContain('Error: 2 of 7 products were refused.');

  const { data: list } = await storefront.GET('/api/storefront/products', { params: { query: { sort: 'name_asc' } } });
  expect(list?.products.map(({ name }) => name)).toEqual(['Café-Tasse', 'Gift Card', 'Linen Shirt', 'Stoneware Mug']);
  const path = { id_or_slug: 'linen-shirt' };
  const { data: shirt } = await storefront.GET('/api/storefront/products/{id_or_slug}', { params: { path } });
  expect(shirt).toMatchObject({
    description: 'Woven in Portugal & washed soft.\n\n- 100 % linen',
    price: '59.00',
    compare_at_price: '79.00',
    total_inventory: 16,
    options: [
      { name: 'Size', values: ['S', 'M'] },
      { name: 'Colour', values: ['Sand', 'Ink'] },
    ],
  });
  expect(shirt?.variants.map(({ sku, inventory_quantity }) => [sku, inventory_quantity])).toEqual([
    ['LS-S-SAND', 4],
    ['LS-S-INK', 0],
    ['LS-M-SAND', 12],
  ]);
});

test('a dry run of products import writes nothing, and importing the same file again changes nothing', async () => {
  const { commerce, dashboard } = await merchant();
  const all = { created: 6, updated: 0, unchanged: 0, refused: 1 };
  const dry = await commerce(['products', 'import', FIXTURE, '--dry-run', '--json']);
  expect(countsOf(dry.out)).toEqual(all);
  expect((await dashboard.GET('/api/dashboard/products')).data?.total).toBe(0);
  expect(countsOf((await commerce(['products', 'import', FIXTURE, '--json'])).out)).toEqual(all);
  const again = await commerce(['products', 'import', FIXTURE, '--json']);
  expect(countsOf(again.out)).toEqual({ ...all, created: 0, unchanged: 6 });
});

test('a dry run of a file with invalid rows reports the same as its import, which imports the valid rows', async () => {
  const { commerce, dashboard } = await merchant();
  const nasty = new URL('fixtures/shopify-nasty.csv', import.meta.url).pathname;
  for (const rule of ['keep-first', 'suffix', 'refuse']) {
    const run = (...more: string[]) =>
      commerce(['products', 'import', nasty, '--duplicate-skus', rule, '--json', ...more]);
    const tried = await run('--dry-run');
    const done = await run();
    expect(done.err.split('\n').toSorted()).toEqual(tried.err.split('\n').toSorted());
    expect(countsOf(done.out)).toEqual(countsOf(tried.out));
    const { unchanged, refused } = countsOf((await run()).out);
    expect(unchanged + refused).toBe(9);
    if (rule === 'keep-first') expect({ unchanged, refused }).toEqual({ unchanged: 6, refused: 3 });
  }
  const { data } = await dashboard.GET('/api/dashboard/products', { params: { query: { q: 'Mug' } } });
  expect(data?.products[0]).toMatchObject({
    ...{ slug: 'mug', description_html: '<h2>Care</h2><p>Wash <b>cold</b></p>', seo_description: 'Buy it' },
    metadata: { category: 'Home > Mugs', fabric: 'wool' },
    variants: [{ sku: 'A', weight: '0.98767093', weight_unit: 'oz', inventory_quantity: 0 }, { weight_unit: 'lb' }],
  });
});

test('products import keeps stock that has changed since the export, and resets it with --update-inventory', async () => {
  const { commerce } = await merchant();
  await commerce(['products', 'import', FIXTURE]);
  const stock = async () =>
    JSON.parse((await commerce(['inventory', 'list', '--q', 'MUG-1', '--json'])).out).inventory[0];
  const adjusted = await commerce(['inventory', 'adjust', 'MUG-1', '--delta', '-5', '--reason', 'lost']);
  expect(adjusted.code).toBe(0);
  await commerce(['products', 'import', FIXTURE]);
  expect((await stock()).inventory_quantity).toBe(35);
  await commerce(['products', 'import', FIXTURE, '--update-inventory']);
  expect((await stock()).inventory_quantity).toBe(40);
});

for (const format of ['jsonl', 'shopify']) {
  test(`a catalogue exported as ${format} to another shop and back is unchanged`, async () => {
    const [first, second] = [await merchant(), await merchant()];
    await first.commerce(['products', 'import', FIXTURE]);
    const dir = await folder();
    const [there, back] = [join(dir, `there.${format}`), join(dir, `back.${format}`)];
    const exportTo = (file: string) => ['products', 'export', '--format', format, '--output', file];

    expect((await first.commerce(exportTo(there))).code).toBe(0);
    const moved = await second.commerce(['products', 'import', there, '--json']);
    expect(countsOf(moved.out)).toEqual({ created: 6, updated: 0, unchanged: 0, refused: 0 });
    await second.commerce(exportTo(back));
    expect(await readFile(back, 'utf8')).toBe(await readFile(there, 'utf8'));
    const home = await first.commerce(['products', 'import', back, '--json']);
    expect(countsOf(home.out)).toEqual({ created: 0, updated: 0, unchanged: 6, refused: 0 });
  });
}

test('products import imports a file of 450 products in several calls, and names the lines of invalid rows', async () => {
  const { commerce, dashboard } = await merchant();
  const rows = Array.from({ length: 450 }, (_, index) => {
    const price = index % 100 === 7 ? '1.23456' : '5.00';
    return JSON.stringify({ name: `Thing ${index}`, slug: `thing-${index}`, price, status: 'active' });
  });
  const file = join(await folder(), 'things.jsonl');
  await writeFile(file, rows.join('\n'));
  const { code, err } = await commerce(['products', 'import', file]);
  expect(code).toBe(5);
  const named = err.match(/^line \d+: price: .+ \(thing-\d+\)$/gm)?.map((line) => Number(line.split(/[ :]/)[1]));
  expect(named?.sort((a, b) => a - b)).toEqual([8, 108, 208, 308, 408]);
  expect((await dashboard.GET('/api/dashboard/products')).data?.total).toBe(445);
});

test('the CLI logs in, shows the user, and ends the session at logout', async () => {
  const { baseUrl, credentials } = await openShop();
  const { commerce, config } = await user();
  const { email, password } = credentials.staff;
  const login = await commerce(['login', '--url', baseUrl, '--email', email], { input: `${password}\n` });
  expect(login).toMatchObject({ code: 0, err: '' });
  expect((await commerce(['whoami'])).out).toContain(email);
  const kept = await readFile(config, 'utf8');
  expect((await commerce(['logout'])).code).toBe(0);
  await writeFile(config, kept);
  expect((await commerce(['whoami'])).code).toBe(3);
});

test('the CLI creates a sync key, revokes it, and lists it as revoked', async () => {
  const { commerce } = await merchant();
  const made = JSON.parse((await commerce(['sync-keys', 'create', '--description', 'Search', '--json'])).out);
  expect(made.secret).toMatch(/^syk_/);
  const revoked = await commerce(['sync-keys', 'revoke', made.id, '--yes']);
  expect(revoked.out).toMatch(/^Revoked: Search /);
  expect((await commerce(['sync-keys', 'list'])).out).toContain('revoked');
});

test('the CLI processes an order by its number, from the payment to the refund', async () => {
  const { commerce, givenOrder, givenProduct } = await merchant();
  const { variants } = await givenProduct({ price: '14.00', sku: 'MUG-1' });
  const content = [{ variant_id: variants[0]?.id ?? '', quantity: 3 }];
  const { order_number } = await givenOrder({ content });
  const changed = async (...args: string[]) => {
    const [verb = '', ...options] = args;
    const { code, out, err } = await commerce(['orders', verb, order_number, ...options, '--json']);
    expect({ code, err }).toEqual({ code: 0, err: '' });
    return JSON.parse(out).changed;
  };

  expect((await commerce(['orders', 'list', '--payment', 'awaiting_payment'])).out).toContain(`${order_number}  `);
  expect(await changed('mark-paid', '--yes')).toEqual({
    status: { from: 'pending', to: 'confirmed' },
    payment_status: { from: 'awaiting_payment', to: 'paid' },
  });
  expect(await changed('mark-paid')).toEqual({});
  expect(await changed('ship', '--item', 'MUG-1=1')).toMatchObject({
    fulfillment_status: { to: 'partially_fulfilled' },
  });
  const tooMany = await commerce(['orders', 'ship', order_number, '--item', 'MUG-1=3']);
  expect(tooMany.err).toContain('(409 fulfillment_exceeds_remaining)');
  expect(await changed('ship', '--carrier', 'DHL')).toMatchObject({ fulfillment_status: { to: 'fulfilled' } });
  expect(await changed('deliver')).toMatchObject({ status: { to: 'completed' } });
  expect(await changed('refund', '--amount', '14', '--reason', 'damaged', '--yes')).toMatchObject({
    payment_status: { to: 'partially_refunded' },
  });
  expect(await changed('refund', '--all', '--reason', 'returned', '--yes')).toMatchObject({
    payment_status: { to: 'refunded' },
    fulfillment_status: { to: 'returned' },
  });
  const { out } = await commerce(['orders', 'timeline', order_number, '--json']);
  expect(JSON.parse(out).entries).toHaveLength(8);
});

test('orders mark-paid rejects a cancelled order (exit code 1, 400 payment_not_awaiting)', async () => {
  const { commerce, givenOrder } = await merchant();
  const { order_number } = await givenOrder();

  const { out } = await commerce(['orders', 'cancel', order_number, '--reason', 'customer', '--yes']);
  expect(out).toContain('Payment     awaiting_payment → voided');
  const { code, err } = await commerce(['orders', 'mark-paid', order_number]);
  expect(code).toBe(1);
  expect(err).toContain('(400 payment_not_awaiting)');
});

test('the CLI creates, changes and deletes discount codes and shipping options by name', async () => {
  const { commerce } = await merchant();
  const done = async (...args: string[]) => {
    const { code, out, err } = await commerce([...args, '--json']);
    expect({ code, err }).toEqual({ code: 0, err: '' });
    return JSON.parse(out);
  };

  const made = await done('discounts', 'create', 'SPRING', '--percentage', '12.5', '--ends', '2030-12-31');
  expect(made).toMatchObject({ kind: 'percentage', value: '12.50', status: 'active' });
  const disabled = await done('discounts', 'update', 'spring', '--disable', '--ends', 'none');
  expect(disabled).toMatchObject({ status: 'disabled', ends_at: null });
  expect(await done('discounts', 'redemptions', 'SPRING')).toEqual({ redemptions: [], next_cursor: null });
  expect(await done('discounts', 'delete', 'SPRING', '--yes')).toMatchObject({ deleted: true });

  await done('shipping-options', 'create', 'Parcel', '--price', '4.90', '--country', 'de', '--maximum-subtotal', '60');
  const moved = await done('shipping-options', 'update', 'Parcel', '--price', '5.20', '--country', 'none');
  expect(moved).toMatchObject({ price: '5.20', countries: [], maximum_subtotal: '60.00' });
  expect(await done('shipping-options', 'delete', 'Parcel', '--yes')).toMatchObject({ deleted: true });
});

test("the CLI finds a customer and the customer's orders by e-mail address", async () => {
  const { commerce, givenCustomer, givenOrder } = await merchant();
  const { email, client } = await givenCustomer();
  const { order_number } = await givenOrder({ client });

  const { out } = await commerce(['customers', 'get', email.toUpperCase(), '--json']);
  expect(JSON.parse(out)).toMatchObject({ email, orders_count: 1 });
  const list = await commerce(['orders', 'list', '--customer', email, '--json']);
  expect(JSON.parse(list.out).orders).toMatchObject([{ order_number }]);
});

test('the CLI changes and reads the settings of a shop by name', async () => {
  const { commerce, dashboard } = await merchant();
  const set = async (...args: string[]) => expect((await commerce(['settings', 'set', ...args])).code).toBe(0);
  await set('bank_details', 'account_holder=Alder & Finch GmbH', 'iban=DE89 3704 0044 0532 0130 00');
  await set('tax_rates', 'DE=19%', 'DE:reduced=7%', 'US/CA=7.25%');
  await set('legal', 'terms_url=https://shop.example/terms', 'terms_required=yes');
  await set('legal.terms_required', 'no');
  await set('storefront_url', 'https://shop.example/');
  const { data } = await dashboard.GET('/api/dashboard/settings');
  expect(data).toMatchObject({
    bank_details: { account_holder: 'Alder & Finch GmbH', iban: 'DE89370400440532013000', bic: null },
    tax_rates: [
      { country: 'DE', rate: '0.19' },
      { country: 'DE', class: 'reduced', rate: '0.07' },
      { country: 'US', state: 'CA', rate: '0.0725' },
    ],
    legal: { terms_url: 'https://shop.example/terms', terms_required: false },
    storefront_url: 'https://shop.example/',
  });

  const refused = await commerce(['settings', 'set', 'bank_details.iban', 'DE89370400440532013001']);
  expect([refused.code, refused.err]).toEqual([1, expect.stringContaining('bank_details.iban: The check digits')]);
});

test('the commands in the set-up list run as shown', async () => {
  const { commerce } = await merchant();
  const lines = (out: string) => [...out.matchAll(/^ {4}commerce (.+)$/gm)].map(([, line = '']) => line);
  const before = await commerce(['setup']);
  expect(before.out).toContain('The shop cannot sell yet.');
  const shown = lines(before.out);
  expect(shown).toHaveLength(10);

  for (const line of shown) {
    const words = [...line.matchAll(/(?:[^\s"]|"[^"]*")+/g)].map(([word]) => word.replaceAll('"', ''));
    const { code, err } = await commerce(words);
    expect(code, `${line}: ${err}`).toBe(0);
  }
  const after = await commerce(['setup']);
  expect(after.out).toContain('The shop can sell.');
  expect(lines(after.out)).toEqual([]);
});

test('the CLI sets the formatted description and the SEO texts of a product with options', async () => {
  const { commerce, dashboard } = await merchant();
  const html = '<p>Cut by <b>hand</b>.</p><script>alert(1)</script>';
  const seo = ['--seo-description', 'An oak tray'];
  const made = await commerce([
    'products',
    'create',
    'Tray',
    '--price',
    '30',
    '--description-html',
    html,
    ...seo,
    '--json',
  ]);
  expect(made.code).toBe(0);
  const read = async () => {
    const params = { path: { product_id: JSON.parse(made.out).id } };
    return (await dashboard.GET('/api/dashboard/products/{product_id}', { params })).data;
  };
  expect(await read()).toMatchObject({
    description_html: '<p>Cut by <b>hand</b>.</p>',
    description: 'Cut by hand.',
    seo_description: 'An oak tray',
  });
  await commerce(['products', 'update', 'tray', '--seo-description', 'none', '--description-html', 'none']);
  expect(await read()).toMatchObject({ description_html: null, description: 'Cut by hand.', seo_description: null });
});
