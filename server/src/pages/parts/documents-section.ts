import type { Document } from '@commerce-backend/spec';
import type { Language } from '../../language/language.ts';
import { notFound } from '../../shop/errors.ts';
import { documentsOfOrder } from '../../shop/invoices/documents.ts';
import { type RenderedDocument, renderFile } from '../../shop/invoices/files.ts';
import type { Shop } from '../../shop/shop.ts';
import { type Html, html } from './html.ts';
import type { PageAnswer } from './route.ts';

/** The invoices and credit notes of an order, each with a way to download its PDF. Empty if there are none. */
export function documentsSection(
  { say }: Language,
  documents: Document[],
  download: (document: Document, label: string) => Html,
): Html | false {
  if (documents.length === 0) return false;
  const label = ({ kind, number }: Document) => say('invoice.download', { kind: say(`invoice.${kind}`), number });
  return html`
<section class="part">
<h2>${say('invoice.documents')}</h2>
<ul class="bullets">${documents.map((document) => html`<li>${download(document, label(document))}</li>`)}</ul>
</section>`;
}

/** The PDF of a document of this order. Throws `not_found` for one of another order. */
export async function documentFile(shop: Shop, order_id: string, id: string | undefined): Promise<RenderedDocument> {
  const document = (await documentsOfOrder(shop, order_id)).find((one) => one.id === id);
  if (!document) throw notFound('document');
  return renderFile(shop, document.id, 'pdf');
}

export function downloadOf(file: RenderedDocument): PageAnswer {
  return { status: 200, html: '', file };
}
