import { randomUUID } from 'node:crypto';
import sql from 'sql-template-tag';
import { expect, test } from 'vitest';
import { mailsTo } from '../../test/mail.ts';
import { openShop } from '../../test/shop.ts';

const customers = '/api/dashboard/customers';
const customer = '/api/dashboard/customers/{customer_id}';
const anonymize = '/api/dashboard/customers/{customer_id}/anonymize';
const orders = '/api/dashboard/customers/{customer_id}/orders';

type OpenShop = Awaited<ReturnType<typeof openShop>>;

function at(customer_id: string) {
  return { params: { path: { customer_id } } };
}

interface OrderFields {
  customer_id: string | null;
  number: string;
  status?: string;
  payment_status?: string;
  total?: string;
}

/** Creates a past order with the customer's name and address. */
async function givenPastOrder(
  shop: OpenShop,
  { customer_id, number, status = 'completed', payment_status = 'paid', total = '20.00' }: OrderFields,
) {
  const { rows } = await shop.owner.query<{ id: string }>(
    sql`insert into commerce.orders (site_id, id, order_number, customer_id, email, phone, subtotal, total, currency, status,
        payment_status, fulfillment_status, source, shipping_address, billing_address)
      values (${shop.site_id}, gen_random_uuid(), ${number}, ${customer_id}, 'june@example.com', '030', ${total}, ${total},
        'EUR', ${status}, ${payment_status}, 'unfulfilled', 'storefront',
        '{"last_name": "Okafor", "address1": "Elm Street 1", "country": "DE"}', null)
      returning id`,
  );
  return rows[0]?.id ?? '';
}

async function givenRecord({ dashboard }: OpenShop, email: string, more = {}) {
  const { data, error } = await dashboard.POST(customers, { body: { email, ...more } });
  if (!data) throw new Error(`The customer was refused: ${JSON.stringify(error)}`);
  return data;
}

test('a customer created by staff has no password, gets no mail, and can set a password with a reset link', async () => {
  const shop = await openShop();
  const email = `june-${randomUUID()}@example.com`;

  const data = await givenRecord(shop, email.toUpperCase(), { first_name: 'June', metadata: { size: 'M' } });

  expect(data).toMatchObject({
    email,
    first_name: 'June',
    last_name: null,
    has_account: false,
    email_verified_at: null,
    metadata: { size: 'M' },
    orders_count: 0,
    total_spent: '0.00',
    anonymized_at: null,
  });
  expect(await mailsTo(shop, email)).toEqual([]);
  await shop.storefront.POST('/api/storefront/customer/reset-request', { body: { email } });
  const [mail] = await mailsTo(shop, email);
  const body = { token: mail?.token ?? '', new_password: 'correct horse battery staple' };
  const { data: own } = await shop.storefront.POST('/api/storefront/customer/reset', { body });
  expect(own).toMatchObject({ id: data.id, email_verified_at: expect.any(String) });
});

test('an e-mail address belongs to one customer of a shop regardless of case, even under concurrent requests', async () => {
  const shop = await openShop();
  await givenRecord(await openShop(), 'june@example.com');

  const answers = await Promise.all(
    ['june@example.com', 'June@example.com', 'JUNE@EXAMPLE.COM', 'june@Example.com'].map((email) =>
      shop.dashboard.POST(customers, { body: { email } }),
    ),
  );

  expect(answers.map(({ response }) => response.status).toSorted()).toEqual([201, 409, 409, 409]);
  expect(answers.find(({ error }) => error)?.error).toMatchObject({ error: 'email_taken' });
});

test('finds customers by literal parts of e-mail address, name and number, in the requested order', async () => {
  const shop = await openShop();
  await givenRecord(shop, 'ada@example.com', { first_name: 'Ada', last_name: 'Lovelace', phone: '+44 20 1' });
  await givenRecord(shop, 'bob_1@example.com', { first_name: 'Bob', phone: '+49 30 2' });
  await givenRecord(shop, 'bobx1@example.com');
  await shop.givenCustomer({ email: 'cy@example.com' });
  const found = async (query: object) => {
    const { data } = await shop.dashboard.GET(customers, { params: { query: { sort: 'email_asc', ...query } } });
    return data?.customers.map(({ email }) => email.split('@')[0]).join(' ');
  };

  expect(await found({})).toBe('ada bob_1 bobx1 cy');
  expect(await found({ q: 'da love' })).toBe('ada');
  expect(await found({ q: 'B_1' })).toBe('bob_1');
  expect(await found({ q: '+49' })).toBe('bob_1');
  expect(await found({ has_account: true })).toBe('cy');
  expect(await found({ has_account: false, sort: 'email_desc' })).toBe('bobx1 bob_1 ada');
  expect(await found({ sort: 'newest' })).toBe('cy bobx1 bob_1 ada');
  expect(await found({ sort: 'oldest', limit: 2, page: 2 })).toBe('bobx1 cy');
  const { data } = await shop.dashboard.GET(customers, { params: { query: { limit: 3, page: 2 } } });
  expect(data).toMatchObject({ total: 4, page: 2, limit: 3, pages: 2 });
});

test("shows the number of a customer's orders and the amount paid minus refunds", async () => {
  const shop = await openShop();
  const { id } = await givenRecord(shop, 'june@example.com');
  const paid = await givenPastOrder(shop, { customer_id: id, number: '1', payment_status: 'partially_refunded' });
  await givenPastOrder(shop, { customer_id: id, number: '2', payment_status: 'awaiting_payment' });
  await givenPastOrder(shop, { customer_id: null, number: '3' });
  await shop.owner.query(
    sql`with begun as (update commerce.orders set refunds_begun = 5 where site_id = ${shop.site_id} and id = ${paid})
      insert into commerce.refunds (site_id, id, order_id, amount, reason, actor_id)
      values (${shop.site_id}, gen_random_uuid(), ${paid}, 5.00, 'other', gen_random_uuid())`,
  );

  const { data } = await shop.dashboard.GET(customer, at(id));
  const { data: page } = await shop.dashboard.GET(orders, at(id));

  expect(data).toMatchObject({ orders_count: 2, total_spent: '15.00', addresses: [] });
  expect(page).toMatchObject({ total: 2, orders: [{ customer_id: id }, { customer_id: id }] });
});

test('returns 404 for customers of other shops', async () => {
  const shop = await openShop();
  const { id } = await givenRecord(await openShop(), 'june@example.com');

  for (const strange of [id, randomUUID()]) {
    const answers = [
      await shop.dashboard.GET(customer, at(strange)),
      await shop.dashboard.GET(orders, at(strange)),
      await shop.dashboard.PATCH(customer, { ...at(strange), body: { note: 'x' } }),
      await shop.dashboard.POST(anonymize, at(strange)),
    ];
    expect(answers.map(({ response }) => response.status)).toEqual([404, 404, 404, 404]);
  }
});

test('an update of a customer changes only the given fields, and null empties a field', async () => {
  const shop = await openShop();
  const { id } = await givenRecord(shop, 'june@example.com', { first_name: 'June', note: 'Likes blue', phone: '030' });

  const { data } = await shop.dashboard.PATCH(customer, {
    ...at(id),
    body: { note: null, last_name: 'Okafor', metadata: { size: 'M' }, marketing_opt_in: true },
  });

  expect(data).toMatchObject({
    first_name: 'June',
    last_name: 'Okafor',
    phone: '030',
    note: null,
    metadata: { size: 'M' },
    marketing_opt_in: true,
  });
});

test('a new e-mail address entered by staff takes effect, also for password resets, once its owner confirms it', async () => {
  const shop = await openShop();
  const { id, email: present, client, password } = await shop.givenCustomer();
  const taken = await shop.givenCustomer();
  const email = `next-${randomUUID()}@example.com`;
  const logIn = (address: string) =>
    shop.storefront.POST('/api/storefront/customer/login', { body: { email: address, password } });
  const reset = (address: string) =>
    shop.storefront.POST('/api/storefront/customer/reset-request', { body: { email: address } });

  const refused = await shop.dashboard.PATCH(customer, { ...at(id), body: { email: taken.email } });
  const { data } = await shop.dashboard.PATCH(customer, { ...at(id), body: { email } });

  expect([refused.response.status, refused.error]).toMatchObject([409, { error: 'email_taken' }]);
  expect(data).toMatchObject({ email: present, pending_email: email, email_verified_at: expect.any(String) });
  const [link] = await mailsTo(shop, email);
  const [notice] = await mailsTo(shop, present);
  expect(notice?.html).toContain('entered a different e-mail address');
  expect(notice?.token).toBe('');
  await reset(email);
  await reset(present);
  expect(await mailsTo(shop, email)).toHaveLength(1);
  expect((await mailsTo(shop, present)).at(-1)?.token).toMatch(/^rst_/);
  expect((await client.GET('/api/storefront/customer/me')).response.status).toBe(200);
  expect((await logIn(email)).response.status).toBe(401);

  await shop.storefront.POST('/api/storefront/customer/verify-email', { body: { token: link?.token ?? '' } });
  expect((await shop.dashboard.GET(customer, at(id))).data).toMatchObject({ email, pending_email: null });
  expect((await client.GET('/api/storefront/customer/me')).response.status).toBe(401);
  expect([(await logIn(email)).response.status, (await logIn(present)).response.status]).toEqual([200, 401]);
  expect((await mailsTo(shop, present)).at(-1)?.html).toContain('now has a different e-mail address');
});

test("re-entering the current e-mail address cancels a pending change, and a guest's change needs no confirmation", async () => {
  const shop = await openShop();
  const { id, email: present } = await shop.givenCustomer();
  const email = `next-${randomUUID()}@example.com`;
  await shop.dashboard.PATCH(customer, { ...at(id), body: { email } });
  const [link] = await mailsTo(shop, email);
  const { data: back } = await shop.dashboard.PATCH(customer, { ...at(id), body: { email: present } });
  const { error } = await shop.storefront.POST('/api/storefront/customer/verify-email', {
    body: { token: link?.token ?? '' },
  });
  const guest = await givenRecord(shop, `guest-${randomUUID()}@example.com`);
  const other = `other-${randomUUID()}@example.com`;
  const { data: changed } = await shop.dashboard.PATCH(customer, { ...at(guest.id), body: { email: other } });

  expect(back).toMatchObject({ email: present, pending_email: null });
  expect(error).toMatchObject({ error: 'verification_token_invalid' });
  expect(changed).toMatchObject({ email: other, pending_email: null });
});

test('anonymising a customer removes all personal data and keeps the amounts of the orders', async () => {
  const shop = await openShop();
  const { id, email, client, password } = await shop.givenCustomer();
  await client.POST('/api/storefront/customer/me/addresses', {
    body: { last_name: 'Okafor', address1: 'Elm Street 1', city: 'Berlin', postal_code: '10115', country: 'DE' },
  });
  const cart = await shop.givenCart('10.00', client);
  await givenPastOrder(shop, { customer_id: id, number: '1' });
  await shop.owner.query(
    sql`update commerce.orders set note = 'For Mrs Okafor', staff_note = 'Ask June', metadata = '{"gift for":"Noor"}'
      where site_id = ${shop.site_id} and customer_id = ${id}`,
  );
  await shop.storefront.POST('/api/storefront/customer/register', { body: { email, password } });

  const { data } = await shop.dashboard.POST(anonymize, at(id));
  const again = await shop.dashboard.POST(anonymize, at(id));

  expect(data).toMatchObject({
    id,
    email: `${id.replaceAll('-', '')}@anonymized.invalid`,
    first_name: null,
    has_account: false,
    orders_count: 1,
    total_spent: '20.00',
    anonymized_at: expect.any(String),
  });
  expect(again.data).toEqual(data);
  expect((await shop.dashboard.GET(customer, at(id))).data).toMatchObject({ addresses: [] });
  const { data: page } = await shop.dashboard.GET(orders, at(id));
  expect(page?.orders[0]).toMatchObject({ email: null, phone: null, total: '20.00', billing_address: null });
  expect(page?.orders[0]?.shipping_address).toMatchObject({ country: 'DE' });
  expect(JSON.stringify(page)).not.toMatch(/Okafor|Elm Street/);
  const left = await shop.owner.query(
    sql`select note, staff_note, metadata, (
        select count(*)::int from commerce.customer_registrations r where r.site_id = o.site_id) as registrations
      from commerce.orders o where site_id = ${shop.site_id}`,
  );
  expect(left.rows).toEqual([{ note: null, staff_note: null, metadata: {}, registrations: 0 }]);
  expect((await client.GET('/api/storefront/customer/me')).response.status).toBe(401);
  const { rows } = await shop.owner.query(
    sql`select status, customer_id from commerce.carts where site_id = ${shop.site_id} and id = ${cart.id}`,
  );
  expect(rows).toEqual([{ status: 'expired', customer_id: null }]);
  const change = await shop.dashboard.PATCH(customer, { ...at(id), body: { note: 'x' } });
  expect([change.response.status, change.error]).toMatchObject([409, { error: 'conflict' }]);
  const body = { email, password };
  expect((await shop.storefront.POST('/api/storefront/customer/login', { body })).response.status).toBe(401);
});

test('rejects anonymising a customer with unfinished orders (409 customer_has_open_orders), and names the orders', async () => {
  const shop = await openShop();
  const { id } = await givenRecord(shop, 'june@example.com');
  await givenPastOrder(shop, { customer_id: id, number: '7', status: 'processing' });
  await givenPastOrder(shop, { customer_id: id, number: '8' });

  const { error, response } = await shop.dashboard.POST(anonymize, at(id));

  expect(response.status).toBe(409);
  expect(error).toMatchObject({ error: 'customer_has_open_orders', order_numbers: ['7'] });
  expect((await shop.dashboard.GET(customer, at(id))).data).toMatchObject({ email: 'june@example.com' });
});
