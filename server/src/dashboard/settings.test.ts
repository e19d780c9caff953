import { expect, test } from 'vitest';
import { approve, askForConsent, poll } from '../../test/agents.ts';
import { openShop } from '../../test/shop.ts';

const settings = '/api/dashboard/settings';
const bank = { account_holder: 'Alder & Finch GmbH', iban: 'DE89370400440532013000' };

test('an update changes only the given settings', async () => {
  const { dashboard } = await openShop();
  const { data: before } = await dashboard.GET(settings);

  const { data: after } = await dashboard.PATCH(settings, { body: { payment_deadline_hours: 72 } });

  expect(after).toEqual({ ...before, payment_deadline_hours: 72, updated_at: expect.any(String) });
  expect((await dashboard.GET(settings)).data).toEqual(after);
});

test('changes several settings in one request', async () => {
  const { dashboard } = await openShop();
  const body = {
    name: 'Kiosk',
    currency: 'JPY',
    prices_include_tax: false,
    tax_rates: [
      { country: 'DE', rate: '0.19' },
      { country: 'AT', rate: '0.2' },
    ],
    default_tax_rate: '0.0725',
    bank_details: { ...bank, bic: 'COBADEFFXXX', bank_name: 'Commerzbank', instructions: 'Quote the order number.' },
    payment_deadline_hours: 1,
    allowed_origins: ['https://kiosk.example', 'http://localhost:3000'],
    low_stock_threshold: 0,
    agent_policy: { enabled: false, max_budget_cents: 0, max_lifetime_days: 1 },
  };

  const { data } = await dashboard.PATCH(settings, { body });

  expect(data).toMatchObject(body);
});

test('stores missing bank details as null, and null removes all bank details', async () => {
  const { dashboard } = await openShop();

  const { data: given } = await dashboard.PATCH(settings, { body: { bank_details: bank } });
  const { data: kept } = await dashboard.PATCH(settings, { body: { name: 'Kiosk' } });
  const { data: removed } = await dashboard.PATCH(settings, { body: { bank_details: null } });

  expect(given?.bank_details).toEqual({ ...bank, bic: null, bank_name: null, instructions: null });
  expect(kept?.bank_details).toEqual(given?.bank_details);
  expect(removed?.bank_details).toBeNull();
});

test('reports several mistakes in the settings that the schema cannot detect, each at its field (422)', async () => {
  const { dashboard } = await openShop();
  const body = {
    name: ' ',
    currency: 'ZZZ',
    bank_details: { ...bank, iban: 'DE88370400440532013000' },
    tax_rates: [
      { country: 'DE', rate: '0.19' },
      { country: 'DE', rate: '0.07' },
    ],
  };

  const { error, response } = await dashboard.PATCH(settings, { body });

  expect(response.status).toBe(422);
  const places = (error as { detail?: { loc: unknown }[] }).detail?.map(({ loc }) => loc);
  expect(places).toEqual([
    ['body', 'name'],
    ['body', 'currency'],
    ['body', 'bank_details', 'iban'],
    ['body', 'tax_rates', 1, 'country'],
  ]);
});

test('the currency of a shop cannot change once it has products', async () => {
  const { dashboard, givenProduct } = await openShop({ currency: 'EUR' });
  await givenProduct();

  const { error, response } = await dashboard.PATCH(settings, { body: { currency: 'JPY', name: 'Never' } });
  const { data: same } = await dashboard.PATCH(settings, { body: { currency: 'EUR' } });

  expect(response.status).toBe(409);
  expect(error).toMatchObject({ error: 'currency_in_use' });
  expect(same?.currency).toBe('EUR');
  expect(same?.name).not.toBe('Never');
});

test('the currency of a shop cannot change once an agent has requested or received a budget', async () => {
  const shop = await openShop({ currency: 'JPY' });
  const change = async () => (await shop.dashboard.PATCH(settings, { body: { currency: 'EUR' } })).error;
  const customer = await shop.givenCustomer();
  const { user_code, device_code } = await askForConsent(shop);

  const asked = await change();
  await approve(customer, user_code);
  const approved = await change();
  await poll(shop, device_code);
  const issued = await change();

  for (const error of [asked, approved, issued]) expect(error).toMatchObject({ error: 'currency_in_use' });
});

test('the storefront shows a new shop name immediately', async () => {
  const { dashboard, storefront } = await openShop();
  await storefront.GET('/api/storefront/shop');

  await dashboard.PATCH(settings, { body: { name: 'Renamed' } });

  expect((await storefront.GET('/api/storefront/shop')).data).toMatchObject({ name: 'Renamed' });
  expect((await dashboard.GET('/api/dashboard/me')).data?.merchant).toMatchObject({ name: 'Renamed' });
});

test('the storefront shows legal texts and contact details, and null for missing ones', async () => {
  const { dashboard, storefront } = await openShop();
  const read = async () => (await storefront.GET('/api/storefront/shop')).data;
  const nothing = { terms_url: null, privacy_url: null, imprint_url: null, withdrawal_url: null };
  expect(await read()).toMatchObject({ support_email: null, support_phone: null, policies: nothing });

  const brand = { support_email: 'help@shop.example', support_phone: '+49 341 1234567' };
  const legal = { terms_url: 'https://shop.example/terms', imprint_url: 'https://shop.example/imprint' };
  await dashboard.PATCH(settings, { body: { brand, legal } });

  expect(await read()).toMatchObject({ ...brand, policies: { ...nothing, ...legal } });
});

test('each shop has its own settings', async () => {
  const { dashboard } = await openShop();
  const { dashboard: neighbour } = await openShop();
  const { data: before } = await neighbour.GET(settings);

  await dashboard.PATCH(settings, { body: { name: 'Loud', default_tax_rate: '1' } });

  expect((await neighbour.GET(settings)).data).toEqual(before);
});
