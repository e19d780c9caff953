import sql, { type Sql } from 'sql-template-tag';
import { returnable, toFulfill } from '../orders/quantities.ts';
import type { Shop } from '../shop.ts';

/**
 * Pieces of `order_lines l` of `orders o` that a withdrawal can cover: unshipped ones, and shipped ones that are not
 * returned.
 */
export const withdrawable: Sql = sql`(${returnable} + case when o.status = 'cancelled' then 0 else ${toFulfill} end)`;

export interface WithdrawableLine {
  id: string;
  name: string;
  variant_name: string | null;
  quantity: number;
  /** Whether the product may be excluded from the right of withdrawal. */
  exempt: boolean;
}

/**
 * The reason why `order_lines l` of `orders o` may be excluded from the right of withdrawal, or `none`: the reason of a
 * custom line, otherwise that of the product, left-joined as `products p`. Digital goods are excluded only if the buyer
 * consented at the checkout.
 */
export const exemption: Sql = sql`case when coalesce(l.custom_exempt, p.withdrawal_exempt) = 'digital'
    and o.digital_consent_wording is null then 'none'
  else coalesce(l.custom_exempt, p.withdrawal_exempt, 'none') end`;

/** Returns the lines of an order with pieces that a withdrawal can cover. */
export function withdrawableLines(shop: Shop, order_id: string): Promise<WithdrawableLine[]> {
  return shop.rows<WithdrawableLine>(
    sql`select l.id, l.name, l.variant_name, ${withdrawable} as quantity,
        ${exemption} <> 'none' as exempt
      from order_lines l join orders o on o.site_id = l.site_id and o.id = l.order_id
      left join products p on p.site_id = l.site_id and p.id = l.product_id
      where l.site_id = ${shop.siteId} and l.order_id = ${order_id} and ${withdrawable} > 0 order by l.position`,
  );
}
