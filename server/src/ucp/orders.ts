/** Orders of the agent's customer. A guest agent has none. */

import type { AgentOrder } from '@commerce-backend/spec';
import { isUuid } from '../http/callers/claims.ts';
import { orderInUcp, readOrder } from '../shop/agents/ucp-orders.ts';
import { noResource, type UcpCall } from './call.ts';
import { identityRequired } from './identity.ts';
import { unrecoverable } from './protocol.ts';

export async function getOrder(call: UcpCall, order_id: string) {
  if (call.isGuest) throw identityRequired(call.opened);
  if (!isUuid(order_id)) throw unrecoverable('not_found', 'There is no such order.');
  // The operation checks that the order belongs to the agent's customer, and records the call.
  const { id } = await call.ask<AgentOrder>('agent.getOrder', { path: { order_id } }).catch(noResource);
  const { origin } = call.opened;
  const order = await call.inShop(async (shop) => {
    const found = await readOrder(shop, id);
    return found && orderInUcp(shop, found, origin);
  });
  if (!order) throw unrecoverable('not_found', 'There is no such order.');
  return order;
}
