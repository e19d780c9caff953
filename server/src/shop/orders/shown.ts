import type { BankDetails, CustomerOrder, PaymentInstructions, Refund, TaxLine } from '@commerce-backend/spec';
import sql from 'sql-template-tag';
import type { Shop } from '../shop.ts';
import { hasGoods } from './nothing-to-ship.ts';
import { amountDue, amountReceived, overpaidParts, type Received, refundDue } from './received.ts';
import { getForCustomer } from './rows.ts';
import { isSettled } from './states.ts';
import { type TaxedPart, taxedParts, taxLinesOf } from './tax-lines.ts';

export interface ShownOrder extends CustomerOrder {
  locale: string;
  tax_included: boolean;
  tax_lines: TaxLine[];
  discount_code: string | null;
  /** The consent that ends the right of withdrawal of digital goods; null without it. */
  digital_consent_wording: string | null;
  /** False for an order that consists only of downloads or services, of which nothing is shipped or handed over. */
  has_goods: boolean;
  /** Set for an order on payment terms. */
  payment_terms_days: number | null;
  amount_received: string;
  /** The amount of an exchange order that was paid with returned items; null for other orders. */
  exchange_credit: string | null;
  /** Successful and pending refunds, without the notes and names of staff. */
  refunds: ShownRefund[];
  /** The amount that the shop still owes the customer, minus pending refunds. */
  refund_due: string;
  /** The amount due after an edit of the paid order, and how to pay it; null if nothing is due. */
  due: { amount: string; instructions: DueInstructions | null } | null;
}

/** Payment instructions without a deadline. */
export type DueInstructions = Omit<PaymentInstructions, 'due_at'> & { due_at: null };

export interface ShownRefund extends Pick<Refund, 'amount' | 'status'> {
  /** The time when the refund succeeded; meaningless while it is pending. */
  refunded_at: string;
}

interface Terms extends Received {
  locale: string;
  tax_included: boolean;
  discount_code: string | null;
  digital_consent_wording: string | null;
  has_goods: boolean;
  payment_terms_days: number | null;
  exchange_credit: string | null;
  taxed: TaxedPart[];
  refunds: ShownRefund[];
  bank_details: BankDetails | null;
}

/** Returns an order for its page. Throws `not_found`, even if it belongs to a customer other than `customer_id`. */
export async function getShown(shop: Shop, id: string, customer_id?: string): Promise<ShownOrder> {
  const order = await getForCustomer(shop, id, customer_id);
  const terms = await shop.one<Terms>(
    sql`select o.locale, o.tax_included, o.discount_code, o.digital_consent_wording, o.payment_terms_days, ${hasGoods} as has_goods,
        case when o.exchange_of is not null then round(o.exchange_credit, scale(o.total))::text end as exchange_credit,
        ${amountReceived} as amount_received, o.retained, o.disputed, o.credited, o.released::text, ${overpaidParts} as overpaid, (
        select t.bank_details from site_settings t where t.site_id = o.site_id) as bank_details, ${taxedParts} as taxed, (
        select coalesce(json_agg(json_build_object('amount', r.amount::text, 'status', coalesce(m.status, 'succeeded'),
          'refunded_at', iso(coalesce(m.updated_at, r.created_at))) order by r.created_at, r.id), '[]')
        from refunds r left join payment_moves m on m.site_id = r.site_id and m.id = r.id
        where r.site_id = o.site_id and r.order_id = o.id) as refunds
      from orders o where o.site_id = ${shop.siteId} and o.id = ${id}`,
  );
  if (!terms) throw new Error(`Order ${id} was not found.`);
  const { taxed, refunds, amount_received, retained, disputed, credited, released, overpaid, bank_details, ...rest } =
    terms;
  const money = { amount_received, retained, disputed, credited, released, overpaid, refunds };
  return {
    ...order,
    ...rest,
    amount_received,
    tax_lines: taxLinesOf(taxed, shop.currencyDigits),
    refund_due: refundDue({ ...order, ...money }, shop.currencyDigits, { lessPending: true }),
    due: dueOf(order, amountDue({ ...order, ...money }, shop.currencyDigits), bank_details),
    refunds: refunds.filter(({ status }) => status !== 'failed'),
  };
}

function dueOf(order: CustomerOrder, amount: string, details: BankDetails | null): ShownOrder['due'] {
  if (!isSettled(order.payment_status) || !/[1-9]/.test(amount)) return null;
  if (!details) return { amount, instructions: null };
  const { account_holder, iban, bic = null, bank_name = null, instructions = null } = details;
  const { order_number: reference, currency } = order;
  return {
    amount,
    instructions: { account_holder, iban, bic, bank_name, instructions, reference, amount, currency, due_at: null },
  };
}
