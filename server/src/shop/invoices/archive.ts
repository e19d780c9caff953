import type { DocumentArchive, DocumentKind } from '@commerce-backend/spec';
import sql, { join } from 'sql-template-tag';
import type { RowOf } from '../../db/row-of.ts';
import { ValidationError } from '../errors.ts';
import type { Shop } from '../shop.ts';
import { formatsOf, type Rendered, renderedColumns, renderRow } from './files.ts';

/** Rendering this many documents took 11 s on a busy machine, and a request may take 30 s. */
const MOST_DOCUMENTS = 100;

interface Period {
  issued_from: string;
  issued_to: string;
  kind?: DocumentKind;
}

/** Returns a ZIP of all files of a period. Throws a ValidationError if the period has no document or too many. */
export async function exportFiles(shop: Shop, { issued_from, issued_to, kind }: Period): Promise<DocumentArchive> {
  const conditions = [
    sql`d.site_id = ${shop.siteId} and d.issued_at >= ${issued_from} and d.issued_at < ${issued_to}`,
    ...(kind ? [sql`d.kind = ${kind}`] : []),
  ];
  const wanted = join(conditions, ' and ');
  const found = await shop.one<{ counted: number }>(sql`select count(*) as counted from documents d where ${wanted}`);
  refuseOtherNumber(found?.counted ?? 0);
  const rows = await shop.rows<Rendered & RowOf<'documents', 'id' | 'issued_at'>>(
    sql`select d.id, d.issued_at, ${renderedColumns} from documents d join site_settings t using (site_id)
      where ${wanted} order by d.id limit ${MOST_DOCUMENTS}`,
  );
  const { zipSync } = await import('fflate');
  const files = new Map<string, [Uint8Array, { level: 0 | 6; mtime: string }]>();
  for (const row of rows) {
    for (const format of formatsOf(shop)) {
      const { filename, bytes } = await renderRow(shop, row, format);
      // Numbers that differ only in a slash have the same file name.
      const name = files.has(filename) ? `${row.id} ${filename}` : filename;
      // PDFs are compressed already.
      files.set(name, [bytes, { level: format === 'pdf' ? 0 : 6, mtime: row.issued_at }]);
    }
  }
  return {
    filename: `invoices-${issued_from.slice(0, 10)}.zip`,
    content_type: 'application/zip',
    documents: rows.length,
    content: Buffer.from(zipSync(Object.fromEntries(files))).toString('base64'),
  };
}

function refuseOtherNumber(counted: number): void {
  if (counted > 0 && counted <= MOST_DOCUMENTS) return;
  const msg =
    counted === 0
      ? 'No document was issued in this period.'
      : `The period has ${counted} documents, and a ZIP at most ${MOST_DOCUMENTS}. Choose a shorter period.`;
  throw new ValidationError([{ loc: ['query', 'issued_to'], msg, type: 'value_error' }]);
}
