import contract from '@commerce-backend/spec/openapi.json' with { type: 'json' };
import { expect, test } from 'vitest';
import { fakeServer, loggedIn, refusal } from '../testing.ts';

// biome-ignore-start lint/suspicious/noExplicitAny: the contract's own examples.
const DETAILS: any = contract.components.examples.OrderDetails.value;
const SHIPPED: any = contract.components.examples.FulfillmentAndOrder.value;
// biome-ignore-end lint/suspicious/noExplicitAny: until here.
const { id } = DETAILS;
const ORDER = `/api/dashboard/orders/${id}`;
const DISPUTE = {
  id: '0192f3a2-6666-7000-8000-000000000001',
  order_id: id,
  payment_id: '0192f3a2-6666-7000-8000-000000000002',
  amount: '10.00',
  currency: 'EUR',
  status: 'open',
  reason: 'fraudulent',
  provider_reference: 'dp_1',
  respond_by: '2026-03-12T10:00:00.000Z',
  created_at: '2026-03-05T10:00:00.000Z',
  updated_at: '2026-03-05T10:00:00.000Z',
};

async function merchant(answers: Parameters<typeof fakeServer>[0]) {
  const order = { ...DETAILS, disputes: [DISPUTE], amount_due: '4.00' };
  const page = { orders: [order], total: 1, page: 1, limit: 20, pages: 1 };
  const server = await fakeServer({
    'GET /api/dashboard/orders': { body: page },
    [`GET ${ORDER}`]: { body: order },
    ...answers,
  });
  return { ...server, ...(await loggedIn(server.url)) };
}

test('shows the disputes of an order and the amount due', async () => {
  const { commerce } = await merchant({});
  const { out } = await commerce(['orders', 'get', '1001']);
  expect(out).toMatch(/Dispute 1 +10.00 EUR, open, fraudulent, dp_1; evidence until /);
  expect(out).toMatch(/Amount due +4.00 EUR/);
});

test('`orders ship` suggests --override-dispute for a disputed order, and sends override_dispute only with that option', async () => {
  const disputed = refusal(409, 'order_disputed', 'The customer disputes 10.00 EUR of the payment.', { disputes: [] });
  const held = await merchant({ [`POST ${ORDER}/fulfillments`]: disputed });
  const { code, err } = await held.commerce(['orders', 'ship', '1001']);
  expect([code, held.seen.at(-1)?.body]).toEqual([1, {}]);
  expect(err).toContain('--override-dispute');

  const { commerce, seen } = await merchant({ [`POST ${ORDER}/fulfillments`]: { status: 201, body: SHIPPED } });
  await commerce(['orders', 'ship', '1001', '--override-dispute']);
  expect(seen.at(-1)?.body).toEqual({ override_dispute: true });
});
