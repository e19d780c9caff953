import { setImmediate } from 'node:timers/promises';
import type { DocumentArchive, DocumentKind } from '@commerce-backend/spec';
import sql, { join, type Sql } from 'sql-template-tag';
import type { RowOf } from '../../db/row-of.ts';
import { ShopError, ValidationError } from '../errors.ts';
import type { Shop } from '../shop.ts';
import { formatsOf, renderFile } from './files.ts';

/** Rendering this many documents took 11 s on a busy machine, and a request may take 30 s. */
const MOST_DOCUMENTS = 100;

interface Period {
  issued_from: string;
  issued_to: string;
  kind?: DocumentKind;
}

/** Maximum number of concurrent archives per process, because each renders PDFs for seconds and holds a connection. */
const AT_ONCE = 2;
let running = 0;

/**
 * Returns a ZIP of all files of a period. Throws `unavailable`, and a ValidationError if the period has no document or
 * too many.
 */
export async function exportFiles(shop: Shop, period: Period): Promise<DocumentArchive> {
  if (running >= AT_ONCE) {
    throw new ShopError('unavailable', `${AT_ONCE} periods are being exported already. Retry later.`);
  }
  running += 1;
  try {
    return await archiveOf(shop, period);
  } finally {
    running -= 1;
  }
}

async function archiveOf(shop: Shop, { issued_from, issued_to, kind }: Period): Promise<DocumentArchive> {
  const conditions = [
    sql`d.site_id = ${shop.siteId} and d.issued_at >= ${issued_from} and d.issued_at < ${issued_to}`,
    ...(kind ? [sql`d.kind = ${kind}`] : []),
  ];
  const wanted = join(conditions, ' and ');
  const rows = await shop.rows<RowOf<'documents', 'id' | 'issued_at'> & { first_day: string }>(
    sql`select d.id, d.issued_at, (${issued_from}::timestamptz at time zone t.time_zone)::date::text as first_day
      from documents d join site_settings t using (site_id) where ${wanted} order by d.id limit ${MOST_DOCUMENTS + 1}`,
  );
  const [first] = rows;
  if (!first || rows.length > MOST_DOCUMENTS) throw await otherNumber(shop, wanted);
  const { zipSync } = await import('fflate');
  const files = new Map<string, [name: string, Uint8Array, { level: 0 | 6; mtime: string }]>();
  for (const { id, issued_at } of rows) {
    for (const format of formatsOf(shop)) {
      // Queries the database for each file, because PostgreSQL closes a connection that is idle in a transaction for 10
      // s.
      const { filename, bytes } = await renderFile(shop, id, format);
      // Numbers that differ only in a slash have the same file name, and some file systems ignore case.
      const name = files.has(filename.toLowerCase()) ? `${id} ${filename}` : filename;
      // PDFs are compressed already.
      files.set(name.toLowerCase(), [name, bytes, { level: format === 'pdf' ? 0 : 6, mtime: issued_at }]);
    }
    // Rendering blocks the event loop, so other work runs between two documents.
    await setImmediate();
  }
  const entries = [...files.values()].map(([name, ...file]) => [name, file] as const);
  return {
    filename: `invoices-${first.first_day}.zip`,
    content_type: 'application/zip',
    documents: rows.length,
    content: Buffer.from(zipSync(Object.fromEntries(entries))).toString('base64'),
  };
}

async function otherNumber(shop: Shop, wanted: Sql): Promise<ValidationError> {
  const found = await shop.one<{ counted: number }>(sql`select count(*) as counted from documents d where ${wanted}`);
  const counted = found?.counted ?? 0;
  const msg =
    counted === 0
      ? 'No document was issued in this period.'
      : `The period has ${counted} documents, and a ZIP at most ${MOST_DOCUMENTS}. Choose a shorter period.`;
  return new ValidationError([{ loc: ['query', 'issued_to'], msg, type: 'value_error' }]);
}
