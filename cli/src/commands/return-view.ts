import { type DashboardClient, type Schemas, unwrap } from '@commerce-backend/sdk';
import { CommandError, EXIT } from '../errors.ts';
import { type Column, facts, moment, type Paint, styleOf, table } from '../output.ts';
import type { Terminal } from '../terminal.ts';
import { isUuid } from './options.ts';

export type Return = Schemas['Return'];
type Line = Return['lines'][number];

/** Finds the return with an id or a number such as 1021-R1. */
export async function findReturn(client: DashboardClient, wanted: string): Promise<Return> {
  if (isUuid(wanted)) {
    return unwrap(client.GET('/api/dashboard/returns/{return_id}', { params: { path: { return_id: wanted } } }));
  }
  const number = wanted.replace(/^#/, '').toUpperCase();
  const page = await unwrap(client.GET('/api/dashboard/returns', { params: { query: { number } } }));
  const [found] = page.returns;
  if (found) return found;
  const remedy = 'List them: commerce returns list';
  throw new CommandError(EXIT.refused, 'not_found', `There is no return ${number}.`, remedy);
}

const STATUS_COLOURS: Partial<Record<string, 'yellow' | 'green' | 'dim'>> = {
  requested: 'yellow',
  received: 'yellow',
  approved: 'green',
  in_transit: 'green',
  declined: 'dim',
  closed: 'dim',
  cancelled: 'dim',
};

export const RETURN_COLUMNS: Column<Return>[] = [
  { title: 'RETURN', value: ({ number }) => number },
  { title: 'REQUESTED', value: ({ requested_at }) => moment(requested_at), below: true },
  { title: 'STATUS', value: ({ status }) => status, colour: ({ status }) => STATUS_COLOURS[status] },
  {
    title: 'PIECES',
    value: ({ lines }) => String(lines.reduce((sum, { quantity }) => sum + quantity, 0)),
    right: true,
  },
  { title: 'ITEMS', value: ({ lines }) => lines.map(nameOf).join(', '), shrinks: true },
  { title: 'KIND', value: ({ kind }) => kind, below: true },
  { title: 'ID', value: ({ id }) => id, below: true },
];

const LINE_COLUMNS: Column<Line>[] = [
  { title: 'ITEM', value: nameOf, shrinks: true },
  { title: 'SKU', value: ({ sku }) => sku },
  { title: 'REASON', value: ({ reason }) => reason.replaceAll('_', ' ') },
  { title: 'ARRIVED', value: ({ received_quantity, quantity }) => `${received_quantity} of ${quantity}`, right: true },
  { title: 'CONDITION', value: ({ condition }) => condition, below: true },
  { title: 'RESTOCKED', value: ({ restocked }) => String(restocked), right: true, below: true },
  { title: 'LINE ID', value: ({ id }) => id, below: true },
];

function nameOf({ name, variant_name }: Line): string {
  return variant_name ? `${name}, ${variant_name}` : name;
}

/** Formats a return with its lines. */
export function returnText(found: Return, { paint, terminal }: { paint: Paint; terminal: Terminal }): string {
  const { shipping, fee, currency, refund_ids } = found;
  const facts_ = facts(
    {
      Return: found.number,
      Status: found.status,
      Order: found.order_number,
      Requested: `${moment(found.requested_at)} by ${found.created_by.replaceAll('_', ' ')}`,
      Late: found.late ? 'yes' : undefined,
      Goods: found.keep_goods ? 'stay with the customer' : undefined,
      Fee: Number(fee) > 0 ? `${fee} ${currency}` : undefined,
      Label: shipping.label_url ?? undefined,
      Tracking: [shipping.carrier, shipping.tracking_number].filter(Boolean).join(' ') || undefined,
      Customer: found.customer_note ?? undefined,
      'Staff note': found.staff_note ?? undefined,
      Declined: found.decline_reason ?? undefined,
      Closed: found.close_reason ?? undefined,
      Refunds: refund_ids.length > 0 ? refund_ids.join(', ') : undefined,
      Id: found.id,
    },
    paint,
  );
  return `${facts_}\n\n${table(LINE_COLUMNS, found.lines, styleOf(terminal, paint))}`;
}
