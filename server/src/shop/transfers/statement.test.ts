import { expect, test } from 'vitest';
import { ValidationError } from '../errors.ts';
import { amountOf, decimalMarkOf, writtenAmount } from './amounts.ts';
import { readBankCsv } from './bank-csv.ts';
import { readCamt } from './camt.ts';

test.each([
  ['1.234,56', '1234.56'],
  ['1,234.56', '1234.56'],
  ['1 234,56', '1234.56'],
  ["1'234.50", '1234.50'],
  ['36', '36'],
  ['+36.00', '36.00'],
  ['-36,00', '-36.00'],
  ['36,00-', '-36.00'],
  ['(36.00)', '-36.00'],
  ['1.234.567,00', '1234567.00'],
  ['1.234.567', '1234567'],
  ['0,05', '0.05'],
  [',5', '0.5'],
])('parses the amount %j as %s', (written, amount) => {
  expect(amountOf(written)).toBe(amount);
});

test.each(['1.234', '12.34.56', 'about 5', ''])('parses no amount from %j', (written) => {
  expect(amountOf(written)).toBeUndefined();
});

test.each([
  ['14,90 €', '14,90', [['EUR']], []],
  ["CHF 1'234.50", "1'234.50", [['CHF']], []],
  ['49,90 H', '49,90', [], ['in']],
  ['49,90 S', '49,90', [], ['out']],
  ['49.90 Cr.', '49.90', [], ['in']],
  ['GBP 49.90DR', '49.90', [['GBP']], ['out']],
  ['+36.00', '+36.00', [], ['in']],
])('separates the amount %j into number, currency and direction', (cell, number, currencies, directions) => {
  const written = writtenAmount(cell);
  expect({ ...written, number: written.number.trim() }).toEqual({ number, currencies, directions, unknown: undefined });
});

test('reads an ambiguous amount with the decimal separator of the other amounts in the file', () => {
  expect(decimalMarkOf(['36,00', '1.234', '-5,5'])).toBe(',');
  expect(decimalMarkOf(['36,00', '36.00'])).toBeUndefined();
  expect(amountOf('1.234', ',')).toBe('1234');
  expect(amountOf('1.234', '.')).toBeUndefined();
});

test('reads a German CSV with lines above its header, a pending entry and an amount without decimals', () => {
  const csv = [
    '"Kontoumsätze";"Girokonto DE89370400440532013000"',
    '""',
    '"Buchungstag";"Beguenstigter/Zahlungspflichtiger";"Verwendungszweck";"Betrag";"Waehrung";"Info"',
    '"21.11.26";"Jörg Müller";"Bestellung 1001, danke";"36,00";"EUR";"Umsatz gebucht"',
    '"21.11.26";"Stadtwerke";"Abschlag";"-80,00";"EUR";"Umsatz gebucht"',
    '"22.11.26";"Erle AG";"RE1002\n2. Zeile";"1.234,50";"EUR";"Umsatz gebucht"',
    '"22.11.26";"Ulme AG";"1003";"1.500";"EUR";"Umsatz gebucht"',
    '"22.11.26";"Linde AG";"1004";"15,00";"EUR";"Umsatz vorgemerkt"',
  ].join('\r\n');

  expect(readBankCsv(csv, 'EUR').transfers).toMatchObject([
    { line: 4, amount: '36.00', currency: 'EUR', payer: 'Jörg Müller', text: 'Bestellung 1001, danke', doubt: null },
    { line: 6, amount: '1234.50', currency: 'EUR', payer: 'Erle AG', text: 'RE1002\n2. Zeile', doubt: null },
    { line: 8, amount: '1500', currency: 'EUR', payer: 'Ulme AG', text: '1003', doubt: null },
  ]);
});

test('reads English and French CSV with separate columns for incoming and outgoing money', () => {
  const english =
    'Date,Description,Paid in,Paid out\n2026-11-21,"Order 1001, ""thanks""",36.00,\n2026-11-21,Rent,,900.00\n';
  const french =
    'Date;Libellé;Débit euros;Crédit euros\n21/11/2026;VIR COMMANDE 1001;;1 036,00\n21/11/2026;LOYER;900,00;\n';

  expect(readBankCsv(english, 'EUR').transfers).toMatchObject([
    { line: 2, amount: '36.00', currency: null, payer: '', text: 'Order 1001, "thanks"', doubt: null },
  ]);
  expect(readBankCsv(french, 'EUR').transfers).toMatchObject([
    { line: 2, amount: '1036.00', currency: null, payer: '', text: 'VIR COMMANDE 1001', doubt: null },
  ]);
});

const ENTRY = (inner: string) => `<Ntry>${inner}</Ntry>`;
const CAMT = (...entries: string[]) => `<?xml version="1.0" encoding="UTF-8"?>
<c:Document xmlns:c="urn:iso:std:iso:20022:tech:xsd:camt.053.001.08"><c:BkToCstmrStmt><Stmt><Id>1</Id>
<Bal><Amt Ccy="EUR">5000.00</Amt><CdtDbtInd>CRDT</CdtDbtInd></Bal>${entries.join('')}</Stmt></c:BkToCstmrStmt></c:Document>`;
const BOOKED = '<CdtDbtInd>CRDT</CdtDbtInd><Sts><Cd>BOOK</Cd></Sts>';

test('reads booked incoming payments of CAMT.053, and each payment of a batch separately', () => {
  const details = (amount: string, name: string, text: string) =>
    `<TxDtls><Refs><EndToEndId>NOTPROVIDED</EndToEndId></Refs><Amt Ccy="EUR">${amount}</Amt><CdtDbtInd>CRDT</CdtDbtInd>
      <RltdPties><Dbtr><Pty><Nm>${name}</Nm></Pty></Dbtr><Cdtr><Pty><Nm>The shop</Nm></Pty></Cdtr></RltdPties>
      <RmtInf><Ustrd>${text}</Ustrd></RmtInf></TxDtls>`;
  const xml = CAMT(
    ENTRY(
      `<Amt Ccy="EUR">36.00</Amt>${BOOKED}<NtryDtls>${details('36.00', 'J&#246;rg &amp; Co', 'Order 1001')}</NtryDtls>`,
    ),
    ENTRY(
      `<Amt Ccy="EUR">30.00</Amt>${BOOKED}<NtryDtls>${details('10.00', 'A', '1002')}${details('20.00', 'B', '1003')}</NtryDtls>`,
    ),
    ENTRY(`<Amt Ccy="EUR">80.00</Amt><CdtDbtInd>DBIT</CdtDbtInd><Sts>BOOK</Sts>`),
    ENTRY(`<Amt Ccy="EUR">70.00</Amt><CdtDbtInd>CRDT</CdtDbtInd><Sts>PDNG</Sts>`),
    ENTRY(`<Amt Ccy="EUR">60.00</Amt>${BOOKED}<RvslInd>true</RvslInd>`),
    ENTRY(`<Amt Ccy="EUR">50.00</Amt>${BOOKED}<AddtlNtryInf>Order 1004</AddtlNtryInf>`),
  );

  expect(readCamt(xml, 'EUR')).toMatchObject({
    left_out: { outgoing: 1, not_booked: 1 },
    transfers: [
      { line: 1, amount: '36.00', currency: 'EUR', payer: 'Jörg & Co', text: 'NOTPROVIDED Order 1001', doubt: null },
      { line: 2, amount: '10.00', currency: 'EUR', payer: 'A', text: 'NOTPROVIDED 1002', doubt: null },
      { line: 2, amount: '20.00', currency: 'EUR', payer: 'B', text: 'NOTPROVIDED 1003', doubt: null },
      { line: 5, amount: '60.00', currency: 'EUR', payer: '', text: '', doubt: 'It reverses an earlier entry.' },
      { line: 6, amount: '50.00', currency: 'EUR', payer: '', text: 'Order 1004', doubt: null },
    ],
  });
});

test('a payment has the same entry id in different export files, and different payments have different entry ids', () => {
  const header = 'Date,Payer,Reference,Amount,Currency';
  const [one, other] = ['2026-03-01,June,1001,+30.00,EUR', '2026-03-02,June,1001,+30.00,EUR'];
  const csv = (...lines: string[]) =>
    readBankCsv([header, ...lines].join('\n'), 'EUR').transfers.map(({ entry }) => entry);
  const [first, second, third] = csv(one, one, other);
  expect(new Set([first, second, third]).size).toBe(3);
  expect(csv(other, one)).toEqual([third, first]);

  const booked = (account: string, reference: string, date = '2026-03-01') =>
    `<?xml version="1.0"?><Document><BkToCstmrStmt><Stmt><Acct><Id><IBAN>${account}</IBAN></Id></Acct>${ENTRY(
      `<Amt Ccy="EUR">30.00</Amt>${BOOKED}<BookgDt><Dt>${date}</Dt></BookgDt><AcctSvcrRef>${reference}</AcctSvcrRef>
       <AddtlNtryInf>1001</AddtlNtryInf>`,
    )}</Stmt></BkToCstmrStmt></Document>`;
  const camt = (...given: [string, string, string?]) => readCamt(booked(...given), 'EUR').transfers[0]?.entry;
  expect(camt('DE1', 'A1')).toBe(camt('DE1', 'A1'));
  const all = [camt('DE1', 'A1'), camt('DE2', 'A1'), camt('DE1', 'A2'), camt('DE1', 'A1', '2026-03-02')];
  expect(new Set(all).size).toBe(4);
});

test('two equal payments with the placeholder NONREF or NOTPROVIDED as reference have different entry ids', () => {
  const entry = (filler: string) =>
    ENTRY(`<Amt Ccy="EUR">30.00</Amt>${BOOKED}<AcctSvcrRef>${filler}</AcctSvcrRef><AddtlNtryInf>1001</AddtlNtryInf>`);
  for (const filler of ['NONREF', 'NOTPROVIDED']) {
    const { transfers } = readCamt(CAMT(entry(filler) + entry(filler)), 'EUR');
    expect(new Set(transfers.map((transfer) => transfer.entry)).size).toBe(2);
  }
});

const BOMB = `<!DOCTYPE d [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;">]>`;

test.each([
  ['a table without amounts', 'Date,Description\n2026-11-21,Rent\n', /no header with a column for the amount/],
  ['an open quote', 'Reference,Amount\n"1001,36.00\n', /Line 2 has an unclosed quoted cell/],
  ['another XML', '<Document><Other/></Document>', /not a bank statement in CAMT\.053/],
  ['XML that ends early', CAMT(ENTRY('<Amt>')).slice(0, -60), /XML of the statement is invalid/],
  ['a document type', CAMT().replace('?>', `?>${BOMB}`), /declares a document type/],
  ['elements in one another', `<Document>${'<a>'.repeat(20_000)}${'</a>'.repeat(20_000)}</Document>`, /XML/],
  ['more lines than a statement has', `Reference,Amount\n${'1001,-1\n'.repeat(20_001)}`, /more than 20000 lines/],
  ['a row of endless columns', `Reference,Amount\n1001,1.00${','.repeat(200)}\n`, /Line 2 has more than 100 columns/],
  ['a header of endless columns', `Reference,Amount${','.repeat(5_000)}\n1001,1.00\n`, /no header with a column/],
  ['more tags than a statement has', `<Document>${'<a/>'.repeat(100_001)}</Document>`, /more than 100000 tags/],
])('rejects a statement with %s and returns the reason', (_what, content, message) => {
  expect(() => (content.startsWith('<') ? readCamt(content, 'EUR') : readBankCsv(content, 'EUR'))).toThrow(message);
});

test('parses or rejects long texts of repeated characters in less than 0.3 s of CPU time', () => {
  for (const begin of ['', 'Reference,Amount\n', '<Document>']) {
    for (const filling of [',', '\n', '"', '"\n', 'a,1\n', '1001,1.00\n', '"",""\n', '<a/>', '<', '1']) {
      const text = `${begin}${filling.repeat(900_000 / filling.length)}`;
      const begun = process.cpuUsage();
      try {
        text.startsWith('<') ? readCamt(text, 'EUR') : readBankCsv(text, 'EUR');
      } catch (refusal) {
        expect(refusal).toBeInstanceOf(ValidationError);
      }
      // Parsing without limits took up to 2 s.
      expect([begin, filling, process.cpuUsage(begun).user < 300_000]).toEqual([begin, filling, true]);
    }
  }
});
