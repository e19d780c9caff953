import type { ReturnCondition, SettingsPatch } from '@commerce-backend/spec';
import { stockOf } from './buying.ts';
import { openShop } from './shop.ts';

const ONE = '/api/dashboard/returns/{return_id}';

/** The return policy of the tests: returns within 14 days, and the shop keeps no fee. */
export const POLICY = { enabled: true, window_days: 14 } satisfies SettingsPatch['return_policy'];

/**
 * Creates a customer's shipped order, by default paid, for one product (10.00, initially 30 in stock), with functions
 * for its returns. Parcels cost 4.90.
 */
export async function givenShippedOrder(quantity = 3, { ship = quantity, paid = true, returnable = true } = {}) {
  const shop = await openShop();
  const { dashboard } = shop;
  await dashboard.PATCH('/api/dashboard/settings', { body: { return_policy: POLICY } });
  const product = await shop.givenProduct({ price: '10.00', inventory_quantity: 30, returnable });
  const customer = await shop.givenCustomer();
  const content = [{ variant_id: product.variants[0]?.id ?? '', quantity }];
  const payment_method = paid ? ('bank_transfer' as const) : ('manual' as const);
  if (!paid) await shop.givenShippingOption({ name: 'Pickup', kind: 'pickup', price: '0.00' });
  const { email, client } = customer;
  const order = await shop.givenOrder({ content, client, email, payment_method });
  const order_id = order.id;
  const at = { params: { path: { order_id } } };
  const line_item_id = order.line_items[0]?.id ?? '';
  if (paid) await dashboard.POST('/api/dashboard/orders/{order_id}/mark-paid', at);
  const shipped = await dashboard.POST('/api/dashboard/orders/{order_id}/fulfillments', {
    ...at,
    body: { items: [{ line_item_id, quantity: ship }] },
  });
  if (!shipped.data) throw new Error(`The shipment was refused: ${JSON.stringify(shipped.error)}`);
  const linesOf = (pieces: number) => [{ line_item_id, quantity: pieces, reason: 'does_not_fit' as const }];
  const of = (return_id: string) => ({ params: { path: { return_id } } });
  const create = (pieces: number, more: object = {}) =>
    dashboard.POST('/api/dashboard/returns', { body: { order_id, lines: linesOf(pieces), ...more } });
  return {
    shop,
    customer,
    order,
    line_item_id,
    create,
    request: (pieces: number, more: object = {}) =>
      client.POST('/api/storefront/customer/me/returns', { body: { order_id, lines: linesOf(pieces), ...more } }),
    /** Creates an approved return, and throws if it is refused. */
    async given(pieces: number, more: object = {}) {
      const { data, error } = await create(pieces, more);
      if (!data) throw new Error(`The return was refused: ${JSON.stringify(error)}`);
      return data;
    },
    read: async (id: string) => (await dashboard.GET(ONE, of(id))).data,
    approve: (id: string, body: object = {}) => dashboard.POST(`${ONE}/approve`, { ...of(id), body }),
    decline: (id: string, reason = 'It was worn.') => dashboard.POST(`${ONE}/decline`, { ...of(id), body: { reason } }),
    track: (id: string, tracking_number = '0034') =>
      dashboard.POST(`${ONE}/tracking`, { ...of(id), body: { carrier: 'DHL', tracking_number } }),
    cancel: (id: string) => dashboard.POST(`${ONE}/cancel`, of(id)),
    receive: (id: string, line: string, pieces: number, condition: ReturnCondition = 'resellable') =>
      dashboard.POST(`${ONE}/receive`, { ...of(id), body: { lines: [{ id: line, quantity: pieces, condition }] } }),
    refundReturn: (id: string, body: object = {}) => dashboard.POST(`${ONE}/refund`, { ...of(id), body }),
    close: (id: string, reason?: string) =>
      dashboard.POST(`${ONE}/close`, { ...of(id), body: reason === undefined ? {} : { reason } }),
    refundOrder: (amount: string, pieces: number, more: object = {}) =>
      dashboard.POST('/api/dashboard/orders/{order_id}/refunds', {
        ...at,
        body: {
          amount,
          reason: 'customer' as const,
          line_items: [{ line_item_id, quantity: pieces, shipped: true, ...more }],
        },
      }),
    details: async () => (await dashboard.GET('/api/dashboard/orders/{order_id}', at)).data,
    line: async () => (await dashboard.GET('/api/dashboard/orders/{order_id}', at)).data?.line_states[0],
    timeline: async () =>
      (await dashboard.GET('/api/dashboard/orders/{order_id}/timeline', at)).data?.entries.toReversed() ?? [],
    onHand: async () => (await stockOf(shop, product.id)).on_hand,
    /** Moves the shipment, and the delivery if there is one, into the past. */
    shippedDaysAgo: async (days: number) => {
      for (const table of ['fulfillments', 'orders']) {
        const column = table === 'orders' ? 'delivered_at' : 'created_at';
        await shop.owner.query(
          `update commerce.${table} set ${column} = ${column} - make_interval(days => $2) where site_id = $1`,
          [shop.site_id, days],
        );
      }
    },
  };
}
