import { createDashboardClient } from '@commerce-backend/sdk';
import { expect, test } from 'vitest';
import { POLICY } from '../../test/returns.ts';
import { startServer, stopServer } from '../../test/server.ts';
import { openShop } from '../../test/shop.ts';
import { databaseUrl } from '../../test/worker-database.ts';
import { operationTable } from '../http/contract/contract.ts';

const setup = '/api/dashboard/setup';
const settings = '/api/dashboard/settings';
const bank = { account_holder: 'Alder & Finch GmbH', iban: 'DE89370400440532013000' };

/** Opens a shop on a server without a card provider. */
async function bareShop() {
  const server = await startServer(databaseUrl(), { card: undefined });
  const shop = await openShop();
  const apiKey = shop.credentials.api_key;
  const dashboard = createDashboardClient({ baseUrl: server.baseUrl, apiKey });
  const read = async () => {
    const { data } = await dashboard.GET(setup);
    if (!data) throw new Error('The setup list is missing.');
    return data;
  };
  const open = async () => (await read()).items.filter((item) => !item.done).map(({ code }) => code);
  return { ...shop, read, open, [Symbol.asyncDispose]: () => stopServer(server) };
}

test('a new shop lists all missing setup steps, and cannot sell until the blocking steps are done', async () => {
  await using shop = await bareShop();
  const all = [
    'products',
    'delivery',
    'payment',
    'live_payments',
    'tax',
    'contact',
    'legal',
    'storefront_url',
    'returns',
  ];
  expect(await shop.open()).toEqual(all);

  const { items } = await shop.read();
  expect(items.filter(({ blocking }) => blocking).map(({ code }) => code)).toEqual(['products', 'delivery', 'payment']);

  await shop.givenProduct();
  await shop.givenShippingOption();
  expect((await shop.read()).can_sell).toBe(false);

  await shop.dashboard.PATCH(settings, { body: { bank_details: bank } });
  expect((await shop.read()).can_sell).toBe(true);
  expect(await shop.open()).toEqual(['tax', 'contact', 'legal', 'storefront_url', 'returns']);

  const body = {
    default_tax_rate: '0',
    brand: { support_email: 'help@kiosk.example' },
    legal: {
      terms_url: 'https://kiosk.example/terms',
      privacy_url: 'https://kiosk.example/privacy',
      imprint_url: 'https://kiosk.example/imprint',
    },
    storefront_url: 'https://kiosk.example/',
    return_policy: { ...POLICY, return_address: 'Kiosk, Markt 1, Leipzig' },
  };
  await shop.dashboard.PATCH(settings, { body });
  expect(await shop.open()).toEqual([]);
});

test('the setup step for the legal texts is done once each has a URL or a text', async () => {
  await using shop = await bareShop();
  const step = async () => (await shop.read()).items.find(({ code }) => code === 'legal');

  const legal_texts = { terms_en: '<p>Terms</p>', imprint_fr: '<p>Nous</p>' };
  await shop.dashboard.PATCH(settings, { body: { legal: { terms_url: null }, legal_texts } });
  expect(await step()).toMatchObject({ done: false, message: expect.stringMatching(/Missing: privacy policy\.$/) });
  await shop.dashboard.PATCH(settings, { body: { legal: { privacy_url: 'https://kiosk.example/privacy' } } });
  expect(await step()).toMatchObject({ done: true });
});

test('the setup step for the return address is done once an address is set, and omitted if returns are disabled', async () => {
  await using shop = await bareShop();
  const step = async () => (await shop.read()).items.find(({ code }) => code === 'returns');
  const policy = (return_policy: object) =>
    shop.dashboard.PATCH(settings, { body: { return_policy: { ...POLICY, ...return_policy } } });

  expect(await step()).toMatchObject({ done: false, blocking: false, next: { fields: ['return_policy'] } });
  await policy({ return_address: 'Kiosk, Markt 1, Leipzig' });
  expect(await step()).toMatchObject({ done: true, next: null });
  await policy({ return_address: null });
  expect(await step()).toMatchObject({ done: false });
  await policy({ enabled: false });
  expect(await step()).toBeUndefined();
});

test('a product completes its setup step once it is published and in stock', async () => {
  await using shop = await bareShop();
  const message = async () => (await shop.read()).items.find(({ code }) => code === 'products')?.message;

  await shop.givenProduct({ status: 'draft' });
  expect(await message()).toContain('No product is published');
  await shop.givenProduct({ inventory_quantity: 0 });
  expect(await message()).toContain('in stock');
  await shop.givenProduct({ inventory_quantity: 0, track_inventory: false });
  expect(await message()).toBe('A product is for sale.');
});

test('a shop needs a shipping option only if it sells shipped products, and a pickup option is enough to sell', async () => {
  await using shop = await bareShop();
  await shop.givenProduct({ requires_shipping: false });
  expect(await shop.open()).not.toContain('delivery');

  await shop.givenProduct();
  expect(await shop.open()).toContain('delivery');
  await shop.givenShippingOption({ kind: 'pickup' });
  expect((await shop.read()).can_sell).toBe(true);
});

test('card payments in test mode complete the setup step `payment`, but not `live_payments`', async () => {
  const shop = await openShop();
  const { data } = await shop.dashboard.GET(setup);
  const find = (wanted: string) => data?.items.find(({ code }) => code === wanted)?.done;
  expect([find('payment'), find('live_payments')]).toEqual([true, false]);
});

test('every suggested next step of the setup is an operation of the contract', async () => {
  await using shop = await bareShop();
  for (const { next } of (await shop.read()).items) {
    const named = operationTable.find(({ id }) => id === next?.operation);
    expect([named?.path, named?.method.toUpperCase()]).toEqual([next?.path, next?.method]);
  }
});
