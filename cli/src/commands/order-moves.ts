import { type DashboardClient, unwrap } from '@commerce-backend/sdk';
import { type Command, Option } from 'commander';
import { usageError } from '../errors.ts';
import { addFlags, givenRequest, type Presentations } from '../flags.ts';
import { calls } from '../operations.ts';
import { agrees, confirm } from '../prompt.ts';
import { openSession } from '../session.ts';
import type { Terminal } from '../terminal.ts';
import { addYes, amount, isUuid, repeated, type YesOption } from './options.ts';
import { headOf, showChange } from './order-change.ts';
import { findOrder, type OrderDetails } from './order-view.ts';

interface RefundOptions extends YesOption {
  amount?: string;
  all?: true;
  item?: string[];
  restock?: true;
  shipped?: true;
  unshipped?: true;
}

const ORDER = '\nORDER is an order number or an id.';

const PAID_EXAMPLES = `${ORDER} The command shows the order and asks whether its bank transfer has
arrived. Programs agree with --yes. Marking a paid order again changes nothing.

Examples:
  $ commerce orders mark-paid 1001
  $ commerce orders mark-paid 1001 --yes --json | jq .changed`;

const SHIP_EXAMPLES = `${ORDER} Without --item, everything not shipped yet is recorded as shipped.

Examples:
  $ commerce orders ship 1001 --carrier DHL --tracking 00340434161094042557
  $ commerce orders ship 1001 --item MUG-1=2 --item LAMP-3=1
  $ commerce orders ship 1001 --override-dispute   although the customer disputes the payment`;

const TRACK_EXAMPLES = `${ORDER} "none" removes a value. With --notify, the customer gets the mail about the shipment again.

Examples:
  $ commerce orders track 1001 --tracking 00340434161094042557 --notify`;

const DELIVER_EXAMPLES = `${ORDER}

Examples:
  $ commerce orders deliver 1001`;

const CANCEL_EXAMPLES = `${ORDER} An order with shipped items cannot be cancelled. The command asks before it
cancels, and whether to refund the payment. Programs agree with --yes; without --refund the payment then stays with you,
and is shown as refund due.

Examples:
  $ commerce orders cancel 1001 --reason customer --note "Ordered twice"
  $ commerce orders cancel 1001 --reason inventory --no-restock
  $ commerce orders cancel 1001 --reason customer --refund --yes`;

const CAPTURE_EXAMPLES = `${ORDER} When an order ships, its money is captured automatically.

Examples:
  $ commerce orders capture 1001
  $ commerce orders capture 1001 --amount 30.00   the rest is released`;

const REFUND_EXAMPLES = `${ORDER} If a provider took the money, it returns it, which may take a while. For other
orders, and with --by-hand after the provider has failed, the command records money that you return yourself. It asks first;
programs agree with --yes. Refunded items that were not shipped yet no longer ship; they come first unless --shipped is
given. --all --restock before anything has shipped puts every item back into stock.

Examples:
  $ commerce orders refund 1001 --amount 14.00 --reason damaged --note "One mug arrived broken"
  $ commerce orders refund 1001 --all --reason returned
  $ commerce orders refund 1001 --reason returned --item MUG-1=1 --restock   the price of the item
  $ commerce orders refund 1001 --all --reason customer --restock   before anything has shipped`;

const BY_HAND = 'record money that you have returned yourself, after the provider failed to';

/** The amount may be `all`, and items are named by SKU. */
const REFUND_FLAGS: Presentations<'dashboard.createRefund'> = {
  amount: false,
  line_items: false,
  by_hand: { sets: [{ flag: '--by-hand', help: BY_HAND, value: true }] },
};

const DISPUTED = 'ship although the customer disputes the payment at the bank';
const SHIP_FLAGS: Presentations<'dashboard.createFulfillment'> = {
  items: false,
  override_dispute: { sets: [{ flag: '--override-dispute', help: DISPUTED, value: true }] },
};

const NOTIFY = 'send the customer the mail about the shipment again';
const TRACK_FLAGS: Presentations<'dashboard.updateFulfillment'> = {
  notify: { sets: [{ flag: '--notify', help: NOTIFY, value: true }] },
};

/** `orders mark-paid|capture|ship|track|deliver|cancel|refund`: change an order and show what changed. */
export function addOrderMoves(orders: Command, terminal: Terminal): void {
  addYes(calls(orders.command('mark-paid <order>'), 'dashboard.markOrderPaid'))
    .description('Record that the bank transfer of an order has arrived.')
    .addHelpText('after', PAID_EXAMPLES)
    .action((wanted, { yes = false }, command: Command) => markPaid(wanted, yes, command, terminal));
  addFlags(orders.command('capture <order>'), 'dashboard.captureOrder')
    .description('Capture the reserved money of an order.')
    .addHelpText('after', CAPTURE_EXAMPLES)
    .action((wanted: string, _options, command: Command) => capture(wanted, command, terminal));
  addFlags(orders.command('ship <order>'), 'dashboard.createFulfillment', SHIP_FLAGS)
    .description('Record a shipment; the customer is notified by mail.')
    .option('--item <sku=quantity>', 'ship only this quantity of a line, by SKU or line id; may be repeated', repeated)
    .addHelpText('after', SHIP_EXAMPLES)
    .action((wanted: string, { item }: { item?: string[] }, command: Command) => ship(wanted, item, command, terminal));
  addFlags(orders.command('track <order>'), 'dashboard.updateFulfillment', TRACK_FLAGS)
    .description('Correct the tracking of a shipment, by default of the last one.')
    .option('--shipment <id>', 'the id of the shipment, as `commerce orders shipments ORDER --json` lists it')
    .addHelpText('after', TRACK_EXAMPLES)
    .action((wanted: string, { shipment }: { shipment?: string }, command: Command) =>
      track(wanted, shipment, command, terminal),
    );
  calls(orders.command('deliver <order>'), 'dashboard.markOrderDelivered')
    .description('Record that everything has arrived.')
    .addHelpText('after', DELIVER_EXAMPLES)
    .action((wanted: string, _options, command: Command) => deliver(wanted, command, terminal));
  addYes(addFlags(orders.command('cancel <order>'), 'dashboard.cancelOrder'))
    .description('Cancel an order of which nothing has shipped; the customer is notified by mail.')
    .addHelpText('after', CANCEL_EXAMPLES)
    .action((wanted: string, options: YesOption, command: Command) => cancel(wanted, options, command, terminal));
  calls(
    addYes(addFlags(orders.command('refund <order>'), 'dashboard.createRefund', REFUND_FLAGS)),
    'dashboard.createRefund',
    'dashboard.suggestRefund',
  )
    .description('Return money to the customer.')
    .option('--amount <amount>', 'how much, such as 14.00; with --item, the price of the items if absent', amount)
    .option('--all', 'everything that was paid and not refunded yet')
    .option('--item <sku=quantity>', 'the refunded quantity of a line, by SKU or line id; may be repeated', repeated)
    .option('--restock', 'put these items back into stock')
    .addOption(new Option('--shipped', 'only items that were shipped').conflicts('unshipped'))
    .option('--unshipped', 'only items that were not shipped yet')
    .addHelpText('after', REFUND_EXAMPLES)
    .action((wanted: string, options: RefundOptions, command: Command) => refund(wanted, options, command, terminal));
}

async function markPaid(wanted: string, yes: boolean, command: Command, terminal: Terminal): Promise<void> {
  const { client } = await openSession(command, terminal);
  const before = await findOrder(client, wanted);
  const { id: order_id, payment_status, payment_method } = before;
  // Only an order that awaits its bank transfer needs a confirmation, because for other orders the server rejects
  // the call or changes nothing.
  if (!yes && payment_status === 'awaiting_payment' && payment_method === 'bank_transfer') {
    const { total, currency } = before;
    await confirm(terminal, `${headOf(before)}\nHas the bank transfer of ${total} ${currency} arrived?`);
  }
  const order = await unwrap(
    client.POST('/api/dashboard/orders/{order_id}/mark-paid', { params: { path: { order_id } } }),
  );
  showChange({ before, order, summary: 'is paid' }, command, terminal);
}

async function capture(wanted: string, command: Command, terminal: Terminal): Promise<void> {
  const { body } = await givenRequest<'dashboard.captureOrder'>(command, terminal);
  const { client } = await openSession(command, terminal);
  const before = await findOrder(client, wanted);
  const params = { path: { order_id: before.id } };
  const order = await unwrap(client.POST('/api/dashboard/orders/{order_id}/capture', { params, body }));
  const isDone = order.payment_status === 'paid';
  const next = isDone ? undefined : `Within seconds: commerce orders get ${order.order_number}`;
  showChange(
    { before, order, summary: isDone ? 'is paid' : 'is being captured', more: {}, ...(next && { next }) },
    command,
    terminal,
  );
}

async function ship(wanted: string, item: string[] | undefined, command: Command, terminal: Terminal): Promise<void> {
  const given = await givenRequest<'dashboard.createFulfillment'>(command, terminal);
  const { client } = await openSession(command, terminal);
  const before = await findOrder(client, wanted);
  const body = { ...given.body, ...(item && { items: item.map((text) => lineOf(before, text)) }) };
  const params = { path: { order_id: before.id } };
  const call = client.POST('/api/dashboard/orders/{order_id}/fulfillments', { params, body });
  const { order, fulfillment } = await unwrap(call);
  showChange({ before, order, summary: 'has shipped', more: { fulfillment } }, command, terminal);
}

/** Parses a value of --item: an order line by SKU or line id, with a quantity. */
function lineOf({ order_number, line_items }: OrderDetails, text: string) {
  const at = text.lastIndexOf('=');
  const [name, quantity] = [text.slice(0, at), text.slice(at + 1)];
  if (at < 1 || !/^[1-9]\d{0,6}$/.test(quantity)) {
    throw usageError(`--item ${text} is not a SKU with a quantity.`, 'Write it as MUG-1=2.');
  }
  const lines = line_items.filter(({ id, sku }) => (isUuid(name) ? id === name : sku === name));
  const [line] = lines;
  if (!line?.id || lines.length > 1) {
    const problem = line ? 'has no line of its own for' : 'has no line with';
    const remedy = `Name a line by its id: commerce orders get ${order_number}`;
    throw usageError(`Order ${order_number} ${problem} ${name}.`, remedy);
  }
  return { line_item_id: line.id, quantity: Number(quantity) };
}

async function track(
  wanted: string,
  shipment: string | undefined,
  command: Command,
  terminal: Terminal,
): Promise<void> {
  const { body } = await givenRequest<'dashboard.updateFulfillment'>(command, terminal);
  const { client } = await openSession(command, terminal);
  const before = await findOrder(client, wanted);
  const fulfillment_id = shipment ?? before.fulfillments.at(-1)?.id;
  if (!fulfillment_id) throw usageError(`Nothing of order ${before.order_number} has shipped yet.`, 'Ship it first.');
  const params = { path: { order_id: before.id, fulfillment_id } };
  const call = client.PATCH('/api/dashboard/orders/{order_id}/fulfillments/{fulfillment_id}', { params, body });
  const { order, fulfillment } = await unwrap(call);
  const { tracking_number } = fulfillment;
  const summary = tracking_number ? `has the tracking number ${tracking_number}` : 'has no tracking number';
  showChange({ before, order, summary, more: { fulfillment } }, command, terminal);
}

async function deliver(wanted: string, command: Command, terminal: Terminal): Promise<void> {
  const { client } = await openSession(command, terminal);
  const before = await findOrder(client, wanted);
  const params = { path: { order_id: before.id } };
  const order = await unwrap(client.POST('/api/dashboard/orders/{order_id}/mark-delivered', { params }));
  showChange({ before, order, summary: 'is delivered' }, command, terminal);
}

async function cancel(wanted: string, { yes }: YesOption, command: Command, terminal: Terminal): Promise<void> {
  const given = await givenRequest<'dashboard.cancelOrder'>(command, terminal);
  const { client } = await openSession(command, terminal);
  const before = await findOrder(client, wanted);
  const refund = yes ? given.body.refund : await askCancel(before, given.body.refund, terminal);
  const params = { path: { order_id: before.id } };
  const body = { ...given.body, ...(refund !== undefined && { refund }) };
  const order = await unwrap(client.POST('/api/dashboard/orders/{order_id}/cancel', { params, body }));
  const { order_number, currency, refundable } = before;
  const owed =
    isPaid(before) && !refund ? `${refundable} ${currency} were paid and remain with you until you refund them.` : '';
  const next =
    owed && `${owed}\nThen: commerce orders refund ${order_number} --all --reason ${refundReason(body.reason)}`;
  showChange({ before, order, summary: 'is cancelled', next }, command, terminal);
}

/**
 * Asks for confirmation of a cancellation, and whether to refund unless an option decides that. Resolves to whether to
 * refund.
 */
async function askCancel(before: OrderDetails, given: boolean | undefined, terminal: Terminal): Promise<boolean> {
  // Cancelling again changes nothing, so nothing needs to be confirmed.
  if (before.status === 'cancelled') return given ?? false;
  const paid = `${before.refundable} ${before.currency}`;
  const asked = given === undefined && isPaid(before);
  const head = `${headOf(before)}\n`;
  const refund = asked ? await agrees(terminal, `${head}Return the ${paid} that were paid?`) : (given ?? false);
  const how = refund && isPaid(before) ? ` and return ${paid}` : '';
  await confirm(terminal, `${asked ? '' : head}Cancel the order${how}?`);
  return refund;
}

function isPaid({ refundable }: OrderDetails): boolean {
  return Number(refundable) > 0;
}

function refundReason(reason: string): string {
  return reason === 'customer' ? 'customer' : 'other';
}

/**
 * Returns the items to refund: the named ones, or, with `--all --restock`, all items of an order without shipments.
 * Undefined if only an amount is refunded.
 */
function refundedLines(
  order: OrderDetails,
  { item, all, shipped, unshipped, ...rest }: RefundOptions,
): RefundedLine[] | undefined {
  const restock = Boolean(rest.restock);
  const which = shipped || unshipped ? { shipped: Boolean(shipped) } : {};
  if (item) return item.map((text) => ({ ...lineOf(order, text), restock, ...which }));
  if ('shipped' in which) throw usageError('--shipped and --unshipped need the items.', NAME_ITEMS);
  if (!restock) return undefined;
  const lines = order.line_states.filter(({ to_fulfill }) => to_fulfill > 0);
  if (!all || lines.length === 0 || order.fulfillments.length > 0)
    throw usageError('--restock needs the items.', NAME_ITEMS);
  return lines.map(({ line_item_id, to_fulfill: quantity }) => ({ line_item_id, quantity, restock }));
}

/** Returns the amount that the server suggests for a refund of these items. */
async function suggested(
  client: DashboardClient,
  order_id: string,
  line_items: RefundedLine[] | undefined,
): Promise<string> {
  const body = { line_items: (line_items ?? []).map(({ restock: _, ...line }) => line) };
  const params = { path: { order_id } };
  const call = client.POST('/api/dashboard/orders/{order_id}/refunds/suggestion', { params, body });
  return (await unwrap(call)).amount;
}

interface RefundedLine {
  line_item_id: string;
  quantity: number;
  restock: boolean;
  shipped?: boolean;
}

const NAME_ITEMS = 'Name them: --item MUG-1=1';

async function refund(wanted: string, options: RefundOptions, command: Command, terminal: Terminal): Promise<void> {
  const given = await givenRequest<'dashboard.createRefund'>(command, terminal);
  const how_much = [options.amount, options.all].filter((one) => one !== undefined).length;
  if (how_much > 1 || (how_much === 0 && !options.item)) throw usageError('Give either --amount or --all.');
  const { client } = await openSession(command, terminal);
  const before = await findOrder(client, wanted);
  const params = { path: { order_id: before.id } };
  const line_items = refundedLines(before, options);
  const amount = options.amount ?? (options.all ? before.refundable : await suggested(client, before.id, line_items));
  if (!options.yes) {
    const byProvider = before.payment_method === 'card' || before.payment_method === 'online';
    const how = byProvider && !given.body.by_hand ? 'Return' : 'Record a refund of';
    await confirm(terminal, `${headOf(before)}\n${how} ${amount} ${before.currency}?`);
  }
  const body = { ...given.body, amount, ...(line_items && { line_items }) };
  const made = await unwrap(client.POST('/api/dashboard/orders/{order_id}/refunds', { params, body }));
  const { amount: back, currency, status } = made.refund;
  const summary = `has a refund of ${back} ${currency}${status === 'pending' ? ', pending at the provider' : ''}`;
  showChange({ before, order: made.order, summary, more: { refund: made.refund } }, command, terminal);
}
