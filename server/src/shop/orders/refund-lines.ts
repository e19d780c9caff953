import sql, { type Sql } from 'sql-template-tag';
import { bodyMistake, notFound, ValidationError } from '../errors.ts';
import type { Shop } from '../shop.ts';
import { restockPieces } from '../stock/stock.ts';
import { toFulfill } from './quantities.ts';

/**
 * The items of an order that a refund covers. Unshipped items are removed from the order when the refund is recorded,
 * so that they cannot ship while it is pending. The caller has locked the order.
 */

export interface RefundLine {
  line_item_id: string;
  quantity: number;
  restock?: boolean;
  /** Whether the refund is for shipped items; by default it takes unshipped ones first. */
  shipped?: boolean;
}

interface Piece {
  line_id: string;
  quantity: number;
  restock: boolean;
  shipped: boolean;
}

/** Unrefunded quantities of a line. */
interface Left {
  id: string;
  unshipped: number;
  shipped: number;
}

/**
 * Records the lines of a refund. Throws `not_found` for lines of other orders, and a ValidationError for more than the
 * quantity of a line.
 */
export async function claimLines(shop: Shop, order_id: string, refund_id: string, lines: RefundLine[]): Promise<void> {
  if (lines.length === 0) return;
  const left = new Map((await leftOf(shop, order_id)).map((line) => [line.id, line]));
  const mistakes = lines.flatMap((line, i) => mistakeIn(line, i, lines, left));
  if (mistakes.length > 0) throw new ValidationError(mistakes);
  await claim(
    shop,
    refund_id,
    lines.flatMap((line) => piecesOf(line, left.get(line.line_item_id)?.unshipped ?? 0)),
  );
}

/** Removes all items of an unshipped order, because everything received is refunded. */
export async function claimUnshipped(shop: Shop, order_id: string, refund_id: string): Promise<void> {
  const left = await leftOf(shop, order_id);
  const pieces = left.filter(({ unshipped }) => unshipped > 0);
  await claim(
    shop,
    refund_id,
    pieces.map(({ id, unshipped }) => ({ line_id: id, quantity: unshipped, restock: false, shipped: false })),
  );
}

function leftOf(shop: Shop, order_id: string): Promise<Left[]> {
  return shop.rows<Left>(
    sql`select l.id, ${toFulfill} as unshipped, l.fulfilled - (l.refunded_quantity - l.removed) as shipped from order_lines l
      where l.site_id = ${shop.siteId} and l.order_id = ${order_id} order by l.id for update`,
  );
}

function mistakeIn(
  { line_item_id, quantity, shipped }: RefundLine,
  i: number,
  lines: RefundLine[],
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
  unshipped: number,
): Piece[] {
  if (shipped !== undefined) return [{ line_id, quantity, restock, shipped }];
  const first = Math.min(quantity, unshipped);
  return [
    { line_id, quantity: first, restock, shipped: false },
    { line_id, quantity: quantity - first, restock, shipped: true },
  ].filter((piece) => piece.quantity > 0);
}

async function claim(shop: Shop, refund_id: string, pieces: Piece[]): Promise<void> {
  await shop.run(
    sql`insert into refund_items (site_id, refund_id, line_id, quantity, restock, shipped)
      select ${shop.siteId}, ${refund_id}, line_id, quantity, restock, shipped
      from jsonb_to_recordset(${JSON.stringify(pieces)}::jsonb) as i (line_id uuid, quantity int, restock boolean, shipped boolean)`,
  );
  await shop.run(
    sql`update order_lines l set refunded_quantity = l.refunded_quantity + i.quantity, removed = l.removed + i.unshipped
      from (${sumsOf(shop, refund_id, sql`true`)}) i where l.site_id = ${shop.siteId} and l.id = i.line_id`,
  );
}

/** Quantities of a refund by line, summed over the items `i` that match a condition. */
function sumsOf(shop: Shop, refund_id: string, condition: Sql): Sql {
  return sql`select i.line_id, sum(i.quantity)::int as quantity,
      coalesce(sum(i.quantity) filter (where not i.shipped), 0)::int as unshipped,
      coalesce(sum(i.quantity) filter (where i.shipped), 0)::int as shipped
    from refund_items i where i.site_id = ${shop.siteId} and i.refund_id = ${refund_id} and ${condition} group by i.line_id`;
}

/**
 * Makes the lines of a failed refund refundable again. Unshipped items can ship again, or are restocked if the order
 * was cancelled with restocking meanwhile. If the refund had succeeded before, items already removed or restocked stay
 * so.
 */
export async function giveLinesBack(shop: Shop, refund_id: string, hadSucceeded: boolean): Promise<void> {
  const given = sql`not (${hadSucceeded} and (i.restock or not i.shipped))`;
  await restockPieces(
    shop,
    sql`update order_lines l set refunded_quantity = l.refunded_quantity - r.quantity, removed = l.removed - r.unshipped,
        restocked = l.restocked + r.pieces
      from (
        select b.id, i.quantity, i.unshipped,
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

/** Restocks the items of a refund, except those that a cancellation has already restocked. */
export async function restockLines(shop: Shop, refund_id: string): Promise<void> {
  const restocked = sumsOf(shop, refund_id, sql`i.restock`);
  await restockPieces(
    shop,
    sql`update order_lines l set restocked = l.restocked + r.pieces, returned = l.returned + r.shipped
      from (
        select b.id, i.shipped, case when b.stock_taken
          then i.shipped + least(i.unshipped, b.quantity - b.fulfilled + b.returned - b.restocked) else 0 end as pieces
        from (${restocked}) i join order_lines b on b.site_id = ${shop.siteId} and b.id = i.line_id
      ) r
      where l.site_id = ${shop.siteId} and l.id = r.id
      returning l.variant_id, r.pieces as quantity`,
    { type: 'refund', id: refund_id },
  );
}
