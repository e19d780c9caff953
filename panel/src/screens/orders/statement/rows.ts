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
  refused: string[];
}

/** Maximum number of orders per call. */
const MOST = 100;

/**
 * Marks the orders of all rows as paid. For automatic matches, the server compares amount and total again. For assigned
 * transfers, the user has checked the amount.
 */
export async function markAll(rows: Row[]): Promise<Marked> {
  const marked: Marked = { run_id: crypto.randomUUID(), paid: [], refused: [] };
  const toMark = rows.flatMap((row) => {
    const order = orderToMark(row);
    return order ? [{ order, ...(!row.assigned && { amount: order.total }) }] : [];
  });
  for (let at = 0; at < toMark.length; at += MOST) {
    const some = toMark.slice(at, at + MOST);
    const orders = some.map(({ order, ...rest }) => ({ order_number: order.order_number, ...rest }));
    const body = { orders, statement_run_id: marked.run_id };
    const { results } = await unwrap(api.POST('/api/dashboard/orders/mark-paid', { body }));
    for (const { index, order_number, status, message } of results) {
      const order = some[index]?.order;
      if (status === 'paid' && order) marked.paid.push(order);
      if (status === 'failed') marked.refused.push(`${order_number}: ${message}`);
    }
  }
  return marked;
}
