import { writeFile } from 'node:fs/promises';
import { unwrap } from '@commerce-backend/sdk';
import type { Command } from 'commander';
import { addCall, listText, pageText } from '../call-command.ts';
import { addFlags, givenRequest } from '../flags.ts';
import { calls } from '../operations.ts';
import { counted, show } from '../output.ts';
import { openSession } from '../session.ts';
import type { Terminal } from '../terminal.ts';
import { DOCUMENT_COLUMNS, type Document, documentText, findDocument } from './document-view.ts';
import { addExportOptions, type CsvColumns, type ExportOptions, exportPages } from './export-pages.ts';
import { choice, isJson } from './options.ts';

const INVOICE = '\nINVOICE is a number such as INV-2026-17 or an id, also of a credit note.';

const examplesOf = (before: string, ...lines: string[]) =>
  `${before}\n\nExamples:\n${lines.map((line) => `  $ ${line}`).join('\n')}`;

/** `invoices list|show|issue|download|export|archive`: manages invoices and credit notes. */
export function addInvoices(program: Command, terminal: Terminal): void {
  const invoices = program.command('invoices').description('Invoices and credit notes.');
  addCall(invoices, terminal, {
    name: 'list',
    operation: 'dashboard.listDocuments',
    description: 'List invoices and credit notes, newest first.',
    examples: examplesOf('', 'commerce invoices list', 'commerce invoices list --kind credit_note'),
    text: (page, view) => pageText('documents', DOCUMENT_COLUMNS, page.documents, page, view),
  });
  addCall(invoices, terminal, {
    name: 'show <invoice>',
    operation: 'dashboard.getDocument',
    description: 'Show an invoice or credit note with its tax by rate.',
    examples: examplesOf(INVOICE, 'commerce invoices show INV-2026-17'),
    text: documentText,
  });
  addCall(invoices, terminal, {
    name: 'issue <order>',
    operation: 'dashboard.issueInvoice',
    description: 'Issue the invoice of an order. Its number appears in the list a moment later.',
    examples: examplesOf('', 'commerce invoices issue 1021'),
    text: ({ documents }, view) => listText('The invoice will be issued.', DOCUMENT_COLUMNS, documents, view),
  });
  addDownload(invoices, terminal);
  addExport(invoices, terminal);
  addArchive(invoices, terminal);
}

interface DownloadOptions {
  format: 'pdf' | 'xml';
  output?: string;
}

function addDownload(invoices: Command, terminal: Terminal): void {
  calls(
    invoices.command('download <invoice>'),
    'dashboard.getDocument',
    'dashboard.listDocuments',
    'dashboard.getDocumentFile',
  )
    .description('Write the PDF or the XML of an invoice or credit note to a file.')
    .addOption(choice('--format <format>', 'the PDF with embedded XML, or the XML', ['pdf', 'xml']).default('pdf'))
    .option('--output <file>', 'the file to write; by default its number in this folder')
    .addHelpText('after', examplesOf(INVOICE, 'commerce invoices download INV-2026-17'))
    .action(async (wanted: string, { format, output }: DownloadOptions, command: Command) => {
      const { client } = await openSession(command, terminal);
      const { id: document_id } = await findDocument(client, wanted);
      const params = { path: { document_id, format } };
      const found = await unwrap(client.GET('/api/dashboard/documents/{document_id}/files/{format}', { params }));
      const file = output ?? found.filename;
      await writeFile(file, Buffer.from(found.content, 'base64'));
      show(terminal, isJson(command), { file, format }, () => `Wrote ${file}.`);
    });
}

const EXPORT_EXAMPLES = `
The CSV has a row for each tax rate of a document. The amounts of credit notes are negative, so that a column can be summed.

Examples:
  $ commerce invoices export --issued-from 2026-01-01 --issued-to 2026-03-31 --output tax.csv`;

interface Row {
  document: Document;
  tax: Document['taxes'][number];
}

const COLUMNS: CsvColumns<Row> = {
  number: ({ document }) => document.number,
  kind: ({ document }) => document.kind,
  invoice_number: ({ document }) => document.invoice_number,
  issued_at: ({ document }) => document.issued_at,
  issued_on: ({ document }) => document.issued_on,
  supply_date: ({ document }) => document.supply_date,
  order_number: ({ document }) => document.order_number,
  buyer_name: ({ document }) => document.buyer_name,
  country: ({ document }) => document.country,
  currency: ({ document }) => document.currency,
  rate: ({ tax }) => tax.rate,
  net: ({ document, tax }) => signed(document, tax.net),
  tax: ({ document, tax }) => signed(document, tax.tax),
  id: ({ document }) => document.id,
};

function signed({ kind }: Document, amount: string): string {
  return kind === 'credit_note' && /[1-9]/.test(amount) ? `-${amount}` : amount;
}

function addExport(invoices: Command, terminal: Terminal): void {
  const flags = { page: false, limit: false, number: false } as const;
  const command = addFlags(invoices.command('export'), 'dashboard.listDocuments', flags).description(
    'Write invoices and credit notes with their tax by rate and country to a file or to the standard output.',
  );
  addExportOptions(command)
    .addHelpText('after', EXPORT_EXAMPLES)
    .action(async (options: ExportOptions, own: Command) => {
      const given = await givenRequest<'dashboard.listDocuments'>(own, terminal);
      const { client } = await openSession(own, terminal, { maxAttempts: 5 });
      const seen = new Set<string>();
      const read = async (cursor = '1') => {
        const query = { ...given.query, page: Number(cursor), limit: 100 };
        const { documents, page, pages } = await unwrap(client.GET('/api/dashboard/documents', { params: { query } }));
        // A document that is issued during the export moves earlier ones to the next page, which returns them again.
        const entries = documents.filter(({ id }) => !seen.has(id));
        for (const { id } of entries) seen.add(id);
        return { entries, next_cursor: page < pages ? String(page + 1) : null };
      };
      const rowsOf = (document: Document): Row[] => document.taxes.map((tax) => ({ document, tax }));
      await exportPages({ noun: 'documents', read, rowsOf, columns: COLUMNS }, options, own, terminal);
    });
}

const ARCHIVE_EXAMPLES = `
The ZIP has the PDF and the XML of each document, and at most 100 documents. Both days are included.

Examples:
  $ commerce invoices archive --issued-from 2026-03-01 --issued-to 2026-03-31 --output march.zip`;

function addArchive(invoices: Command, terminal: Terminal): void {
  addFlags(invoices.command('archive'), 'dashboard.exportDocuments')
    .description('Write the files of all invoices and credit notes of a period to a ZIP.')
    .option('--output <file>', 'the file to write; by default named after the first day, in this folder')
    .addHelpText('after', ARCHIVE_EXAMPLES)
    .action(async ({ output }: Pick<DownloadOptions, 'output'>, command: Command) => {
      const { query } = await givenRequest<'dashboard.exportDocuments'>(command, terminal);
      const { client } = await openSession(command, terminal);
      const found = await unwrap(client.GET('/api/dashboard/documents/export', { params: { query } }));
      const { documents, content } = found;
      const file = output ?? found.filename;
      await writeFile(file, Buffer.from(content, 'base64'));
      show(terminal, isJson(command), { file, documents }, () => `Wrote ${counted(documents, 'document')} to ${file}.`);
    });
}
