import { type DashboardClient, type Schemas, unwrap } from '@commerce-backend/sdk';
import type { Command } from 'commander';
import { addCall, pageText, type View } from '../call-command.ts';
import { usageError } from '../errors.ts';
import { addFlags, givenRequest, type Presentations } from '../flags.ts';
import { type Column, facts, moment, show, styleOf, table } from '../output.ts';
import { openSession } from '../session.ts';
import type { Terminal } from '../terminal.ts';
import { customerIdOf } from './customer-id.ts';
import { isJson, repeated, uuid } from './options.ts';
import { variantIdOf } from './variant-id.ts';

type DraftOrder = Schemas['DraftOrder'];
type Summary = Schemas['DraftOrderSummary'];
type Line = Awaited<ReturnType<typeof lineOf>> | ReturnType<typeof customLineOf>;

const COLUMNS: Column<Summary>[] = [
  { title: 'CREATED', value: ({ created_at }) => moment(created_at) },
  { title: 'STATUS', value: ({ status }) => status },
  { title: 'E-MAIL', value: ({ email }) => email, shrinks: true },
  { title: 'TOTAL', value: ({ total, currency }) => `${total} ${currency}`, right: true },
  { title: 'ORDER', value: ({ order_number }) => order_number },
  { title: 'EXPIRES', value: ({ expires_at }) => moment(expires_at), below: true },
  { title: 'ID', value: ({ id }) => id },
];

const LINE_COLUMNS: Column<DraftOrder['lines'][number]>[] = [
  {
    title: 'ITEM',
    value: ({ name, variant_name }) => (variant_name ? `${name}, ${variant_name}` : name),
    shrinks: true,
  },
  { title: 'SKU', value: ({ sku }) => sku },
  { title: 'QUANTITY', value: ({ quantity }) => String(quantity), right: true },
  { title: 'PRICE', value: ({ price }) => price, right: true },
  { title: 'TOTAL', value: ({ total }) => total, right: true },
];

const DRAFT = '0192f3a2-8888-7000-8000-000000000001';

const examplesOf = (...lines: string[]) => `\nExamples:\n${lines.map((line) => `  $ ${line}`).join('\n')}`;

const CREATE_EXAMPLES = `
An item is SKU=QUANTITY, or SKU=QUANTITY@PRICE with a price of its own. A custom item has a name, a price and, if it is not
standard, a tax class. Nobody gets a mail until the draft is sent. Addresses can be set with --input.

Examples:
  $ commerce draft-orders create --email june@example.com --item MUG-SLATE=40@11.00
  $ commerce draft-orders create --customer june@example.com --item MUG-SLATE=40 --discount 5% --reserve
  $ commerce draft-orders create --email june@example.com --item MUG-SLATE=40 --custom-item "Engraving=40@1.50"`;

/** `draft-orders list|show|create|update|send|cancel|complete`: manages orders that staff prepare. */
export function addDraftOrders(program: Command, terminal: Terminal): void {
  const drafts = program.command('draft-orders').description('Orders that you prepare and customers accept.');
  addCall(drafts, terminal, {
    name: 'list',
    operation: 'dashboard.listDraftOrders',
    description: 'List draft orders, newest first.',
    examples: examplesOf('commerce draft-orders list --status sent'),
    text: (page, view) => pageText('draft orders', COLUMNS, page.draft_orders, page, view),
  });
  addCall(drafts, terminal, {
    name: 'show <draft>',
    operation: 'dashboard.getDraftOrder',
    description: 'Show a draft order with its lines and its link.',
    examples: examplesOf(`commerce draft-orders show ${DRAFT}`),
    text: draftText,
  });
  addWrites(drafts, terminal);
  addCall(drafts, terminal, {
    name: 'send <draft>',
    operation: 'dashboard.sendDraftOrder',
    description: 'Mail the customer a link to accept the draft order.',
    examples: examplesOf(`commerce draft-orders send ${DRAFT}`),
    text: draftText,
  });
  addCall(drafts, terminal, {
    name: 'cancel <draft>',
    operation: 'dashboard.cancelDraftOrder',
    description: 'Cancel a draft order and release its stock.',
    examples: examplesOf(`commerce draft-orders cancel ${DRAFT}`),
    asks: () => 'Cancel the draft order?',
    text: draftText,
  });
  addCall(drafts, terminal, {
    name: 'complete <draft>',
    operation: 'dashboard.completeDraftOrder',
    description: 'Make the order of a draft without the customer.',
    examples: examplesOf(`commerce draft-orders complete ${DRAFT} --payment-method invoice`),
    asks: () => 'Make an order of the draft?',
    text: draftText,
  });
}

interface Own {
  item?: string[];
  customItem?: string[];
  discount?: string;
}

const FLAGS: Presentations<'dashboard.updateDraftOrder'> = {
  lines: false,
  discount: false,
  shipping_address: false,
  billing_address: false,
  reserve: { sets: [{ flag: '--reserve', help: 'reserve the stock once it is sent', value: true }] },
};

/** Adds `draft-orders create|update`, whose items are named by SKU or variant id. */
function addWrites(drafts: Command, terminal: Terminal): void {
  const item = '--item <sku=quantity>';
  const customItem = '--custom-item <name=quantity@price[:tax-class]>';
  addFlags(drafts.command('create'), 'dashboard.createDraftOrder', { ...FLAGS, customer_id: false })
    .description('Create a draft order.')
    .option(item, 'a variant by SKU or id with its quantity; may be repeated', repeated)
    .option(customItem, 'a line without a product; may be repeated', repeated)
    .option('--customer <customer>', 'the customer, by e-mail or id')
    .option(...DISCOUNT)
    .addHelpText('after', CREATE_EXAMPLES)
    .action((own: Own & { customer?: string }, command: Command) => create(own, command, terminal));
  addFlags(drafts.command('update <draft>'), 'dashboard.updateDraftOrder', FLAGS)
    .description('Change an open draft order.')
    .option(item, 'replaces the items; may be repeated', repeated)
    .option(customItem, 'replaces the items; may be repeated', repeated)
    .option(...DISCOUNT)
    .addHelpText('after', examplesOf(`commerce draft-orders update ${DRAFT} --note "To the back door."`))
    .action((draft: string, own: Own, command: Command) => update(uuid(draft), own, command, terminal));
}

const DISCOUNT = ['--discount <discount>', 'a percentage such as 5%, or an amount'] as const;

async function create(
  { customer, ...own }: Own & { customer?: string },
  command: Command,
  terminal: Terminal,
): Promise<void> {
  const given = await givenRequest<'dashboard.createDraftOrder'>(command, terminal);
  const { client } = await openSession(command, terminal);
  const customer_id = customer && { customer_id: await customerIdOf(client, customer) };
  const body = { ...given.body, ...customer_id, ...(await contentOf(client, own)) };
  if (!body.lines?.length) throw usageError('A draft order needs a line.', 'Add --item or --custom-item.');
  const made = await unwrap(client.POST('/api/dashboard/draft-orders', { body }));
  show(terminal, isJson(command), made, (paint) => draftText(made, { paint, terminal }));
}

async function update(draft_order_id: string, own: Own, command: Command, terminal: Terminal): Promise<void> {
  const given = await givenRequest<'dashboard.updateDraftOrder'>(command, terminal);
  const { client } = await openSession(command, terminal);
  const params = { path: { draft_order_id } };
  const body = { ...given.body, ...(await contentOf(client, own)) };
  const changed = await unwrap(client.PATCH('/api/dashboard/draft-orders/{draft_order_id}', { params, body }));
  show(terminal, isJson(command), changed, (paint) => draftText(changed, { paint, terminal }));
}

async function contentOf(client: DashboardClient, { item, customItem, discount }: Own) {
  const lines: Line[] = [];
  for (const text of item ?? []) lines.push(await lineOf(client, text));
  for (const text of customItem ?? []) lines.push(customLineOf(text));
  return { ...(lines.length > 0 && { lines }), ...(discount && { discount: discountOf(discount) }) };
}

/** Reads an item, such as MUG-1=2 or MUG-1=2@8.00. */
async function lineOf(client: DashboardClient, text: string) {
  const [, name = '', quantity, price] = /^(.+)=([1-9]\d{0,2})(?:@(\d+(?:\.\d+)?))?$/.exec(text) ?? [];
  if (!name) throw usageError(`--item ${text} is not a SKU with a quantity.`, 'Write it as MUG-1=2 or MUG-1=2@8.00.');
  const variant_id = await variantIdOf(client, name);
  return { variant_id, quantity: Number(quantity), ...(price !== undefined && { price }) };
}

/** Reads a custom item, such as Engraving=2@5.00 or Engraving=2@5.00:reduced. */
function customLineOf(text: string) {
  const pattern = /^(.+)=([1-9]\d{0,2})@(\d+(?:\.\d+)?)(?::([a-z0-9][a-z0-9_-]*))?$/;
  const [, name, quantity, price, tax_class] = pattern.exec(text) ?? [];
  if (name === undefined || price === undefined) {
    const remedy = 'Write it as Engraving=2@5.00 or Engraving=2@5.00:reduced.';
    throw usageError(`--custom-item ${text} is not a name with a quantity and a price.`, remedy);
  }
  return { name, quantity: Number(quantity), price, ...(tax_class && { tax_class }) };
}

function discountOf(text: string) {
  const isPercentage = text.endsWith('%');
  const type = isPercentage ? ('percentage' as const) : ('fixed_amount' as const);
  return { type, value: isPercentage ? text.slice(0, -1) : text };
}

function draftText(draft: DraftOrder, { paint, terminal }: Pick<View, 'paint' | 'terminal'>): string {
  const { lines, discount, discount_amount, currency, missing } = draft;
  const about = facts(
    {
      ...{ Status: draft.status, 'E-mail': draft.email ?? undefined, Order: draft.order_number ?? undefined },
      Discount: discount ? `${discount_amount} ${currency}` : undefined,
      ...{ Delivery: `${draft.shipping_cost} ${currency}`, Total: `${draft.total} ${currency}` },
      'Customer fills in': missing.join(', ') || undefined,
      Expires: moment(draft.expires_at),
      ...{ Link: draft.checkout_url ?? undefined, Note: draft.note ?? undefined, Id: draft.id },
    },
    paint,
  );
  return `${table(LINE_COLUMNS, lines, styleOf(terminal, paint))}\n\n${about}`;
}
