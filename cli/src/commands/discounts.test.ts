import contract from '@commerce-backend/spec/openapi.json' with { type: 'json' };
import { expect, test } from 'vitest';
import { fakeServer, loggedIn, pageOf, refusal } from '../testing.ts';

// biome-ignore lint/suspicious/noExplicitAny: the contract's own examples.
const examples: any = contract.components.examples;
const [DISCOUNT] = examples.DiscountPage.value.discounts;
const OPTION = examples.ShippingOption.value;
const CUSTOMER = examples.CustomerDetails.value;
const DISCOUNTS = '/api/dashboard/discounts';
const OPTIONS = '/api/dashboard/shipping-options';

test('lists discounts with their amounts and usage', async () => {
  const free = {
    ...DISCOUNT,
    code: 'FREESHIP',
    kind: 'free_shipping',
    value: '0.00',
    usage_limit: null,
    ends_at: null,
  };
  const fixed = { ...DISCOUNT, code: 'FIVEOFF', kind: 'fixed_amount', value: '5.00', status: 'disabled' };
  const server = await fakeServer({ [`GET ${DISCOUNTS}`]: { body: pageOf('discounts', [DISCOUNT, free, fixed]) } });
  const { commerce } = await loggedIn(server.url);
  const { out } = await commerce(['discounts', 'list', '--status', 'active']);
  expect(out).toMatch(/WELCOME10 +10 % {2}active +13 of 500 {2}20.00/);
  expect(out).toMatch(/FREESHIP +shipping {2}active +13 {2}20.00 {2}never/);
  expect(out).toMatch(/FIVEOFF +5.00 EUR {2}disabled/);
  expect(out).toContain('\n\n3 discounts.\n');
  expect(server.seen[0]?.query.toString()).toBe('status=active');
});

test('creates a discount code with conditions', async () => {
  const server = await fakeServer({ [`POST ${DISCOUNTS}`]: { status: 201, body: DISCOUNT } });
  const { commerce } = await loggedIn(server.url);
  const terms = ['--minimum-subtotal', '20', '--usage-limit-per-customer', '1', '--ends', '2026-12-31'];
  const { code, out } = await commerce(['discounts', 'create', 'WELCOME10', '--percentage', '10', ...terms]);
  expect(code).toBe(0);
  expect(out).toContain('Takes off      10 %\n');
  expect(server.seen[0]?.body).toEqual({
    ...{ code: 'WELCOME10', kind: 'percentage', value: '10', minimum_subtotal: '20', usage_limit_per_customer: 1 },
    ends_at: new Date(2027, 0, 1).toISOString(),
  });
  await commerce(['discounts', 'create', 'FREESHIP', '--free-shipping', '--disabled']);
  expect(server.seen[1]?.body).toEqual({ code: 'FREESHIP', kind: 'free_shipping', active: false });
  for (const args of [[], ['--percentage', '10', '--amount', '5'], ['--percentage', 'ten'], ['--amount', '-5']]) {
    const wrong = await commerce(['discounts', 'create', 'X', ...args]);
    expect({ args, code: wrong.code }).toEqual({ args, code: 2 });
  }
  expect(server.seen).toHaveLength(2);
});

test('changes a discount by its code in any case, and suggests disabling one that cannot be deleted', async () => {
  const similar = { ...DISCOUNT, id: '0192f3a2-4444-7000-8000-000000000002', code: 'WELCOME100' };
  const path = `${DISCOUNTS}/${DISCOUNT.id}`;
  const server = await fakeServer({
    [`GET ${DISCOUNTS}`]: { body: pageOf('discounts', [similar, DISCOUNT]) },
    [`GET ${path}`]: { body: DISCOUNT },
    [`PATCH ${path}`]: { body: { ...DISCOUNT, status: 'disabled', active: false } },
    [`DELETE ${path}`]: refusal(409, 'discount_in_use', 'The code was redeemed.'),
  });
  const { commerce } = await loggedIn(server.url);
  const { out } = await commerce([
    'discounts',
    'update',
    'welcome10',
    '--disable',
    '--ends',
    'none',
    '--product',
    'none',
  ]);
  expect(server.seen.at(-1)?.body).toEqual({ active: false, ends_at: null, product_ids: [] });
  expect(out).toContain('Status         disabled\n');
  expect(JSON.parse((await commerce(['discounts', 'get', 'Welcome10', '--json'])).out)).toEqual(DISCOUNT);
  const refused = await commerce(['discounts', 'delete', 'WELCOME10', '--yes']);
  expect(refused.code).toBe(1);
  expect(refused.err).toContain('Disable it instead: commerce discounts update CODE --disable');
  expect((await commerce(['discounts', 'update', 'WELCOME10'])).code).toBe(2);
  expect((await commerce(['discounts', 'get', 'WELCOME'])).err).toContain('There is no discount code "WELCOME".');
});

test('lists the redemptions of a discount code, and shows the option for the next page', async () => {
  const page = { ...examples.Redemptions.value, next_cursor: 'c2' };
  const path = `${DISCOUNTS}/${DISCOUNT.id}/redemptions`;
  const server = await fakeServer({ [`GET ${path}`]: { body: page } });
  const { commerce } = await loggedIn(server.url);
  const { out } = await commerce(['discounts', 'redemptions', DISCOUNT.id, '--status', 'redeemed', '--limit', '1']);
  expect(out).toContain(page.redemptions[0].amount_off);
  expect(out).toContain('\n\nNext: --cursor c2\n');
  expect(server.seen[0]?.query.toString()).toBe('status=redeemed&limit=1');
});

test('lists, creates, changes and deletes shipping options by name', async () => {
  const path = `${OPTIONS}/${OPTION.id}`;
  const server = await fakeServer({
    [`GET ${OPTIONS}`]: { body: pageOf('shipping_options', [OPTION]) },
    [`POST ${OPTIONS}`]: { status: 201, body: OPTION },
    [`PATCH ${path}`]: { body: { ...OPTION, active: false } },
    [`DELETE ${path}`]: { body: { id: OPTION.id, deleted: true } },
  });
  const { commerce } = await loggedIn(server.url);
  const { out } = await commerce(['shipping-options', 'list']);
  expect(out).toMatch(/1 {2}Parcel {2}delivery +4.90 {2}EUR +– +DE AT +2-3 +up to 100.00 {2}offered/);
  await commerce(['shipping-options', 'create', 'Parcel', '--price', '4.90', '--country', 'de', '--country', 'AT']);
  expect(server.seen.at(-1)?.body).toEqual({ name: 'Parcel', price: '4.90', countries: ['DE', 'AT'] });
  await commerce(['shipping-options', 'create', 'Fetch', '--price', '0', '--kind', 'pickup', '--inactive']);
  expect(server.seen.at(-1)?.body).toEqual({ name: 'Fetch', price: '0', kind: 'pickup', active: false });
  await commerce([
    'shipping-options',
    'update',
    'Parcel',
    '--disable',
    '--country',
    'none',
    '--maximum-subtotal',
    'none',
  ]);
  expect(server.seen.at(-1)?.body).toEqual({ active: false, countries: [], maximum_subtotal: null });
  expect((await commerce(['shipping-options', 'delete', 'Parcel', '--yes'])).out).toBe('Deleted: Parcel.\n');
  expect((await commerce(['shipping-options', 'delete', 'Drone'])).err).toContain(
    'No shipping option is named "Drone".',
  );
});

test('rejects the name of a shipping option if two options have that name', async () => {
  const twin = { ...OPTION, id: '0192f3a2-6666-7000-8000-000000000002' };
  const server = await fakeServer({ [`GET ${OPTIONS}`]: { body: pageOf('shipping_options', [OPTION, twin]) } });
  const { commerce } = await loggedIn(server.url);
  const { code, err } = await commerce(['shipping-options', 'delete', 'Parcel', '--yes']);
  expect(code).toBe(1);
  expect(err).toContain('2 options are named "Parcel".');
});

test('lists customers, and `customers get` finds a customer by e-mail address and shows the saved addresses', async () => {
  const server = await fakeServer({
    'GET /api/dashboard/customers': { body: pageOf('customers', [CUSTOMER]) },
    [`GET /api/dashboard/customers/${CUSTOMER.id}`]: { body: CUSTOMER },
  });
  const { commerce } = await loggedIn(server.url);
  const { out } = await commerce(['customers', 'list', '--account']);
  expect(out).toMatch(/june@example.com {2}June Okafor {2}yes +1 {2}21.82/);
  expect(server.seen[0]?.query.toString()).toBe('has_account=true');
  await commerce(['customers', 'list', '--no-account', '--q', 'june']);
  expect(server.seen[1]?.query.toString()).toBe('q=june&has_account=false');
  const one = await commerce(['customers', 'get', 'June@Example.com']);
  expect(one.out).toContain('Address     June Okafor, Lindenallee 7, 10115 Berlin, DE (default)');
  expect((await commerce(['customers', 'get', 'july@example.com'])).code).toBe(1);
});
