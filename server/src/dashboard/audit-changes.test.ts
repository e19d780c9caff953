import { expect, test } from 'vitest';
import { openShop } from '../../test/shop.ts';

type OpenShop = Awaited<ReturnType<typeof openShop>>;

const PRODUCT = '/api/dashboard/products/{product_id}';

async function newest({ dashboard }: OpenShop, action: string) {
  const query = { action: `dashboard.${action}`, limit: 1 };
  const { data, error } = await dashboard.GET('/api/dashboard/audit-events', { params: { query } });
  if (!data) throw new Error(`The audit failed: ${JSON.stringify(error)}`);
  return data.audit_events[0];
}

test('an audit event shows the changed fields of a product with their values before and after, and its current name', async () => {
  const shop = await openShop();
  const { dashboard } = shop;
  const { id, variants } = await shop.givenProduct({ name: 'Mug', vendor: 'Northwind', tags: ['blue'] });
  const params = { path: { product_id: id } };
  await dashboard.PATCH(PRODUCT, {
    params,
    body: { name: 'Cup', vendor: null, tags: ['blue', 'new'], product_type: null },
  });
  expect(await newest(shop, 'updateProduct')).toMatchObject({
    target_name: 'Cup',
    details: null,
    changes: expect.arrayContaining([
      { field: 'name', before: 'Mug', after: 'Cup' },
      { field: 'vendor', before: 'Northwind', after: null },
      { field: 'tags', before: '["blue"]', after: '["blue","new"]' },
    ]),
  });
  expect((await newest(shop, 'updateProduct'))?.changes.map(({ field }) => field)).not.toContain('product_type');

  const variant_id = variants[0]?.id ?? '';
  await dashboard.PATCH('/api/dashboard/products/{product_id}/variants/{variant_id}', {
    params: { path: { product_id: id, variant_id } },
    body: { price: '12.50', sku: 'CUP' },
  });
  const { changes = [] } = (await newest(shop, 'updateVariant')) ?? {};
  expect(changes).toContainEqual({ field: 'variants.CUP.price', before: null, after: '12.50' });
  await dashboard.PATCH('/api/dashboard/products/{product_id}/variants/{variant_id}', {
    params: { path: { product_id: id, variant_id } },
    body: { price: '13.00' },
  });
  expect((await newest(shop, 'updateVariant'))?.changes).toEqual(
    expect.arrayContaining([{ field: 'variants.CUP.price', before: '12.50', after: '13.00' }]),
  );
  // A purchase is not a change by staff.
  await shop.givenOrder({ content: [{ variant_id, quantity: 1 }] });
  await dashboard.PATCH(PRODUCT, { params, body: { name: 'Cup' } });
  expect((await newest(shop, 'updateProduct'))?.changes).toEqual([]);
});

test('an audit event shows the stock before and after an adjustment of one or several variants, and no change for a dry run', async () => {
  const shop = await openShop();
  const { variants } = await shop.givenProduct({ name: 'Mug', sku: 'MUG', inventory_quantity: 10 });
  const variant_id = variants[0]?.id ?? '';
  const reason = 'received' as const;
  await shop.dashboard.POST('/api/dashboard/inventory/{variant_id}/adjust', {
    params: { path: { variant_id } },
    body: { delta: 5, reason },
  });
  expect(await newest(shop, 'adjustInventory')).toMatchObject({
    target_name: 'Mug MUG',
    changes: [{ field: 'inventory_quantity', before: '10', after: '15' }],
  });
  const adjust = (body: { dry_run?: boolean }) =>
    shop.dashboard.POST('/api/dashboard/inventory/adjust', {
      body: {
        reason,
        ...body,
        adjustments: [
          { sku: 'MUG', delta: -3 },
          { sku: 'MUG', set_to: 20, expected_quantity: 12 },
          { sku: 'NONE', delta: 1 },
        ],
      },
    });
  await adjust({ dry_run: true });
  expect((await newest(shop, 'adjustInventories'))?.changes ?? []).toEqual([]);
  await adjust({});
  expect((await newest(shop, 'adjustInventories'))?.changes).toEqual([
    { field: 'MUG.inventory_quantity', before: '15', after: '12' },
    { field: 'MUG.inventory_quantity', before: '12', after: '20' },
  ]);
});

test('an audit event shows the prices and deletions of a bulk change, none of a dry run, and at most 200 characters of a field name', async () => {
  const shop = await openShop();
  const mug = await shop.givenProduct({ name: 'Mug', sku: 'S'.repeat(255), inventory_quantity: 10 });
  const cup = await shop.givenProduct({ name: 'C'.repeat(250) });
  const product_ids = [mug.id, cup.id];
  const bulk = (change: { price_percent: string } | { delete: true }, dry_run = false) =>
    shop.dashboard.POST('/api/dashboard/products/bulk', { body: { product_ids, change, dry_run } });
  const changes = async (action: string) => (await newest(shop, action))?.changes;
  await bulk({ price_percent: '10' }, true);
  expect(await changes('bulkUpdateProducts')).toEqual([]);
  await bulk({ price_percent: '10' });
  expect(await changes('bulkUpdateProducts')).toEqual([
    { field: 'Mug.price', before: '10.00', after: '11.00' },
    { field: `${'C'.repeat(194)}.price`, before: '10.00', after: '11.00' },
  ]);

  const variant_id = mug.variants[0]?.id ?? '';
  await shop.dashboard.POST('/api/dashboard/products/variants', {
    body: { variants: [{ variant_id, price: '12.00', barcode: '1', expected: { price: '11.00' } }] },
  });
  expect(await changes('updateVariants')).toEqual([{ field: `${variant_id}.price`, before: '11.00', after: '12.00' }]);
  await shop.dashboard.POST('/api/dashboard/inventory/adjust', {
    body: { reason: 'received', adjustments: [{ variant_id, delta: 1 }] },
  });
  expect(await changes('adjustInventories')).toEqual([
    { field: `${'S'.repeat(181)}.inventory_quantity`, before: '10', after: '11' },
  ]);
  await bulk({ delete: true });
  expect((await changes('bulkUpdateProducts'))?.[0]).toEqual({ field: 'Mug.id', before: mug.id, after: null });
});

test('an audit event shows changes of settings, discounts and delivery options, without bank details and e-mail addresses', async () => {
  const shop = await openShop();
  const { dashboard } = shop;
  const option = await shop.givenTerms();
  const code = await shop.givenDiscount();
  const { data: settings } = await dashboard.GET('/api/dashboard/settings');
  const brand = { ...settings?.brand, accent_color: '#123456', support_email: 'private@example.com' };
  const bank_details = { account_holder: 'Secret Person', iban: 'DE02120300000000202051' };
  await dashboard.PATCH('/api/dashboard/settings', {
    body: { time_zone: 'Europe/Berlin', brand, bank_details } as never,
  });
  const event = await newest(shop, 'updateSettings');
  expect(event?.changes).toEqual(
    expect.arrayContaining([{ field: 'time_zone', before: 'UTC', after: 'Europe/Berlin' }]),
  );
  expect(event?.changes.find(({ field }) => field === 'brand.accent_color')?.after).toBe('#123456');
  expect(event?.fields).toContain('bank_details');
  const { rows } = await shop.owner.query('select details from commerce.audit_events where site_id = $1', [
    shop.site_id,
  ]);
  expect(JSON.stringify(rows)).not.toMatch(/Secret Person|DE02120|private@example|Alder/);

  await dashboard.PATCH('/api/dashboard/discounts/{discount_id}', {
    params: { path: { discount_id: code.id } },
    body: { value: '12.00' },
  });
  expect(await newest(shop, 'updateDiscount')).toMatchObject({
    target_name: 'TEN',
    changes: [{ field: 'value', before: '10.00', after: '12.00' }],
  });
  await dashboard.PATCH('/api/dashboard/shipping-options/{shipping_option_id}', {
    params: { path: { shipping_option_id: option.id } },
    body: { price: '5.90' },
  });
  expect(await newest(shop, 'updateShippingOption')).toMatchObject({
    target_name: 'Parcel',
    changes: [{ field: 'price', before: '4.90', after: '5.90' }],
  });
});

test('an audit event omits addresses, names and notes, but shows number prefixes and products whose SKU is the name of a private field', async () => {
  const shop = await openShop();
  const { dashboard } = shop;
  const invoicing = {
    legal_name: 'Secret Person',
    address1: 'Secret Street 1',
    address2: 'Secret Yard',
    postal_code: '98765',
    prefix: 'RE-',
  };
  await dashboard.PATCH('/api/dashboard/settings', { body: { invoicing, mail_overdue_invoices: false } });
  const settings = (await newest(shop, 'updateSettings'))?.changes;
  expect(settings).toContainEqual({ field: 'invoicing.prefix', before: 'INV-', after: 'RE-' });
  expect(settings).toContainEqual({ field: 'mail_overdue_invoices', before: 'true', after: 'false' });

  const code = await shop.givenDiscount();
  await dashboard.PATCH('/api/dashboard/discounts/{discount_id}', {
    params: { path: { discount_id: code.id } },
    body: { description: 'For Secret Person', usage_limit_per_customer: 3 },
  });
  expect((await newest(shop, 'updateDiscount'))?.changes).toEqual([
    { field: 'usage_limit_per_customer', before: null, after: '3' },
  ]);
  const { rows } = await shop.owner.query('select details from commerce.audit_events where site_id = $1', [
    shop.site_id,
  ]);
  expect(JSON.stringify(rows)).not.toMatch(/Secret|98765/);

  const { id } = await shop.givenProduct({ sku: 'PHONE_1', metadata: { erp: 'Secret' } });
  await dashboard.PATCH(PRODUCT, {
    params: { path: { product_id: id } },
    body: { price: '12.50', metadata: { a: 'b' } },
  });
  expect((await newest(shop, 'updateProduct'))?.changes).toEqual([
    { field: 'price', before: '10.00', after: '12.50' },
    { field: 'variants.PHONE_1.price', before: '10.00', after: '12.50' },
  ]);
});

test('an audit event shortens long values, and stores at most 4 KB of changes', async () => {
  const shop = await openShop();
  const { id } = await shop.givenProduct({ description: 'a'.repeat(5_000) });
  const params = { path: { product_id: id } };
  await shop.dashboard.PATCH(PRODUCT, { params, body: { description: 'b'.repeat(5_000) } });
  expect((await newest(shop, 'updateProduct'))?.changes).toContainEqual({
    field: 'description',
    before: `${'a'.repeat(120)}…`,
    after: `${'b'.repeat(120)}…`,
  });
  const { data: settings } = await shop.dashboard.GET('/api/dashboard/settings');
  const text = '日'.repeat(200);
  const search_synonyms = Array.from({ length: 40 }, (_, i) => ({ words: [`${text.slice(0, 60)}${i}`, `b${i}`] }));
  await shop.dashboard.PATCH('/api/dashboard/settings', { body: { search_synonyms } as never });
  const { rows } = await shop.owner.query(
    'select max(octet_length(details)) as most from commerce.audit_events where site_id = $1',
    [shop.site_id],
  );
  expect(rows[0].most).toBeLessThanOrEqual(4_096);
  expect(settings).toBeDefined();
});

test('counts the changed fields beyond the first 40', async () => {
  const shop = await openShop();
  const sizes = Array.from({ length: 50 }, (_, i) => `S${i}`);
  const { id, variants } = await shop.givenProduct({
    options: [{ name: 'Size', values: sizes }],
    variants: sizes.map((option1, i) => ({ option1, price: '10.00', sku: `X${i}` })),
  });
  await shop.dashboard.PUT(PRODUCT, {
    params: { path: { product_id: id }, header: { 'If-Match': '*' } },
    body: { variants: variants.map((variant) => ({ id: variant.id, price: '12.00' })) },
  });
  const { changes, more_changes } = (await newest(shop, 'replaceProduct')) ?? {};
  // The price of the product changed with those of its 50 variants.
  expect([changes?.length, more_changes]).toEqual([40, 11]);
});

test('changes at the same time each show the value that they replaced', async () => {
  const shop = await openShop();
  const { id } = await shop.givenProduct({ vendor: 'A' });
  const params = { path: { product_id: id } };
  await Promise.all(['B', 'C', 'D', 'E'].map((vendor) => shop.dashboard.PATCH(PRODUCT, { params, body: { vendor } })));
  const query = { action: 'dashboard.updateProduct' };
  const { data } = await shop.dashboard.GET('/api/dashboard/audit-events', { params: { query } });
  const changes = data?.audit_events.flatMap((event) => event.changes) ?? [];
  // Each value was replaced once, except for the last one.
  const next = new Map(changes.map(({ before, after }) => [before, after]));
  let [value, steps] = ['A' as string | null | undefined, 0];
  while (next.has(value ?? null)) {
    value = next.get(value ?? null);
    steps += 1;
  }
  expect([changes.length, steps]).toEqual([4, 4]);
});

test('view=changes lists only calls of staff and API keys, without logins', async () => {
  const shop = await openShop();
  const { client } = await shop.givenCustomer();
  await client.PATCH('/api/storefront/customer/me', { body: { phone: '030' } });
  await shop.givenCart();
  const list = async (query: { view?: 'changes'; assistant?: string }) => {
    const { data } = await shop.dashboard.GET('/api/dashboard/audit-events', { params: { query } });
    return data?.audit_events.map(({ action }) => action);
  };
  expect(await list({})).toContain('storefront.loginCustomer');
  expect(await list({ view: 'changes' })).toEqual(['dashboard.createProduct']);
  expect(await list({ assistant: 'Nobody' })).toEqual([]);
});
