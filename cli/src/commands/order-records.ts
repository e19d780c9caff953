import { type Schemas, unwrap } from '@commerce-backend/sdk';
import { Argument, type Command } from 'commander';
import { addFields, type Field, givenChange, metadata, optionalText } from '../fields.ts';
import { calls } from '../operations.ts';
import { type Column, moment, plain, show, styleOf, table } from '../output.ts';
import { openSession } from '../session.ts';
import type { Terminal } from '../terminal.ts';
import { isJson } from './options.ts';
import { findOrder, orderText } from './order-view.ts';

type Fulfillment = Schemas['Fulfillment'];
type Refund = Schemas['Refund'];

const EXAMPLES = `
ORDER is an order number or an id. "none" takes a note away.

Examples:
  $ commerce orders update 1001 --staff-note "Gift wrap"
  $ commerce orders shipments 1001
  $ commerce orders refunds 1001`;

const MAIL_EXAMPLES = `
ORDER is an order number or an id. The mail tells how the order stands now.

Examples:
  $ commerce orders mail 1001 shipped`;

type OrderMailKind = (typeof MAILS)[number];

const MAILS = ['placed', 'payment_reminder', 'payment_received', 'shipped', 'cancelled', 'refunded'] as const;

interface OrderPatch {
  note?: string | null;
  staff_note?: string | null;
  metadata?: Record<string, string>;
}

const NOTES: Field<keyof OrderPatch>[] = [
  { flags: '--note <text>', field: 'note', help: 'the note of the customer', read: optionalText },
  { flags: '--staff-note <text>', field: 'staff_note', help: 'a note for staff', read: optionalText },
  {
    flags: '--metadata <key=value>',
    field: 'metadata',
    help: 'may be repeated, and replaces the rest',
    read: metadata,
  },
];

/** `orders update|shipments|refunds|mail`: what is written down about an order. */
export function addOrderRecords(orders: Command, terminal: Terminal): void {
  addFields(calls(orders.command('update <order>'), 'dashboard.updateOrder'), NOTES)
    .description('Change the notes and metadata of an order.')
    .addHelpText('after', EXAMPLES)
    .action((wanted: string, _options, command: Command) => change(wanted, command, terminal));
  calls(orders.command('shipments <order>'), 'dashboard.listFulfillments')
    .description('List what was shipped of an order.')
    .addHelpText('after', EXAMPLES)
    .action((wanted: string, _options, command: Command) => shipments(wanted, command, terminal));
  calls(orders.command('refunds <order>'), 'dashboard.listRefunds')
    .description('List the refunds of an order.')
    .addHelpText('after', EXAMPLES)
    .action((wanted: string, _options, command: Command) => refunds(wanted, command, terminal));
  const mail = calls(orders.command('mail <order>'), 'dashboard.sendOrderMail')
    .description('Send a mail about an order to its customer again.')
    .addArgument(new Argument('<kind>', 'which mail').choices(MAILS))
    .addHelpText('after', MAIL_EXAMPLES);
  mail.action((wanted: string, kind: OrderMailKind, _options, command: Command) =>
    sendMail(wanted, kind, command, terminal),
  );
}

async function change(wanted: string, command: Command, terminal: Terminal): Promise<void> {
  const body = await givenChange<OrderPatch>(NOTES, command, terminal);
  const { client } = await openSession(command, terminal);
  const params = { path: { order_id: (await findOrder(client, wanted)).id } };
  const order = await unwrap(client.PATCH('/api/dashboard/orders/{order_id}', { params, body }));
  show(terminal, isJson(command), order, (paint) => orderText(order, paint, terminal));
}

const SHIPMENT_COLUMNS: Column<Fulfillment>[] = [
  { title: 'SHIPPED', value: ({ created_at }) => moment(created_at) },
  { title: 'ITEMS', value: ({ items }) => items.reduce((sum, { quantity }) => sum + quantity, 0), right: true },
  { title: 'CARRIER', value: ({ carrier }) => carrier, shrinks: true },
  { title: 'TRACKING', value: ({ tracking_number }) => tracking_number },
  { title: 'DELIVERED', value: ({ delivered_at }) => moment(delivered_at, 'not yet') },
  { title: 'ID', value: ({ id }) => id, below: true },
];

async function shipments(wanted: string, command: Command, terminal: Terminal): Promise<void> {
  const { client } = await openSession(command, terminal);
  const params = { path: { order_id: (await findOrder(client, wanted)).id } };
  const made = await unwrap(client.GET('/api/dashboard/orders/{order_id}/fulfillments', { params }));
  show(terminal, isJson(command), made, (paint) =>
    made.fulfillments.length > 0
      ? table(SHIPMENT_COLUMNS, made.fulfillments, styleOf(terminal, paint))
      : 'Nothing has shipped yet.',
  );
}

const REFUND_COLUMNS: Column<Refund>[] = [
  { title: 'MADE', value: ({ created_at }) => moment(created_at) },
  { title: 'AMOUNT', value: ({ amount, currency }) => `${amount} ${currency}`, right: true },
  {
    title: 'STATUS',
    value: ({ status }) => status,
    colour: ({ status }) => (status === 'failed' ? 'red' : status === 'pending' ? 'yellow' : 'green'),
  },
  { title: 'REASON', value: ({ reason }) => reason },
  { title: 'NOTE', value: ({ note, failure_reason }) => failure_reason ?? note, shrinks: true },
  { title: 'ID', value: ({ id }) => id, below: true },
];

async function refunds(wanted: string, command: Command, terminal: Terminal): Promise<void> {
  const { client } = await openSession(command, terminal);
  const params = { path: { order_id: (await findOrder(client, wanted)).id } };
  const made = await unwrap(client.GET('/api/dashboard/orders/{order_id}/refunds', { params }));
  show(terminal, isJson(command), made, (paint) =>
    made.refunds.length > 0 ? table(REFUND_COLUMNS, made.refunds, styleOf(terminal, paint)) : 'No refunds.',
  );
}

async function sendMail(wanted: string, kind: OrderMailKind, command: Command, terminal: Terminal): Promise<void> {
  const { client } = await openSession(command, terminal);
  const params = { path: { order_id: (await findOrder(client, wanted)).id } };
  const sent = await unwrap(client.POST('/api/dashboard/orders/{order_id}/mails', { params, body: { kind } }));
  show(terminal, isJson(command), sent, () => `The mail is on its way to ${plain(sent.email)}.`);
}
