import type { Withdrawal } from '@commerce-backend/spec';
import sql from 'sql-template-tag';
import type { RowOf } from '../../db/row-of.ts';
import { notFound, ShopError } from '../errors.ts';
import * as mail from '../mail.ts';
import { lockOrder } from '../orders/orders.ts';
import { countWithheld, returnable, toFulfill } from '../orders/quantities.ts';
import * as events from '../orders/timeline.ts';
import { openWithdrawal } from '../returns/request.ts';
import type { Shop } from '../shop.ts';
import { isLate } from './period.ts';
import { get } from './rows.ts';
import type { ChosenLine } from './statements.ts';

type Stated = RowOf<
  'withdrawal_statements',
  'id' | 'email' | 'contract' | 'items' | 'order_id' | 'created_at' | 'acknowledge_at'
> & {
  lines: ChosenLine[] | null;
};

/**
 * Finds the order of a statement by its number and e-mail address, ignoring case. Withholds its unshipped pieces, and
 * opens a return for the shipped ones. If the customer described the items in words, all pieces are covered, and staff
 * decide which are meant. The mail to the staff is sent with the acknowledgement, so that the page cannot be used to
 * flood their mailboxes.
 */
export async function match(shop: Shop, id: string): Promise<void> {
  const stated = await findStated(shop, id);
  if (!stated) return;
  const order_id = stated.order_id ?? (await findOrder(shop, stated));
  if (order_id) await lockOrder(shop, order_id);
  if ((await lockStatus(shop, id)) !== 'received') return;
  if (order_id) await apply(shop, stated, order_id, 'The customer withdrew from the contract.');
  else {
    await shop.run(sql`update withdrawals set status = 'unmatched' where site_id = ${shop.siteId} and id = ${id}`);
  }
  await mail.enqueueForStaff(shop, 'new_withdrawal', { withdrawal_id: id }, stated.acknowledge_at);
}

/**
 * Links a statement without an order to the order that staff name, and withholds or returns its pieces like `match`.
 * Throws `not_found` and `invalid_transition`.
 */
export async function link(shop: Shop, id: string, order_number: string): Promise<Withdrawal> {
  const stated = await findStated(shop, id);
  if (!stated) throw notFound('withdrawal');
  const order = await shop.one<RowOf<'orders', 'id'>>(
    sql`select id from orders where site_id = ${shop.siteId} and order_number = ${order_number}
      order by created_at desc limit 1`,
  );
  if (!order) throw notFound('order');
  await lockOrder(shop, order.id);
  const from = await lockStatus(shop, id);
  if (from !== 'unmatched') {
    const message = `A withdrawal with status ${from} cannot be linked to an order.`;
    throw new ShopError('invalid_transition', message, { field: 'status', from, to: 'to_confirm', allowed: [] });
  }
  await apply(shop, stated, order.id, 'A statement of withdrawal was linked to the order.');
  return get(shop, id);
}

async function lockStatus(shop: Shop, id: string): Promise<Withdrawal['status'] | undefined> {
  const found = await shop.one<Pick<Withdrawal, 'status'>>(
    sql`select status from withdrawals where site_id = ${shop.siteId} and id = ${id} for update`,
  );
  return found?.status;
}

function findStated(shop: Shop, id: string): Promise<Stated | undefined> {
  return shop.one<Stated>(
    sql`select id, email, contract, items, order_id, lines, created_at, acknowledge_at from withdrawal_statements
      where site_id = ${shop.siteId} and id = ${id}`,
  );
}

async function findOrder(shop: Shop, { contract, email }: Stated): Promise<string | undefined> {
  // Numbers of imported orders may begin with a #. Customers may write a # before the number of any other order.
  const numbers = [contract, contract.replace(/^#\s*/, '')].map((number) => number.trim().toLowerCase());
  const found = await shop.one<RowOf<'orders', 'id'>>(
    sql`select id from orders where site_id = ${shop.siteId} and lower(order_number) = any(${numbers}::text[])
      and lower(email) = lower(${email}) order by created_at desc limit 1`,
  );
  return found?.id;
}

async function apply(shop: Shop, stated: Stated, order_id: string, message: string): Promise<void> {
  const { id, items, created_at } = stated;
  const { withheld, shipped, keep_goods } = await dividePieces(shop, order_id, stated.lines);
  const late = await isLate(shop, order_id, created_at);
  await addLines(shop, id, withheld);
  const return_id =
    shipped.length > 0 ? await openReturn(shop, { order_id, lines: shipped, late, items, keep_goods }) : null;
  const status = withheld.length > 0 ? 'to_confirm' : 'closed';
  await shop.run(
    sql`update withdrawals set order_id = ${order_id}, return_id = ${return_id}, late = ${late}, status = ${status},
        closed_at = case when ${status === 'closed'} then now() end
      where site_id = ${shop.siteId} and id = ${id}`,
  );
  await countWithheld(shop, order_id);
  await events.record(shop, order_id, {
    type: 'updated',
    message,
    context: { withdrawal_id: id, late },
  });
}

/**
 * Divides the pieces of a locked order that a withdrawal covers: first unshipped pieces are withheld, then shipped
 * pieces are returned. Downloads and services are not sent back.
 */
async function dividePieces(
  shop: Shop,
  order_id: string,
  chosen: ChosenLine[] | null,
): Promise<{ withheld: ChosenLine[]; shipped: ChosenLine[]; keep_goods: boolean }> {
  const lines = await shop.rows<{ id: string; unshipped: number; returnable: number; requires_shipping: boolean }>(
    sql`select l.id, case when o.status = 'cancelled' then 0 else ${toFulfill} end as unshipped, ${returnable} as returnable,
        l.requires_shipping
      from order_lines l join orders o on o.site_id = l.site_id and o.id = l.order_id
      where l.site_id = ${shop.siteId} and l.order_id = ${order_id} order by l.position`,
  );
  const parts = lines.map(({ id, unshipped, returnable, requires_shipping }) => {
    const wanted = chosen ? (chosen.find(({ line_item_id }) => line_item_id === id)?.quantity ?? 0) : Infinity;
    const held = Math.min(wanted, unshipped);
    return { id, held, back: Math.min(wanted - held, returnable), requires_shipping };
  });
  const piecesBy = (count: (part: (typeof parts)[number]) => number) =>
    parts.flatMap((part) => (count(part) > 0 ? [{ line_item_id: part.id, quantity: count(part) }] : []));
  return {
    withheld: piecesBy(({ held }) => held),
    shipped: piecesBy(({ back }) => back),
    keep_goods: parts.every(({ back, requires_shipping }) => back === 0 || !requires_shipping),
  };
}

async function addLines(shop: Shop, id: string, lines: ChosenLine[]): Promise<void> {
  await shop.run(
    sql`insert into withdrawal_lines (site_id, withdrawal_id, line_id, quantity)
      select ${shop.siteId}, ${id}, w.line_item_id, w.quantity
      from jsonb_to_recordset(${JSON.stringify(lines)}::jsonb) as w (line_item_id uuid, quantity int)`,
  );
}

function openReturn(
  shop: Shop,
  {
    items,
    lines,
    ...about
  }: { order_id: string; lines: ChosenLine[]; late: boolean; items: string | null; keep_goods: boolean },
): Promise<string> {
  const pieces = lines.map((line) => ({ ...line, reason: 'changed_mind' as const }));
  return openWithdrawal(shop, { ...about, lines: pieces, customer_note: items });
}
