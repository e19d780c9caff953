import { unwrap } from '@commerce-backend/sdk';
import { api, type Schemas } from '../../../api.ts';

export type Matches = Schemas['TransferMatches'];
export type OrderOfRow = Matches['transfers'][number]['orders'][number];

/** A bank transfer and the order that the user has assigned to it, if any. */
export interface Row {
  id: string;
  transfer: Matches['transfers'][number];
  assigned?: OrderOfRow;
  /** The expired order for which the payment was recorded. */
  recorded?: OrderOfRow;
}

export function rowsOf({ transfers }: Matches): Row[] {
  return transfers.map((transfer, i) => ({ id: String(i), transfer }));
}

/** The order that the transfer will mark as paid; undefined while the user still has to check it. */
export function orderToMark({ transfer, assigned }: Row): OrderOfRow | undefined {
  return assigned ?? (transfer.outcome === 'matched' ? transfer.orders[0] : undefined);
}

export interface Marked {
  run_id: string;
  paid: OrderOfRow[];
  /** The orders for which a payment was recorded, such as those on payment terms. */
  recorded: OrderOfRow[];
  refused: string[];
}

/** Maximum number of orders per call. */
const MOST = 100;

/**
 * Marks the orders of all rows as paid. For automatic matches, the server compares amount and total again. For assigned
 * transfers, the user has checked the amount.
 */
export async function markAll(rows: Row[]): Promise<Marked> {
  const marked: Marked = { run_id: crypto.randomUUID(), paid: [], recorded: [], refused: [] };
  const toMark = rows.flatMap((row) => markRowOf(row) ?? []);
  for (let at = 0; at < toMark.length; at += MOST) {
    const some = toMark.slice(at, at + MOST);
    const orders = some.map(({ order, ...rest }) => ({ order_number: order.order_number, ...rest }));
    const body = { orders, statement_run_id: marked.run_id };
    const { results } = await unwrap(api.POST('/api/dashboard/orders/mark-paid', { body }));
    for (const { index, order_number, status, message } of results) {
      const order = some[index]?.order;
      if (status === 'paid' && order) marked.paid.push(order);
      if (status === 'recorded' && order) marked.recorded.push(order);
      if (status === 'failed') marked.refused.push(`${order_number}: ${message}`);
    }
  }
  return marked;
}

interface MarkRow {
  order: OrderOfRow;
  entry: string;
  amount?: string;
  received?: string;
}

/** The amount of an assigned transfer is only sent if the server could read it. */
function markRowOf(row: Row): MarkRow | undefined {
  const order = orderToMark(row);
  const { amount, entry } = row.transfer;
  if (!order) return undefined;
  if (!row.assigned) return { order, entry, amount };
  return { order, entry, ...(isAmount(row.transfer, order) && { received: amount }) };
}

/** Whether the server could read the amount of the transfer, in the currency of the order. */
function isAmount({ amount, currency }: Row['transfer'], order: OrderOfRow): boolean {
  return /^(?:0|[1-9]\d{0,11})(?:\.\d{1,3})?$/.test(amount) && (currency ?? order.currency) === order.currency;
}
