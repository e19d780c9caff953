import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { openShop } from '../../test/shop.ts';

const addresses = '/api/storefront/customer/me/addresses';
const address = '/api/storefront/customer/me/addresses/{address_id}';

const HOME = { last_name: 'Okafor', address1: 'Elm Street 1', city: 'Berlin', postal_code: '10115', country: 'DE' };

type Customer = Awaited<ReturnType<Awaited<ReturnType<typeof openShop>>['givenCustomer']>>;

async function givenAddress({ client }: Customer, more: { city?: string; is_default?: boolean } = {}) {
  const { data, error } = await client.POST(addresses, { body: { ...HOME, ...more } });
  if (!data) throw new Error(`The address was refused: ${JSON.stringify(error)}`);
  return data;
}

async function bookOf({ client }: Customer) {
  const { data } = await client.GET(addresses);
  return data?.addresses.map(({ city, is_default }) => `${city}${is_default ? '*' : ''}`).join(' ');
}

function at(address_id: string) {
  return { params: { path: { address_id } } };
}

test("a customer's first address is the default until another is set", async () => {
  const june = await (await openShop()).givenCustomer();

  const first = await givenAddress(june, { city: 'Berlin' });
  await givenAddress(june, { city: 'Paris' });
  const third = await givenAddress(june, { city: 'Rome', is_default: true });

  expect(first).toMatchObject({ ...HOME, first_name: null, is_default: true });
  expect(third).toMatchObject({ is_default: true });
  expect(await bookOf(june)).toBe('Berlin Paris Rome*');
  await june.client.PATCH(address, { ...at(first.id), body: { is_default: true, city: 'Bonn' } });
  expect(await bookOf(june)).toBe('Bonn* Paris Rome');
  await june.client.DELETE(address, at(first.id));
  expect(await bookOf(june)).toBe('Paris Rome');
});

test('an update changes only the given fields of an address, and null clears a field', async () => {
  const june = await (await openShop()).givenCustomer();
  const { id } = await givenAddress(june);

  await june.client.PATCH(address, { ...at(id), body: { company: 'Alder', postal_code: '10115' } });
  const { data } = await june.client.PATCH(address, { ...at(id), body: { company: null } });

  expect(data).toMatchObject({ ...HOME, company: null, postal_code: '10115', is_default: true });
});

test('concurrent calls keep exactly one default address and at most fifty addresses (409 limit_reached)', async () => {
  const june = await (await openShop()).givenCustomer();

  await Promise.all(Array.from({ length: 6 }, () => givenAddress(june, { is_default: true })));
  const marks = (await bookOf(june))?.match(/\*/g);
  for (let i = 0; i < 42; i += 1) await givenAddress(june);
  const last = await Promise.all(Array.from({ length: 5 }, () => june.client.POST(addresses, { body: HOME })));

  expect(marks).toHaveLength(1);
  expect(last.map(({ response }) => response.status).toSorted()).toEqual([201, 201, 409, 409, 409]);
  expect(last.find(({ error }) => error)?.error).toMatchObject({ error: 'limit_reached', limit: 50 });
});

test('answers 404 for addresses of other customers, in this shop or another', async () => {
  const shop = await openShop();
  const june = await shop.givenCustomer();
  const strangers = [await shop.givenCustomer(), await (await openShop()).givenCustomer()];
  const theirs = await Promise.all(strangers.map((stranger) => givenAddress(stranger)));

  for (const id of [...theirs.map((one) => one.id), randomUUID()]) {
    const changed = await june.client.PATCH(address, { ...at(id), body: { city: 'Mine' } });
    const removed = await june.client.DELETE(address, at(id));
    expect([changed.response.status, removed.response.status]).toEqual([404, 404]);
  }
  expect(await bookOf(june)).toBe('');
  for (const stranger of strangers) expect(await bookOf(stranger)).toBe('Berlin*');
});
