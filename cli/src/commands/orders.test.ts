import contract from '@commerce-backend/spec/openapi.json' with { type: 'json' };
import { expect, test } from 'vitest';
import { type Answers, fakeServer, loggedIn, refusal } from '../testing.ts';

// biome-ignore-start lint/suspicious/noExplicitAny: the contract's own examples.
const DETAILS: any = contract.components.examples.OrderDetails.value;
const PAID: any = contract.components.examples.PaidOrder.value;
const TIMELINE: any = contract.components.examples.Timeline.value;
// biome-ignore-end lint/suspicious/noExplicitAny: until here.
const { id } = DETAILS;
const [LINE] = DETAILS.line_items;
const ORDER = `/api/dashboard/orders/${id}`;

const UNPAID = {
  ...DETAILS,
  ...{ status: 'pending', payment_status: 'awaiting_payment', fulfillment_status: 'unfulfilled' },
  ...{ refunded: '0.00', refundable: '0.00', refunds: [], fulfillments: [], delivered_at: null, shipped_at: null },
};

const pageOf = (orders: unknown[]) => ({ orders, total: orders.length, page: 1, limit: 20, pages: 1 });

/** Starts a fake shop with the order 1001. Its search first returns another order whose number contains 1001. */
async function merchant(order: object, answers: Answers = {}) {
  const similar = { ...DETAILS, id: '0192f3a2-3333-7000-8000-000000000002', order_number: '11001' };
  const server = await fakeServer({
    'GET /api/dashboard/orders': { body: pageOf([similar, order]) },
    [`GET ${ORDER}`]: { body: order },
    ...answers,
  });
  return { ...server, ...(await loggedIn(server.url)) };
}

const MARK = `POST ${ORDER}/mark-paid`;

test('`orders mark-paid` asks for confirmation, and then shows the changes', async () => {
  const { commerce, seen } = await merchant(UNPAID, { [MARK]: { body: PAID } });
  const { code, out, err } = await commerce(['orders', 'mark-paid', '1001'], { typed: 'y' });
  expect(code).toBe(0);
  expect(err).toContain('Order 1001 of June Okafor, june@example.com: 35.82 EUR\n');
  expect(err).toContain('Has the bank transfer of 35.82 EUR arrived? [y/N]');
  // biome-ignore lint/suspicious/noControlCharactersInRegex: terminal output contains colour codes.
  expect(out.replace(/\x1b\[\d+m/g, '')).toBe(
    [
      'Order 1001 is paid.',
      '  Order       pending → confirmed',
      '  Payment     awaiting_payment → paid',
      '  Fulfilment  unfulfilled',
      '',
    ].join('\n'),
  );
  expect(seen.map(({ method, path }) => `${method} ${path}`)).toContain(MARK);
});

test.each(['n', '', 'perhaps'])('`orders mark-paid` changes nothing if the user answers "%s"', async (typed) => {
  const { commerce, seen } = await merchant(UNPAID, { [MARK]: { body: PAID } });
  const { code, out, err } = await commerce(['orders', 'mark-paid', '1001'], { typed });
  expect({ code, out }).toEqual({ code: 2, out: '' });
  expect(err).toContain('Cancelled. Nothing was changed.');
  expect(seen.every(({ method }) => method === 'GET')).toBe(true);
});

test('`orders mark-paid` requires --yes without a terminal', async () => {
  const { commerce, seen } = await merchant(UNPAID, { [MARK]: { body: PAID } });
  const refused = await commerce(['orders', 'mark-paid', '1001', '--json'], { input: 'y\n' });
  expect(refused.code).toBe(2);
  expect(JSON.parse(refused.err)).toMatchObject({ error: 'usage', remedy: 'Add --yes.' });
  expect(seen.every(({ method }) => method === 'GET')).toBe(true);
  const done = await commerce(['orders', 'mark-paid', id, '--yes', '--json']);
  expect(JSON.parse(done.out)).toEqual({
    order: PAID,
    changed: {
      status: { from: 'pending', to: 'confirmed' },
      payment_status: { from: 'awaiting_payment', to: 'paid' },
    },
  });
});

test('`orders mark-paid` reports an order that is already paid, without asking for confirmation', async () => {
  const { commerce } = await merchant({ ...DETAILS, ...PAID }, { [MARK]: { body: PAID } });
  const { code, out } = await commerce(['orders', 'mark-paid', '#1001']);
  expect(code).toBe(0);
  expect(out).toContain('Order 1001 is paid already; nothing was changed.\n');
});

test('`orders mark-paid` of an expired order fails and names the next step', async () => {
  const fields = { payment_status: 'expired', next: 'cancel_or_refund' };
  const expired = { ...UNPAID, status: 'cancelled', payment_status: 'expired' };
  const { commerce } = await merchant(expired, {
    [MARK]: refusal(400, 'payment_not_awaiting', 'The order does not await its payment.', fields),
  });
  const { code, err } = await commerce(['orders', 'mark-paid', '1001']);
  expect(code).toBe(1);
  expect(err).toContain(
    '(400 payment_not_awaiting)\n  What to do: Record the money, then reinstate the order or refund it',
  );
});

test('reports an unknown order number, even if the search finds orders with similar numbers', async () => {
  const { commerce, seen } = await merchant(UNPAID);
  const { code, err } = await commerce(['orders', 'get', '100']);
  expect(code).toBe(1);
  expect(err).toContain('There is no order 100.');
  expect(seen).toHaveLength(1);
});

test('ships some items of an order by SKU, with a tracking number', async () => {
  const shipped = { fulfillment: DETAILS.fulfillments[0], order: { ...PAID, status: 'processing' } };
  const { commerce, seen } = await merchant(
    { ...DETAILS, ...PAID, fulfillments: [] },
    { [`POST ${ORDER}/fulfillments`]: { status: 201, body: shipped } },
  );
  const args = ['orders', 'ship', '1001', '--item', `${LINE.sku}=1`, '--carrier', 'DHL', '--tracking', '123'];
  const { code, out } = await commerce(args);
  expect(code).toBe(0);
  expect(out).toContain('Order 1001 has shipped.\n  Order       confirmed → processing\n');
  expect(seen.at(-1)?.body).toEqual({
    items: [{ line_item_id: LINE.id, quantity: 1 }],
    carrier: 'DHL',
    tracking_number: '123',
  });
  expect((await commerce(['orders', 'ship', '1001'])).code).toBe(0);
  expect(seen.at(-1)?.body).toEqual({});
  for (const item of ['MUG', 'MUG=0', 'NO-SUCH=1', '=2']) {
    const wrong = await commerce(['orders', 'ship', '1001', '--item', item]);
    expect({ item, code: wrong.code }).toEqual({ item, code: 2 });
  }
});

test('captures a payment, cancels an order with a refund, and refunds order lines with restocking', async () => {
  const order = { ...DETAILS, payment_status: 'authorized' };
  const pending = { ...DETAILS.refunds[0], status: 'pending' };
  const { commerce, seen } = await merchant(order, {
    [`POST ${ORDER}/capture`]: { body: order },
    [`POST ${ORDER}/cancel`]: { body: { ...DETAILS, status: 'cancelled' } },
    [`POST ${ORDER}/refunds`]: { status: 201, body: { refund: pending, order: DETAILS } },
  });
  const captured = await commerce(['orders', 'capture', '1001', '--amount', '30.00']);
  expect(seen.at(-1)?.body).toEqual({ amount: '30.00' });
  expect(captured.out).toContain('is being captured');

  await commerce(['orders', 'cancel', '1001', '--reason', 'customer', '--refund', '--yes']);
  expect(seen.at(-1)?.body).toEqual({ reason: 'customer', refund: true });

  const [{ id, sku }] = DETAILS.line_items;
  const refund = ['orders', 'refund', '1001', '--amount', '14.00', '--reason', 'returned', '--yes'];
  const back = await commerce([...refund, '--item', `${sku}=1`, '--restock']);
  expect(seen.at(-1)?.body).toMatchObject({ line_items: [{ line_item_id: id, quantity: 1, restock: true }] });
  expect(back.out).toContain('pending at the provider');
  expect((await commerce([...refund, '--restock'])).code).toBe(2);
  await commerce([...refund, '--by-hand']);
  expect(seen.at(-1)?.body).toEqual({ amount: '14.00', reason: 'returned', by_hand: true });
});

test('delivers, cancels and refunds an order', async () => {
  const order = { ...DETAILS, status: 'processing', fulfillment_status: 'fulfilled' };
  const refunded = { ...DETAILS, payment_status: 'refunded' };
  const { commerce, seen } = await merchant(order, {
    [`POST ${ORDER}/mark-delivered`]: { body: DETAILS },
    [`POST ${ORDER}/cancel`]: { body: { ...DETAILS, status: 'cancelled' } },
    [`POST ${ORDER}/refunds`]: { status: 201, body: { refund: DETAILS.refunds[0], order: refunded } },
  });
  const delivered = await commerce(['orders', 'deliver', '1001']);
  expect(delivered.out).toContain('  Fulfilment  fulfilled → delivered\n');

  const cancelled = await commerce(['orders', 'cancel', '1001', '--reason', 'customer', '--no-restock', '--yes']);
  expect(seen.at(-1)?.body).toEqual({ reason: 'customer', restock: false });
  expect(cancelled.out).toContain('21.82 EUR were paid and remain with you until you refund them.');

  const back = await commerce([
    'orders',
    'refund',
    '1001',
    '--amount',
    '14.00',
    '--reason',
    'damaged',
    '--note',
    'Broken',
    '--yes',
  ]);
  expect(seen.at(-1)?.body).toEqual({ amount: '14.00', reason: 'damaged', note: 'Broken' });
  expect(back.out).toContain('Order 1001 has a refund of 14.00 EUR.\n');
  await commerce(['orders', 'refund', '1001', '--all', '--reason', 'customer', '--yes']);
  expect(seen.at(-1)?.body).toEqual({ amount: '21.82', reason: 'customer' });

  for (const args of [
    ['cancel', '1001'],
    ['refund', '1001', '--reason', 'other'],
    ['refund', '1001', '--amount', '-1'],
  ]) {
    const { code } = await commerce(['orders', ...args]);
    expect({ args, code }).toEqual({ args, code: 2 });
  }
});

const CANCEL = ['orders', 'cancel', '1001', '--reason', 'customer'];
const REFUND = ['orders', 'refund', '1001', '--amount', '14.00', '--reason', 'damaged'];
const CANCEL_CALL = `POST ${ORDER}/cancel`;

test.each([
  { typed: ['y', 'y'], more: [], refund: true },
  { typed: ['n', 'y'], more: [], refund: undefined },
  { typed: ['y'], more: ['--refund'], refund: true },
  { typed: ['y'], more: ['--no-refund'], refund: undefined },
])(
  '`orders cancel` asks for confirmation, and asks about a refund if no option decides that (options $more, answers $typed)',
  async ({ typed, more, refund }) => {
    const { commerce, seen } = await merchant(DETAILS, {
      [CANCEL_CALL]: { body: { ...DETAILS, status: 'cancelled' } },
    });
    const { code, err } = await commerce([...CANCEL, ...more], { typed: typed.join('\n') });
    expect(code).toBe(0);
    expect(err).toContain('Order 1001 of June Okafor, june@example.com: 35.82 EUR\n');
    expect(err.includes('Return the 21.82 EUR that were paid? [y/N]')).toBe(more.length === 0);
    expect(err).toContain(`Cancel the order${refund ? ' and return 21.82 EUR' : ''}? [y/N]`);
    expect(seen.at(-1)?.body).toEqual({ reason: 'customer', refund: refund ?? false });
  },
);

test('cancels an unpaid order without a question about a refund', async () => {
  const { commerce } = await merchant(UNPAID, { [CANCEL_CALL]: { body: { ...UNPAID, status: 'cancelled' } } });
  const { code, err } = await commerce(CANCEL, { typed: 'y' });
  expect(code).toBe(0);
  expect(err).not.toContain('Return');
});

test.each([
  { args: CANCEL, typed: ['y', 'n'] },
  { args: REFUND, typed: ['n'] },
  { args: REFUND, typed: [''] },
])(
  '`orders $args.1` does not change the order unless the answer to the confirmation is yes',
  async ({ args, typed }) => {
    const { commerce, seen } = await merchant(DETAILS);
    expect((await commerce(args, { typed: typed.join('\n') })).code).toBe(2);
    expect(seen.every(({ method }) => method === 'GET')).toBe(true);
  },
);

test.each([{ args: CANCEL }, { args: REFUND }])(
  '`orders $args.1` requires --yes without a terminal',
  async ({ args }) => {
    const { commerce, seen } = await merchant(DETAILS);
    const { code, err } = await commerce([...args, '--json'], { input: 'y\n' });
    expect(code).toBe(2);
    expect(JSON.parse(err)).toMatchObject({ error: 'usage', remedy: 'Add --yes.' });
    expect(seen.every(({ method }) => method === 'GET')).toBe(true);
  },
);

test('`orders refund` asks for confirmation, and states whether the payment provider makes the refund', async () => {
  const refund = { status: 201, body: { refund: DETAILS.refunds[0], order: DETAILS } };
  for (const [payment_method, how] of [
    ['card', 'Return'],
    ['bank_transfer', 'Record a refund of'],
  ]) {
    const { commerce } = await merchant({ ...DETAILS, payment_method }, { [`POST ${ORDER}/refunds`]: refund });
    const { code, err } = await commerce(REFUND, { typed: 'y' });
    expect(code).toBe(0);
    expect(err).toContain(`35.82 EUR\n${how} 14.00 EUR? [y/N]`);
  }
});

test('the error for a forbidden status change lists the allowed statuses', async () => {
  const fields = { field: 'status', from: 'processing', to: 'cancelled', allowed: ['completed'] };
  const { commerce } = await merchant(DETAILS, {
    [`POST ${ORDER}/cancel`]: refusal(409, 'invalid_transition', 'A fulfilled order cannot be cancelled.', fields),
  });
  const { code, err } = await commerce(['orders', 'cancel', id, '--reason', 'staff', '--yes']);
  expect(code).toBe(1);
  expect(err).toContain('What to do: Its status is processing, which can only become completed.');
});

test('lists orders by status, and by day in the local time zone', async () => {
  const { commerce, seen } = await merchant(UNPAID);
  const args = ['--payment', 'awaiting_payment', '--fulfillment', 'unfulfilled', '--from', '2026-11-01'];
  const { out } = await commerce(['orders', 'list', ...args, '--to', '2026-11-30']);
  expect(Object.fromEntries(seen[0]?.query ?? [])).toEqual({
    payment_status: 'awaiting_payment',
    fulfillment_status: 'unfulfilled',
    created_from: new Date(2026, 10, 1).toISOString(),
    created_to: new Date(2026, 11, 1).toISOString(),
  });
  expect(out).toMatch(/^ORDER +MADE +CUSTOMER +TOTAL +CURRENCY +STATUS +PAYMENT +FULFILMENT +ID\n/);
  expect(out).toMatch(/1001 .* June Okafor, june@example.com +35.82 {2}EUR +pending +awaiting_payment +unfulfilled/);
  const program = await commerce(['orders', 'list', '--json']);
  expect(JSON.parse(program.out).orders).toHaveLength(2);
  for (const day of ['2026-02-30', '30.11.2026', '2026-11-30T12:00']) {
    expect((await commerce(['orders', 'list', '--from', day])).code).toBe(2);
  }
});

test('finds the orders of a customer by e-mail', async () => {
  const customer = { ...contract.components.examples.CustomerDetails.value };
  const { commerce, seen } = await merchant(UNPAID, {
    'GET /api/dashboard/customers': { body: { customers: [customer], total: 1, page: 1, limit: 20, pages: 1 } },
  });
  expect((await commerce(['orders', 'list', '--customer', 'June@example.com'])).code).toBe(0);
  expect(seen.at(-1)?.query.get('customer_id')).toBe(customer.id);
});

test('shows one order with its amounts, shipments and refunds', async () => {
  const { commerce } = await merchant(DETAILS);
  const { out } = await commerce(['orders', 'get', '1001']);
  for (const text of [
    'Ship to     June Okafor, Lindenallee 7, 10115 Berlin, DE',
    'Came from   newsletter, email, spring, https://mail.example.com/',
    'Discount WELCOME10  -2.80 EUR',
    'Total               35.82 EUR',
    'DHL 00340434161094042557, delivered',
    '14.00 EUR, damaged: One mug arrived broken.',
    'refundable: 21.82 EUR',
  ]) {
    expect(out).toContain(text);
  }
  const program = await commerce(['orders', 'get', id, '--json']);
  expect(JSON.parse(program.out)).toEqual(DETAILS);
});

test('shows an imported order whose optional fields are empty', async () => {
  const bare = {
    ...Object.fromEntries(Object.keys(DETAILS).map((name) => [name, null])),
    ...{ id, order_number: '1001', line_items: [{ name: 'Mug', quantity: 1, price: '14.00', total: '14.00' }] },
    ...{ subtotal: '14.00', discount: '0.00', shipping_cost: '0.00', tax: '0.00', total: '14.00', currency: 'EUR' },
    ...{ status: 'pending', payment_status: 'pending', fulfillment_status: 'unfulfilled', source: 'ai_widget' },
    ...{ created_at: DETAILS.created_at, payment: { ...DETAILS.payment, method: null }, fulfillments: [], refunds: [] },
    ...{ line_states: [], recorded_payments: [], disputes: [] },
  };
  const { commerce } = await merchant(bare);
  const { code, out } = await commerce(['orders', 'get', '1001']);
  expect(code).toBe(0);
  expect(out).toContain('Customer    a customer without a name\n');
});

test('shows the bank details of an order that awaits a bank transfer', async () => {
  const instructions = {
    ...{ account_holder: 'Alder & Finch', iban: 'DE89370400440532013000', bic: null, bank_name: null },
    ...{ instructions: null, reference: '1001', amount: '35.82', currency: 'EUR', due_at: DETAILS.created_at },
  };
  const { commerce } = await merchant({ ...UNPAID, payment: { ...DETAILS.payment, instructions } });
  const { out } = await commerce(['orders', 'get', '1001']);
  expect(out).toContain('To account        DE89370400440532013000, Alder & Finch');
});

test('shows the whole timeline of an order', async () => {
  const [newest, oldest] = TIMELINE.entries;
  const { commerce } = await merchant(DETAILS, {
    [`GET ${ORDER}/timeline`]: ({ query }) =>
      query.has('cursor')
        ? { body: { entries: [oldest], next_cursor: null } }
        : { body: { entries: [newest], next_cursor: 'c2' } },
  });
  const { out } = await commerce(['orders', 'timeline', '1001']);
  expect(out).toMatch(
    /payment_confirmed +Mina Alder +The bank transfer has arrived\.\n.*created +guest +Ordered on the storefront/,
  );
  const program = await commerce(['orders', 'timeline', '1001', '--json']);
  expect(JSON.parse(program.out)).toEqual({ entries: [newest, oldest] });
});
