import { expect, test } from 'vitest';
import { ValidationError } from '../errors.ts';
import { amountOf, decimalMarkOf } from './amounts.ts';
import { readBankCsv } from './bank-csv.ts';
import { readCamt } from './camt.ts';

test.each([
  ['1.234,56', '1234.56'],
  ['1,234.56', '1234.56'],
  ['1 234,56 €', '1234.56'],
  ["CHF 1'234.50", '1234.50'],
  ['36', '36'],
  ['+36.00', '36.00'],
  ['-36,00', '-36.00'],
  ['36,00-', '-36.00'],
  ['(36.00)', '-36.00'],
  ['1.234.567,00', '1234567.00'],
  ['1.234.567', '1234567'],
  ['0,05', '0.05'],
  [',5', '0.5'],
  ['1.234', undefined],
  ['12.34.56', undefined],
  ['about 5', undefined],
  ['', undefined],
])('the amount %j is %j', (written, amount) => {
  expect(amountOf(written)).toBe(amount);
});

test('an amount that may be two is read as the other amounts of its file are written', () => {
  expect(decimalMarkOf(['36,00', '1.234', '-5,5 EUR'])).toBe(',');
  expect(decimalMarkOf(['36,00', '36.00'])).toBeUndefined();
  expect(amountOf('1.234', ',')).toBe('1234');
  expect(amountOf('1.234', '.')).toBeUndefined();
});

test('a German CSV with lines above its header, a pending entry and an amount without decimals', () => {
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

  expect(readBankCsv(csv)).toEqual([
    { line: 4, amount: '36.00', currency: 'EUR', payer: 'Jörg Müller', text: 'Bestellung 1001, danke' },
    { line: 6, amount: '1234.50', currency: 'EUR', payer: 'Erle AG', text: 'RE1002\n2. Zeile' },
    { line: 8, amount: '1500', currency: 'EUR', payer: 'Ulme AG', text: '1003' },
  ]);
});

test('English and French CSV with columns for money in and out', () => {
  const english =
    'Date,Description,Paid in,Paid out\n2026-11-21,"Order 1001, ""thanks""",36.00,\n2026-11-21,Rent,,900.00\n';
  const french =
    'Date;Libellé;Débit euros;Crédit euros\n21/11/2026;VIR COMMANDE 1001;;1 036,00\n21/11/2026;LOYER;900,00;\n';

  expect(readBankCsv(english)).toEqual([
    { line: 2, amount: '36.00', currency: null, payer: '', text: 'Order 1001, "thanks"' },
  ]);
  expect(readBankCsv(french)).toEqual([
    { line: 2, amount: '1036.00', currency: null, payer: '', text: 'VIR COMMANDE 1001' },
  ]);
});

const ENTRY = (inner: string) => `<Ntry>${inner}</Ntry>`;
const CAMT = (...entries: string[]) => `<?xml version="1.0" encoding="UTF-8"?>
<c:Document xmlns:c="urn:iso:std:iso:20022:tech:xsd:camt.053.001.08"><c:BkToCstmrStmt><Stmt><Id>1</Id>
<Bal><Amt Ccy="EUR">5000.00</Amt><CdtDbtInd>CRDT</CdtDbtInd></Bal>${entries.join('')}</Stmt></c:BkToCstmrStmt></c:Document>`;
const BOOKED = '<CdtDbtInd>CRDT</CdtDbtInd><Sts><Cd>BOOK</Cd></Sts>';

test('CAMT.053: what came in and was booked, one by one where the bank books several as one', () => {
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

  expect(readCamt(xml)).toEqual([
    { line: 1, amount: '36.00', currency: 'EUR', payer: 'Jörg & Co', text: 'NOTPROVIDED Order 1001' },
    { line: 2, amount: '10.00', currency: 'EUR', payer: 'A', text: 'NOTPROVIDED 1002' },
    { line: 2, amount: '20.00', currency: 'EUR', payer: 'B', text: 'NOTPROVIDED 1003' },
    { line: 6, amount: '50.00', currency: 'EUR', payer: '', text: 'Order 1004' },
  ]);
});

const BOMB = `<!DOCTYPE d [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;">]>`;

test.each([
  ['a table without amounts', 'Date,Description\n2026-11-21,Rent\n', /no header with a column for the amount/],
  ['an open quote', 'Reference,Amount\n"1001,36.00\n', /line 2 a quoted cell is not closed/],
  ['an amount that may be two', 'Reference,Amount\n1001,1.234\n', /Line 2 has no readable amount: 1\.234/],
  ['another XML', '<Document><Other/></Document>', /no bank statement in CAMT\.053/],
  ['XML that ends early', CAMT(ENTRY('<Amt>')).slice(0, -60), /XML of the statement is broken/],
  ['a document type', CAMT().replace('?>', `?>${BOMB}`), /declares a document type/],
  ['elements in one another', `<Document>${'<a>'.repeat(20_000)}${'</a>'.repeat(20_000)}</Document>`, /XML/],
  ['more lines than a statement has', `Reference,Amount\n${'1001,-1\n'.repeat(20_001)}`, /more than 20000 lines/],
  ['a row of endless columns', `Reference,Amount\n1001,1.00${','.repeat(200)}\n`, /Line 2 has more than 100 columns/],
  ['a header of endless columns', `Reference,Amount${','.repeat(5_000)}\n1001,1.00\n`, /no header with a column/],
  ['more tags than a statement has', `<Document>${'<a/>'.repeat(100_001)}</Document>`, /more than 100000 tags/],
  ['an amount that is none', CAMT(ENTRY(`<Amt Ccy="EUR">1,00</Amt>${BOOKED}`)), /Entry 1 has no readable amount/],
])('%s is refused with what is missing', (_what, content, message) => {
  expect(() => (content.startsWith('<') ? readCamt(content) : readBankCsv(content))).toThrow(message);
});

test('a text of the greatest length costs little, whatever it is made of', () => {
  for (const begin of ['', 'Reference,Amount\n', '<Document>']) {
    for (const filling of [',', '\n', '"', '"\n', 'a,1\n', '1001,1.00\n', '"",""\n', '<a/>', '<', '1']) {
      const text = `${begin}${filling.repeat(900_000 / filling.length)}`;
      const begun = process.cpuUsage();
      try {
        text.startsWith('<') ? readCamt(text) : readBankCsv(text);
      } catch (refusal) {
        expect(refusal).toBeInstanceOf(ValidationError);
      }
      // Reading it all took up to 2 s.
      expect([begin, filling, process.cpuUsage(begun).user < 300_000]).toEqual([begin, filling, true]);
    }
  }
});
