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
  /** The amount due after an edit or an exchange, and how to pay it; null if nothing is due. */
  due: ShownDue | null;
}

export interface ShownDue {
  amount: string;
  /** How to transfer the amount; null if the shop has no bank account. */
  instructions: DueInstructions | null;
  /** Whether the shop has its own payment account. Without one, the provider in the server's configuration is used. */
  has_payment_account: boolean;
  /** Whether the provider is processing a payment of the amount. */
  is_processing: boolean;
}

/** Payment instructions without a deadline. */
export type DueInstructions = Omit<PaymentInstructions, 'due_at'> & { due_at: null };

export interface ShownRefund extends Pick<Refund, 'amount' | 'status'> {
  /** The time when the refund succeeded. Do not use it while the refund is pending. */
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
  has_payment_account: boolean;
  is_processing: boolean;
}

/** Returns an order for its page. Throws `not_found`, even if it belongs to a customer other than `customer_id`. */
export async function getShown(shop: Shop, id: string, customer_id?: string): Promise<ShownOrder> {
  const order = await getForCustomer(shop, id, customer_id);
  const terms = await shop.one<Terms>(
    sql`select o.locale, o.tax_included, o.discount_code, o.digital_consent_wording, o.payment_terms_days, ${hasGoods} as has_goods,
        case when o.exchange_of is not null then round(o.exchange_credit, scale(o.total))::text end as exchange_credit,
        ${amountReceived} as amount_received, o.retained, o.disputed, o.credited, o.released::text, ${overpaidParts} as overpaid, (
        select t.bank_details from site_settings t where t.site_id = o.site_id) as bank_details,
        exists (select from payment_accounts a where a.site_id = o.site_id) as has_payment_account, exists (
        select from payments p where p.site_id = o.site_id and p.order_id = o.id and p.purpose = 'amount_due'
          and p.status in ('pending', 'authorized')) as is_processing, ${taxedParts} as taxed, (
        select coalesce(json_agg(json_build_object('amount', r.amount::text, 'status', coalesce(m.status, 'succeeded'),
          'refunded_at', iso(coalesce(m.updated_at, r.created_at))) order by r.created_at, r.id), '[]')
        from refunds r left join payment_moves m on m.site_id = r.site_id and m.id = r.id
        where r.site_id = o.site_id and r.order_id = o.id) as refunds
      from orders o where o.site_id = ${shop.siteId} and o.id = ${id}`,
  );
  if (!terms) throw new Error(`Order ${id} was not found.`);
  const { taxed, refunds, amount_received, retained, disputed, credited, released, overpaid, ...others } = terms;
  const { bank_details, has_payment_account, is_processing, ...rest } = others;
  const money = { amount_received, retained, disputed, credited, released, overpaid, refunds };
  return {
    ...order,
    ...rest,
    amount_received,
    tax_lines: taxLinesOf(taxed, shop.currencyDigits),
    refund_due: refundDue({ ...order, ...money }, shop.currencyDigits, { lessPending: true }),
    due: dueOf(order, amountDue({ ...order, ...money }, shop.currencyDigits), {
      bank_details,
      has_payment_account,
      is_processing,
    }),
    refunds: refunds.filter(({ status }) => status !== 'failed'),
  };
}

function dueOf(
  order: CustomerOrder,
  amount: string,
  { bank_details, ...online }: Pick<Terms, 'bank_details' | 'has_payment_account' | 'is_processing'>,
): ShownDue | null {
  if (!isSettled(order.payment_status) || !/[1-9]/.test(amount)) return null;
  if (!bank_details) return { amount, instructions: null, ...online };
  const { account_holder, iban, bic = null, bank_name = null, instructions = null } = bank_details;
  const { order_number: reference, currency } = order;
  return {
    ...online,
    amount,
    instructions: { account_holder, iban, bic, bank_name, instructions, reference, amount, currency, due_at: null },
  };
}
