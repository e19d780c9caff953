/** Orders of the agent's customer. A guest agent has none. */

import type { AgentOrder } from '@commerce-backend/spec';
import { isUuid } from '../http/callers/claims.ts';
import { checkoutOf } from '../shop/agents/ucp-requests.ts';
import { accountLink } from '../shop/links.ts';
import { noResource, type UcpCall } from './call.ts';
import { unrecoverable } from './protocol.ts';
import { cents, checkoutTotals } from './views.ts';

const NOBODY = '00000000-0000-0000-0000-000000000000';

export async function getOrder(call: UcpCall, order_id: string) {
  if (call.isGuest) throw unrecoverable('identity_required', 'Orders are shown to agents of their customer only.');
  if (!isUuid(order_id)) throw unrecoverable('not_found', 'There is no such order.');
  const order = await call.ask<AgentOrder>('agent.getOrder', { path: { order_id } }).catch(noResource);
  const checkout_id = (await call.inShop((shop) => checkoutOf(shop, order.id))) ?? NOBODY;
  return viewOf(call, order, checkout_id);
}

function viewOf({ opened: { origin, tenant } }: UcpCall, order: AgentOrder, checkout_id: string) {
  const {
    id,
    order_number: label,
    currency,
    items,
    line_states,
    totals,
    created_at,
    shipped_at,
    delivered_at,
    cancelled_at,
  } = order;
  const piecesOf = ({ id, quantity }: { id: string; quantity: number }) => {
    const { fulfilled = 0, removed = 0 } = line_states.find(({ line_item_id }) => line_item_id === id) ?? {};
    // Pieces that a withdrawal withholds count until staff decide, although they cannot ship.
    return { fulfilled, total: order.status === 'cancelled' ? fulfilled : quantity - removed };
  };
  const line_items = items.map((item) => {
    const amount = cents(item.total, currency);
    const { content, quantity, variant_id } = item;
    const { fulfilled, total } = piecesOf(item);
    return {
      id: item.id,
      item: {
        ...{ id: variant_id ?? item.id, price: cents(item.price, currency), content_trust: content.content_trust },
        title: [content.name, content.variant_name].filter(Boolean).join(', '),
      },
      quantity: { original: quantity, total, fulfilled },
      totals: [
        { type: 'subtotal', amount },
        { type: 'total', amount },
      ],
      status: total === 0 ? 'removed' : fulfilled === total ? 'fulfilled' : fulfilled > 0 ? 'partial' : 'processing',
    };
  });
  const all = items.map((item) => ({ id: item.id, quantity: item.quantity }));
  const shipped = items
    .map((item) => ({ id: item.id, quantity: piecesOf(item).fulfilled }))
    .filter(({ quantity }) => quantity > 0);
  const event = (type: string, occurred_at: string | null, line_items = shipped) =>
    occurred_at ? [{ id: `${type} ${id}`, type, occurred_at, line_items }] : [];
  const adjustments = cancelled_at
    ? [{ id: `cancelled ${id}`, type: 'cancellation', occurred_at: cancelled_at, status: 'completed' }]
    : [];
  return {
    ...{ id, label, checkout_id, currency, line_items, permalink_url: accountLink(origin, tenant.site_id) },
    fulfillment: {
      events: [
        ...event('processing', created_at, all),
        ...event('shipped', shipped_at),
        ...event('delivered', delivered_at),
      ],
    },
    ...(adjustments.length > 0 && { adjustments }),
    totals: checkoutTotals({ ...totals, currency }, 0),
  };
}
