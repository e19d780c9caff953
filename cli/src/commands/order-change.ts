import type { Command } from 'commander';
import { plain, show } from '../output.ts';
import type { Terminal } from '../terminal.ts';
import { isJson } from './options.ts';
import { buyerOf, changesOf, type Order, type OrderDetails, statusLines } from './order-view.ts';

/** The order's description in a confirmation question. */
export function headOf(order: OrderDetails): string {
  return plain(`Order ${order.order_number} of ${buyerOf(order)}: ${order.total} ${order.currency}`);
}

export interface Move {
  before: OrderDetails;
  order: Order;
  /** The order's new state, such as `is paid`. */
  summary: string;
  /** Suggested next commands. */
  next?: string;
  /** Additional fields in the JSON output. */
  more?: object;
}

/** Shows an order after a command, with the fields that changed. */
export function showChange({ before, order, summary, next, more }: Move, command: Command, terminal: Terminal): void {
  const changed = changesOf(before, order);
  show(terminal, isJson(command), { order, ...more, changed }, (paint) => {
    const already = Object.keys(changed).length === 0 && !more ? ' already; nothing was changed' : '';
    const head = `Order ${plain(order.order_number)} ${summary}${already}.`;
    return [head, statusLines(before, order, paint), ...(next ? [next] : [])].join('\n');
  });
}
