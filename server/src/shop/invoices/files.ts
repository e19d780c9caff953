import type { Brand, DocumentFile, DocumentFormat } from '@commerce-backend/spec';
import sql from 'sql-template-tag';
import type { RowOf } from '../../db/row-of.ts';
import { languageFor } from '../../language/language.ts';
import { notFound } from '../errors.ts';
import type { Shop } from '../shop.ts';
import type { DocumentContent } from './content.ts';
import { isOfCustomer, MOST_DIGITS } from './documents.ts';

export interface RenderedDocument {
  filename: string;
  content_type: string;
  bytes: Buffer;
}

/**
 * Returns a file of a document with its content in Base64. Throws `not_found`, even for a document of another customer.
 */
export async function getFile(
  shop: Shop,
  id: string,
  format: DocumentFormat,
  customer_id?: string,
): Promise<DocumentFile> {
  const { bytes, ...file } = await renderFile(shop, id, format, customer_id);
  return { ...file, content: bytes.toString('base64') };
}

/** The data from which the files of a document are rendered. */
type Rendered = RowOf<'documents', 'number' | 'locale'> & {
  content: DocumentContent;
  brand: Brand;
  time_zone: string;
};

/** Returns the file formats of the shop's documents. The XML allows at most two decimals. */
export function formatsOf({ currencyDigits }: Shop): DocumentFormat[] {
  return currencyDigits > MOST_DIGITS ? ['pdf'] : ['pdf', 'xml'];
}

/** Renders a file of a document from its frozen content. Throws `not_found`. */
export async function renderFile(
  shop: Shop,
  id: string,
  format: DocumentFormat,
  customer_id?: string,
): Promise<RenderedDocument> {
  const own = customer_id === undefined ? sql`true` : isOfCustomer(customer_id);
  const found = await shop.one<Rendered>(
    sql`select d.number, d.locale, d.content, t.brand, t.time_zone from documents d join site_settings t using (site_id)
      where d.site_id = ${shop.siteId} and d.id = ${id} and ${own}`,
  );
  if (!found || !formatsOf(shop).includes(format)) throw notFound('document');
  return renderRow(shop, found, format);
}

async function renderRow(shop: Shop, row: Rendered, format: DocumentFormat): Promise<RenderedDocument> {
  const digits = shop.currencyDigits;
  const { content, brand, locale } = row;
  const language = languageFor(locale, row.time_zone);
  const filename = `${row.number.replaceAll('/', '-')}.${format}`;
  // The libraries and fonts take 30 MB, so they are loaded on first use.
  const xml = formatsOf(shop).includes('xml') ? (await import('./xml.ts')).xmlOf(content, language, digits) : undefined;
  if (format === 'xml') return { filename, content_type: 'application/xml', bytes: Buffer.from(xml ?? '') };
  const { pdfOf } = await import('./pdf.ts');
  const accent_color = brand.accent_color ?? null;
  return {
    filename,
    content_type: 'application/pdf',
    bytes: await pdfOf(content, xml, { language, digits, brand: { accent_color } }),
  };
}
