import sql from 'sql-template-tag';
import { decimal } from '../money.ts';
import type { Shop } from '../shop.ts';
import { restockPieces } from '../stock/stock.ts';
import { endIfNothingLeft } from './nothing-left.ts';
import type { LockedOrder } from './orders.ts';
import { settleIfCovered } from './payments.ts';
import { isSettled } from './states.ts';
import { priceOf, type ShippingRefund } from './suggestion.ts';

/** Whether an order is unpaid and staff record its payment. Its items can then be removed without a refund. */
export function isUnpaidByHand({ payment_method, payment_status }: LockedOrder): boolean {
  return (payment_method === 'bank_transfer' || payment_method === 'manual') && !isSettled(payment_status);
}

/**
 * Removes unshipped items from a locked order for which `isUnpaidByHand` is true, and restocks them. Lowers the amount
 * due by their price and, with `shipping: all`, by the shipping cost.
 */
export async function removeUnpaid(
  shop: Shop,
  order: LockedOrder,
  { pieces, shipping }: { pieces: { line_item_id: string; quantity: number }[]; shipping: ShippingRefund },
): Promise<void> {
  const line_items = pieces.map((piece) => ({ ...piece, shipped: false }));
  const { sum } = await priceOf(shop, order.id, { line_items, shipping });
  await shop.run(
    sql`update orders set credited = least(total, credited + ${decimal(sum, shop.currencyDigits)}::numeric), updated_at = now()
      where site_id = ${shop.siteId} and id = ${order.id}`,
  );
  await restockPieces(
    shop,
    sql`update order_lines l set removed = l.removed + w.quantity, refunded_quantity = l.refunded_quantity + w.quantity,
        withheld = least(l.withheld, l.quantity - l.fulfilled - l.removed - w.quantity),
        restocked = l.restocked + case when l.stock_taken then w.quantity else 0 end
      from jsonb_to_recordset(${JSON.stringify(pieces)}::jsonb) as w (line_item_id uuid, quantity int)
      where l.site_id = ${shop.siteId} and l.order_id = ${order.id} and l.id = w.line_item_id
      returning l.variant_id, case when l.stock_taken then w.quantity else 0 end as quantity`,
    { type: 'order', id: order.id },
  );
  await endIfNothingLeft(shop, order, 'customer');
  await settleIfCovered(shop, order.id);
}
