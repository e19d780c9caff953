import { type DashboardClient, type Schemas, unwrap } from '@commerce-backend/sdk';
import { CommandError, EXIT } from '../errors.ts';
import { type Column, facts, moment, type Paint, styleOf, table } from '../output.ts';
import type { Terminal } from '../terminal.ts';
import { isUuid } from './options.ts';

export type Document = Schemas['Document'];

/** Finds the invoice or credit note with an id or a number such as INV-2026-17. */
export async function findDocument(client: DashboardClient, wanted: string): Promise<Document> {
  if (isUuid(wanted)) {
    return unwrap(client.GET('/api/dashboard/documents/{document_id}', { params: { path: { document_id: wanted } } }));
  }
  const params = { query: { number: wanted } };
  const [found] = (await unwrap(client.GET('/api/dashboard/documents', { params }))).documents;
  if (found) return found;
  const remedy = 'List them: commerce invoices list';
  throw new CommandError(EXIT.refused, 'not_found', `There is no invoice or credit note ${wanted}.`, remedy);
}

export const DOCUMENT_COLUMNS: Column<Document>[] = [
  { title: 'NUMBER', value: ({ number }) => number },
  { title: 'ISSUED', value: ({ issued_at }) => moment(issued_at), below: true },
  { title: 'KIND', value: ({ kind }) => kind.replace('_', ' ') },
  { title: 'ORDER', value: ({ order_number }) => order_number },
  { title: 'BUYER', value: ({ buyer_name }) => buyer_name, shrinks: true },
  { title: 'TAX', value: ({ tax }) => tax, right: true },
  { title: 'TOTAL', value: ({ total, currency }) => `${total} ${currency}`, right: true },
  { title: 'ID', value: ({ id }) => id, below: true },
];

const TAX_COLUMNS: Column<Document['taxes'][number]>[] = [
  { title: 'RATE', value: ({ rate }) => `${Math.round(Number(rate) * 10_000) / 100} %`, right: true },
  { title: 'NET', value: ({ net }) => net, right: true },
  { title: 'TAX', value: ({ tax }) => tax, right: true },
];

/** Formats a document with its tax by rate. */
export function documentText(found: Document, { paint, terminal }: { paint: Paint; terminal: Terminal }): string {
  const known = facts(
    {
      Number: found.number,
      Kind: found.kind.replace('_', ' '),
      'Of invoice': found.invoice_number ?? undefined,
      Issued: moment(found.issued_at),
      Delivered: found.supply_date ?? undefined,
      Order: found.order_number,
      Buyer: found.buyer_name ?? undefined,
      Country: found.country,
      Total: `${found.total} ${found.currency}`,
      'SHA-256': found.sha256,
      Id: found.id,
    },
    paint,
  );
  return `${known}\n\n${table(TAX_COLUMNS, found.taxes, styleOf(terminal, paint))}`;
}
