/** Data of the account page that the storefront API does not return. */

import type { AgentToken } from '@commerce-backend/spec';
import sql from 'sql-template-tag';
import type { RowOf } from '../../db/row-of.ts';
import { listOfCustomer, tokenStatus } from '../agent-limits/tokens.ts';
import { checkoutUrl, type LinkDeps } from '../links.ts';
import type { Shop } from '../shop.ts';

/** A purchase that an agent prepared and the customer has not confirmed yet. */
export interface WaitingCheckout {
  id: string;
  agent_name: string;
  /** The customer can still confirm after the agent has lost access. */
  agent_status: AgentToken['status'];
  revoked_by: AgentToken['revoked_by'];
  total: string;
  expires_at: string;
  /** Path of the confirmation page, on the host where the customer is logged in. */
  path: string;
}

/** Lists the purchases that wait for the customer's confirmation, newest first, at most 50. */
export async function waitingCheckouts(shop: Shop, deps: LinkDeps): Promise<WaitingCheckout[]> {
  const rows = await shop.rows<Omit<WaitingCheckout, 'path'>>(
    sql`select k.id, t.description as agent_name, ${tokenStatus} as agent_status, a.revoked_by, k.shown_total as total,
        k.expires_at
      from checkouts k join tokens t on t.site_id = k.site_id and t.id = k.agent_token_id
        join agent_tokens a on a.site_id = t.site_id and a.id = t.id
      where k.site_id = ${shop.siteId} and k.customer_id = ${shop.customerId} and k.status = 'requires_escalation'
        and k.expires_at > now()
      order by k.created_at desc, k.id limit 50`,
  );
  return rows.map((row) => ({ ...row, path: new URL(checkoutUrl(shop, deps, row.id)).pathname }));
}

/** The orders and agents that the deletion of the account affects. */
export interface DeletionEffects {
  /** Numbers of the newest 20 orders that are neither completed nor cancelled. */
  open_orders: string[];
  /** Names of the agents that lose their access. */
  agents: string[];
}

export async function deletionEffects(shop: Shop): Promise<DeletionEffects> {
  const orders = await shop.rows<RowOf<'orders', 'order_number'>>(
    sql`select o.order_number from orders o
      where o.site_id = ${shop.siteId} and o.customer_id = ${shop.customerId} and o.status not in ('completed', 'cancelled')
      order by o.created_at desc, o.id desc limit 20`,
  );
  const agents = await listOfCustomer(shop, shop.customerId ?? '');
  return {
    open_orders: orders.map(({ order_number }) => order_number),
    agents: agents.filter(({ status }) => status === 'active').map(({ agent_name }) => agent_name),
  };
}
