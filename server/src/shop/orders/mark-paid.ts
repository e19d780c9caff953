import type { MarkPaidResult } from '@commerce-backend/spec';
import { ShopError } from '../errors.ts';
import { canonicalAmount, decimal, minorUnits } from '../money.ts';
import type { Shop } from '../shop.ts';
import { awaitsTransfer, confirmPayment, type LockedOrder, lockOrdersNumbered, TRANSFER_ARRIVED } from './orders.ts';

export interface Arrived {
  order_number: string;
  /** Decimal string that must equal the order's total; not compared if missing. */
  amount?: string;
}

type Row = MarkPaidResult['results'][number];

/**
 * Marks up to 100 orders as paid by the rules of `markPaid`. A rejected row does not stop the others. A `dry_run`
 * writes nothing. Throws a ValidationError for an amount with more decimals than the currency.
 */
export async function markSeveralPaid(
  shop: Shop,
  { orders, statement_run_id, dry_run = false }: { orders: Arrived[]; statement_run_id?: string; dry_run?: boolean },
): Promise<MarkPaidResult> {
  const digits = shop.currencyDigits;
  const amounts = orders.map(({ amount }, i) =>
    amount === undefined
      ? undefined
      : minorUnits(canonicalAmount(amount, digits, ['body', 'orders', i, 'amount']), digits),
  );
  const locked = await lockOrdersNumbered(
    shop,
    orders.map(({ order_number }) => order_number),
  );
  const byNumber = new Map(locked.map((order) => [order.order_number, order]));
  const results: Row[] = [];
  const seen = new Set<string>();
  for (const [index, { order_number }] of orders.entries()) {
    const order = byNumber.get(order_number);
    const outcome = seen.has(order_number) ? DUPLICATE : outcomeOf(shop, order, amounts[index]);
    seen.add(order_number);
    if (order && outcome.status === 'paid' && !dry_run) {
      await confirmPayment(shop, order, TRANSFER_ARRIVED, statement_run_id);
    }
    results.push({ index, order_number, order_id: order?.id ?? null, ...outcome });
  }
  const count = (status: Row['status']) => results.filter((row) => row.status === status).length;
  return { dry_run, counts: { paid: count('paid'), unchanged: count('unchanged'), failed: count('failed') }, results };
}

type Outcome = Pick<Row, 'status' | 'reason' | 'message'>;

const DUPLICATE = failed('duplicate', 'The order is already in an earlier row.');

function failed(reason: Row['reason'], message: string): Outcome {
  return { status: 'failed', reason, message };
}

function outcomeOf(shop: Shop, order: LockedOrder | undefined, amount: number | undefined): Outcome {
  if (!order) return failed('not_found', 'There is no order with this number.');
  const digits = shop.currencyDigits;
  try {
    const awaits = awaitsTransfer(order);
    const due = minorUnits(order.total, digits) - minorUnits(order.credited, digits);
    if (amount !== undefined && amount !== due) {
      const words = `The order total is ${decimal(due, digits)} ${shop.currency}, not ${decimal(amount, digits)}.`;
      return failed('amount_differs', words);
    }
    return { status: awaits ? 'paid' : 'unchanged', reason: null, message: null };
  } catch (error) {
    if (!(error instanceof ShopError)) throw error;
    return failed(error.code === 'not_bank_transfer' ? 'not_bank_transfer' : 'payment_not_awaiting', error.message);
  }
}
