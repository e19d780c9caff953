/**
 * Matches the transfers of a bank statement with orders, by the order number in the payer's text and by the total.
 * Staff must check doubtful ones. Writes nothing; `markSeveralPaid` locks and checks each order again.
 */

import type { PaymentMethod, PaymentStatus, TransferMatches } from '@commerce-backend/spec';
import sql from 'sql-template-tag';
import { withoutHidden } from '../hidden-characters.ts';
import { current } from '../orders/overdue.ts';
import type { Shop } from '../shop.ts';
import { readBankCsv } from './bank-csv.ts';
import { readCamt } from './camt.ts';
import { type Transfer, unreadable } from './transfer.ts';

type Row = TransferMatches['transfers'][number];
type Outcome = Row['outcome'];

const MOST_TRANSFERS = 2_000;

export async function matchStatement(shop: Shop, statement: string): Promise<TransferMatches> {
  const text = withoutHidden(statement.replaceAll(/\r\n?/g, '\n'), { lines: true });
  if (text.trim() === '') throw unreadable('The statement is empty.');
  const format = text.trimStart().startsWith('<') ? 'camt.053' : 'csv';
  const read = format === 'csv' ? readBankCsv : readCamt;
  const { transfers, left_out } = read(text, shop.currency);
  if (transfers.length > MOST_TRANSFERS) {
    throw unreadable(`The statement has more than ${MOST_TRANSFERS} incoming transfers. Export fewer days at a time.`);
  }
  const rows = match(transfers, await ordersNamed(shop, transfers), shop.currency);
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
  /** The amount of payments recorded since the order expired. */
  recorded: string;
}

function ordersNamed(shop: Shop, transfers: Transfer[]): Promise<Payable[]> {
  const words = [...new Set(transfers.flatMap(({ text }) => wordsOf(text)))];
  return shop.rows<Payable>(
    sql`select o.id, o.order_number, o.total, o.currency, ${current.payment_status} as payment_status, o.payment_method,
        o.email, case when o.payment_status = 'expired' then coalesce(o.captured, 0) else 0 end as recorded
      from orders o where o.site_id = ${shop.siteId} and o.order_number = any(${words}::text[])`,
  );
}

const LONGEST_TEXT = 1_000;
const MOST_WORDS = 100;

/**
 * Possible order numbers in a text: digits on their own or after letters, as in RE1001, but not within longer numbers.
 */
function wordsOf(text: string): string[] {
  const read = text.slice(0, LONGEST_TEXT);
  const words = new Set([...(read.match(/\d+/g) ?? []), ...read.split(/[^\p{L}\p{N}_-]+/u)]);
  return [...words].filter(Boolean).slice(0, MOST_WORDS);
}

/** Matches the transfers in their order. Each order is matched only once. */
export function match(transfers: Transfer[], orders: Payable[], shopCurrency: string): Row[] {
  const byNumber = new Map(orders.map((order) => [order.order_number, order]));
  const taken = new Set<string>();
  return transfers.map((transfer) => {
    const named = wordsOf(transfer.text).flatMap((word) => byNumber.get(word) ?? []);
    const { outcome, shown, message } = judged(transfer, named, taken, shopCurrency);
    if (outcome === 'matched') for (const { id } of shown) taken.add(id);
    const { payer, text, doubt: _doubt, ...rest } = transfer;
    return {
      ...{ ...rest, payer: payer.slice(0, LONGEST_PAYER), text: text.slice(0, LONGEST_TEXT), outcome, message },
      orders: shown.slice(0, MOST_SHOWN).map(({ payment_method: _, recorded: _recorded, ...order }) => order),
    };
  });
}

const LONGEST_PAYER = 255;
const MOST_SHOWN = 20;

interface Judgement {
  outcome: Outcome;
  shown: Payable[];
  message: string | null;
}

function judged(transfer: Transfer, named: Payable[], taken: Set<string>, shopCurrency: string): Judgement {
  if (transfer.doubt !== null) return { outcome: 'check_by_hand', shown: named, message: transfer.doubt };
  if (named.length === 0) return { outcome: 'no_order', shown: [], message: 'The text contains no order number.' };
  const equal = named.filter(
    ({ total, currency }) =>
      Number(transfer.amount) === Number(total) && (transfer.currency ?? shopCurrency) === currency,
  );
  const fitting = equal.filter(awaits);
  const [only, ...others] = fitting;
  if (others.length > 0)
    return { outcome: 'several_orders', shown: fitting, message: 'It matches more than one order.' };
  if (only && taken.has(only.id)) {
    return { outcome: 'matched_before', shown: [only], message: 'An earlier transfer already pays this order.' };
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

function awaits({ payment_method, payment_status }: Payable): boolean {
  return payment_method === 'bank_transfer' && payment_status === 'awaiting_payment';
}

function isExpired({ payment_method, payment_status }: Payable): boolean {
  return payment_method === 'bank_transfer' && payment_status === 'expired';
}

/**
 * The result for an expired order. If its payment is already recorded, it is not offered again when the same statement
 * is sent twice.
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
    .map(({ order_number, total, currency }) => `The total of order ${order_number} is ${total} ${currency}.`);
  return sentences.join(' ');
}
