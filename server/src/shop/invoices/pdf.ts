/**
 * The PDF of a document. It is PDF/A-3 with the XML embedded as Factur-X prescribes. Its only date is the day of issue,
 * so that the same content has the same bytes each time.
 */

import { fileURLToPath } from 'node:url';
import type { Brand } from '@commerce-backend/spec';
import PDFDocument from 'pdfkit';
import type { Language } from '../../language/language.ts';
import { decimal, minorUnits } from '../money.ts';
import type { DocumentContent, DocumentLine } from './content.ts';
import { lineName, paymentNote } from './words.ts';

const FONTS = { regular: 'DejaVuSans', bold: 'DejaVuSans-Bold' };
const INK = '#1a1a1a';
const FAINT = '#666666';
const LINE = '#cccccc';
const LEFT = 57;
const RIGHT = 538;
/** The lower end of the text area, and the position of the footer below it. */
const BOTTOM = 740;
const FOOTER = 762;
const COLUMNS = { quantity: 312, price: 362, tax: 432, amount: 468 };

interface Look {
  language: Language;
  digits: number;
  brand: Pick<Brand, 'accent_color'>;
}

/** Returns the PDF, with the XML embedded unless it is undefined. */
export async function pdfOf(content: DocumentContent, xml: string | undefined, look: Look): Promise<Buffer> {
  const day = new Date(content.issued_on);
  const title = `${look.language.say(`invoice.${content.kind}`)} ${content.number}`;
  const doc = new PDFDocument({
    size: 'A4',
    margins: { top: 57, bottom: 0, left: LEFT, right: 595 - RIGHT },
    subset: 'PDF/A-3b',
    pdfVersion: '1.7',
    lang: look.language.locale,
    displayTitle: true,
    bufferPages: true,
    font: fontFile('regular'),
    // Without Author, because pdfkit writes it into the XML of the metadata without escaping `&` and `<`.
    info: { Title: title, CreationDate: day, ModDate: day },
  });
  const done = collected(doc);
  doc.registerFont('regular', fontFile('regular')).registerFont('bold', fontFile('bold'));
  writeHead(doc, content, look, title);
  writeLines(doc, content, look);
  writeTotals(doc, content, look);
  writeFooters(doc, content, look);
  if (xml !== undefined) embed(doc, xml, day);
  doc.end();
  return done;
}

type Doc = PDFKit.PDFDocument;

function fontFile(font: keyof typeof FONTS): string {
  return fileURLToPath(import.meta.resolve(`dejavu-fonts-ttf/ttf/${FONTS[font]}.ttf`));
}

function collected(doc: Doc): Promise<Buffer> {
  const chunks: Buffer[] = [];
  return new Promise((resolve, reject) => {
    doc.on('data', (chunk: Buffer) => chunks.push(chunk));
    doc.on('end', () => resolve(Buffer.concat(chunks)));
    doc.on('error', reject);
  });
}

function writeHead(doc: Doc, content: DocumentContent, { language, brand }: Look, title: string): void {
  const { seller, order, invoice } = content;
  const { say } = language;
  doc
    .font('bold')
    .fontSize(13)
    .fillColor(brand.accent_color ?? INK)
    .text(seller.legal_name, LEFT, 57);
  doc.font('regular').fontSize(7).fillColor(FAINT);
  doc.text([seller.legal_name, seller.address1, `${seller.postal_code} ${seller.city}`].join(' · '), LEFT, 128, {
    width: 250,
  });
  doc
    .fontSize(9.5)
    .fillColor(INK)
    .text(buyerLines(content, language).join('\n'), LEFT, 145, { width: 250, lineGap: 2 });
  const facts: [string, string][] = [
    [say('invoice.number'), content.number],
    [say('invoice.issued_on'), language.date(content.issued_on)],
    [
      say('invoice.supply_date'),
      content.supply_date ? language.date(content.supply_date) : say('invoice.supply_later'),
    ],
    [say('invoice.order'), say('invoice.order_of', { number: order.number, date: language.date(order.date) })],
  ];
  if (invoice) {
    facts.push([say('invoice.for_invoice'), invoice.number]);
    facts.push([say('invoice.invoice_date'), language.date(invoice.issued_on)]);
  }
  let y = 145;
  for (const [name, value] of facts) {
    doc.fontSize(8).fillColor(FAINT).text(name, 330, y, { width: 80 });
    doc.fillColor(INK).text(value, 410, y, { width: RIGHT - 410, align: 'right' });
    y = Math.max(y + 15, doc.y + 4);
  }
  doc.font('bold').fontSize(15).text(title, LEFT, Math.max(y, 265));
  doc.font('regular').fontSize(8).fillColor(FAINT);
  doc.text(say(content.prices_include_tax ? 'invoice.contained' : 'invoice.added'), LEFT, doc.y + 4);
  doc.fillColor(INK).y += 10;
}

function buyerLines({ buyer }: DocumentContent, language: Language): string[] {
  const person = [buyer.first_name, buyer.last_name].filter(Boolean).join(' ');
  const place = [buyer.postal_code, buyer.city].filter(Boolean).join(' ');
  const country = buyer.country && language.country(buyer.country);
  const lines = [buyer.company, person, buyer.address1, buyer.address2, place, country].filter((line) => !!line);
  return (lines.length > 0 ? lines : [buyer.email ?? '']) as string[];
}

function writeLines(doc: Doc, content: DocumentContent, look: Look): void {
  writeTitles(doc, look);
  for (const line of content.lines) {
    const name = lineName(content, line, look.language);
    doc.fontSize(9);
    const height = doc.heightOfString(name, { width: COLUMNS.quantity - LEFT - 10 }) + 26;
    if (doc.y + height > BOTTOM) {
      doc.addPage();
      writeTitles(doc, look);
    }
    writeLine(doc, content, line, name, look);
  }
}

function writeTitles(doc: Doc, { language: { say } }: Look): void {
  const y = doc.y;
  doc.font('bold').fontSize(8);
  doc.text(say('invoice.item'), LEFT, y);
  cells(doc, y, say('invoice.quantity'), say('invoice.price'), say('invoice.tax'), say('invoice.amount'));
  doc.font('regular');
  rule(doc, y + 13);
  doc.y = y + 19;
}

function cells(doc: Doc, y: number, quantity: string, price: string, tax: string, amount: string): void {
  doc.text(quantity, COLUMNS.quantity - 20, y, { width: 45, align: 'right' });
  doc.text(price, COLUMNS.price - 15, y, { width: 70, align: 'right' });
  doc.text(tax, COLUMNS.tax - 10, y, { width: 38, align: 'right' });
  doc.text(amount, COLUMNS.amount - 5, y, { width: RIGHT - COLUMNS.amount + 5, align: 'right' });
}

function writeLine(doc: Doc, content: DocumentContent, line: DocumentLine, name: string, look: Look): void {
  const { language, digits } = look;
  const { currency, prices_include_tax } = content;
  const shown = prices_include_tax ? line.total : line.net;
  const y = doc.y;
  doc.fontSize(9).text(name, LEFT, y, { width: COLUMNS.quantity - LEFT - 30 });
  const below = [
    line.sku && `${language.say('invoice.sku')} ${line.sku}`,
    discountOf(
      line,
      shown,
      digits,
      (amount) => `${language.say('invoice.discount')} ${language.amount(amount, currency)}`,
    ),
  ].filter((text) => !!text);
  if (below.length > 0)
    doc
      .fontSize(7.5)
      .fillColor(FAINT)
      .text(below.join(' · '), LEFT, doc.y + 1)
      .fillColor(INK);
  const end = doc.y;
  const price = line.price === null ? '' : language.amount(line.price, currency);
  doc.fontSize(9);
  cells(doc, y, language.number(line.quantity), price, language.percent(line.rate), language.amount(shown, currency));
  rule(doc, end + 5);
  doc.y = end + 11;
}

/**
 * Describes a positive difference between the price of the pieces and the amount of the line; undefined if there is
 * none.
 */
function discountOf(
  { price, quantity }: DocumentLine,
  shown: string,
  digits: number,
  words: (amount: string) => string,
) {
  if (price === null) return undefined;
  const off = minorUnits(price, digits) * quantity - minorUnits(shown, digits);
  return off > 0 ? words(`-${decimal(off, digits)}`) : undefined;
}

function rule(doc: Doc, y: number): void {
  doc.moveTo(LEFT, y).lineTo(RIGHT, y).lineWidth(0.5).strokeColor(LINE).stroke();
}

function writeTotals(doc: Doc, content: DocumentContent, { language, digits }: Look): void {
  const { currency, kind } = content;
  const amount = (text: string) => language.amount(text, currency);
  const rows = [
    [language.say('invoice.net'), amount(content.net)],
    ...content.taxes.map(({ rate, net, tax }) => [
      language.say('invoice.tax_at', { rate: language.percent(rate), net: amount(net) }),
      amount(tax),
    ]),
  ];
  if (doc.y + rows.length * 14 + 80 > BOTTOM) doc.addPage();
  doc.y += 6;
  for (const [name = '', value = ''] of rows) totalRow(doc, name, value);
  doc.font('bold');
  totalRow(doc, language.say(kind === 'invoice' ? 'invoice.total' : 'invoice.total_credited'), amount(content.total));
  doc.font('regular').y += 12;
  const isPartlyPaid = minorUnits(content.paid, digits) > 0 && content.paid !== content.total;
  const notes = [
    convertedTaxNote(content, language),
    isPartlyPaid && language.say('invoice.paid', { amount: amount(content.paid) }),
    paymentNote(content, language, digits),
    content.taxes.some(({ category }) => category === 'E') && content.seller.small_business_note,
    content.taxes.some(({ category }) => category === 'G') && language.say('invoice.export_reason'),
  ].filter((note) => !!note);
  doc.fontSize(9).text(notes.join('\n'), LEFT, doc.y, { width: RIGHT - LEFT, lineGap: 3 });
}

function convertedTaxNote({ converted_tax, currency }: DocumentContent, language: Language): string | undefined {
  if (!converted_tax) return undefined;
  const rate = new Intl.NumberFormat(language.locale, { maximumFractionDigits: 8 }).format(Number(converted_tax.rate));
  const tax = language.amount(converted_tax.tax, converted_tax.currency);
  return language.say('invoice.converted_tax', {
    ...{ currency, rate, tax, other: converted_tax.currency, source: converted_tax.source },
  });
}

function totalRow(doc: Doc, name: string, value: string): void {
  const y = doc.y;
  doc.fontSize(9).text(name, 250, y, { width: 200, align: 'right' });
  doc.text(value, 455, y, { width: RIGHT - 455, align: 'right' });
  doc.y = y + 14;
}

function writeFooters(doc: Doc, { seller }: DocumentContent, { language }: Look): void {
  const { say } = language;
  const about = [
    [
      seller.legal_name,
      seller.address1,
      seller.address2,
      `${seller.postal_code} ${seller.city}`,
      language.country(seller.country),
    ],
    [
      seller.vat_id && say('invoice.vat_id', { number: seller.vat_id }),
      seller.tax_number && say('invoice.tax_number', { number: seller.tax_number }),
    ],
  ].map((parts) => parts.filter((part) => !!part).join(' · '));
  const { start, count } = doc.bufferedPageRange();
  for (let page = start; page < start + count; page += 1) {
    doc.switchToPage(page);
    rule(doc, FOOTER - 8);
    doc.font('regular').fontSize(7).fillColor(FAINT).text(about.join('\n'), LEFT, FOOTER, { width: 400, lineGap: 2 });
    doc.text(say('invoice.page', { page: page + 1, pages: count }), 440, FOOTER, {
      width: RIGHT - 440,
      align: 'right',
    });
  }
}

/** The name that Factur-X prescribes. */
const XML_NAME = 'factur-x.xml';
const FX = 'urn:factur-x:pdfa:CrossIndustryDocument:invoice:1p0#';

function embed(doc: Doc, xml: string, day: Date): void {
  // The types of the library lack `relationship`.
  const options: PDFKit.Mixins.PDFAttachmentOptions & { relationship: 'Alternative' } = {
    name: XML_NAME,
    type: 'text/xml',
    description: 'Factur-X',
    relationship: 'Alternative',
    creationDate: day,
    modifiedDate: day,
  };
  doc.file(Buffer.from(xml), options);
  doc.appendXML(FACTS);
  doc.appendXML(EXTENSION);
}

const FACTS = `
<rdf:Description rdf:about="" xmlns:fx="${FX}">
  <fx:DocumentType>INVOICE</fx:DocumentType>
  <fx:DocumentFileName>${XML_NAME}</fx:DocumentFileName>
  <fx:Version>1.0</fx:Version>
  <fx:ConformanceLevel>EN 16931</fx:ConformanceLevel>
</rdf:Description>`;

const property = (name: string, description: string) => `
<rdf:li rdf:parseType="Resource">
  <pdfaProperty:name>${name}</pdfaProperty:name>
  <pdfaProperty:valueType>Text</pdfaProperty:valueType>
  <pdfaProperty:category>external</pdfaProperty:category>
  <pdfaProperty:description>${description}</pdfaProperty:description>
</rdf:li>`;

/** PDF/A requires a schema description for metadata that it does not define itself. */
const EXTENSION = `
<rdf:Description rdf:about="" xmlns:pdfaExtension="http://www.aiim.org/pdfa/ns/extension/"
  xmlns:pdfaSchema="http://www.aiim.org/pdfa/ns/schema#" xmlns:pdfaProperty="http://www.aiim.org/pdfa/ns/property#">
  <pdfaExtension:schemas><rdf:Bag><rdf:li rdf:parseType="Resource">
    <pdfaSchema:schema>Factur-X PDFA Extension Schema</pdfaSchema:schema>
    <pdfaSchema:namespaceURI>${FX}</pdfaSchema:namespaceURI>
    <pdfaSchema:prefix>fx</pdfaSchema:prefix>
    <pdfaSchema:property><rdf:Seq>
      ${property('DocumentFileName', 'name of the embedded XML file')}
      ${property('DocumentType', 'INVOICE')}
      ${property('Version', 'version of the Factur-X data')}
      ${property('ConformanceLevel', 'conformance level of the Factur-X data')}
    </rdf:Seq></pdfaSchema:property>
  </rdf:li></rdf:Bag></pdfaExtension:schemas>
</rdf:Description>`;
