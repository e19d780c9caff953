import contract from '@commerce-backend/spec/openapi.json' with { type: 'json' };
import { expect, test } from 'vitest';
import { type Answers, fakeServer, loggedIn, refusal } from '../testing.ts';

// biome-ignore-start lint/suspicious/noExplicitAny: the contract's own examples.
const examples: any = contract.components.examples;
const PRODUCT: any = examples.Product.value;
const COLLECTION: any = examples.Collection.value;
const CUSTOMER: any = examples.CustomerDetails.value;
const ORDER: any = examples.OrderDetails.value;
// biome-ignore-end lint/suspicious/noExplicitAny: until here.
const [VARIANT] = PRODUCT.variants;
const [OPTION] = PRODUCT.options;
const [IMAGE] = PRODUCT.images;
const ID = '0192f3a0-4444-7000-8000-0000000000aa';

const pageOf = (noun: string, row: unknown) => ({ [noun]: [row], total: 1, page: 1, limit: 20, pages: 1 });
const key = { ...examples.ApiKeyWithSecret.value, id: ID };
const token = { ...examples.StorefrontTokenWithSecret.value, id: ID };

const OWN = '/api/dashboard';
const PATH = `${OWN}/products/${PRODUCT.id}`;

/** Responses for everything that the commands look up or change. */
const ANSWERS: Answers = {
  [`GET ${OWN}/products`]: { body: pageOf('products', PRODUCT) },
  [`GET ${PATH}`]: { body: PRODUCT },
  [`GET ${OWN}/collections`]: { body: pageOf('collections', COLLECTION) },
  [`GET ${OWN}/customers`]: { body: pageOf('customers', CUSTOMER) },
  [`GET ${OWN}/orders`]: { body: pageOf('orders', ORDER) },
  [`GET ${OWN}/orders/${ORDER.id}`]: { body: ORDER },
};

const deleted = { id: ID, deleted: true };
const collection = `${OWN}/collections/${COLLECTION.id}`;
const customer = `${OWN}/customers/${CUSTOMER.id}`;

/** Command line, expected call, expected body, response. */
const WRITES: [string[], string, unknown, unknown][] = [
  [
    ['products', 'create', 'Mug', '--price', '14', '--stock', '3', '--tag', 'a', '--tag', 'b', '--no-track-inventory'],
    `POST ${OWN}/products`,
    { name: 'Mug', price: '14', inventory_quantity: 3, tags: ['a', 'b'], track_inventory: false },
    PRODUCT,
  ],
  [
    ['products', 'update', PRODUCT.slug, '--vendor', 'none', '--tag', 'none', '--metadata', 'size=3'],
    `PATCH ${PATH}`,
    { vendor: null, tags: [], metadata: { size: '3' } },
    PRODUCT,
  ],
  [['products', 'delete', PRODUCT.slug, '--yes'], `DELETE ${PATH}`, undefined, deleted],
  [
    ['variants', 'create', PRODUCT.slug, '--option1', 'M', '--price', '15.00', '--sku', 'NEW-1'],
    `POST ${PATH}/variants`,
    { option1: 'M', price: '15.00', sku: 'NEW-1' },
    VARIANT,
  ],
  [
    ['variants', 'update', PRODUCT.slug, VARIANT.sku, '--compare-at-price', 'none'],
    `PATCH ${PATH}/variants/${VARIANT.id}`,
    { compare_at_price: null },
    VARIANT,
  ],
  [
    ['variants', 'delete', PRODUCT.slug, VARIANT.id, '--yes'],
    `DELETE ${PATH}/variants/${VARIANT.id}`,
    undefined,
    PRODUCT,
  ],
  [
    ['options', 'create', PRODUCT.id, 'Size', '--value', 'S', '--value', 'M'],
    `POST ${PATH}/options`,
    { name: 'Size', values: ['S', 'M'] },
    PRODUCT,
  ],
  [
    ['options', 'update', PRODUCT.id, OPTION.name, '--name', 'Hue'],
    `PATCH ${PATH}/options/${OPTION.id}`,
    { name: 'Hue' },
    PRODUCT,
  ],
  [['options', 'delete', PRODUCT.id, OPTION.name, '--yes'], `DELETE ${PATH}/options/${OPTION.id}`, undefined, PRODUCT],
  [
    ['images', 'create', PRODUCT.id, 'https://a.example/1.jpg', '--alt', 'A mug', '--variant', VARIANT.id],
    `POST ${PATH}/images`,
    { url: 'https://a.example/1.jpg', alt: 'A mug', variant_ids: [VARIANT.id] },
    PRODUCT,
  ],
  [
    ['images', 'update', PRODUCT.id, String(IMAGE.position), '--position', '2', '--variant', VARIANT.sku],
    `PATCH ${PATH}/images/${IMAGE.id}`,
    { position: 2, variant_ids: [VARIANT.id] },
    PRODUCT,
  ],
  [['images', 'delete', PRODUCT.id, IMAGE.id, '--yes'], `DELETE ${PATH}/images/${IMAGE.id}`, undefined, PRODUCT],
  [
    ['collections', 'create', 'Cheap', '--type', 'automatic', '--rule', 'tag=mug', '--rule', 'price<20', '--published'],
    `POST ${OWN}/collections`,
    {
      ...{ title: 'Cheap', type: 'automatic', published: true },
      rules: [
        { field: 'tag', operator: 'equals', value: 'mug' },
        { field: 'price', operator: 'less_than', value: '20' },
      ],
    },
    COLLECTION,
  ],
  [
    ['collections', 'update', COLLECTION.handle, '--description', 'none'],
    `PATCH ${collection}`,
    { description: null },
    COLLECTION,
  ],
  [['collections', 'get', COLLECTION.handle], `GET ${collection}`, undefined, COLLECTION],
  [['collections', 'delete', COLLECTION.handle, '--yes'], `DELETE ${collection}`, undefined, deleted],
  [
    ['collections', 'add', COLLECTION.handle, PRODUCT.slug, ID],
    `POST ${collection}/products`,
    { product_ids: [PRODUCT.id, ID] },
    COLLECTION,
  ],
  [
    ['collections', 'remove', COLLECTION.handle, PRODUCT.slug, '--yes'],
    `DELETE ${collection}/products/${PRODUCT.id}`,
    undefined,
    COLLECTION,
  ],
  [
    ['collections', 'reorder', COLLECTION.handle, ID, PRODUCT.slug],
    `PUT ${collection}/products/reorder`,
    { product_ids: [ID, PRODUCT.id] },
    COLLECTION,
  ],
  [
    ['customers', 'create', 'a@b.example', '--first-name', 'June', '--newsletter'],
    `POST ${OWN}/customers`,
    { email: 'a@b.example', first_name: 'June', marketing_opt_in: true },
    CUSTOMER,
  ],
  [['customers', 'update', CUSTOMER.email, '--phone', 'none'], `PATCH ${customer}`, { phone: null }, CUSTOMER],
  [['customers', 'anonymize', CUSTOMER.email, '--yes'], `POST ${customer}/anonymize`, undefined, CUSTOMER],
  [['customers', 'orders', CUSTOMER.email], `GET ${customer}/orders`, undefined, pageOf('orders', ORDER)],
  [
    ['orders', 'update', ORDER.order_number, '--staff-note', 'Gift', '--note', 'none'],
    `PATCH ${OWN}/orders/${ORDER.id}`,
    { staff_note: 'Gift', note: null },
    ORDER,
  ],
  [
    ['orders', 'shipments', ORDER.order_number],
    `GET ${OWN}/orders/${ORDER.id}/fulfillments`,
    undefined,
    { fulfillments: ORDER.fulfillments },
  ],
  [
    ['orders', 'refunds', ORDER.order_number],
    `GET ${OWN}/orders/${ORDER.id}/refunds`,
    undefined,
    { refunds: ORDER.refunds },
  ],
  [
    ['inventory', 'movements', VARIANT.id],
    `GET ${OWN}/inventory/${VARIANT.id}/movements`,
    undefined,
    examples.Movements.value,
  ],
  [['audit', 'list', '--action', 'agent.findAndBuy'], `GET ${OWN}/audit-events`, undefined, examples.AuditPage.value],
  [['api-keys', 'list'], `GET ${OWN}/api-keys`, undefined, examples.ApiKeyList.value],
  [
    ['api-keys', 'create', '--description', 'Till', '--scope', 'read', '--scope', 'write'],
    `POST ${OWN}/api-keys`,
    { description: 'Till', scopes: ['read', 'write'] },
    key,
  ],
  [['api-keys', 'rotate', ID], `POST ${OWN}/api-keys/${ID}/rotate`, undefined, key],
  [['api-keys', 'revoke', ID, '--yes'], `DELETE ${OWN}/api-keys/${ID}`, undefined, key],
  [['storefront-tokens', 'list'], `GET ${OWN}/storefront-tokens`, undefined, examples.StorefrontTokenList.value],
  [
    ['storefront-tokens', 'create', '--description', 'Web', '--origin', 'https://a.example'],
    `POST ${OWN}/storefront-tokens`,
    { description: 'Web', allowed_origins: ['https://a.example'] },
    token,
  ],
  [['storefront-tokens', 'rotate', ID], `POST ${OWN}/storefront-tokens/${ID}/rotate`, undefined, token],
  [['storefront-tokens', 'revoke', ID, '--yes'], `DELETE ${OWN}/storefront-tokens/${ID}`, undefined, token],
  [['webhooks', 'get', ID], `GET ${OWN}/webhooks/${ID}`, undefined, examples.Webhook.value],
  [['shipping-options', 'get', ID], `GET ${OWN}/shipping-options/${ID}`, undefined, examples.ShippingOption.value],
];

test.each(WRITES)('the command %j sends the call %s', async (args, call, body, answer) => {
  const server = await fakeServer({ ...ANSWERS, [call]: { body: answer } });
  const { commerce } = await loggedIn(server.url);
  const { code, err } = await commerce(args);
  expect({ code, err }).toEqual({ code: 0, err: '' });
  const made = server.seen.find(({ method, path }) => `${method} ${path}` === call);
  expect(made?.body).toEqual(body);
  const program = await commerce([...args, '--json']);
  expect(() => JSON.parse(program.out)).not.toThrow();
});

test.each(WRITES.filter(([args]) => args.includes('--yes')))(
  '%j asks for confirmation without --yes',
  async (args, call) => {
    const server = await fakeServer({ ...ANSWERS, [call]: { body: {} } });
    const { commerce } = await loggedIn(server.url);
    const asking = args.filter((arg) => arg !== '--yes');
    expect((await commerce(asking, { typed: 'n' })).err).toContain('Cancelled. Nothing was changed.');
    const alone = await commerce(asking);
    expect(alone.code).toBe(2);
    expect(alone.err).toContain('Add --yes.');
    expect(server.seen.every(({ method }) => method === 'GET')).toBe(true);
  },
);

test('shows the secret of a new API key', async () => {
  const server = await fakeServer({ [`POST ${OWN}/api-keys`]: { status: 201, body: key } });
  const { commerce } = await loggedIn(server.url);
  const { out } = await commerce(['api-keys', 'create', '--description', 'Till', '--scope', 'read']);
  expect(out).toContain(key.secret);
  expect(out).toContain('Keep the secret now: it is not shown again.');
});

test('creates a product with all its parts from JSON, and options override the JSON', async () => {
  const server = await fakeServer({ [`POST ${OWN}/products`]: { status: 201, body: PRODUCT } });
  const { commerce } = await loggedIn(server.url);
  const input = JSON.stringify({ name: 'Old', price: '1.00', options: [{ name: 'Size', values: ['S'] }] });
  await commerce(['products', 'create', 'Shirt', '--input', '-', '--price', '2.00'], { input });
  expect(server.seen[0]?.body).toEqual({
    name: 'Shirt',
    price: '2.00',
    options: [{ name: 'Size', values: ['S'] }],
  });
});

test('an error names the options and arguments that caused it', async () => {
  const detail = [
    { loc: ['body', 'starts_at'], msg: 'Too late.', type: 'value_error' },
    { loc: ['body', 'code'], msg: 'Too long.', type: 'value_error' },
    { loc: ['body', 'product_ids', 1], msg: 'Unknown.', type: 'value_error' },
    { loc: ['body', 'currency'], msg: 'Unknown.', type: 'value_error' },
  ];
  const server = await fakeServer({ [`POST ${OWN}/discounts`]: refusal(422, 'validation_error', 'No.', { detail }) });
  const { commerce } = await loggedIn(server.url);
  const args = ['discounts', 'create', 'A', '--percentage', '10', '--product', ID, '--product', 'x'];
  const { err } = await commerce(args);
  expect(err).toContain(
    '  --starts: Too late.\n  CODE: Too long.\n  --product, value 2: Unknown.\n  currency: Unknown.\n',
  );
  const program = JSON.parse((await commerce([...args, '--json'])).err);
  expect(program.detail[0]).toEqual({ field: 'starts_at', flag: '--starts', message: 'Too late.' });
});

test('rejects unknown variants, options, images and collections, and an update without a change, before it writes', async () => {
  const server = await fakeServer(ANSWERS);
  const { commerce } = await loggedIn(server.url);
  for (const [args, code, message] of [
    [['variants', 'update', PRODUCT.slug, 'NO-SUCH', '--price', '1'], 1, 'has no variant NO-SUCH.'],
    [['options', 'delete', PRODUCT.slug, 'Depth', '--yes'], 1, 'has no option Depth.'],
    [['images', 'delete', PRODUCT.slug, '99', '--yes'], 1, 'has no image 99.'],
    [['images', 'update', PRODUCT.slug, IMAGE.id, '--variant', 'NO-SUCH'], 1, 'has no variant NO-SUCH.'],
    [['collections', 'get', 'no-such'], 1, 'No collection has the handle "no-such".'],
    [['products', 'update', PRODUCT.slug], 2, 'Give at least one change.'],
    [['collections', 'create', 'A', '--rule', 'tag'], 2, 'Write a rule as tag=summer'],
    [['products', 'create', 'A', '--metadata', 'size'], 2, 'Write it as key=value.'],
  ] as const) {
    const outcome = await commerce([...args]);
    expect({ args, code: outcome.code }).toEqual({ args, code });
    expect(outcome.err).toContain(message);
  }
  expect(server.seen.every(({ method }) => method === 'GET')).toBe(true);
});
