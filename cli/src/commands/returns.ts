import { unwrap } from '@commerce-backend/sdk';
import type { ReturnCondition, ReturnReason } from '@commerce-backend/spec';
import { type Command, Option } from 'commander';
import { addCall, pageText } from '../call-command.ts';
import { usageError } from '../errors.ts';
import { addFlags, givenRequest } from '../flags.ts';
import { calls } from '../operations.ts';
import { show } from '../output.ts';
import { openSession } from '../session.ts';
import type { Terminal } from '../terminal.ts';
import { isJson, isUuid, repeated } from './options.ts';
import { piecesIn } from './order-edit.ts';
import { findOrder } from './order-view.ts';
import { findReturn, RETURN_COLUMNS, returnText } from './return-view.ts';
import { variantIdOf } from './variant-id.ts';

const RETURN = '\nRETURN is a number such as 1021-R1 or an id.';

const LIST_EXAMPLES = `
Examples:
  $ commerce returns list --open
  $ commerce returns list --status requested --json | jq '.returns[].number'`;

const CREATE_EXAMPLES = `
The return is approved at once, and the customer gets the mail with the return address.

Examples:
  $ commerce returns create 1021 --item MUG-1=1 --reason does_not_fit
  $ commerce returns create 1021 --item MUG-1=2 --reason damaged --keep-goods`;

const APPROVE_EXAMPLES = `${RETURN} The customer gets the return address, the link to the label and the instructions by mail.

Examples:
  $ commerce returns approve 1021-R1 --label https://labels.example/1021-R1.pdf
  $ commerce returns approve 1021-R1 --keep-goods`;

const RECEIVE_EXAMPLES = `${RETURN} Without --item, everything announced has arrived. Resellable items go into stock.

Examples:
  $ commerce returns receive 1021-R1
  $ commerce returns receive 1021-R1 --item MUG-1=1 --condition damaged`;

const REFUND_EXAMPLES = `${RETURN} Without --amount, the suggested amount: the price of the items that arrived, minus the fee.

Examples:
  $ commerce returns refund 1021-R1
  $ commerce returns refund 1021-R1 --amount 12.00 --shipping 4.90 --no-close`;

const examplesOf = (...lines: string[]) => `${RETURN}\n\nExamples:\n${lines.map((line) => `  $ ${line}`).join('\n')}`;

/**
 * `returns list|show|create|approve|decline|track|cancel|receive|exchange|refund|close`: manages returns of shipped
 * items.
 */
export function addReturns(program: Command, terminal: Terminal): void {
  const returns = program.command('returns').description('Returns of shipped items.');
  addCall(returns, terminal, {
    name: 'list',
    operation: 'dashboard.listReturns',
    description: 'List returns, newest first.',
    examples: LIST_EXAMPLES,
    text: (page, view) => pageText('returns', RETURN_COLUMNS, page.returns, page, view),
  });
  addCall(returns, terminal, {
    name: 'show <return>',
    operation: 'dashboard.getReturn',
    description: 'Show a return with its lines.',
    examples: examplesOf('commerce returns show 1021-R1'),
    text: returnText,
  });
  addCreate(returns, terminal);
  addCall(returns, terminal, {
    name: 'approve <return>',
    operation: 'dashboard.approveReturn',
    description: 'Approve a requested return; the customer is notified by mail.',
    examples: APPROVE_EXAMPLES,
    body: ({ label }) => (label ? { shipping: { label_url: label } } : {}),
    text: returnText,
  }).option('--label <url>', 'where the customer gets the shipping label');
  addCall(returns, terminal, {
    name: 'decline <return>',
    operation: 'dashboard.declineReturn',
    description: 'Decline a requested return; the customer gets the reason by mail.',
    examples: examplesOf('commerce returns decline 1021-R1 --reason "The mug was personalised."'),
    text: returnText,
  });
  addCall(returns, terminal, {
    name: 'track <return>',
    operation: 'dashboard.setReturnTracking',
    description: 'Record how the goods come back.',
    examples: examplesOf('commerce returns track 1021-R1 --carrier DHL --tracking 00340434161094042557'),
    text: returnText,
  });
  addCall(returns, terminal, {
    name: 'cancel <return>',
    operation: 'dashboard.cancelReturn',
    description: 'Cancel a return before goods have arrived.',
    examples: examplesOf('commerce returns cancel 1021-R1 --yes'),
    asks: (named) => `Cancel the return ${named}?`,
    text: returnText,
  });
  addReceive(returns, terminal);
  addExchange(returns, terminal);
  addCall(returns, terminal, {
    name: 'refund <return>',
    operation: 'dashboard.refundReturn',
    description: 'Refund the items that arrived, and close the return.',
    examples: REFUND_EXAMPLES,
    flags: { shipping: { flag: '--shipping <part>', help: SHIPPING, read: (text) => text } },
    asks: (named) => `Refund the return ${named}?`,
    text: ({ return: found, refund }, view) =>
      `Refunded ${refund.amount} ${refund.currency}${refund.status === 'pending' ? ', pending at the provider' : ''}.\n\n${returnText(found, view)}`,
  });
  addCall(returns, terminal, {
    name: 'close <return>',
    operation: 'dashboard.closeReturn',
    description: 'Close a received return.',
    examples: examplesOf('commerce returns close 1021-R1 --reason "The mug was worn."'),
    text: returnText,
  });
}

const SHIPPING = 'the part for the shipping cost: none, all or an amount';

function addCreate(returns: Command, terminal: Terminal): void {
  addFlags(returns.command('create <order>'), 'dashboard.createReturn', { order_id: false, lines: false })
    .description('Create a return for a customer.')
    .requiredOption('--item <sku=quantity>', 'the quantity of a line, by SKU or line id; may be repeated', repeated)
    .addOption(new Option('--reason <reason>', 'why the items come back').choices(REASONS).default('other'))
    .addHelpText('after', CREATE_EXAMPLES)
    .action((wanted: string, options: { item: string[]; reason: ReturnReason }, command: Command) =>
      create(wanted, options, command, terminal),
    );
}

const REASONS = [
  'changed_mind',
  'does_not_fit',
  'not_as_described',
  'damaged',
  'wrong_item',
  'arrived_late',
  'other',
] as const satisfies ReturnReason[];

async function create(
  wanted: string,
  { item, reason }: { item: string[]; reason: ReturnReason },
  command: Command,
  terminal: Terminal,
): Promise<void> {
  const given = await givenRequest<'dashboard.createReturn'>(command, terminal);
  const { client } = await openSession(command, terminal);
  const { id: order_id, line_items } = await findOrder(client, wanted);
  const lines = item.map((text) => {
    const { id: line_item_id, quantity } = lineIn(line_items, text);
    return { line_item_id, quantity, reason };
  });
  const made = await unwrap(client.POST('/api/dashboard/returns', { body: { ...given.body, order_id, lines } }));
  show(terminal, isJson(command), made, (paint) => returnText(made, { paint, terminal }));
}

function addReceive(returns: Command, terminal: Terminal): void {
  calls(returns.command('receive <return>'), 'dashboard.receiveReturn')
    .description('Record goods that have arrived.')
    .option('--item <sku=quantity>', 'only this quantity of a line, by SKU or line id; may be repeated', repeated)
    .addOption(
      new Option('--condition <condition>', 'the condition of the items')
        .choices(['resellable', 'damaged', 'missing'])
        .default('resellable'),
    )
    .addHelpText('after', RECEIVE_EXAMPLES)
    .action((wanted: string, options: Receipt, command: Command) => receive(wanted, options, command, terminal));
}

interface Receipt {
  item?: string[];
  condition: ReturnCondition;
}

async function receive(wanted: string, { item, condition }: Receipt, command: Command, terminal: Terminal) {
  const { client } = await openSession(command, terminal);
  const { id: return_id, lines } = await findReturn(client, wanted);
  const awaited = lines.map(({ id, quantity, received_quantity }) => ({ id, quantity: quantity - received_quantity }));
  const arrived = item?.map((text) => lineIn(lines, text)) ?? awaited.filter(({ quantity }) => quantity > 0);
  if (arrived.length === 0) throw usageError('Everything announced has arrived.', 'Name the items: --item MUG-1=1');
  const body = { lines: arrived.map((line) => ({ ...line, condition })) };
  const call = client.POST('/api/dashboard/returns/{return_id}/receive', { params: { path: { return_id } }, body });
  const found = await unwrap(call);
  show(terminal, isJson(command), found, (paint) => returnText(found, { paint, terminal }));
}

const EXCHANGE_EXAMPLES = `${RETURN} Its items must have arrived. They pay the new order; the rest remains to be paid, or is
refunded.

Examples:
  $ commerce returns exchange 1021-R1 --get MUG-2=1
  $ commerce returns exchange 1021-R1 --get MUG-2=1 --price paid   another size at no extra cost`;

function addExchange(returns: Command, terminal: Terminal): void {
  addFlags(returns.command('exchange <return>'), 'dashboard.exchangeReturn', { lines: false })
    .description('Make an order for what the customer wants instead, and close the return.')
    .requiredOption('--get <sku=quantity>', 'what the customer gets, by SKU or variant id; may be repeated', repeated)
    .addHelpText('after', EXCHANGE_EXAMPLES)
    .action((wanted: string, { get }: { get: string[] }, command: Command) => exchange(wanted, get, command, terminal));
}

async function exchange(wanted: string, get: string[], command: Command, terminal: Terminal): Promise<void> {
  const given = await givenRequest<'dashboard.exchangeReturn'>(command, terminal);
  const { client } = await openSession(command, terminal);
  const { id: return_id } = await findReturn(client, wanted);
  const lines = [];
  for (const text of get) {
    const { name, quantity } = piecesIn('--get', text);
    lines.push({ variant_id: await variantIdOf(client, name), quantity });
  }
  const params = { path: { return_id } };
  const body = { ...given.body, lines };
  const made = await unwrap(client.POST('/api/dashboard/returns/{return_id}/exchange', { params, body }));
  const { order_number, total, exchange_credit, amount_due, currency } = made.order;
  const due = Number(amount_due) > 0 ? `, ${amount_due} ${currency} to pay` : '';
  const head = `Order ${order_number}: ${total} ${currency}, ${exchange_credit} ${currency} paid by the return${due}.`;
  show(terminal, isJson(command), made, (paint) => `${head}\n\n${returnText(made.return, { paint, terminal })}`);
}

/** Reads a line and its quantity, as in --item. */
function lineIn(lines: { id?: string | null; sku?: string | null }[], text: string): { id: string; quantity: number } {
  const at = text.lastIndexOf('=');
  const [name, quantity] = [text.slice(0, at), text.slice(at + 1)];
  if (at < 1 || !/^[1-9]\d{0,6}$/.test(quantity)) {
    throw usageError(`--item ${text} is not a SKU with a quantity.`, 'Write it as MUG-1=2.');
  }
  const [line, ...others] = lines.filter(({ id, sku }) => (isUuid(name) ? id === name : sku === name));
  if (!line?.id || others.length > 0) {
    throw usageError(`${others.length > 0 ? 'Several lines have' : 'No line has'} ${name}.`, 'Name a line by its id.');
  }
  return { id: line.id, quantity: Number(quantity) };
}
