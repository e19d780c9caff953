import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { readStatement } from './statement.ts';
import { amountOf } from './statement-csv.ts';

async function read(content: string | Buffer) {
  const folder = await mkdtemp(join(tmpdir(), 'commerce-statement-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const file = join(folder, 'statement');
  await writeFile(file, content);
  return readStatement(file);
}

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

test('a German CSV with lines above its header, in the encoding of Windows', async () => {
  const csv = [
    '"Kontoumsätze";"Girokonto DE89370400440532013000"',
    '""',
    '"Buchungstag";"Beguenstigter/Zahlungspflichtiger";"Verwendungszweck";"Betrag";"Waehrung"',
    '"21.11.26";"Jörg Müller";"Bestellung 1001, danke";"36,00";"EUR"',
    '"21.11.26";"Stadtwerke";"Abschlag";"-80,00";"EUR"',
    '"22.11.26";"Erle AG";"RE1002";"1.234,50";"EUR"',
  ].join('\r\n');

  expect(await read(Buffer.from(csv, 'latin1'))).toEqual([
    { line: 4, amount: '36.00', currency: 'EUR', payer: 'Jörg Müller', text: 'Bestellung 1001, danke' },
    { line: 6, amount: '1234.50', currency: 'EUR', payer: 'Erle AG', text: 'RE1002' },
  ]);
});

test('an English CSV with columns for money in and out', async () => {
  const csv = 'Date,Description,Paid in,Paid out\n2026-11-21,"Order 1001, thanks",36.00,\n2026-11-21,Rent,,900.00\n';

  expect(await read(csv)).toEqual([
    { line: 2, amount: '36.00', currency: null, payer: '', text: 'Order 1001, thanks' },
  ]);
});

const ENTRY = (inner: string) => `<Ntry>${inner}</Ntry>`;
const CAMT = (...entries: string[]) => `<?xml version="1.0" encoding="UTF-8"?>
<Document xmlns="urn:iso:std:iso:20022:tech:xsd:camt.053.001.08"><BkToCstmrStmt><Stmt><Id>1</Id>
<Bal><Amt Ccy="EUR">5000.00</Amt><CdtDbtInd>CRDT</CdtDbtInd></Bal>${entries.join('')}</Stmt></BkToCstmrStmt></Document>`;
const BOOKED = '<CdtDbtInd>CRDT</CdtDbtInd><Sts><Cd>BOOK</Cd></Sts>';

test('CAMT.053: what came in and was booked, one by one where the bank books several as one', async () => {
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

  expect(await read(xml)).toEqual([
    { line: 1, amount: '36.00', currency: 'EUR', payer: 'Jörg & Co', text: 'NOTPROVIDED Order 1001' },
    { line: 2, amount: '10.00', currency: 'EUR', payer: 'A', text: 'NOTPROVIDED 1002' },
    { line: 2, amount: '20.00', currency: 'EUR', payer: 'B', text: 'NOTPROVIDED 1003' },
    { line: 6, amount: '50.00', currency: 'EUR', payer: '', text: 'Order 1004' },
  ]);
});

test.each([
  ['nothing', '', /is empty/],
  ['a table without amounts', 'Date,Description\n2026-11-21,Rent\n', /no header with a column for the amount/],
  ['another XML', '<Document><Other/></Document>', /not a bank statement in CAMT\.053/],
  ['an amount that may be two', 'Reference,Amount\n1001,1.234\n', /Line 2 .* has no readable amount: 1\.234/],
])('%s is refused with what is missing', async (_what, content, message) => {
  await expect(read(content)).rejects.toThrow(message);
});
