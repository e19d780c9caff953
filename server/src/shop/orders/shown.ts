import type { CustomerOrder, Refund, TaxLine } from '@commerce-backend/spec';
import sql from 'sql-template-tag';
import type { Shop } from '../shop.ts';
import { amountReceived, type Received, refundDue } from './received.ts';
import { getForCustomer } from './rows.ts';
import { type TaxedPart, taxedParts, taxLinesOf } from './tax-lines.ts';

export interface ShownOrder extends CustomerOrder {
  locale: string;
  tax_included: boolean;
  tax_lines: TaxLine[];
  discount_code: string | null;
  /** Set for an order on payment terms. */
  payment_terms_days: number | null;
  /** Successful and pending refunds, without the notes and names of staff. */
  refunds: ShownRefund[];
  /** The amount that the shop still owes for a cancelled paid order, minus pending refunds. */
  refund_due: string;
}

export interface ShownRefund extends Pick<Refund, 'amount' | 'status'> {
  /** The time when the refund succeeded; meaningless while it is pending. */
  refunded_at: string;
}

interface Terms extends Received {
  locale: string;
  tax_included: boolean;
  discount_code: string | null;
  payment_terms_days: number | null;
  taxed: TaxedPart[];
  refunds: ShownRefund[];
}

/** Returns an order for its page. Throws `not_found`, even if it belongs to a customer other than `customer_id`. */
export async function getShown(shop: Shop, id: string, customer_id?: string): Promise<ShownOrder> {
  const order = await getForCustomer(shop, id, customer_id);
  const terms = await shop.one<Terms>(
    sql`select o.locale, o.tax_included, o.discount_code, o.payment_terms_days, ${amountReceived} as amount_received, o.retained,
        o.disputed, o.credited, ${taxedParts} as taxed, (
        select coalesce(json_agg(json_build_object('amount', r.amount::text, 'status', coalesce(m.status, 'succeeded'),
          'refunded_at', iso(coalesce(m.updated_at, r.created_at))) order by r.created_at, r.id), '[]')
        from refunds r left join payment_moves m on m.site_id = r.site_id and m.id = r.id
        where r.site_id = o.site_id and r.order_id = o.id) as refunds
      from orders o where o.site_id = ${shop.siteId} and o.id = ${id}`,
  );
  if (!terms) throw new Error(`Order ${id} was not found.`);
  const { taxed, refunds, amount_received, retained, disputed, credited, ...rest } = terms;
  const money = { amount_received, retained, disputed, credited, refunds };
  return {
    ...order,
    ...rest,
    tax_lines: taxLinesOf(taxed, shop.currencyDigits),
    refund_due: refundDue({ ...order, ...money }, shop.currencyDigits, { lessPending: true }),
    refunds: refunds.filter(({ status }) => status !== 'failed'),
  };
}
