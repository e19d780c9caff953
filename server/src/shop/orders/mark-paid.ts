import type { MarkPaidResult } from '@commerce-backend/spec';
import { ShopError } from '../errors.ts';
import { canonicalAmount, decimal, minorUnits } from '../money.ts';
import type { Shop } from '../shop.ts';
import { awaitsTransfer, confirmPayment, type LockedOrder, lockOrdersNumbered, TRANSFER_ARRIVED } from './orders.ts';
import { dueOf, recordEntry, recordedAmong } from './payments.ts';

export interface Arrived {
  order_number: string;
  /** Decimal string that must equal the order's total; not compared if missing. */
  amount?: string;
  /** Decimal string that arrived, for an order on payment terms. */
  received?: string;
  /** The entry of a bank statement. */
  entry?: string;
}

type Row = MarkPaidResult['results'][number];
type Outcome = Pick<Row, 'status' | 'reason' | 'message'>;

interface Marking {
  shop: Shop;
  dry_run: boolean;
  statement_run_id: string | undefined;
  /** What is left to pay of each order, in minor units. Rows of the call lower it. */
  due: Map<string, number>;
  /** The orders of earlier rows. */
  seen: Set<string>;
  /** The recorded entries of bank statements, with those of earlier rows. */
  entries: Set<string>;
}

/**
 * Marks up to 100 orders as paid by the rules of `markPaid`, and records payments for orders on payment terms and for
 * exchanges. A rejected row does not stop the others. A `dry_run` writes nothing. Throws a ValidationError for an amount with more decimals than
 * the currency, and the error of `requirePayments` if an order takes part payments.
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
  if (locked.some(takesParts)) requirePayments();
  const byNumber = new Map(locked.map((order) => [order.order_number, order]));
  const due = await dueOf(
    shop,
    locked.map(({ id }) => id),
  );
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
  for (const [index, { order_number, entry }] of orders.entries()) {
    const order = byNumber.get(order_number);
    const row = { amount: amounts[index], received: received[index], entry };
    const outcome =
      order && takesParts(order) ? await payPart(marking, order, row) : await payWhole(marking, order, row);
    marking.seen.add(order?.id ?? order_number);
    results.push({ index, order_number, order_id: order?.id ?? null, ...outcome });
  }
  const count = (status: Row['status']) => results.filter((row) => row.status === status).length;
  const counts = {
    ...{ paid: count('paid'), recorded: count('recorded') },
    ...{ unchanged: count('unchanged'), failed: count('failed') },
  };
  return { dry_run, counts, results };
}

/** Whether payments add up: for an order on payment terms, and for an exchange, which the returned pieces pay in part. */
function takesParts({ payment_terms_days, exchange_of }: LockedOrder): boolean {
  return payment_terms_days !== null || exchange_of !== null;
}

interface Given {
  amount: number | undefined;
  received: number | undefined;
  entry: string | undefined;
}

const UNCHANGED: Outcome = { status: 'unchanged', reason: null, message: null };

function failed(reason: Row['reason'], message: string): Outcome {
  return { status: 'failed', reason, message };
}

/** Records a payment for an order that takes part payments: the given amount, at most what is due, or all of it. */
async function payPart(
  { shop, dry_run, due, entries }: Marking,
  order: LockedOrder,
  { received, amount = received, entry }: Given,
): Promise<Outcome> {
  const left = due.get(order.id) ?? 0;
  if (entry !== undefined && entries.has(entry)) return UNCHANGED;
  if (order.status === 'cancelled') return failed('payment_not_awaiting', 'The order is cancelled.');
  if (left <= 0) return amount === undefined ? UNCHANGED : failed('amount_differs', 'Nothing is due any more.');
  const minor = amount ?? left;
  if (minor > left || minor === 0) {
    const money = (value: number) => `${decimal(value, shop.currencyDigits)} ${shop.currency}`;
    return failed('amount_differs', `The amount due is ${money(left)}, not ${money(minor)}.`);
  }
  if (!dry_run && !(await recordEntry(shop, order, { minor, entry }))) return UNCHANGED;
  if (entry !== undefined) entries.add(entry);
  due.set(order.id, left - minor);
  return { status: 'recorded', reason: null, message: null };
}

async function payWhole(marking: Marking, order: LockedOrder | undefined, { amount }: Given): Promise<Outcome> {
  const { shop, dry_run, statement_run_id, due, seen } = marking;
  if (!order) return failed('not_found', 'There is no order with this number.');
  if (seen.has(order.id)) return failed('duplicate', 'The order is already in an earlier row.');
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
