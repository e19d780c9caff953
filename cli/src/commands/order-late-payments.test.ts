import contract from '@commerce-backend/spec/openapi.json' with { type: 'json' };
import { expect, test } from 'vitest';
import { type Answers, fakeServer, loggedIn, refusal } from '../testing.ts';

// biome-ignore-start lint/suspicious/noExplicitAny: the contract's own examples.
const DETAILS: any = contract.components.examples.OrderDetails.value;
const RECORDED: any = contract.components.examples.OrderPaymentAndOrder.value;
// biome-ignore-end lint/suspicious/noExplicitAny: until here.
const { id } = DETAILS;
const ORDER = `/api/dashboard/orders/${id}`;

async function merchant(order: object, answers: Answers) {
  const page = { orders: [order], total: 1, page: 1, limit: 20, pages: 1 };
  const server = await fakeServer({
    'GET /api/dashboard/orders': { body: page },
    [`GET ${ORDER}`]: { body: order },
    ...answers,
  });
  return { ...server, ...(await loggedIn(server.url)) };
}

const EXPIRED = { ...RECORDED.order, recorded_payments: [], amount_received: '0.00', refundable: '0.00' };

test('`orders record-payment` asks for confirmation, and records the total of an expired order unless another amount is given', async () => {
  const { commerce, seen } = await merchant(EXPIRED, { [`POST ${ORDER}/payments`]: { status: 201, body: RECORDED } });

  const { code, out, err } = await commerce(['orders', 'record-payment', '1001'], { typed: 'y' });
  const first = seen.at(-1)?.body;
  await commerce(['orders', 'record-payment', '1001', '--amount', '5.00', '--reference', 'NTRF 4711', '--yes']);

  expect(code).toBe(0);
  expect(err).toContain('Have 35.82 EUR arrived for it? [y/N]');
  expect(out).toContain('Order 1001 has a recorded payment of 35.82 EUR.\n');
  expect(out).toContain('Then: commerce orders reinstate 1001');
  expect(first).toEqual({ amount: '35.82' });
  expect(seen.at(-1)?.body).toEqual({ amount: '5.00', reference: 'NTRF 4711' });
});

test('`orders reinstate` reinstates an order, and sends keep_prices only with --keep-prices', async () => {
  const reinstated = { ...DETAILS, status: 'confirmed', payment_status: 'paid', fulfillment_status: 'unfulfilled' };
  const { commerce, seen } = await merchant(RECORDED.order, { [`POST ${ORDER}/reinstate`]: { body: reinstated } });

  const { out } = await commerce(['orders', 'reinstate', '1001', '--yes']);
  const first = seen.at(-1)?.body;
  await commerce(['orders', 'reinstate', '1001', '--keep-prices', '--yes']);

  expect(out).toContain('Order 1001 is reinstated.');
  expect(out).toContain('cancelled → confirmed');
  expect(first).toEqual({});
  expect(seen.at(-1)?.body).toEqual({ keep_prices: true });
});

test('if prices have changed, `orders reinstate` fails and names --keep-prices', async () => {
  const { commerce } = await merchant(RECORDED.order, {
    [`POST ${ORDER}/reinstate`]: refusal(409, 'order_prices_changed', 'Products have other prices.', { lines: [] }),
  });
  const { code, err } = await commerce(['orders', 'reinstate', '1001', '--yes']);
  expect(code).toBe(1);
  expect(err).toContain('--keep-prices');
});

test('`orders refund --all --restock` refunds and restocks every item of an unshipped order', async () => {
  const [state] = DETAILS.line_states;
  const open = { ...DETAILS, fulfillments: [], line_states: [{ ...state, fulfilled: 0, to_fulfill: 2 }] };
  const refunded = { refund: DETAILS.refunds[0], order: DETAILS };
  const { commerce, seen } = await merchant(open, { [`POST ${ORDER}/refunds`]: { status: 201, body: refunded } });
  const refund = ['orders', 'refund', '1001', '--reason', 'customer', '--yes'];

  await commerce([...refund, '--all', '--restock']);
  const whole = seen.at(-1)?.body;
  await commerce([...refund, '--amount', '14.00', '--item', `${DETAILS.line_items[0].sku}=1`, '--unshipped']);
  const unshipped = seen.at(-1)?.body;
  const unnamed = await commerce([...refund, '--all', '--shipped']);

  const { line_item_id } = state;
  expect(whole).toMatchObject({ amount: '21.82', line_items: [{ line_item_id, quantity: 2, restock: true }] });
  expect(unshipped).toMatchObject({ line_items: [{ line_item_id, quantity: 1, restock: false, shipped: false }] });
  expect(unnamed.code).toBe(2);
});
