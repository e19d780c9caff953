import type { Schemas } from '@commerce-backend/sdk';
import type { Command } from 'commander';
import { addCall, listText } from '../call-command.ts';
import { type Column, moment, plain } from '../output.ts';
import type { Terminal } from '../terminal.ts';
import { orderText } from './order-view.ts';

type Fulfillment = Schemas['Fulfillment'];
type Refund = Schemas['Refund'];

const EXAMPLES = `
ORDER is an order number or an id. "none" removes a note.

Examples:
  $ commerce orders update 1001 --staff-note "Gift wrap"
  $ commerce orders update 1001 --email june@example.com
  $ commerce orders shipments 1001
  $ commerce orders refunds 1001`;

const MAIL_EXAMPLES = `
ORDER is an order number or an id. The mail shows the current state of the order.

Examples:
  $ commerce orders mail 1001 shipped`;

/** `orders update|shipments|refunds|mail`: show and edit an order's records. */
export function addOrderRecords(orders: Command, terminal: Terminal): void {
  addCall(orders, terminal, {
    name: 'update <order>',
    operation: 'dashboard.updateOrder',
    description: 'Correct contact data, addresses, notes or metadata of an order.',
    examples: EXAMPLES,
    text: (order, { paint }) => orderText(order, paint, terminal),
  });
  addCall(orders, terminal, {
    name: 'shipments <order>',
    operation: 'dashboard.listFulfillments',
    description: 'List the shipments of an order.',
    examples: EXAMPLES,
    text: ({ fulfillments }, view) => listText('Nothing has shipped yet.', SHIPMENT_COLUMNS, fulfillments, view),
  });
  addCall(orders, terminal, {
    name: 'refunds <order>',
    operation: 'dashboard.listRefunds',
    description: 'List the refunds of an order.',
    examples: EXAMPLES,
    text: ({ refunds }, view) => listText('No refunds.', REFUND_COLUMNS, refunds, view),
  });
  addCall(orders, terminal, {
    name: 'mail <order> <kind>',
    operation: 'dashboard.sendOrderMail',
    description: 'Send a mail about an order to its customer again.',
    examples: MAIL_EXAMPLES,
    text: ({ email }) => `The mail will be sent to ${plain(email)}.`,
  });
}

const SHIPMENT_COLUMNS: Column<Fulfillment>[] = [
  { title: 'SHIPPED', value: ({ created_at }) => moment(created_at) },
  { title: 'ITEMS', value: ({ items }) => items.reduce((sum, { quantity }) => sum + quantity, 0), right: true },
  { title: 'CARRIER', value: ({ carrier }) => carrier, shrinks: true },
  { title: 'TRACKING', value: ({ tracking_number }) => tracking_number },
  { title: 'DELIVERED', value: ({ delivered_at }) => moment(delivered_at, 'not yet') },
  { title: 'ID', value: ({ id }) => id, below: true },
];

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
