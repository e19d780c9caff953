import { createDashboardClient } from '@commerce-backend/sdk';
import { expect, test } from 'vitest';
import { documentsOf, givenSeller, issueAll } from '../../test/invoices.ts';
import { openMoves } from '../../test/moves.ts';
import { openShop } from '../../test/shop.ts';

type TestShop = Awaited<ReturnType<typeof openShop>>;

const { other, exported, imported, receive } = await openMoves();

async function openTaxedShop(): Promise<TestShop> {
  const shop = await openShop({ currency: 'EUR' });
  await shop.givenShippingOption({ price: '4.90' });
  await shop.givenTerms({ tax_rates: [{ country: 'DE', rate: '0.19' }] });
  return shop;
}

async function givenPaidOrder({ givenOrder, dashboard }: TestShop): Promise<string> {
  const { id } = await givenOrder();
  const { error } = await dashboard.POST('/api/dashboard/orders/{order_id}/mark-paid', {
    params: { path: { order_id: id } },
  });
  expect(error).toBeUndefined();
  return id;
}

/**
 * Moves the shop for good. Returns the numbers of each order's documents on the new server, after its jobs have run.
 */
async function movedDocuments(shop: TestShop, keepSecrets: boolean) {
  const made = await imported(await exported(shop, keepSecrets ? { keepSecrets: await receive() } : {}));
  const apiKey = made.api_keys[0]?.secret ?? shop.credentials.api_key;
  await issueAll(other, other.config.databaseUrl);
  const dashboard = createDashboardClient({ baseUrl: other.baseUrl, apiKey, maxAttempts: 1 });
  const { data } = await dashboard.GET('/api/dashboard/documents');
  return Object.fromEntries((data?.documents ?? []).map(({ order_id, number }) => [order_id, number]));
}

const YEAR = new Date().getUTCFullYear();

test.each([
  { keepSecrets: false, name: 'a move' },
  { keepSecrets: true, name: 'a move with its secrets' },
])('after $name, the new server issues each due invoice once, and none for older orders', async ({ keepSecrets }) => {
  const shop = await openTaxedShop();
  const old = await givenPaidOrder(shop);
  await givenSeller(shop, { issue: 'on_payment' });
  const invoiced = await givenPaidOrder(shop);
  expect(await documentsOf(shop, invoiced)).toMatchObject([{ number: `INV-${YEAR}-1` }]);
  const due = await givenPaidOrder(shop);

  const numbers = await movedDocuments(shop, keepSecrets);

  expect(numbers).toEqual({ [invoiced]: `INV-${YEAR}-1`, [due]: `INV-${YEAR}-2` });
  expect(numbers).not.toHaveProperty(old);
});

test('after a move, the new server issues an invoice that staff had requested', async () => {
  const shop = await openTaxedShop();
  await givenSeller(shop, { issue: 'by_hand' });
  const [asked] = [await givenPaidOrder(shop), await givenPaidOrder(shop)];
  const params = { path: { order_id: asked ?? '' } };
  await shop.dashboard.POST('/api/dashboard/orders/{order_id}/documents', { params });

  expect(await movedDocuments(shop, false)).toEqual({ [asked ?? '']: `INV-${YEAR}-1` });
});
