/**
 * Matches the transfers of a bank statement with orders, by the order number in the payer's text and by the total.
 * Staff must check doubtful ones. Writes nothing; `markSeveralPaid` locks and checks each order again.
 */

import type { PaymentMethod, PaymentStatus, TransferMatches } from '@commerce-backend/spec';
import sql from 'sql-template-tag';
import { withoutHidden } from '../hidden-characters.ts';
import { current } from '../orders/overdue.ts';
import { recordedAmong } from '../orders/payments.ts';
import { leftToPay } from '../orders/received.ts';
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
  // Its XML parser is loaded on first use.
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
  /** The amount of payments recorded since the order expired. */
  recorded: string;
  /** What is left to pay of an order on payment terms; null for other orders. */
  due: string | null;
  /** What one transfer must pay: what is left of an order that awaits it, or else the total. */
  wanted: string;
}

function ordersNamed(shop: Shop, transfers: Transfer[]): Promise<Payable[]> {
  const words = [...new Set(transfers.flatMap(({ text }) => wordsOf(text)))];
  return shop.rows<Payable>(
    sql`select o.id, o.order_number, o.total, o.currency, ${current.payment_status} as payment_status, o.payment_method,
        o.email, case when o.payment_status = 'expired' then coalesce(o.captured, 0) else 0 end as recorded,
        case when o.payment_terms_days is not null and o.status <> 'cancelled' then ${leftToPay} end as due,
        case when o.payment_status = 'awaiting_payment' then ${leftToPay} else o.total end as wanted
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

/** What the matching needs to know besides the transfers and orders. */
interface Known {
  /** The shop's currency. */
  currency: string;
  /** The entries of bank statements that are already recorded. */
  entries: ReadonlySet<string>;
}

/** Matches the transfers in their order. Each order is matched once; one on payment terms as long as it has something due. */
export function match(transfers: Transfer[], orders: Payable[], known: Known): Row[] {
  const byNumber = new Map(orders.map((order) => [order.order_number, order]));
  const taken = new Map<string, number>();
  return transfers.map((transfer) => {
    const named = wordsOf(transfer.text).flatMap((word) => byNumber.get(word) ?? []);
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

function judged(transfer: Transfer, named: Payable[], taken: Taken, shopCurrency: string): Judgement {
  if (transfer.doubt !== null) return { outcome: 'check_by_hand', shown: named, message: transfer.doubt };
  if (named.length === 0) return { outcome: 'no_order', shown: [], message: 'The text contains no order number.' };
  const equal = named.filter(
    (order) => (transfer.currency ?? shopCurrency) === order.currency && fits(Number(transfer.amount), order, taken),
  );
  const fitting = equal.filter(awaits);
  const [only, ...others] = fitting;
  if (others.length > 0)
    return { outcome: 'several_orders', shown: fitting, message: 'It matches more than one order.' };
  if (only?.due === null && taken.has(only.id)) {
    return { outcome: 'matched_before', shown: [only], message: 'An earlier transfer already pays this order.' };
  }
  // The payment of another order keeps no entry, so this may be its transfer, uploaded again.
  const settled = only && only.due !== null && equal.find(({ payment_status }) => payment_status === 'paid');
  if (settled) {
    const message = `It may have paid order ${settled.order_number}, which it names too.`;
    return { outcome: 'check_by_hand', shown: [only, settled], message };
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

/** Half of the smallest unit of any currency. Sums of amounts are compared with it. */
const TOLERANCE = 0.0005;

/** Whether a transfer has the wanted amount or, for an open order on payment terms, at most what is due. */
function fits(amount: number, { id, wanted, due }: Payable, taken: Taken): boolean {
  if (due === null || Number(due) === 0) return amount === Number(wanted);
  return amount + (taken.get(id) ?? 0) <= Number(due) + TOLERANCE;
}

function awaits({ payment_method, payment_status, due }: Payable): boolean {
  if (due !== null) return Number(due) > 0;
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
    .map(({ order_number, total, currency, due, wanted }) =>
      due === null && wanted === total
        ? `The total of order ${order_number} is ${total} ${currency}.`
        : `${due ?? wanted} ${currency} are due for order ${order_number}.`,
    );
  return sentences.join(' ');
}
