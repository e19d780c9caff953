/**
 * Amounts in the German notation, such as 1500,00. Ambiguous input must be rejected, and never saved as the smaller
 * amount.
 */

import { unwrap } from '@commerce-backend/sdk';
import { expect } from 'vitest';
import { PATIENCE_MS } from '../../server/test/tab.ts';
import { inPanel, type Visit } from './visit.ts';

const TWO_READINGS = '1.500 can mean 1500,00 or 1,50: enter 1500,00 or 1,50.';

async function becomeGerman({ dashboard }: Visit): Promise<void> {
  await unwrap(dashboard.PATCH('/api/dashboard/settings', { body: { default_locale: 'de' } }));
}

async function productOf({ dashboard, width }: Visit, price: string) {
  const body = { name: `Sofa ${width}`, price, status: 'active' as const };
  return unwrap(dashboard.POST('/api/dashboard/products', { body }));
}

inPanel('a price of 1.500 is rejected as ambiguous, and 1.500,00 is saved as 1500.00', async (visit) => {
  const { open, fill, press, sees, look, text, dashboard, width } = visit;
  await becomeGerman(visit);
  await open('/products/new');
  await fill('Name', `Armchair ${width}`);
  await fill('Price', '1.500');
  await sees(TWO_READINGS);
  await look('amount-refused');
  await press('Save and publish');
  await sees('Nothing is saved: correct the fields that are marked.');
  const find = async () => {
    const query = { q: `Armchair ${width}`, limit: 5 };
    const { products } = await unwrap(dashboard.GET('/api/dashboard/products', { params: { query } }));
    return products.filter(({ name }) => name === `Armchair ${width}`);
  };
  expect(await find()).toEqual([]);

  await fill('Price', '1.500,00');
  await fill('Compare-at price', '1 800');
  await fill('Weight', '12,5');
  expect(await text()).not.toContain('can mean');
  await press('Save and publish');
  await sees('Saved and published.');
  expect((await find())[0]).toMatchObject({ price: '1500.00', compare_at_price: '1800.00' });
});

inPanel(
  "a product shows its price in the shop's format, and a price change of more than 80 % requires confirmation",
  async (visit) => {
    const { open, fill, press, sees, seesNoDialog, look, tab, dashboard } = visit;
    await becomeGerman(visit);
    const { id } = await productOf(visit, '1500.00');
    const stored = async () => {
      const params = { path: { product_id: id } };
      return (await unwrap(dashboard.GET('/api/dashboard/products/{product_id}', { params }))).price;
    };
    await open(`/products/${id}`);
    expect(await tab.$eval('::-p-aria([name="Price"])', (field) => (field as unknown as { value: string }).value)).toBe(
      '1500,00',
    );
    await fill('Price', '15,00');
    await press('Save');
    await sees('The price changes by more than 80 %.');
    await look('price-question');
    await press('Cancel');
    await seesNoDialog();
    expect(await stored()).toBe('1500.00');
    await press('Save');
    await press('Change the price');
    await sees('Saved.');
    expect(await stored()).toBe('15.00');

    await fill('Price', '20');
    await press('Save');
    await seesNoDialog();
    await expect.poll(stored, { timeout: PATIENCE_MS }).toBe('20.00');
  },
);

/** Other fields for amounts, each with its screen, its label and its save button. */
const FIELDS: { where: string; begin: (visit: Visit) => Promise<void>; label: string; save: string }[] = [
  {
    where: 'a delivery option',
    begin: async ({ open, press, fill }) => {
      await open('/settings/delivery');
      await press('Add an option');
      await fill('Name', 'Sofa delivery');
    },
    ...{ label: 'Price in EUR', save: 'Save' },
  },
  {
    where: 'a refund',
    begin: async ({ open, press, dashboard }) => {
      const query = { payment_status: 'paid' as const, limit: 1 };
      const { orders } = await unwrap(dashboard.GET('/api/dashboard/orders', { params: { query } }));
      await open(`/orders/${orders[0]?.id}`);
      await press('More');
      await press('Refund');
    },
    ...{ label: 'Amount in EUR', save: 'Refund' },
  },
];

for (const { where, begin, label, save } of FIELDS) {
  inPanel(`1.500 is rejected as ambiguous in ${where}, and nothing is sent`, async (visit) => {
    const { press, fill, sees, tab } = visit;
    await becomeGerman(visit);
    await begin(visit);
    await fill(label, '1.500');
    await sees(TWO_READINGS);
    const sent: string[] = [];
    tab.on('request', (request) => {
      if (request.method() !== 'GET') sent.push(request.url());
    });
    await press(save);
    await sees(TWO_READINGS);
    expect(sent).toEqual([]);
  });
}

inPanel('a delivery price of 4,90 is saved as 4.90, and a discount of 12,5 % as 12.5', async (visit) => {
  const { open, press, fill, sees, dashboard, width } = visit;
  await becomeGerman(visit);
  await open('/settings/delivery');
  await press('Add an option');
  await fill('Name', `Van ${width}`);
  await fill('Price in EUR', '4,90');
  await press('Save');
  await sees(`Van ${width}`);
  const { shipping_options } = await unwrap(dashboard.GET('/api/dashboard/shipping-options'));
  expect(shipping_options.find(({ name }) => name === `Van ${width}`)).toMatchObject({ price: '4.90' });

  await open('/discounts/new');
  await fill('Code', `VAN${width}`);
  await fill('Percent', '12,5');
  await fill('Minimum order value in EUR', '1.500,00');
  await press('Save');
  await sees('Saved.');
  const { discounts } = await unwrap(dashboard.GET('/api/dashboard/discounts'));
  const made = discounts.find(({ code }) => code === `VAN${width}`);
  expect([Number(made?.value), made?.minimum_subtotal]).toEqual([12.5, '1500.00']);
});
