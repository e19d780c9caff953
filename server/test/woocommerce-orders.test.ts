import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { folder, loggedIn } from '../../cli/src/testing.ts';
import { openShop } from './shop.ts';

const CONVERTER = new URL('../../examples/convert-woocommerce-orders.ts', import.meta.url).pathname;

const ADDRESS = {
  ...{ first_name: 'June', last_name: 'Okafor', company: '', address_1: 'Torstraße 1', address_2: '', city: 'Berlin' },
  ...{ state: '', postcode: '10115', country: 'DE', email: 'june@example.com', phone: '' },
};

const ORDER = {
  ...{ id: 7001, number: '7001', status: 'completed', currency: 'EUR', customer_note: 'Ring twice' },
  ...{ date_created_gmt: '2025-03-01T10:00:00', date_paid_gmt: '2025-03-01T10:05:00' },
  ...{ date_completed_gmt: '2025-03-02T09:00:00', payment_method: 'bacs', billing: ADDRESS, shipping: ADDRESS },
  ...{ discount_total: '1.00', shipping_total: '4.90', total_tax: '3.80', total: '27.70' },
  line_items: [{ name: 'Mug', sku: 'MUG', quantity: 2, subtotal: '20.00' }],
  ...{ fee_lines: [], shipping_lines: [{ method_title: 'Standard' }], refunds: [] as { id: number; total: string }[] },
};

test('the WooCommerce example converts orders of the REST API so that an import creates each once', async () => {
  const shop = await openShop();
  const { commerce } = await loggedIn(shop.baseUrl, shop.credentials.api_key);
  const home = await folder();
  const [page, lines] = [join(home, 'page-1.json'), join(home, 'orders.jsonl')];
  const billing = { ...ADDRESS, vat_number: 'DE123456789' };
  const refunded = {
    ...ORDER,
    billing,
    id: 7002,
    number: '7002',
    status: 'refunded',
    refunds: [{ id: 1, total: '-27.70' }],
  };
  const draft = { ...ORDER, id: 7003, number: '7003', status: 'checkout-draft' };
  await writeFile(page, JSON.stringify([ORDER, refunded, draft]));
  const { stdout } = await promisify(execFile)(process.execPath, [CONVERTER, page]);
  await writeFile(lines, stdout);

  const counts = async () => JSON.parse((await commerce(['orders', 'import', lines, '--json'])).out).counts;
  expect(await counts()).toMatchObject({ created: 2, failed: 0 });
  expect(await counts()).toMatchObject({ created: 0, unchanged: 2, failed: 0 });

  const order = JSON.parse((await commerce(['orders', 'get', '7001', '--json'])).out);
  expect(order).toMatchObject({
    ...{
      order_number: '7001',
      payment_status: 'paid',
      fulfillment_status: 'fulfilled',
      payment_method: 'bank_transfer',
    },
    ...{ total: '27.70', tax: '3.80', shipping_cost: '4.90', discount: '1.00', email: 'june@example.com' },
    line_items: [{ name: 'Mug', sku: 'MUG', quantity: 2, price: '10.00' }],
  });
  expect(JSON.parse((await commerce(['orders', 'get', '7002', '--json'])).out).payment_status).toBe('refunded');
});

test('the WooCommerce example writes whole amounts for orders in a currency without decimals', async () => {
  const page = join(await folder(), 'page-1.json');
  const amounts = { discount_total: '0', shipping_total: '500', total_tax: '0', total: '2500' };
  const line_items = [{ name: 'Mug', sku: 'MUG', quantity: 2, subtotal: '2000' }];
  await writeFile(page, JSON.stringify([{ ...ORDER, ...amounts, currency: 'JPY', line_items }]));

  const { stdout, stderr } = await promisify(execFile)(process.execPath, [CONVERTER, page]);

  expect(stderr).toBe('');
  expect(JSON.parse(stdout)).toMatchObject({
    ...{ total: '2500', shipping_cost: '500', discount: '0' },
    line_items: [{ quantity: 2, price: '1000' }],
  });
});
