import { extractXml, Profile, validateXsd } from '@stackforge-eu/factur-x';
import { XMLParser, XMLValidator } from 'fast-xml-parser';
import { expect, test } from 'vitest';
import { documentsOf, givenSeller } from '../../../test/invoices.ts';
import { openShop } from '../../../test/shop.ts';

type Shop = Awaited<ReturnType<typeof openShop>>;

async function fileOf(shop: Shop, document_id: string, format: 'pdf' | 'xml') {
  const params = { path: { document_id, format } };
  const { data, error } = await shop.dashboard.GET('/api/dashboard/documents/{document_id}/files/{format}', { params });
  return { ...data, error, bytes: Buffer.from(data?.content ?? '', 'base64') };
}

interface Summary {
  number: string;
  type: string;
  lines: number[];
  /** All amounts are in cents. */
  taxes: { category: string; percent: number; net: number; tax: number }[];
  line_total: number;
  allowances: number;
  net: number;
  tax: number;
  total: number;
  paid: number;
  due: number;
}

/** Reads the amounts of a Cross Industry Invoice with a different library from the one that wrote it. */
function read(xml: string): Summary {
  const parser = new XMLParser({
    removeNSPrefix: true,
    parseTagValue: false,
    isArray: (name) => /LineItem|TradeTax|AllowanceCharge/.test(name),
  });
  const { ExchangedDocument, SupplyChainTradeTransaction } = parser.parse(xml).CrossIndustryInvoice;
  const { IncludedSupplyChainTradeLineItem: items, ApplicableHeaderTradeSettlement: settlement } =
    SupplyChainTradeTransaction;
  const cents = (text: unknown) => Math.round(Number(text ?? 0) * 100);
  const sums = settlement.SpecifiedTradeSettlementHeaderMonetarySummation;
  return {
    number: ExchangedDocument.ID,
    type: ExchangedDocument.TypeCode,
    lines: items.map((item: { SpecifiedLineTradeSettlement: Record<string, Record<string, string>> }) =>
      cents(item.SpecifiedLineTradeSettlement.SpecifiedTradeSettlementLineMonetarySummation?.LineTotalAmount),
    ),
    taxes: settlement.ApplicableTradeTax.map((tax: Record<string, string>) => ({
      category: tax.CategoryCode ?? '',
      percent: Number(tax.RateApplicablePercent),
      net: cents(tax.BasisAmount),
      tax: cents(tax.CalculatedAmount),
    })),
    line_total: cents(sums.LineTotalAmount),
    allowances: cents(sums.AllowanceTotalAmount),
    net: cents(sums.TaxBasisTotalAmount),
    tax: cents(sums.TaxTotalAmount),
    total: cents(sums.GrandTotalAmount),
    paid: cents(sums.TotalPrepaidAmount),
    due: cents(sums.DuePayableAmount),
  };
}

/** PDF/A requires well-formed XML that names the standard. */
function expectMetadata(pdf: Buffer): void {
  const metadata = /<x:xmpmeta.*?<\/x:xmpmeta>/s.exec(pdf.toString())?.[0] ?? '';
  expect(metadata).toContain('<pdfaid:part>3</pdfaid:part>');
  expect(XMLValidator.validate(metadata)).toBe(true);
}

const sum = (amounts: number[]) => amounts.reduce((all, amount) => all + amount, 0);

/** Checks the business rules of EN 16931 about amounts, BR-CO-10 to BR-CO-17. */
function expectRules({ lines, taxes, line_total, allowances, net, tax, total, paid, due }: Summary): void {
  expect(sum(lines)).toBe(line_total);
  expect(line_total - allowances).toBe(net);
  expect(sum(taxes.map((one) => one.net))).toBe(net);
  expect(sum(taxes.map((one) => one.tax))).toBe(tax);
  expect(net + tax).toBe(total);
  expect(total - paid).toBe(due);
  for (const one of taxes) expect(Math.abs(one.tax - (one.net * one.percent) / 100)).toBeLessThan(100);
}

async function givenDocuments(shop: Shop, content: { variant_id: string; quantity: number }[], refunds: string[] = []) {
  const order = await shop.givenOrder({ content });
  const params = { path: { order_id: order.id } };
  await shop.dashboard.POST('/api/dashboard/orders/{order_id}/mark-paid', { params });
  if (refunds[0]) {
    const body = { amount: refunds[0], reason: 'other' as const };
    await shop.dashboard.POST('/api/dashboard/orders/{order_id}/refunds', { params, body });
  }
  await shop.dashboard.POST('/api/dashboard/orders/{order_id}/fulfillments', { params, body: {} });
  await documentsOf(shop, order.id);
  for (const amount of refunds.slice(1)) {
    const line_items = [{ line_item_id: order.line_items[0]?.id ?? '', quantity: 1 }];
    const body = { amount, reason: 'other' as const, line_items };
    await shop.dashboard.POST('/api/dashboard/orders/{order_id}/refunds', { params, body });
  }
  return documentsOf(shop, order.id);
}

async function givenTaxed(default_locale: 'de' | 'en' | 'fr', seller: Parameters<typeof givenSeller>[1] = {}) {
  const shop = await openShop();
  const tax_rates = [
    { country: 'DE', rate: '0.19' },
    { country: 'DE', class: 'reduced', rate: '0.07' },
  ];
  await shop.givenTerms({ tax_rates, default_locale, brand: { accent_color: '#2f5d50' } });
  await givenSeller(shop, seller);
  return shop;
}

test.each(['de', 'en', 'fr'] as const)(
  'the XML of invoices and credit notes conforms to the published schema of Factur-X, and is embedded in the PDF (%s)',
  async (locale) => {
    const shop = await givenTaxed(locale);
    const mug = await shop.givenProduct({ name: 'Becher „Grün“ & <Süß>', price: '9.99', sku: `BECHER-${locale}` });
    const book = await shop.givenProduct({ name: 'Livre d’été', price: '7.77', tax_class: 'reduced' });
    const content = [
      { variant_id: mug.variants[0]?.id ?? '', quantity: 3 },
      { variant_id: book.variants[0]?.id ?? '', quantity: 1 },
    ];

    // The first amount is refunded before the invoice. After it, one mug is refunded at less than its price.
    const documents = await givenDocuments(shop, content, ['2.00', '8.00']);

    expect(documents.map(({ kind }) => kind)).toEqual(['invoice', 'credit_note']);
    for (const { id, number, kind, total, tax } of documents) {
      const pdf = await fileOf(shop, id, 'pdf');
      const { bytes, filename } = await fileOf(shop, id, 'xml');
      const xml = bytes.toString();
      expect(filename).toBe(`${number}.xml`);
      expect(await validateXsd(xml, Profile.EN16931)).toMatchObject({ valid: true, errors: [] });
      expect(pdf).toMatchObject({ filename: `${number}.pdf`, content_type: 'application/pdf' });
      const embedded = await extractXml(pdf.bytes);
      expect(embedded.xml).toBe(xml);
      expectMetadata(pdf.bytes);
      const summary = read(xml);
      expect(summary).toMatchObject({ number, type: kind === 'invoice' ? '380' : '381' });
      expect([summary.total, summary.tax]).toEqual([total, tax].map((amount) => Math.round(Number(amount) * 100)));
      expectRules(summary);
    }
  },
);

test('an invoice of a small business states why it contains no tax', async () => {
  const note = 'Kein Ausweis von Umsatzsteuer, § 19 UStG';
  const shop = await openShop();
  await givenSeller(shop, { vat_id: null, tax_number: '12/345/67890', small_business_note: note });
  const mug = await shop.givenProduct();

  const [invoice] = await givenDocuments(shop, [{ variant_id: mug.variants[0]?.id ?? '', quantity: 1 }]);

  const xml = (await fileOf(shop, invoice?.id ?? '', 'xml')).bytes.toString();
  expect(await validateXsd(xml, Profile.EN16931)).toMatchObject({ valid: true, errors: [] });
  expect(xml).toContain(`<ram:ExemptionReason>${note}</ram:ExemptionReason>`);
  expect(read(xml).taxes).toMatchObject([{ category: 'E', percent: 0, tax: 0 }]);
});

test('documents state the VAT in the currency of the seller, at the rate that the invoice was issued with', async () => {
  const shop = await givenTaxed('en');
  const rate = {
    vat_currency: 'CHF',
    vat_exchange_rate: '0.93125',
    vat_exchange_rate_source: 'National bank, 2 March',
  };
  await givenSeller(shop, rate);
  const mug = await shop.givenProduct({ price: '11.90' });
  const order = await shop.givenOrder({ content: [{ variant_id: mug.variants[0]?.id ?? '', quantity: 2 }] });
  const params = { path: { order_id: order.id } };
  await shop.dashboard.POST('/api/dashboard/orders/{order_id}/mark-paid', { params });
  await shop.dashboard.POST('/api/dashboard/orders/{order_id}/fulfillments', { params, body: {} });
  await documentsOf(shop, order.id);
  await givenSeller(shop, { ...rate, vat_exchange_rate: '2' });
  const body = { amount: '11.90', reason: 'other' as const };
  await shop.dashboard.POST('/api/dashboard/orders/{order_id}/refunds', { params, body });

  const [invoice, creditNote] = await documentsOf(shop, order.id);

  for (const [document, eur, chf] of [
    [invoice, '4.58', '4.27'],
    [creditNote, '1.90', '1.77'],
  ] as const) {
    const xml = (await fileOf(shop, document?.id ?? '', 'xml')).bytes.toString();
    expect(await validateXsd(xml, Profile.EN16931)).toMatchObject({ valid: true, errors: [] });
    expect(xml).toContain('<ram:TaxCurrencyCode>CHF</ram:TaxCurrencyCode>');
    expect(xml).toContain(`<ram:TaxTotalAmount currencyID="EUR">${eur}</ram:TaxTotalAmount>`);
    expect(xml).toContain(`<ram:TaxTotalAmount currencyID="CHF">${chf}</ram:TaxTotalAmount>`);
    expect((await fileOf(shop, document?.id ?? '', 'pdf')).bytes.length).toBeGreaterThan(10_000);
  }
});

test('renders a document with the same bytes each time', async () => {
  const shop = await givenTaxed('de');
  const mug = await shop.givenProduct();
  const [invoice] = await givenDocuments(shop, [{ variant_id: mug.variants[0]?.id ?? '', quantity: 1 }]);

  const [first, second] = [await fileOf(shop, invoice?.id ?? '', 'pdf'), await fileOf(shop, invoice?.id ?? '', 'pdf')];

  expect(first.bytes.length).toBeGreaterThan(10_000);
  expect(second.bytes.equals(first.bytes)).toBe(true);
});

test("rejects a download of another shop's document (404 not_found)", async () => {
  const [shop, other] = [await givenTaxed('de'), await openShop()];
  const mug = await shop.givenProduct();
  const [invoice] = await givenDocuments(shop, [{ variant_id: mug.variants[0]?.id ?? '', quantity: 1 }]);

  expect((await fileOf(other, invoice?.id ?? '', 'pdf')).error).toMatchObject({ error: 'not_found' });
});
