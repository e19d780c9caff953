import type { CustomerOrder, Refund, TaxLine } from '@commerce-backend/spec';
import sql from 'sql-template-tag';
import type { Shop } from '../shop.ts';
import { getForCustomer, refundDue, refundObject } from './rows.ts';
import { type TaxedPart, taxedParts, taxLinesOf } from './tax-lines.ts';

/** An order with all that a page shows of it to whoever placed it. */
export interface ShownOrder extends CustomerOrder {
  /** The language of whoever ordered. */
  locale: string;
  tax_included: boolean;
  tax_lines: TaxLine[];
  discount_code: string | null;
  /** Money that went back, or is on its way. What staff wrote of a refund, and who, is for the merchant alone. */
  refunds: ShownRefund[];
  /** What the shop still owes for an order that was paid and cancelled. */
  refund_due: string;
}

export type ShownRefund = Pick<Refund, 'amount' | 'status' | 'created_at'>;

interface Terms {
  locale: string;
  tax_included: boolean;
  discount_code: string | null;
  captured: string | null;
  taxed: TaxedPart[];
  refunds: Refund[];
}

/** One order as its page shows it; of the customer given, if one is. Throws `not_found`. */
export async function getShown(shop: Shop, id: string, customer_id?: string): Promise<ShownOrder> {
  const order = await getForCustomer(shop, id, customer_id);
  const terms = await shop.one<Terms>(
    sql`select o.locale, o.tax_included, o.discount_code, o.captured, ${taxedParts} as taxed, (
        select coalesce(json_agg(${refundObject} order by r.created_at, r.id), '[]')
        from refunds r where r.site_id = o.site_id and r.order_id = o.id) as refunds
      from orders o where o.site_id = ${shop.siteId} and o.id = ${id}`,
  );
  if (!terms) throw new Error(`Order ${id} is gone.`);
  const { taxed, refunds, captured, ...rest } = terms;
  const given = refunds.filter(({ status }) => status !== 'failed');
  return {
    ...order,
    ...rest,
    tax_lines: taxLinesOf(taxed, shop.currencyDigits),
    refund_due: refundDue({ ...order, captured, refunds }, shop.currencyDigits),
    refunds: given.map(({ amount, status, created_at }) => ({ amount, status, created_at })),
  };
}
