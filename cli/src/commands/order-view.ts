import { type DashboardClient, paginate, type Schemas, unwrap } from '@commerce-backend/sdk';
import { CommandError, EXIT } from '../errors.ts';
import { type Column, facts, moment, type Paint, styleOf, table } from '../output.ts';
import type { Terminal } from '../terminal.ts';
import { isUuid } from './options.ts';

export type Order = Schemas['Order'];
export type OrderDetails = Schemas['OrderDetails'];
type LineItem = Order['line_items'][number];

/** Finds an order by id or order number, with or without `#`. */
export async function findOrder(client: DashboardClient, wanted: string): Promise<OrderDetails> {
  const order_id = isUuid(wanted) ? wanted : await idOfNumber(client, wanted.replace(/^#/, ''));
  return unwrap(client.GET('/api/dashboard/orders/{order_id}', { params: { path: { order_id } } }));
}

async function idOfNumber(client: DashboardClient, number: string): Promise<string> {
  const params = { query: { q: number } };
  for await (const { id, order_number } of paginate(client, '/api/dashboard/orders', { params })) {
    if (order_number === number) return id;
  }
  const remedy = 'Look for it: commerce orders list --q "name, e-mail or SKU"';
  throw new CommandError(EXIT.refused, 'not_found', `There is no order ${number}.`, remedy);
}

/** The statuses of an order, by their label. */
const STATUSES = { Order: 'status', Payment: 'payment_status', Fulfilment: 'fulfillment_status' } as const;

type Status = (typeof STATUSES)[keyof typeof STATUSES];
type Statuses = Pick<Order, Status>;

/** Statuses that a command has changed, with old and new value. */
export function changesOf(before: Statuses, after: Statuses): { [Name in Status]?: { from: string; to: string } } {
  const moved = Object.values(STATUSES).filter((name) => before[name] !== after[name]);
  return Object.fromEntries(moved.map((name) => [name, { from: before[name], to: after[name] }]));
}

/** Formats the statuses one per line, as "before → after" if they changed. */
export function statusLines(before: Statuses, after: Statuses, paint: Paint): string {
  const arrow = (name: Status) =>
    before[name] === after[name] ? after[name] : `${before[name]} → ${paint('green', after[name])}`;
  return Object.entries(STATUSES)
    .map(([title, name]) => `  ${title.padEnd('Fulfilment'.length)}  ${arrow(name)}`)
    .join('\n');
}

/** Formats the order's customer in a few words. */
export function buyerOf({ email, shipping_address, billing_address }: Order): string {
  const { first_name, last_name } = shipping_address ?? billing_address ?? {};
  const name = [first_name, last_name].filter(Boolean).join(' ');
  return [name, email].filter(Boolean).join(', ') || 'a customer without a name';
}

export const ORDER_COLUMNS: Column<Order>[] = [
  { title: 'ORDER', value: ({ order_number }) => order_number },
  { title: 'MADE', value: ({ created_at }) => moment(created_at), below: true },
  { title: 'CUSTOMER', value: buyerOf, shrinks: true },
  { title: 'TOTAL', value: ({ total }) => total, right: true },
  { title: 'CURRENCY', value: ({ currency }) => currency, below: true },
  {
    title: 'STATUS',
    value: ({ status }) => status,
    colour: ({ status }) => (isOver(status) ? 'dim' : undefined),
    below: true,
  },
  {
    title: 'PAYMENT',
    value: ({ payment_status }) => payment_status,
    colour: ({ payment_status }) => PAYMENT_COLOURS[payment_status],
  },
  { title: 'FULFILMENT', value: ({ fulfillment_status }) => fulfillment_status },
  { title: 'ID', value: ({ id }) => id, below: true },
];

const PAYMENT_COLOURS: Record<string, 'yellow' | 'green' | 'red'> = {
  awaiting_payment: 'yellow',
  pending: 'yellow',
  authorized: 'yellow',
  paid: 'green',
  failed: 'red',
  expired: 'red',
};

function isOver(status: string): boolean {
  return status === 'completed' || status === 'cancelled';
}

/** Formats an order with its lines, amounts, payment, shipments and refunds. */
export function orderText(order: OrderDetails, paint: Paint, terminal: Terminal): string {
  const lines = table(lineColumns(order), order.line_items, styleOf(terminal, paint));
  return [headOf(order, paint), lines, amountsOf(order, paint), paymentOf(order, paint), sentAndRefunded(order, paint)]
    .filter((part) => part !== '')
    .join('\n\n');
}

function headOf(order: OrderDetails, paint: Paint): string {
  return facts(
    {
      Order: order.order_number,
      Made: `${moment(order.created_at)}, ${order.source}`,
      Status: order.status + (order.cancel_reason ? ` (${order.cancel_reason})` : ''),
      Payment: [order.payment_status, order.payment_method].filter(Boolean).join(', '),
      Fulfilment: order.fulfillment_status,
      Reference: order.external_reference ?? undefined,
      Customer: buyerOf(order),
      Phone: order.phone ?? undefined,
      'Ship to': addressLine(order.shipping_address) ?? undefined,
      'Bill to': addressLine(order.billing_address) ?? undefined,
      By: order.shipping_method ?? undefined,
      Tracking: [order.tracking_number, order.tracking_url].filter(Boolean).join('  ') || undefined,
      Agent: order.agent_token_id ?? undefined,
      'Came from': Object.values(order.attribution ?? {}).join(', ') || undefined,
      Note: order.note ?? undefined,
      'Staff note': order.staff_note ?? undefined,
      Id: order.id,
    },
    paint,
  );
}

/** Formats a postal address on one line; null if it is empty. */
export function addressLine(address: Schemas['Address'] | null | undefined): string | null {
  const { first_name, last_name, company, address1, address2, postal_code, city, state, country } = address ?? {};
  const words = (...parts: (string | null | undefined)[]) => parts.filter(Boolean).join(' ');
  const parts = [words(first_name, last_name), company, address1, address2, words(postal_code, city), state, country];
  return parts.filter(Boolean).join(', ') || null;
}

function lineColumns({ line_states }: OrderDetails): Column<LineItem>[] {
  const stateOf = (id: string | null | undefined) => line_states.find(({ line_item_id }) => line_item_id === id);
  return [
    { title: 'SKU', value: ({ sku }) => sku ?? null },
    {
      title: 'ITEM',
      value: ({ name, variant_name }) => [name, variant_name].filter(Boolean).join(', '),
      shrinks: true,
    },
    { title: 'PRICE', value: ({ price }) => price, right: true },
    { title: 'QUANTITY', value: ({ quantity }) => quantity, right: true },
    { title: 'SHIPPED', value: ({ id }) => stateOf(id)?.fulfilled ?? null, right: true },
    { title: 'REFUNDED', value: ({ id }) => stateOf(id)?.refunded ?? null, right: true, below: true },
    { title: 'TO SHIP', value: ({ id }) => stateOf(id)?.to_fulfill ?? null, right: true },
    { title: 'TOTAL', value: ({ total }) => total, right: true },
    { title: 'LINE ID', value: ({ id }) => id ?? null, below: true },
  ];
}

function amountsOf(order: OrderDetails, paint: Paint): string {
  const { currency, discount, discount_code, tax_included } = order;
  const discountRow: [string, string] = [discount_code ? `Discount ${discount_code}` : 'Discount', `-${discount}`];
  const rows: [string, string][] = [
    ['Subtotal', order.subtotal],
    ...(Number(discount) > 0 || discount_code ? [discountRow] : []),
    ['Shipping', order.shipping_cost],
    [tax_included ? 'Tax, included' : 'Tax', order.tax],
    ['Total', order.total],
  ];
  const [names, amounts] = [0, 1].map((at) => Math.max(...rows.map((row) => row[at]?.length ?? 0))) as [number, number];
  return rows
    .map(([name, value]) => `${paint('bold', name.padEnd(names))}  ${value.padStart(amounts)} ${currency}`)
    .join('\n');
}

function paymentOf({ payment }: OrderDetails, paint: Paint): string {
  const { instructions: to, failure_reason } = payment;
  if (!to) return failure_reason ? facts({ 'Payment failed': failure_reason }, paint) : '';
  return facts(
    {
      'Awaited transfer': `${to.amount} ${to.currency}, until ${moment(to.due_at)}`,
      Reference: to.reference,
      'To account': `${to.iban}, ${to.account_holder}`,
    },
    paint,
  );
}

function sentAndRefunded(order: OrderDetails, paint: Paint) {
  const { fulfillments, refunds, refunded, refundable, refund_due, amount_due, disputes, currency } = order;
  const sent = fulfillments.map(({ created_at, carrier, tracking_number, delivered_at }) => {
    const by = [carrier, tracking_number].filter(Boolean).join(' ');
    return `${moment(created_at)}${by && `, ${by}`}${delivered_at ? `, delivered ${moment(delivered_at)}` : ''}`;
  });
  const back = refunds.map(({ created_at, amount, reason, note, status, failure_reason }) => {
    const state = status === 'failed' ? ` (failed: ${failure_reason})` : status === 'pending' ? ' (pending)' : '';
    return `${moment(created_at)}, ${amount} ${currency}, ${reason}${note ? `: ${note}` : ''}${state}`;
  });
  const late = order.recorded_payments.map(({ received_at, amount, method, reference, payment_id }) =>
    [`${moment(received_at)}, ${amount} ${currency}, ${payment_id ? 'online' : method}`, reference]
      .filter(Boolean)
      .join(', '),
  );
  const disputed = disputes.map(({ amount, status, reason, provider_reference, respond_by }) => {
    const until = status === 'open' && respond_by ? `; evidence until ${moment(respond_by)}` : '';
    return [`${amount} ${currency}, ${status}`, reason, `${provider_reference}${until}`].filter(Boolean).join(', ');
  });
  const entries = {
    ...Object.fromEntries(late.map((line, at) => [`Received ${at + 1}`, line])),
    ...Object.fromEntries(sent.map((line, at) => [`Shipped ${at + 1}`, line])),
    ...Object.fromEntries(back.map((line, at) => [`Refund ${at + 1}`, line])),
    ...Object.fromEntries(disputed.map((line, at) => [`Dispute ${at + 1}`, line])),
    ...(back.length + disputed.length > 0 && {
      Refunded: `${refunded} ${currency}; refundable: ${refundable} ${currency}`,
    }),
    ...(Number(amount_due) > 0 && { 'Amount due': `${amount_due} ${currency}` }),
    ...(Number(refund_due) > 0 && { 'Refund due': `${refund_due} ${currency}` }),
  };
  return Object.keys(entries).length > 0 ? facts(entries, paint) : '';
}
