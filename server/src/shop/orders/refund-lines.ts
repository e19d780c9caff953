/**
 * The items that a refund covers. Recording a refund removes unshipped items from the order immediately, so that they
 * cannot ship while the refund is pending. The caller has locked the order.
 */

import sql, { type Sql } from 'sql-template-tag';
import { bodyMistake, notFound, ShopError, ValidationError } from '../errors.ts';
import type { Shop } from '../shop.ts';
import { restockPieces } from '../stock/stock.ts';
import { countWithheld, unreturned, unshipped } from './quantities.ts';

export interface RefundLine {
  line_item_id: string;
  quantity: number;
  restock?: boolean;
  /** Whether the items have shipped. Default: unshipped items first. */
  shipped?: boolean;
}

interface Piece {
  line_id: string;
  quantity: number;
  restock: boolean;
  shipped: boolean;
  /** Shipped items that can no longer be returned, because this refund covers them without a return. */
  unreturned: number;
}

interface Left {
  id: string;
  unshipped: number;
  shipped: number;
  unreturned: number;
}

/**
 * Records the lines of a refund. Throws `not_found` for a line of another order, and a ValidationError for more than
 * can still be refunded of a line. Throws `return_quantity_exceeded` if the refund restocks items that are in an open
 * return or came back with one. The items of a return's own refund stay with the return.
 */
export async function claimLines(
  shop: Shop,
  order_id: string,
  refund_id: string,
  lines: RefundLine[],
  return_id: string | null,
): Promise<void> {
  if (lines.length === 0) return;
  const left = await refuseMistakes(shop, order_id, lines);
  const pieces = lines.flatMap((line) => piecesOf(line, left.get(line.line_item_id)));
  if (return_id === null) refuseRestockingTwice(pieces, left);
  await claim(shop, refund_id, return_id === null ? pieces : pieces.map((piece) => ({ ...piece, unreturned: 0 })));
  await countWithheld(shop, order_id);
}

/**
 * Returns the unrefunded quantities of an order by line. Throws `not_found` for lines of other orders, and a
 * ValidationError for more than can still be refunded of a line.
 */
export async function refuseMistakes(
  shop: Shop,
  order_id: string,
  lines: Omit<RefundLine, 'restock'>[],
): Promise<Map<string, Left>> {
  const left = new Map((await leftOf(shop, order_id)).map((line) => [line.id, line]));
  const mistakes = lines.flatMap((line, i) => mistakeIn(line, i, lines, left));
  if (mistakes.length > 0) throw new ValidationError(mistakes);
  return left;
}

function refuseRestockingTwice(pieces: Piece[], left: Map<string, Left>): void {
  const exceeding = pieces.filter(
    ({ restock, shipped, quantity, unreturned }) => restock && shipped && quantity > unreturned,
  );
  if (exceeding.length === 0) return;
  const message = 'Pieces are in an open return or came back with one. Receive the return instead of restocking them.';
  throw new ShopError('return_quantity_exceeded', message, {
    lines: exceeding.map(({ line_id, quantity }) => ({
      line_item_id: line_id,
      requested: quantity,
      returnable: left.get(line_id)?.unreturned,
    })),
  });
}

/** Removes all items of an unshipped order that is fully refunded. */
export async function claimUnshipped(shop: Shop, order_id: string, refund_id: string): Promise<void> {
  const left = await leftOf(shop, order_id);
  const pieces = left.filter(({ unshipped }) => unshipped > 0);
  await claim(
    shop,
    refund_id,
    pieces.map(({ id, unshipped }) => ({
      line_id: id,
      quantity: unshipped,
      restock: false,
      shipped: false,
      unreturned: 0,
    })),
  );
}

function leftOf(shop: Shop, order_id: string): Promise<Left[]> {
  return shop.rows<Left>(
    sql`select l.id, ${unshipped} as unshipped, l.fulfilled - (l.refunded_quantity - l.removed) as shipped,
        ${unreturned} as unreturned
      from order_lines l where l.site_id = ${shop.siteId} and l.order_id = ${order_id} order by l.id`,
  );
}

function mistakeIn(
  { line_item_id, quantity, shipped }: Omit<RefundLine, 'restock'>,
  i: number,
  lines: Omit<RefundLine, 'restock'>[],
  left: Map<string, Left>,
) {
  const isRepeated = lines
    .slice(0, i)
    .some((other) => other.line_item_id === line_item_id && isOverlapping(other.shipped, shipped));
  if (isRepeated) {
    return [bodyMistake(['line_items', i, 'line_item_id'], 'value_error', 'This line is listed twice.')];
  }
  const line = left.get(line_item_id);
  if (!line) throw notFound('line in this order');
  const most = shipped === undefined ? line.shipped + line.unshipped : shipped ? line.shipped : line.unshipped;
  if (quantity <= most) return [];
  const kind = shipped === undefined ? '' : shipped ? ' shipped' : ' unshipped';
  const words = `Only ${most}${kind} of this line can still be refunded.`;
  return [bodyMistake(['line_items', i, 'quantity'], 'less_than_equal', words, { le: most })];
}

function isOverlapping(one: boolean | undefined, other: boolean | undefined): boolean {
  return one === undefined || other === undefined || one === other;
}

function piecesOf(
  { line_item_id: line_id, quantity, restock = false, shipped }: RefundLine,
  left: Left | undefined,
): Piece[] {
  const { unshipped = 0, unreturned = 0 } = left ?? {};
  const first = shipped === undefined ? Math.min(quantity, unshipped) : shipped ? 0 : quantity;
  const second = quantity - first;
  return [
    { line_id, quantity: first, restock, shipped: false, unreturned: 0 },
    { line_id, quantity: second, restock, shipped: true, unreturned: Math.min(second, unreturned) },
  ].filter((piece) => piece.quantity > 0);
}

async function claim(shop: Shop, refund_id: string, pieces: Piece[]): Promise<void> {
  await shop.run(
    sql`insert into refund_items (site_id, refund_id, line_id, quantity, restock, shipped, unreturned)
      select ${shop.siteId}, ${refund_id}, line_id, quantity, restock, shipped, unreturned
      from jsonb_to_recordset(${JSON.stringify(pieces)}::jsonb)
        as i (line_id uuid, quantity int, restock boolean, shipped boolean, unreturned int)`,
  );
  // Pieces that can ship are removed first, then those that a withdrawal withholds.
  await shop.run(
    sql`update order_lines l set refunded_quantity = l.refunded_quantity + i.quantity, removed = l.removed + i.unshipped,
        withheld = least(l.withheld, l.quantity - l.fulfilled - l.removed - i.unshipped),
        refunded_unreturned = l.refunded_unreturned + i.unreturned
      from (${sumsOf(shop, refund_id, sql`true`)}) i where l.site_id = ${shop.siteId} and l.id = i.line_id`,
  );
}

/** Selects the quantity of each line in a refund, summed over the `refund_items i` that match the condition. */
function sumsOf(shop: Shop, refund_id: string, condition: Sql): Sql {
  return sql`select i.line_id, sum(i.quantity)::int as quantity,
      coalesce(sum(i.quantity) filter (where not i.shipped), 0)::int as unshipped,
      coalesce(sum(i.quantity) filter (where i.shipped), 0)::int as shipped, sum(i.unreturned)::int as unreturned
    from refund_items i where i.site_id = ${shop.siteId} and i.refund_id = ${refund_id} and ${condition} group by i.line_id`;
}

/**
 * Makes the items of a failed refund refundable again. Unshipped items can ship again or, if the order was cancelled
 * with restocking, are restocked. If the refund had succeeded first, removed and restocked items are left unchanged.
 */
export async function giveLinesBack(shop: Shop, refund_id: string, hadSucceeded: boolean): Promise<void> {
  const given = sql`not (${hadSucceeded} and (i.restock or not i.shipped))`;
  await restockPieces(
    shop,
    sql`update order_lines l set refunded_quantity = l.refunded_quantity - r.quantity, removed = l.removed - r.unshipped,
        restocked = l.restocked + r.pieces, refunded_unreturned = l.refunded_unreturned - r.unreturned
      from (
        select b.id, i.quantity, i.unshipped, i.unreturned,
          case when o.status = 'cancelled' and b.stock_taken and not exists (
            select from order_events e where e.site_id = o.site_id and e.order_id = o.id and e.type = 'cancelled'
              and e.context ->> 'restock' = 'false') then i.unshipped else 0 end as pieces
        from (${sumsOf(shop, refund_id, given)}) i join order_lines b on b.site_id = ${shop.siteId} and b.id = i.line_id
        join orders o on o.site_id = b.site_id and o.id = b.order_id
      ) r
      where l.site_id = ${shop.siteId} and l.id = r.id
      returning l.variant_id, r.pieces as quantity`,
    { type: 'refund', id: refund_id },
  );
}

/** Restocks the items that a refund brings back, except those that a cancellation has already restocked. */
export async function restockLines(shop: Shop, refund_id: string): Promise<void> {
  const restocked = sumsOf(shop, refund_id, sql`i.restock`);
  await restockPieces(
    shop,
    sql`update order_lines l set restocked = l.restocked + r.pieces, returned = l.returned + r.shipped,
        refunded_unreturned = l.refunded_unreturned - r.unreturned
      from (
        select b.id, i.shipped, i.unreturned, case when b.stock_taken
          then i.shipped + least(i.unshipped, b.quantity - b.fulfilled + b.returned - b.restocked) else 0 end as pieces
        from (${restocked}) i join order_lines b on b.site_id = ${shop.siteId} and b.id = i.line_id
      ) r
      where l.site_id = ${shop.siteId} and l.id = r.id
      returning l.variant_id, r.pieces as quantity`,
    { type: 'refund', id: refund_id },
  );
}
