import type { OrderImport } from '@commerce-backend/spec';
import { isMore } from './decimals.ts';
import { quoted, type RowReader } from './row-reader.ts';
import type { OrderColumn } from './shopify-order-columns.ts';

type Row = RowReader<OrderColumn>;
type Warn = (message: string) => void;

const TIME = /^(\d{4}-\d{2}-\d{2})[ T](\d{2}:\d{2})(?::(\d{2}))?(?:\.\d+)? ?(Z|UTC|[+-]\d{2}:?\d{2})?$/;

/** Parses a time to the contract's format. Undefined if the cell is blank or, with an error, invalid. */
export function timeOf(row: Row, column: OrderColumn): string | undefined {
  const cell = row.text(column);
  if (cell === '') return undefined;
  const [, day = '', minute = '', second = '00', zone = 'Z'] = TIME.exec(cell) ?? [];
  const offset = zone === 'UTC' ? 'Z' : zone.replace(/^([+-]\d{2}):?(\d{2})$/, '$1:$2');
  const time = new Date(`${day}T${minute}:${second}${offset}`);
  if (day !== '' && !Number.isNaN(time.getTime())) return time.toISOString();
  const words =
    'is not a time such as 2026-11-05 09:28:00 +0100. A spreadsheet has rewritten it: export the file again.';
  row.refuse(column, `${quoted(cell)} ${words}`);
  return undefined;
}

const PAYMENTS = {
  paid: 'paid',
  partially_refunded: 'partially_refunded',
  refunded: 'refunded',
  voided: 'voided',
  expired: 'expired',
  pending: 'pending',
  unpaid: 'pending',
  authorized: 'authorized',
  partially_paid: 'partially_paid',
} as const;

const TRANSFER = /transfer|deposit|überweisung|vorkasse|virement|prepayment|wire|money order|cheque|\bcheck\b/i;
const HANDOVER = /cash|\bcod\b|nachnahme|manual|pick-?up/i;
const CARD = /card|shopify[ _]payments|stripe|visa|mastercard|amex/i;

/** Payment and refunds of an order. */
export function paymentOf(row: Row, total: string, warn: Warn): Partial<OrderImport> {
  const status = row.word('financialStatus', PAYMENTS) ?? (isMore(total, '0') ? 'pending' : 'paid');
  const method = row.text('paymentMethod');
  const paid_at = timeOf(row, 'paidAt');
  const cancelled_at = timeOf(row, 'cancelledAt');
  const times = { ...(paid_at && { paid_at }), ...(cancelled_at && { cancelled_at, cancel_reason: 'other' as const }) };
  const refunded = refundedOf(row, total, warn);
  if (status === 'voided' || status === 'expired')
    return { payment_status: status, ...methodOf(method, total), ...times };
  if (status === 'pending' || status === 'authorized' || status === 'partially_paid') {
    return { ...unpaid(row, status, method, cancelled_at !== undefined, warn), ...times };
  }
  if (cancelled_at && status === 'paid' && !refunded && isMore(total, '0')) {
    const words = `cancelled, and the file has no refund: ${total} counts as due to the customer`;
    warn(`${row.header('refundedAmount')}: ${words}. If they were, record the refund here.`);
  }
  return {
    payment_status: settledStatus(row, status, refunded, warn),
    ...methodOf(method, total),
    ...times,
    ...(refunded && { refunds: [{ amount: refunded, ...(cancelled_at && { created_at: cancelled_at }) }] }),
  };
}

function methodOf(method: string, total: string): Pick<OrderImport, 'payment_method'> {
  if (!isMore(total, '0')) return { payment_method: 'free' };
  if (TRANSFER.test(method)) return { payment_method: 'bank_transfer' };
  if (HANDOVER.test(method)) return { payment_method: 'manual' };
  return CARD.test(method) ? { payment_method: 'card' } : {};
}

function unpaid(row: Row, status: string, method: string, cancelled: boolean, warn: Warn): Partial<OrderImport> {
  if (TRANSFER.test(method) && status === 'pending') {
    return { payment_status: cancelled ? 'voided' : 'awaiting_payment', payment_method: 'bank_transfer' };
  }
  if (!cancelled && (status !== 'pending' || !HANDOVER.test(method))) {
    const where = method === '' ? '' : ` by ${method}`;
    warn(
      `${row.header('financialStatus')}: ${status}${where}: the old shop settles it; here the order counts as paid on delivery.`,
    );
  }
  return { payment_status: 'pending', payment_method: 'manual' };
}

/** The refunded amount, limited to the total; undefined if nothing was refunded. */
function refundedOf(row: Row, total: string, warn: Warn): string | undefined {
  const refunded = row.money('refundedAmount');
  if (refunded === undefined || !isMore(refunded, '0')) return undefined;
  if (!isMore(refunded, total)) return refunded;
  warn(`${row.header('refundedAmount')}: ${refunded} is more than the total; ${total} is kept.`);
  return isMore(total, '0') ? total : undefined;
}

function settledStatus(
  row: Row,
  status: 'paid' | 'partially_refunded' | 'refunded',
  refunded: string | undefined,
  warn: Warn,
): OrderImport['payment_status'] {
  if (status !== 'partially_refunded' || refunded) return status;
  warn(`${row.header('financialStatus')}: partially refunded, and no column has the amount: it counts as paid.`);
  return 'paid';
}

const FULFILLMENTS = {
  fulfilled: 'fulfilled',
  partial: 'partial',
  partially_fulfilled: 'partial',
  unfulfilled: 'unfulfilled',
  restocked: 'unfulfilled',
  pending: 'unfulfilled',
  open: 'unfulfilled',
  in_progress: 'unfulfilled',
  on_hold: 'unfulfilled',
  scheduled: 'unfulfilled',
  request_declined: 'unfulfilled',
} as const;

interface ShippedLine {
  isShipped: boolean;
  line: { quantity: number };
}

/** The shipped items: all, none, or the lines marked as shipped. `extra` means that the last line is not shipped. */
export function shippingOf(row: Row, lines: ShippedLine[], extra: boolean, warn: Warn): Partial<OrderImport> {
  const status = row.word('fulfillmentStatus', FULFILLMENTS) ?? 'unfulfilled';
  const shipped_at = timeOf(row, 'fulfilledAt');
  if (status === 'unfulfilled') return { fulfillment_status: 'unfulfilled' };
  if (status === 'fulfilled') return { fulfillment_status: 'fulfilled', ...(shipped_at && { shipped_at }) };
  const items = lines.flatMap(({ isShipped, line }, line_item) =>
    isShipped ? [{ line_item, quantity: line.quantity }] : [],
  );
  if (items.length === lines.length && !extra)
    return { fulfillment_status: 'fulfilled', ...(shipped_at && { shipped_at }) };
  if (items.length > 0) return { fulfillments: [{ items, ...(shipped_at && { created_at: shipped_at }) }] };
  warn(`${row.header('fulfillmentStatus')}: a part was shipped, and no line is marked: it counts as not shipped.`);
  return { fulfillment_status: 'unfulfilled' };
}
