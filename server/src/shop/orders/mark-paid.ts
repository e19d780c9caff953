import type { MarkPaidResult } from '@commerce-backend/spec';
import { ShopError } from '../errors.ts';
import { canonicalAmount, decimal, minorUnits } from '../money.ts';
import type { Shop } from '../shop.ts';
import { awaitsTransfer, confirmPayment, type LockedOrder, lockOrdersNumbered, TRANSFER_ARRIVED } from './orders.ts';
import { dueOf, recordEntry, recordedAmong } from './payments.ts';
import { isSettled } from './states.ts';

export interface Arrived {
  order_number: string;
  /**
   * Decimal string, optional. If the row marks the whole order as paid, it must equal the amount due; otherwise it is
   * the amount to record.
   */
  amount?: string;
  /** The amount that arrived, checked by staff, as a decimal string. */
  received?: string;
  /** Identifies the entry of a bank statement. */
  entry?: string;
}

type Row = MarkPaidResult['results'][number];
type Outcome = Pick<Row, 'status' | 'reason' | 'message'>;

interface Marking {
  shop: Shop;
  dry_run: boolean;
  statement_run_id: string | undefined;
  /** The amount due of each order, in minor units. Each processed row reduces it. */
  due: Map<string, number>;
  /** The orders of earlier rows. */
  seen: Set<string>;
  /** The recorded entries of bank statements, including the entries of earlier rows. */
  entries: Set<string>;
}

/**
 * Marks up to 100 orders as paid by the rules of `markPaid`. For orders on payment terms, paid in parts, overpaid, or
 * paid with an amount due, it records a payment instead. A rejected row does not stop the others. A `dry_run` writes
 * nothing. Throws a ValidationError for an amount with more decimals than the currency, and the error of
 * `requirePayments` if the caller may not record payments.
 */
export async function markSeveralPaid(
  shop: Shop,
  { orders, statement_run_id, dry_run = false }: { orders: Arrived[]; statement_run_id?: string; dry_run?: boolean },
  requirePayments: () => void,
): Promise<MarkPaidResult> {
  const digits = shop.currencyDigits;
  const amountsIn = (field: 'amount' | 'received') =>
    orders.map(({ [field]: amount }, i) =>
      amount === undefined
        ? undefined
        : minorUnits(canonicalAmount(amount, digits, ['body', 'orders', i, field]), digits),
    );
  const [amounts, received] = [amountsIn('amount'), amountsIn('received')];
  const locked = await lockOrdersNumbered(
    shop,
    orders.map(({ order_number }) => order_number),
  );
  const byNumber = new Map(locked.map((order) => [order.order_number, order]));
  const due = await dueOf(
    shop,
    locked.map(({ id }) => id),
  );
  const rows = orders.map(({ order_number, entry }, i): Given => {
    const order = byNumber.get(order_number);
    const given = { order, amount: amounts[i], received: received[i], entry };
    return { ...given, inParts: order !== undefined && isPart(shop, order, due.get(order.id) ?? 0, given) };
  });
  if (rows.some(({ inParts }) => inParts)) requirePayments();
  const marking = {
    shop,
    dry_run,
    statement_run_id,
    due,
    seen: new Set<string>(),
    entries: await recordedAmong(
      shop,
      orders.flatMap(({ entry }) => entry ?? []),
    ),
  };
  const results: Row[] = [];
  for (const [index, { order_number }] of orders.entries()) {
    const row = rows[index];
    const order = row?.order;
    const outcome = row && order ? await pay(marking, order, row) : UNKNOWN;
    if (order) marking.seen.add(order.id);
    results.push({ index, order_number, order_id: order?.id ?? null, ...outcome });
  }
  const count = (status: Row['status']) => results.filter((row) => row.status === status).length;
  const counts = {
    ...{ paid: count('paid'), recorded: count('recorded') },
    ...{ unchanged: count('unchanged'), failed: count('failed') },
  };
  return { dry_run, counts, results };
}

function isOnTerms({ payment_terms_days }: LockedOrder): boolean {
  return payment_terms_days !== null;
}

/**
 * Whether the row records a payment instead of marking the whole order as paid. It does for orders on payment terms. It
 * does for the amount due of a paid order, unless the row has no amount or only repeats the price of the order. It also
 * does for a checked entry that exceeds the amount due or follows an earlier payment.
 */
function isPart(
  shop: Shop,
  order: LockedOrder,
  left: number,
  { amount, received, entry }: Omit<Given, 'inParts'>,
): boolean {
  if (isOnTerms(order)) return true;
  const { status, payment_status, payment_method, captured, total, credited } = order;
  if (isSettled(payment_status) && status !== 'cancelled' && left > 0) {
    const price = minorUnits(total, shop.currencyDigits) - minorUnits(credited, shop.currencyDigits);
    return received !== undefined || (amount !== undefined && (amount === left || amount !== price));
  }
  const isAwaited = payment_method === 'bank_transfer' && payment_status === 'awaiting_payment';
  return isAwaited && entry !== undefined && received !== undefined && (captured !== null || received > left);
}

interface Given {
  order: LockedOrder | undefined;
  /** Whether the row records a payment. */
  inParts: boolean;
  amount: number | undefined;
  received: number | undefined;
  entry: string | undefined;
}

const UNCHANGED: Outcome = { status: 'unchanged', reason: null, message: null };

const UNKNOWN = failed('not_found', 'There is no order with this number.');

function failed(reason: Row['reason'], message: string): Outcome {
  return { status: 'failed', reason, message };
}

function pay(marking: Marking, order: LockedOrder, row: Given): Promise<Outcome> | Outcome {
  if (row.entry !== undefined && marking.entries.has(row.entry)) return UNCHANGED;
  if (!isOnTerms(order) && marking.seen.has(order.id))
    return failed('duplicate', 'The order is already in an earlier row.');
  return row.inParts ? payPart(marking, order, row) : payWhole(marking, order, row);
}

/**
 * Records a payment of the given amount, or of the whole amount due. Only an entry that staff have checked may exceed
 * the amount due, because each entry is recorded once. An unchecked amount must equal the amount due if the order is
 * paid.
 */
async function payPart(
  { shop, dry_run, due, entries }: Marking,
  order: LockedOrder,
  { amount, received, entry }: Given,
): Promise<Outcome> {
  const left = due.get(order.id) ?? 0;
  if (order.status === 'cancelled') return failed('payment_not_awaiting', 'The order is cancelled.');
  const minor = amount ?? received ?? left;
  if (left <= 0) return minor === left ? UNCHANGED : failed('amount_differs', 'Nothing is due any more.');
  const isExcess = minor > left && (received === undefined || entry === undefined);
  const isOther = amount !== undefined && isSettled(order.payment_status) && minor !== left;
  if (isExcess || isOther || minor === 0) {
    const money = (value: number) => `${decimal(value, shop.currencyDigits)} ${shop.currency}`;
    return failed('amount_differs', `The amount due is ${money(left)}, not ${money(minor)}.`);
  }
  if (!dry_run && !(await recordEntry(shop, order, { minor, entry }))) return UNCHANGED;
  if (entry !== undefined) entries.add(entry);
  due.set(order.id, Math.max(0, left - minor));
  return { status: 'recorded', reason: null, message: null };
}

async function payWhole(marking: Marking, order: LockedOrder, { amount }: Given): Promise<Outcome> {
  const { shop, dry_run, statement_run_id, due } = marking;
  const outcome = judge(shop, order, due.get(order.id) ?? 0, amount);
  if (outcome.status === 'paid' && !dry_run) await confirmPayment(shop, order, TRANSFER_ARRIVED, statement_run_id);
  return outcome;
}

function judge(shop: Shop, order: LockedOrder, due: number, amount: number | undefined): Outcome {
  const digits = shop.currencyDigits;
  try {
    const awaits = awaitsTransfer(order);
    const wanted = awaits ? due : minorUnits(order.total, digits) - minorUnits(order.credited, digits);
    if (amount !== undefined && amount !== wanted) {
      const words = `The order total is ${decimal(wanted, digits)} ${shop.currency}, not ${decimal(amount, digits)}.`;
      return failed('amount_differs', words);
    }
    return awaits ? { status: 'paid', reason: null, message: null } : UNCHANGED;
  } catch (error) {
    if (!(error instanceof ShopError)) throw error;
    return failed(error.code === 'not_bank_transfer' ? 'not_bank_transfer' : 'payment_not_awaiting', error.message);
  }
}
