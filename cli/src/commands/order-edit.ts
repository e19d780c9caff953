import { type DashboardClient, unwrap } from '@commerce-backend/sdk';
import type { OrderEditInput } from '@commerce-backend/spec';
import type { Command } from 'commander';
import { usageError } from '../errors.ts';
import { calls } from '../operations.ts';
import { plain, show } from '../output.ts';
import { confirm } from '../prompt.ts';
import { openSession } from '../session.ts';
import type { Terminal } from '../terminal.ts';
import { addYes, isJson, isUuid, repeated, type YesOption } from './options.ts';
import { headOf, showChange } from './order-change.ts';
import { findOrder, type OrderDetails } from './order-view.ts';
import { shippingOptionIdOf } from './shipping-option-id.ts';
import { variantIdOf } from './variant-id.ts';

interface EditOptions extends YesOption {
  add?: string[];
  set?: string[];
  shippingOption?: string;
  dryRun?: true;
}

const EXAMPLES = `
ORDER is an order number or an id of an order with items that have not shipped. The command shows the new total and asks before
it edits the order; programs agree with --yes. The customer is notified by mail.

Examples:
  $ commerce orders edit 1001 --add MUG-2=1 --dry-run
  $ commerce orders edit 1001 --set MUG-1=0 --add MUG-2=1   another product instead
  $ commerce orders edit 1001 --shipping-option Express --yes`;

/** `orders edit`: changes the items and the shipping of an order before it ships. */
export function addOrderEdit(orders: Command, terminal: Terminal): void {
  addYes(calls(orders.command('edit <order>'), 'dashboard.editOrder'))
    .description('Change the items of an order before they ship.')
    .option('--add <sku=quantity>', 'add a product, by SKU or variant id; may be repeated', repeated)
    .option(
      '--set <sku=quantity>',
      'the new quantity of a line, by SKU or line id; 0 removes it; may be repeated',
      repeated,
    )
    .option('--shipping-option <name>', 'another shipping option, by name or id')
    .option('--dry-run', 'only show the new total')
    .addHelpText('after', EXAMPLES)
    .action((wanted: string, options: EditOptions, command: Command) => edit(wanted, options, command, terminal));
}

async function edit(wanted: string, options: EditOptions, command: Command, terminal: Terminal): Promise<void> {
  const { client } = await openSession(command, terminal);
  const before = await findOrder(client, wanted);
  const body = await bodyOf(client, before, options);
  const params = { path: { order_id: before.id } };
  const send = (more: OrderEditInput) =>
    unwrap(client.POST('/api/dashboard/orders/{order_id}/edit', { params, body: { ...body, ...more } }));
  const preview = await send({ dry_run: true });
  const change = `${before.total} → ${preview.expected_total} ${before.currency}${dueIn(preview.order)}`;
  if (options.dryRun) {
    show(terminal, isJson(command), preview, () => `The total would change: ${plain(change)}. Nothing was changed.`);
    return;
  }
  if (!options.yes) await confirm(terminal, `${headOf(before)}\nNew total: ${plain(change)}. Edit the order?`);
  const { order } = await send({ expected_total: preview.expected_total });
  const next = Number(order.amount_due) > 0 && order.payment_status !== 'awaiting_payment' ? nextOf(order) : '';
  showChange({ before, order, summary: `is edited: ${change}`, ...(next && { next }) }, command, terminal);
}

function dueIn({ amount_due, refund_due, currency }: OrderDetails): string {
  if (Number(refund_due) > 0) return `, ${refund_due} ${currency} to refund`;
  return Number(amount_due) > 0 ? `, ${amount_due} ${currency} to pay` : '';
}

function nextOf({ order_number, amount_due }: OrderDetails): string {
  return `When it has arrived: commerce orders record-payment ${order_number} --amount ${amount_due}`;
}

async function bodyOf(client: DashboardClient, order: OrderDetails, options: EditOptions): Promise<OrderEditInput> {
  const { add = [], set = [], shippingOption } = options;
  if (add.length === 0 && set.length === 0 && shippingOption === undefined) {
    throw usageError('Nothing to change.', 'Give --add, --set or --shipping-option.');
  }
  const added = [];
  for (const text of add) {
    const { name, quantity } = piecesIn('--add', text);
    added.push({ variant_id: await variantIdOf(client, name), quantity });
  }
  const change = set.map((text) => {
    const { name, quantity } = piecesIn('--set', text);
    return { line_item_id: lineIn(order, name), quantity };
  });
  return {
    ...(added.length > 0 && { add: added }),
    ...(change.length > 0 && { change }),
    ...(shippingOption !== undefined && { shipping_option_id: await shippingOptionIdOf(client, shippingOption) }),
  };
}

/** Reads a quantity of a product, as in --add. */
export function piecesIn(flag: string, text: string): { name: string; quantity: number } {
  const at = text.lastIndexOf('=');
  const [name, quantity] = [text.slice(0, at), text.slice(at + 1)];
  if (at < 1 || !/^\d{1,7}$/.test(quantity)) {
    throw usageError(`${flag} ${text} is not a SKU with a quantity.`, 'Write it as MUG-1=2.');
  }
  return { name, quantity: Number(quantity) };
}

function lineIn({ order_number, line_items }: OrderDetails, name: string): string {
  const [line, ...others] = line_items.filter(({ id, sku }) => (isUuid(name) ? id === name : sku === name));
  if (line?.id && others.length === 0) return line.id;
  const problem = line ? 'has several lines of' : 'has no line with';
  const remedy = `Name a line by its id: commerce orders get ${order_number}`;
  throw usageError(`Order ${order_number} ${problem} ${name}.`, remedy);
}
