/**
 * Matches the transfers of a bank statement to orders, by the order or invoice number in the payer's text and by the
 * amount. Staff must check doubtful matches. Writes nothing; `markSeveralPaid` locks and checks each order again.
 */

import type { PaymentMethod, PaymentStatus, TransferMatches } from '@commerce-backend/spec';
import sql, { type Sql } from 'sql-template-tag';
import { withoutHidden } from '../hidden-characters.ts';
import { current } from '../orders/overdue.ts';
import { recordedAmong } from '../orders/payments.ts';
import { amountReceived, leftToPay } from '../orders/received.ts';
import { isSettled } from '../orders/states.ts';
import type { Shop } from '../shop.ts';
import { readBankCsv } from './bank-csv.ts';
import { type Transfer, unreadable } from './transfer.ts';

type Row = TransferMatches['transfers'][number];
type Outcome = Row['outcome'];

const MOST_TRANSFERS = 2_000;

export async function matchStatement(shop: Shop, statement: string): Promise<TransferMatches> {
  const text = withoutHidden(statement.replaceAll(/\r\n?/g, '\n'), { lines: true });
  if (text.trim() === '') throw unreadable('The statement is empty.');
  const format = text.trimStart().startsWith('<') ? 'camt.053' : 'csv';
  // Loads the XML parser only for CAMT files.
  const read = format === 'csv' ? readBankCsv : (await import('./camt.ts')).readCamt;
  const { transfers, left_out } = read(text, shop.currency);
  if (transfers.length > MOST_TRANSFERS) {
    throw unreadable(`The statement has more than ${MOST_TRANSFERS} incoming transfers. Export fewer days at a time.`);
  }
  const entries = await recordedAmong(
    shop,
    transfers.map(({ entry }) => entry),
  );
  const rows = match(transfers, await ordersNamed(shop, transfers), { currency: shop.currency, entries });
  const counts = { ...NONE };
  for (const { outcome } of rows) counts[outcome] += 1;
  return { format, counts, left_out, transfers: rows };
}

const NONE: Record<Outcome, number> = {
  matched: 0,
  already_paid: 0,
  amount_differs: 0,
  several_orders: 0,
  matched_before: 0,
  not_awaiting: 0,
  no_order: 0,
  late: 0,
  check_by_hand: 0,
};

export interface Payable {
  id: string;
  order_number: string;
  total: string;
  currency: string;
  payment_status: PaymentStatus;
  payment_method: PaymentMethod | null;
  email: string | null;
  /** The sum of the payments recorded for an expired order; 0 for other orders. */
  recorded: string;
  /**
   * The amount left to pay of an order on payment terms, or of a paid order with an amount due; null for other orders.
   */
  due: string | null;
  /** Whether the order has payment terms, so that a transfer may pay a part of it. */
  in_parts: boolean;
  /**
   * The amounts of payments that are recorded without a statement entry: payments that staff recorded by hand, and a
   * transfer that paid the whole order. A transfer of the statement may be one of them.
   */
  known: string[];
  /**
   * The amount of a transfer that pays the whole order: the amount left to pay if the order awaits payment, otherwise
   * the total.
   */
  wanted: string;
  /** Numbers of the order's invoices and credit notes that occur in the texts of transfers. */
  documents: string[];
}

function ordersNamed(shop: Shop, transfers: Transfer[]): Promise<Payable[]> {
  const words = [...new Set(transfers.flatMap(({ text }) => wordsOf(text)))];
  const ofWords = sql`d.site_id = ${shop.siteId} and d.number = any(${words}::text[])`;
  return shop.rows<Payable>(
    sql`select o.id, o.order_number, o.total, o.currency, ${current.payment_status} as payment_status, o.payment_method,
        o.email, case when o.payment_status = 'expired' then coalesce(o.captured, 0) else 0 end as recorded,
        case when o.status = 'cancelled' then null
          when o.payment_terms_days is not null or (${isPaid} and ${leftToPay} > 0) then ${leftToPay} end as due,
        o.payment_terms_days is not null as in_parts, ${paymentsWithoutEntry} as known,
        case when o.payment_status = 'awaiting_payment' then ${leftToPay} else o.total end as wanted,
        array(select d.number from documents d where ${ofWords} and d.order_id = o.id) as documents
      from orders o where o.site_id = ${shop.siteId} and o.id in (
        select n.id from orders n where n.site_id = ${shop.siteId} and n.order_number = any(${words}::text[])
        union
        select d.order_id from documents d where ${ofWords})`,
  );
}

const isPaid: Sql = sql`o.payment_status in ('paid', 'partially_refunded', 'refunded')`;

const paymentsWithoutEntry: Sql = sql`array(
    select p.amount::text from order_payments p
    where p.site_id = o.site_id and p.order_id = o.id and p.entry is null and p.payment_id is null
    union all
    select (${amountReceived} - coalesce((
      select sum(p.amount) from order_payments p where p.site_id = o.site_id and p.order_id = o.id), 0))::text
    where o.payment_method = 'bank_transfer' and ${isPaid})`;

const LONGEST_TEXT = 1_000;
const MOST_WORDS = 100;

/**
 * Returns the possible order and invoice numbers in a text: each group of digits, each word, such as RE1001, and each
 * word with the characters / and . that the prefix of an invoice number may contain.
 */
function wordsOf(text: string): string[] {
  const read = text.slice(0, LONGEST_TEXT);
  const words = new Set([
    ...(read.match(/\d+/g) ?? []),
    ...read.split(/[^\p{L}\p{N}_-]+/u),
    ...read.split(/[^0-9A-Za-z/_.-]+/).map((word) => word.replace(/[/_.-]+$/, '')),
  ]);
  return [...words].filter(Boolean).slice(0, MOST_WORDS);
}

/**
 * Returns the groups of digits in a text that are not part of a date or an invoice number, such as 2026 in INV-2026-17.
 */
function separateDigits(text: string): Set<string> {
  return new Set(text.slice(0, LONGEST_TEXT).match(/(?<!\d|\d[./-])\d+(?!\d|[./-]\d)/g));
}

/** An order that the text of a transfer mentions by its number or by an invoice number. */
interface Named extends Payable {
  /**
   * Whether the order's number occurs only as part of a date or of another number. The transfer must then have exactly
   * the amount due.
   */
  vague: boolean;
}

function namedIn(text: string, byNumber: Map<string, Payable>): Named[] {
  const separate = separateDigits(text);
  const named = new Map<string, Named>();
  for (const word of wordsOf(text)) {
    const order = byNumber.get(word);
    if (!order) continue;
    const vague = /^\d+$/.test(word) && !separate.has(word);
    named.set(order.id, { ...order, vague: vague && (named.get(order.id)?.vague ?? true) });
  }
  return [...named.values()];
}

/** Data for the matching, in addition to the transfers and orders. */
interface Known {
  currency: string;
  /** The entries of bank statements that are already recorded. */
  entries: ReadonlySet<string>;
}

/**
 * Matches the transfers in the order of the statement. Matches each order at most once, except that an order on payment
 * terms can be matched until nothing is due.
 */
export function match(transfers: Transfer[], orders: Payable[], known: Known): Row[] {
  const byNumber = new Map(
    orders.flatMap((order) => [...order.documents, order.order_number].map((number) => [number, order])),
  );
  const taken = new Map<string, number>();
  return transfers.map((transfer) => {
    const named = namedIn(transfer.text, byNumber);
    const { outcome, shown, message } = known.entries.has(transfer.entry)
      ? { outcome: 'already_paid' as const, shown: named, message: 'This entry is already recorded.' }
      : judged(transfer, named, taken, known.currency);
    if (outcome === 'matched') {
      for (const { id } of shown) taken.set(id, (taken.get(id) ?? 0) + Number(transfer.amount));
    }
    const { payer, text, doubt: _doubt, ...rest } = transfer;
    return {
      ...{ ...rest, payer: payer.slice(0, LONGEST_PAYER), text: text.slice(0, LONGEST_TEXT), outcome, message },
      orders: shown.slice(0, MOST_SHOWN).map(shownOf),
    };
  });
}

function shownOf({ id, order_number, total, currency, payment_status, email }: Payable): Row['orders'][number] {
  return { id, order_number, total, currency, payment_status, email };
}

const LONGEST_PAYER = 255;
const MOST_SHOWN = 20;

interface Judgement {
  outcome: Outcome;
  shown: Payable[];
  message: string | null;
}

type Taken = ReadonlyMap<string, number>;

function judged(transfer: Transfer, named: Named[], taken: Taken, shopCurrency: string): Judgement {
  if (transfer.doubt !== null) return { outcome: 'check_by_hand', shown: named, message: transfer.doubt };
  if (named.length === 0)
    return { outcome: 'no_order', shown: [], message: 'The text contains no number of an order or invoice.' };
  const amount = Number(transfer.amount);
  const equal = named.filter(
    (order) => (transfer.currency ?? shopCurrency) === order.currency && fits(amount, order, taken),
  );
  const fitting = equal.filter((order) => awaits(order, amount));
  const [only, ...others] = fitting;
  if (others.length > 0)
    return { outcome: 'several_orders', shown: fitting, message: 'It matches more than one order.' };
  if (only && !only.in_parts && taken.has(only.id)) {
    return { outcome: 'matched_before', shown: [only], message: 'An earlier transfer already pays this order.' };
  }
  // Not every payment is recorded with its entry, so this transfer may already have paid the other order.
  const isPaidOther = ({ id, payment_status }: Payable) => id !== only?.id && payment_status === 'paid';
  const settled = only && only.due !== null && equal.find(isPaidOther);
  if (settled) {
    const message = `It may have paid order ${settled.order_number}, which it names too.`;
    return { outcome: 'check_by_hand', shown: [only, settled], message };
  }
  if (only?.known.some((one) => Number(one) === amount)) {
    const message = `A payment of this amount is recorded for order ${only.order_number} already. It may be this one.`;
    return { outcome: 'check_by_hand', shown: [only], message };
  }
  if (only) return { outcome: 'matched', shown: [only], message: null };
  const [other] = equal;
  if (!other) return { outcome: 'amount_differs', shown: named, message: amountsOf(named) };
  const paid = equal.some(({ payment_status }) => payment_status === 'paid');
  if (paid) return { outcome: 'already_paid', shown: equal, message: `Order ${other.order_number} is already paid.` };
  const late = equal.filter(isExpired);
  const [expired] = late;
  if (expired && late.length === 1) return judgedLate(expired);
  return {
    outcome: 'not_awaiting',
    shown: equal,
    message: `Order ${other.order_number} is not awaiting a bank transfer.`,
  };
}

/** Tolerance for comparing sums of amounts: half of the smallest unit of any currency. */
const TOLERANCE = 0.0005;

/**
 * Whether the amount of a transfer fits an order: the wanted amount, the amount due, or the amount of an earlier
 * transfer. For an open order on payment terms, any amount up to the amount due fits.
 */
function fits(amount: number, named: Named, taken: Taken): boolean {
  const { id, wanted, due, in_parts, vague, known, payment_method, payment_status } = named;
  const earlier = payment_method === 'bank_transfer' && isSettled(payment_status) ? known : [];
  if (!in_parts || Number(due) === 0) return [wanted, due ?? wanted, ...earlier].some((one) => Number(one) === amount);
  const above = amount + (taken.get(id) ?? 0) - Number(due);
  return vague ? Math.abs(above) < TOLERANCE : above <= TOLERANCE;
}

function awaits({ payment_method, payment_status, due, in_parts }: Payable, amount: number): boolean {
  if (due !== null) return in_parts ? Number(due) > 0 : amount === Number(due);
  return payment_method === 'bank_transfer' && payment_status === 'awaiting_payment';
}

function isExpired({ payment_method, payment_status }: Payable): boolean {
  return payment_method === 'bank_transfer' && payment_status === 'expired';
}

/**
 * The result for an expired order. If a payment is recorded for it, the result is `already_paid`, so that the same
 * statement does not offer it again.
 */
function judgedLate(order: Payable): Judgement {
  const { order_number, recorded, currency } = order;
  if (Number(recorded) === 0) {
    return { outcome: 'late', shown: [order], message: `Order ${order_number} has expired.` };
  }
  const message = `Order ${order_number} has expired, and ${recorded} ${currency} are recorded for it.`;
  return { outcome: 'already_paid', shown: [order], message };
}

function amountsOf(orders: Payable[]): string {
  const sentences = orders
    .slice(0, 3)
    .map(({ order_number, total, currency, due, wanted }) =>
      due === null && wanted === total
        ? `The total of order ${order_number} is ${total} ${currency}.`
        : `${due ?? wanted} ${currency} are due for order ${order_number}.`,
    );
  return sentences.join(' ');
}
