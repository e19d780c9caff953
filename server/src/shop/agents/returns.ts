import type { AgentReturn, AgentReturnLine, ReturnReason } from '@commerce-backend/spec';
import sql from 'sql-template-tag';
import type { RowOf } from '../../db/row-of.ts';
import { notFound } from '../errors.ts';
import { type LinkDeps, preparedReturnLink } from '../links.ts';
import { decimal } from '../money.ts';
import { returnOffer } from '../returns/offer.ts';
import { requireReturnable } from '../returns/request.ts';
import type { Shop } from '../shop.ts';

interface Preparation {
  order_id: string;
  lines: AgentReturnLine[];
  reason: ReturnReason;
}

/**
 * Checks whether the customer can return these lines. Returns the URL of the page where the customer requests the
 * return. Writes nothing; the page checks again. Throws `not_found`, even for an order of another customer, and the
 * errors of a return request.
 */
export async function prepare(
  shop: Shop,
  { hosts }: Pick<LinkDeps, 'hosts'>,
  { order_id, lines, reason }: Preparation,
): Promise<AgentReturn> {
  const order = await shop.one<RowOf<'orders', 'order_number' | 'currency'>>(
    sql`select order_number, currency from orders
      where site_id = ${shop.siteId} and id = ${order_id} and customer_id = ${shop.customerId}`,
  );
  if (!order) throw notFound('order');
  await requireReturnable(shop, { order_id, lines });
  const { closes_at, fee } = await returnOffer(shop, order_id);
  if (closes_at === null) throw new Error(`Order ${order_id} can be returned, but has no period for returns.`);
  return {
    status: 'requires_escalation',
    order_number: order.order_number,
    closes_at,
    fee: fee?.amount ?? decimal(0, shop.currencyDigits),
    currency: order.currency,
    confirm_url: preparedReturnLink(hosts.addressOf(shop.siteId), shop.siteId, { order_id, reason, lines }),
  };
}
