import sql from 'sql-template-tag';
import type { RowOf } from '../../db/row-of.ts';
import { renderFile } from '../invoices/files.ts';
import type { Mails } from '../mail.ts';
import type { MailContext } from './context.ts';
import { aboutOrder } from './order-templates.ts';
import type { MailContent } from './rendering.ts';

/** The mail with an invoice or credit note as attachment; undefined if retention has deleted the document. */
export function documentIssued(
  context: MailContext,
  { order_id, document_id }: Mails['document_issued'],
): Promise<MailContent | undefined> {
  return aboutOrder(context, order_id, async ({ language: { say }, order }) => {
    const { shop } = context;
    const found = await shop.one<RowOf<'documents', 'kind' | 'number'>>(
      sql`select kind, number from documents where site_id = ${shop.siteId} and id = ${document_id}`,
    );
    if (!found) return undefined;
    const words = { number: found.number, order: order.order_number };
    return {
      subject: say(`invoice.mail_${found.kind}_subject`, words),
      lead: [{ paragraph: say(`invoice.mail_${found.kind}_text`, words) }],
      details: [],
      attachments: [await renderFile(shop, document_id, 'pdf')],
    };
  });
}
