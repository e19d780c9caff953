import type { Command } from 'commander';
import { plain, show } from '../output.ts';
import type { Terminal } from '../terminal.ts';
import { isJson } from './options.ts';
import { buyerOf, changesOf, type Order, type OrderDetails, statusLines } from './order-view.ts';

/** Names an order in a question. */
export function headOf(order: OrderDetails): string {
  return plain(`Order ${order.order_number} of ${buyerOf(order)}: ${order.total} ${order.currency}`);
}

export interface Move {
  before: OrderDetails;
  order: Order;
  /** The state of the order after the command, such as `is paid`. */
  summary: string;
  /** The commands to run next. */
  next?: string;
  /** Additional fields for programs. */
  more?: object;
}

/** Shows an order as it is now, and the changes by the command. */
export function showChange({ before, order, summary, next, more }: Move, command: Command, terminal: Terminal): void {
  const changed = changesOf(before, order);
  show(terminal, isJson(command), { order, ...more, changed }, (paint) => {
    const already = Object.keys(changed).length === 0 && !more ? ' already; nothing was changed' : '';
    const head = `Order ${plain(order.order_number)} ${summary}${already}.`;
    return [head, statusLines(before, order, paint), ...(next ? [next] : [])].join('\n');
  });
}
