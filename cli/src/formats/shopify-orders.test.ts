import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { stringify } from 'csv-stringify/sync';
import { expect, test } from 'vitest';
import { readOrders } from './orders.ts';
import { allOf } from './testing.ts';

type Cells = Record<string, string>;

const order: Cells = {
  Name: '#1001',
  Email: 'ada@example.com',
  'Financial Status': 'paid',
  'Paid at': '2024-05-01 10:00:00 +0200',
  'Fulfillment Status': 'fulfilled',
  'Fulfilled at': '2024-05-02 09:00:00 +0200',
  Currency: 'EUR',
  Subtotal: '29.98',
  Shipping: '4.90',
  Taxes: '5.57',
  Total: '34.88',
  'Discount Code': '',
  'Discount Amount': '0.00',
  'Shipping Method': 'Parcel',
  'Created at': '2024-05-01 09:58:12 +0200',
  'Lineitem quantity': '2',
  'Lineitem name': 'Tee - Black / S',
  'Lineitem price': '9.99',
  'Lineitem sku': "'0042",
  'Lineitem fulfillment status': 'fulfilled',
  'Lineitem discount': '0.00',
  'Shipping Name': 'Ada van Brandt',
  'Shipping Zip': "'04109",
  Notes: 'Ring, twice',
  'Note Attributes': '',
  'Cancelled at': '',
  'Payment Method': 'Shopify Payments',
  'Refunded Amount': '0.00',
  Id: '5001001',
  Tags: 'vip, trade',
  'Tax 1 Name': 'VAT 19%',
  'Tax 1 Value': '5.57',
  'Device ID': '',
};
const second: Cells = { Name: '#1001', 'Lineitem quantity': '1', 'Lineitem name': 'Mug', 'Lineitem price': '10.00' };

async function read(...rows: Cells[]) {
  const columns = Object.keys(order);
  const folder = await mkdtemp(join(tmpdir(), 'orders-'));
  const path = join(folder, 'orders_export.csv');
  try {
    await writeFile(path, stringify([columns, ...rows.map((row) => columns.map((column) => row[column] ?? ''))]));
    const warnings: string[] = [];
    const warn = (line: number, message: string) => warnings.push(`${line} ${message}`);
    const reads = await allOf(readOrders(path, { warn, prefix: '' }));
    const errors = reads.flatMap((one) => ('errors' in one ? one.errors : []));
    return { reads, warnings, errors, orders: reads.flatMap((one) => ('item' in one ? [one.item] : [])) };
  } finally {
    await rm(folder, { recursive: true });
  }
}

/** Returns the cells of an order with one line of 10.00. */
const single = (cells: Cells): Cells => {
  const line = { 'Lineitem quantity': '1', 'Lineitem price': '10.00', 'Lineitem name': 'Mug' };
  return { ...order, ...line, Subtotal: '10.00', Shipping: '0.00', Taxes: '0.00', Total: '10.00', ...cells };
};

test('groups rows with the same name into an order, and stores other columns as metadata', async () => {
  const { orders, warnings, reads } = await read(order, second);
  expect(warnings).toEqual([]);
  expect(orders).toMatchObject([
    {
      order_number: '1001',
      external_reference: '5001001',
      created_at: '2024-05-01T07:58:12.000Z',
      paid_at: '2024-05-01T08:00:00.000Z',
      shipped_at: '2024-05-02T07:00:00.000Z',
      line_items: [
        { name: 'Tee - Black / S', quantity: 2, price: '9.99', sku: '0042' },
        { name: 'Mug', quantity: 1, price: '10.00' },
      ],
      ...{ discount: '0.00', shipping_cost: '4.90', tax: '5.57', tax_included: true, total: '34.88' },
      ...{ payment_status: 'paid', payment_method: 'card', fulfillment_status: 'fulfilled', note: 'Ring, twice' },
      shipping_address: { first_name: 'Ada van', last_name: 'Brandt', postal_code: '04109' },
      billing_address: null,
      metadata: { tags: 'vip, trade', payment_method: 'Shopify Payments', taxes: 'VAT 19%: 5.57' },
    },
  ]);
  const [first] = reads;
  const place = first && 'placeOf' in first ? first.placeOf : undefined;
  expect(place?.(['line_items', 1, 'sku'])).toEqual({ line: 3, field: 'Lineitem sku' });
  expect(place?.(['total'])).toEqual({ line: 2, field: 'Total' });
});

const amounts: [string, Cells, object, RegExp | undefined][] = [
  ['tax on top', { Taxes: '1.90', Total: '11.90' }, { tax: '1.90', tax_included: false, total: '11.90' }, undefined],
  [
    'a code on the lines',
    { 'Discount Amount': '2.00', Subtotal: '8.00', Total: '8.00' },
    { discount: '2.00' },
    undefined,
  ],
  [
    'a code on the shipping',
    { Shipping: '4.90', 'Discount Amount': '4.90', 'Discount Code': 'FREE' },
    { discount: '0.00', shipping_cost: '0.00', discount_code: 'FREE' },
    undefined,
  ],
  [
    'a discount of the line',
    { 'Lineitem discount': '1.00', Subtotal: '9.00', Total: '9.00' },
    { discount: '1.00' },
    undefined,
  ],
  [
    'a tip',
    { Total: '12.50' },
    { total: '12.50', line_items: [{ name: 'Mug' }, { name: 'Other charges', price: '2.50' }] },
    /^2 #1001: Total: 2\.50 of it is in no column/,
  ],
  ['a later change', { Total: '7.00' }, { discount: '3.00', total: '7.00' }, /^2 #1001: Total: it is 3\.00 less/],
  ['nothing to pay', { Subtotal: '0', 'Discount Amount': '10.00', Total: '0' }, { payment_method: 'free' }, undefined],
];

test.each(amounts)('adjusts amounts that do not add up to the total: %s', async (_name, cells, expected, warning) => {
  const { orders, warnings } = await read(single(cells));
  expect(orders).toMatchObject([expected]);
  expect(warnings).toEqual(warning ? [expect.stringMatching(warning)] : []);
});

const unpaid = {
  'Financial Status': 'pending',
  'Paid at': '',
  'Fulfillment Status': 'unfulfilled',
  'Fulfilled at': '',
};
const cancelled = { 'Cancelled at': '2024-05-03 09:00:00 +0200' };
const states: [Cells, object, RegExp | undefined][] = [
  [
    { ...unpaid, 'Payment Method': 'Bank Deposit' },
    { payment_status: 'awaiting_payment', payment_method: 'bank_transfer' },
    undefined,
  ],
  [{ ...unpaid, 'Payment Method': 'Cash on Delivery (COD)' }, { payment_method: 'manual' }, undefined],
  [{ ...unpaid, 'Payment Method': 'PayPal' }, { payment_status: 'pending' }, /pending by PayPal/],
  [{ ...unpaid, 'Financial Status': 'authorized' }, { payment_status: 'pending' }, /authorized by Shopify Payments/],
  [{ ...unpaid, ...cancelled, 'Financial Status': 'voided' }, { payment_status: 'voided' }, undefined],
  [
    { ...cancelled, 'Financial Status': 'refunded', 'Refunded Amount': '10.00', 'Fulfillment Status': 'restocked' },
    {
      ...{ payment_status: 'refunded', fulfillment_status: 'unfulfilled', cancelled_at: '2024-05-03T07:00:00.000Z' },
      refunds: [{ amount: '10.00' }],
    },
    undefined,
  ],
  [{ 'Financial Status': 'partially_refunded' }, { payment_status: 'paid' }, /no column has the amount/],
  [{ 'Refunded Amount': '99.00' }, { refunds: [{ amount: '10.00' }] }, /more than the total/],
  [
    { 'Tax 1 Name': 'Tax'.repeat(200), 'Tax 1 Value': '0.00' },
    { metadata: { taxes: 'Tax'.repeat(200).slice(0, 500) } },
    /Tax 1 Name: the text has 606 characters and is cut to 500/,
  ],
  [{ Email: 'n/a' }, { payment_status: 'paid' }, /Email: "n\/a" is no e-mail address/],
];

test.each(states)('imports a Shopify order with the cells %j', async (cells, expected, warning) => {
  const { orders, warnings, errors } = await read(single(cells));
  expect(errors).toEqual([]);
  expect(orders).toMatchObject([expected]);
  expect(warnings).toEqual(warning ? [expect.stringMatching(warning)] : []);
});

test('marks only the shipped lines of a partially shipped order as shipped', async () => {
  const rows = [
    { ...order, 'Fulfillment Status': 'partial' },
    { ...second, 'Lineitem fulfillment status': 'pending' },
  ];
  const { orders } = await read(...rows);
  expect(orders[0]?.fulfillments).toMatchObject([{ items: [{ line_item: 0, quantity: 2 }] }]);
  expect(orders[0]).not.toHaveProperty('fulfillment_status');
});

test('reports invalid cells by line, column and order, and each unsupported column once', async () => {
  const { errors, warnings, orders } = await read(
    single({ 'Created at': '01.05.2024 09:58', 'Device ID': '7' }),
    single({ Name: '#1002', 'Lineitem price': 'free', 'Device ID': '7' }),
    single({ Name: '#1003' }),
    single({ Name: '#1001' }),
  );
  expect(errors.map(({ line, field, message }) => `${line} ${field}: ${message}`)).toEqual([
    expect.stringMatching(/^2 Created at: "01\.05\.2024 09:58" is not a time such as/),
    expect.stringMatching(/^3 Lineitem price: "free" is not an amount/),
    expect.stringMatching(/^5 Name: The order was already read on line 2/),
  ]);
  expect(orders.map(({ order_number }) => order_number)).toEqual(['1003']);
  expect(warnings).toEqual([
    '2 Device ID: this column has no place here and is left out; 2 rows have a value in it, this is the first.',
  ]);
});
