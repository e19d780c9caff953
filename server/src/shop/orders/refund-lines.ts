import sql from 'sql-template-tag';
import { bodyMistake, notFound, ValidationError } from '../errors.ts';
import type { Shop } from '../shop.ts';
import { restockPieces } from '../stock/stock.ts';

/** Which pieces of an order a refund is for. */

export interface RefundLine {
  line_item_id: string;
  quantity: number;
  restock?: boolean;
}

/**
 * Records the lines of a refund. Throws `not_found` for lines of other orders, and a ValidationError beyond a line's quantity.
 */
export async function claimLines(shop: Shop, order_id: string, refund_id: string, lines: RefundLine[]): Promise<void> {
  if (lines.length === 0) return;
  const left = await shop.rows<{ id: string; left: number }>(
    sql`select id, quantity - refunded_quantity as left from order_lines
      where site_id = ${shop.siteId} and order_id = ${order_id} order by id for update`,
  );
  const mistakes = lines.flatMap(({ line_item_id, quantity }, i) => {
    if (lines.findIndex((line) => line.line_item_id === line_item_id) < i) {
      return [bodyMistake(['line_items', i, 'line_item_id'], 'value_error', 'This line is named twice.')];
    }
    const line = left.find(({ id }) => id === line_item_id);
    if (!line) throw notFound('line in this order');
    if (quantity <= line.left) return [];
    const words = `Only ${line.left} of this line can still be refunded.`;
    return [bodyMistake(['line_items', i, 'quantity'], 'less_than_equal', words, { le: line.left })];
  });
  if (mistakes.length > 0) throw new ValidationError(mistakes);
  const [ids, quantities] = [lines.map((line) => line.line_item_id), lines.map(({ quantity }) => quantity)];
  const restocked = lines.map(({ restock = false }) => restock);
  await shop.run(
    sql`insert into refund_items (site_id, refund_id, line_id, quantity, restock)
      select ${shop.siteId}, ${refund_id}, i.line_id, i.quantity, i.restock
      from unnest(${ids}::uuid[], ${quantities}::int[], ${restocked}::boolean[]) as i (line_id, quantity, restock)`,
  );
  await shop.run(
    sql`update order_lines l set refunded_quantity = l.refunded_quantity + i.quantity
      from refund_items i
      where i.site_id = ${shop.siteId} and i.refund_id = ${refund_id} and l.site_id = ${shop.siteId} and l.id = i.line_id`,
  );
}

/**
 * The lines of a refund that failed can be refunded again. If it had succeeded, what it put into stock stays there, and is not put
 * there twice.
 */
export async function giveLinesBack(shop: Shop, refund_id: string, hadSucceeded: boolean): Promise<void> {
  await shop.run(
    sql`update order_lines l set refunded_quantity = l.refunded_quantity - i.quantity
      from refund_items i
      where i.site_id = ${shop.siteId} and i.refund_id = ${refund_id} and l.site_id = ${shop.siteId} and l.id = i.line_id
        and not (i.restock and ${hadSucceeded})`,
  );
}

/** Puts back into stock what the refund returns; what cancelling has put back already stays as it is. */
export async function restockLines(shop: Shop, refund_id: string): Promise<void> {
  await restockPieces(
    shop,
    sql`update order_lines l set restocked = l.restocked + i.quantity
      from refund_items i
      where i.site_id = ${shop.siteId} and i.refund_id = ${refund_id} and i.restock
        and l.site_id = ${shop.siteId} and l.id = i.line_id and l.stock_taken
      returning l.variant_id, i.quantity`,
    { type: 'refund', id: refund_id },
  );
}
