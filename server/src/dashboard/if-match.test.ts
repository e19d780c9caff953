import sql from 'sql-template-tag';
import { expect, test } from 'vitest';
import { planFor } from '../../test/plan.ts';
import { openShop } from '../../test/shop.ts';

const productPath = '/api/dashboard/products/{product_id}';
const collectionPath = '/api/dashboard/collections/{collection_id}';

const tagIn = ({ response }: { response: Response }) => (response.headers.get('ETag') ?? '').replace(/^W\//, '');
const OTHER = '"somebodyelseschangehere"';

test('a new price or image changes the version of a product, its stock does not, and an old version is rejected (412)', async () => {
  const shop = await openShop();
  const options = [{ name: 'Size', values: ['S', 'M'] }];
  const variants = [
    { option1: 'S', price: '10.00', inventory_quantity: 5 },
    { option1: 'M', price: '11.00', inventory_quantity: 5 },
  ];
  const { id: product_id, variants: made } = await shop.givenProduct({ options, variants, price: undefined });
  const path = { product_id };
  const variant_id = made[0]?.id ?? '';
  const read = async () => tagIn(await shop.dashboard.GET(productPath, { params: { path } }));
  const first = await read();

  await shop.dashboard.POST('/api/dashboard/inventory/{variant_id}/adjust', {
    params: { path: { variant_id } },
    body: { delta: 3, reason: 'received' },
  });
  expect(await read()).toBe(first);

  const price = await shop.dashboard.PATCH('/api/dashboard/products/{product_id}/variants/{variant_id}', {
    params: { path: { product_id, variant_id }, header: { 'If-Match': first } },
    body: { price: '12.00' },
  });
  const image = await shop.dashboard.POST('/api/dashboard/products/{product_id}/images', {
    params: { path, header: { 'If-Match': `${OTHER}, W/${tagIn(price)}` } },
    body: { url: 'https://images.example/mug.jpg' },
  });
  const seen = [first, tagIn(price), tagIn(image)];
  expect(new Set(seen).size).toBe(3);
  expect(await read()).toBe(tagIn(image));

  const late = await shop.dashboard.PATCH(productPath, {
    params: { path, header: { 'If-Match': first, 'Idempotency-Key': crypto.randomUUID() } },
    body: { name: 'Cup' },
  });
  expect(late.response.status).toBe(412);
  expect(late.error).toMatchObject({ error: 'stale', retryable: false, etag: tagIn(image) });
  expect(late.error).toMatchObject({ changed_by: { type: 'api_key' }, changed_fields: ['url'] });
  expect((late.error as { changed_at?: string }).changed_at).toMatch(/^\d{4}-.*Z$/);
  const gone = await shop.dashboard.DELETE(productPath, { params: { path, header: { 'If-Match': first } } });
  expect(gone.response.status).toBe(412);
  const { data: now } = await shop.dashboard.GET(productPath, { params: { path } });
  expect([now?.name, now?.images.length, now?.variants[0]?.price]).toEqual(['Mug', 1, '12.00']);

  const any = await shop.dashboard.DELETE(productPath, { params: { path, header: { 'If-Match': '*' } } });
  expect(any.response.status).toBe(200);
  const none = await shop.dashboard.DELETE(productPath, { params: { path, header: { 'If-Match': '*' } } });
  expect(none.response.status).toBe(404);
});

test('rejects one of two concurrent changes based on the same version (412), and accepts it later with the new version', async () => {
  const shop = await openShop();
  const { id: product_id } = await shop.givenProduct();
  const seen = tagIn(await shop.dashboard.GET(productPath, { params: { path: { product_id } } }));
  const change = (name: string, tag: string, key: string) =>
    shop.dashboard.PATCH(productPath, {
      params: { path: { product_id }, header: { 'If-Match': tag, 'Idempotency-Key': key } },
      body: { name },
    });
  const keys = { Cup: crypto.randomUUID(), Jug: crypto.randomUUID() };

  const both = await Promise.all([change('Cup', seen, keys.Cup), change('Jug', seen, keys.Jug)]);

  expect(both.map(({ response }) => response.status).sort()).toEqual([200, 412]);
  const loser = both[0]?.response.status === 412 ? 'Cup' : 'Jug';
  const { etag } = (both.find(({ error }) => error)?.error ?? {}) as { etag?: string };
  const again = await change(loser, etag ?? '', keys[loser]);
  expect(again.data?.name).toBe(loser);
  expect((await change(loser, seen, keys[loser])).response.headers.get('Idempotency-Replayed')).toBe('true');
});

test('the error after a bulk change (412) does not name the author of an earlier change', async () => {
  const shop = await openShop();
  const { id: product_id } = await shop.givenProduct();
  const params = { path: { product_id } };
  const { response } = await shop.dashboard.PATCH(productPath, { params, body: { vendor: 'Northwind' } });
  await shop.dashboard.POST('/api/dashboard/products/bulk', {
    body: { product_ids: [product_id], change: { price_percent: '10' } },
  });
  const { error } = await shop.dashboard.PATCH(productPath, {
    params: { ...params, header: { 'If-Match': response.headers.get('etag') ?? '' } },
    body: { name: 'Cup' },
  });
  expect(error).toMatchObject({ error: 'stale', changed_by: null, changed_fields: null });
});

test('the version of a collection changes with its products and their order, even beyond the first page', async () => {
  const shop = await openShop();
  const ids: string[] = [];
  for (const name of ['A', 'B', 'C']) ids.push((await shop.givenProduct({ name })).id);
  const { data } = await shop.dashboard.POST('/api/dashboard/collections', {
    body: { title: 'Kitchen', product_ids: ids },
  });
  const path = { collection_id: data?.id ?? '' };
  const read = async () => tagIn(await shop.dashboard.GET(collectionPath, { params: { path, query: { limit: 1 } } }));
  const first = await read();
  expect(tagIn(await shop.dashboard.GET(collectionPath, { params: { path } }))).toBe(first);
  const reorder = (tag: string, product_ids: string[]) =>
    shop.dashboard.PUT('/api/dashboard/collections/{collection_id}/products/reorder', {
      params: { path, header: { 'If-Match': tag } },
      body: { product_ids },
    });

  const [a = '', b = '', c = ''] = ids;
  const swapped = await reorder(first, [a, c, b]);
  expect([swapped.response.status, tagIn(swapped)]).toEqual([200, await read()]);
  expect((await reorder(first, [c, b, a])).response.status).toBe(412);
  expect(tagIn(swapped)).not.toBe(first);
});

test('orders, customers, discounts, settings, shipping options, webhooks and payment accounts reject an old version (412)', async () => {
  const shop = await openShop();
  const discount = await shop.givenDiscount();
  const order = await shop.givenOrder();
  const { id: customer_id } = await shop.givenCustomer();
  const { dashboard } = shop;
  const { data: options } = await dashboard.GET('/api/dashboard/shipping-options');
  const at = { order_id: order.id };
  const shipping = { shipping_option_id: options?.shipping_options[0]?.id ?? '' };
  const { data: webhook } = await dashboard.POST('/api/dashboard/webhooks', {
    body: { url: 'https://hooks.example/', events: ['order.*'] },
  });
  const hook = { webhook_id: webhook?.id ?? '' };
  const reads = {
    order: () => dashboard.GET('/api/dashboard/orders/{order_id}', { params: { path: at } }),
    customer: () => dashboard.GET('/api/dashboard/customers/{customer_id}', { params: { path: { customer_id } } }),
    discount: () =>
      dashboard.GET('/api/dashboard/discounts/{discount_id}', { params: { path: { discount_id: discount.id } } }),
    settings: () => dashboard.GET('/api/dashboard/settings'),
    shipping: () =>
      dashboard.GET('/api/dashboard/shipping-options/{shipping_option_id}', { params: { path: shipping } }),
    webhook: () => dashboard.GET('/api/dashboard/webhooks/{webhook_id}', { params: { path: hook } }),
    account: () => dashboard.GET('/api/dashboard/payment-account'),
  };
  type Noun = keyof typeof reads;
  const changes: Record<Noun, (tag: string) => Promise<{ response: Response }>> = {
    order: (tag) =>
      dashboard.POST('/api/dashboard/orders/{order_id}/mark-paid', {
        params: { path: at, header: { 'If-Match': tag } },
      }),
    customer: (tag) =>
      dashboard.PATCH('/api/dashboard/customers/{customer_id}', {
        params: { path: { customer_id }, header: { 'If-Match': tag } },
        body: { note: 'Rings twice' },
      }),
    discount: (tag) =>
      dashboard.PATCH('/api/dashboard/discounts/{discount_id}', {
        params: { path: { discount_id: discount.id }, header: { 'If-Match': tag } },
        body: { description: 'For June' },
      }),
    settings: (tag) =>
      dashboard.PATCH('/api/dashboard/settings', {
        params: { header: { 'If-Match': tag } },
        body: { payment_deadline_hours: 48 },
      }),
    shipping: (tag) =>
      dashboard.PATCH('/api/dashboard/shipping-options/{shipping_option_id}', {
        params: { path: shipping, header: { 'If-Match': tag } },
        body: { price: '5.90' },
      }),
    webhook: (tag) =>
      dashboard.PATCH('/api/dashboard/webhooks/{webhook_id}', {
        params: { path: hook, header: { 'If-Match': tag } },
        body: { status: 'disabled' },
      }),
    account: (tag) =>
      dashboard.PATCH('/api/dashboard/payment-account', {
        params: { header: { 'If-Match': tag } },
        body: { capture: 'manual' },
      }),
  };
  for (const noun of Object.keys(reads) as Noun[]) {
    const before = tagIn(await reads[noun]());
    expect(before, noun).toMatch(/^"[\w-]{22}"$/);
    expect((await changes[noun](OTHER)).response.status, noun).toBe(412);
    expect(tagIn(await reads[noun]()), noun).toBe(before);
    const changed = await changes[noun](before);
    expect(changed.response.status, noun).toBe(200);
    expect(tagIn(changed), noun).toBe(tagIn(await reads[noun]()));
    expect(tagIn(changed), noun).not.toBe(before);
    expect((await changes[noun](before)).response.status, noun).toBe(412);
  }
  const outdated = { header: { 'If-Match': OTHER } };
  const gone = [
    await dashboard.DELETE('/api/dashboard/webhooks/{webhook_id}', { params: { path: hook, ...outdated } }),
    await dashboard.DELETE('/api/dashboard/payment-account', { params: outdated }),
  ];
  expect(gone.map(({ response }) => response.status)).toEqual([412, 412]);
  expect((await reads.webhook()).response.status).toBe(200);
});

test('finds the last change of a resource with an index, regardless of the number of later audit events', async () => {
  const shop = await openShop();
  const { owner, site_id } = shop;
  const { id: product_id } = await shop.givenProduct();
  const params = { path: { product_id }, header: { 'If-Match': OTHER } };
  const settings = { params: { header: { 'If-Match': OTHER } } };
  await shop.dashboard.PATCH(productPath, { params: { path: { product_id } }, body: { name: 'Cup' } });
  await shop.dashboard.PATCH('/api/dashboard/settings', { body: { payment_deadline_hours: 48 } });
  await owner.query(
    sql`insert into commerce.audit_events
        (site_id, id, actor_type, actor_id, action, status, payload_hash, correlation_id, targets, fields)
      select ${site_id}, ('f' || substr(gen_random_uuid()::text, 2))::uuid, 'api_key', gen_random_uuid(), 'dashboard.updateProduct', 200, '', 'x',
        array[gen_random_uuid()], '{price}' from generate_series(1, 5000)`,
  );
  await owner.query('analyze commerce.audit_events');

  const product = await shop.dashboard.PATCH(productPath, { params, body: { name: 'Jug' } });
  const shopWide = await shop.dashboard.PATCH('/api/dashboard/settings', {
    ...settings,
    body: { payment_deadline_hours: 24 },
  });

  expect(product.error).toMatchObject({ error: 'stale', changed_fields: ['name'], changed_by: { type: 'api_key' } });
  expect(shopWide.error).toMatchObject({ error: 'stale', changed_fields: ['payment_deadline_hours'] });
  const plan = await planFor(
    shop,
    sql`select e.id from commerce.audit_events e
      where e.site_id = ${site_id} and e.status < 300 and e.actor_type in ('staff', 'api_key')
        and e.targets[1] = ${product_id} order by e.id desc limit 1`,
  );
  expect(plan).toMatch(/audit_events_of_target[\s\S]*Index Cond: .*targets\[1\]/);
});
