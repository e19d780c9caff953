import { expect, test } from 'vitest';
import { readBankCsv } from './bank-csv.ts';
import { readCamt } from './camt.ts';

/**
 * Parses a statement with one row in EUR. Returns `payment`, the reason to check it, or the reason why it was left out.
 */
function resultOf(statement: string): string {
  const { transfers, left_out } = (statement.startsWith('<') ? readCamt : readBankCsv)(statement, 'EUR');
  const [transfer] = transfers;
  if (transfer) return transfer.doubt ?? 'payment';
  return left_out.outgoing > 0 ? 'outgoing' : 'not booked';
}

test.each([
  ['a column that says DBIT', 'Date,Amount,Credit Debit Indicator,Remittance\n2026-11-02,20.00,DBIT,order 7'],
  ['a column without a name that says S', 'Datum;Verwendungszweck;Umsatz; \n02.11.2026;Bestellung 7;20,00;S'],
  ['Soll in a column Soll/Haben', 'Verwendungszweck;Betrag;Soll/Haben\nBestellung 7;20,00;Soll'],
  ['DR in a column of an unknown name', 'Reference,Amount,Kind\norder 7,20.00,DR'],
  ['OUT in a column Direction', 'Direction,Reference,Amount\nOUT,order 7,20.00'],
  ['Af in a Dutch column', 'Mededelingen;Bedrag (EUR);Af Bij\nbestelling 7;20,00;Af'],
  ['the letter S after the amount', 'Verwendungszweck;Betrag\nBestellung 7;20,00 S'],
  ['DR after the amount', 'Reference,Amount\norder 7,20.00DR'],
  ['a minus after the amount', 'Reference,Amount\norder 7,20.00-'],
  ['a column for money out', 'Description,Paid in,Paid out\norder 7,,20.00'],
  ['a column Soll', 'Verwendungszweck;Soll;Haben\nBestellung 7;20,00;'],
  ['the type of the transaction', 'Type,Reference,Amount\nWithdrawal,order 7,20.00'],
])('a transfer is outgoing if its entry has %s', (_what, csv) => {
  expect(resultOf(csv)).toBe('outgoing');
});

test.each([
  ['CRDT', 'Date,Amount,Credit Debit Indicator,Remittance\n2026-11-02,20.00,CRDT,order 7'],
  ['the letter H after the amount', 'Verwendungszweck;Betrag\nBestellung 7;20,00 H'],
  ['H in a column without a name', 'Verwendungszweck;Umsatz; \nBestellung 7;20,00;H'],
  [
    'H, under the balance of an account in EUR',
    'Kontostand: 1.204,50 EUR alle Konten\nVerwendungszweck;Betrag\nBestellung 7;20,00 H',
  ],
  ['a column Haben', 'Verwendungszweck;Soll;Haben\nBestellung 7;0,00;20,00'],
  ['IN in a column Direction', 'Direction,Reference,Amount\nIN,order 7,20.00'],
  ['the type of a transfer', 'Type,Product,Reference,Amount\nTRANSFER,Current,order 7,20.00'],
  ['the minus of other rows, whatever its type', 'Type,Reference,Amount\nfoo,order 7,20.00\nbar,rent,-900.00'],
  ['the minus of other rows', 'Kind of entry,Reference,Amount\nxyz,order 7,20.00\nxyz,rent,-900.00'],
  ['the lack of other columns', 'Date,Name,Reference,Amount,Currency,IBAN\n2026-11-02,June,order 7,20.00,EUR,DE89'],
])('a transfer is incoming if its entry has %s', (_what, csv) => {
  expect(resultOf(csv)).toBe('payment');
});

test.each(['REVERTED', 'FAILED', 'DECLINED', 'CANCELLED', 'PENDING', 'Storniert', 'vorgemerkt', 'Annulé'])(
  'ignores an unbooked transfer in the state %s',
  (state) => {
    expect(resultOf(`Type,Description,Amount,Currency,State\nTRANSFER,order 7,20.00,EUR,${state}`)).toBe('not booked');
    expect(resultOf(`Description,Amount,Step\norder 7,20.00,${state}`)).toBe('not booked');
  },
);

test.each([
  ['an unknown state', 'Reference,Amount,State\norder 7,20.00,PARKED', 'Its state is unknown: PARKED.'],
  ['no state', 'Reference,Amount,State\norder 7,20.00,\n,,COMPLETED', 'Its state is missing.'],
  ['an unknown direction', 'Reference,Amount,Direction\norder 7,20.00,X', 'Its direction is unknown: X.'],
  [
    'no sign beside a column that may name the direction',
    'Reference,Amount,Kind\norder 7,20.00,Zugang',
    'No amount of the file has a sign, and the column "kind" may indicate the direction.',
  ],
  [
    'no sign beside an unknown type',
    'Type,Reference,Amount\nTRANSFER_OUT,order 7,20.00',
    'No amount of the file has a sign, and its type may name the direction: TRANSFER_OUT.',
  ],
  [
    'no sign beside the type of a card payment',
    'Description,Amount,Transaction type\norder 7,20.00,Card payment',
    'No amount of the file has a sign, and its type may name the direction: Card payment.',
  ],
  ['both directions', 'Reference,Amount,Direction\norder 7,-20.00,IN', 'Its row names both directions, in and out.'],
  [
    'amounts in and out',
    'Reference,Paid in,Paid out\norder 7,20.00,5.00',
    'Its row names both directions, in and out.',
  ],
  ['dollars', 'Reference,Amount\norder 7,$20.00', 'Its currency is not known to be EUR.'],
  ['yen', 'Reference,Amount\norder 7,¥20', 'Its currency is not known to be EUR.'],
  [
    'another currency in a column',
    'Reference,Amount,Currency\n7,20.00,USD',
    "It is in USD, the shop's currency is EUR.",
  ],
  [
    'another currency in the header',
    'Reference,Amount (USD)\norder 7,20.00',
    "It is in USD, the shop's currency is EUR.",
  ],
  [
    'the currency of the account above the header',
    'Account;USD checking\nCurrency;USD\n\nReference;Amount\norder 7;20.00',
    "It is in USD, the shop's currency is EUR.",
  ],
  [
    'the currency of the balance above the header',
    'Kontostand vom 02.11.2026: 1.204,50 USD\nVerwendungszweck;Betrag\nBestellung 7;20,00',
    "It is in USD, the shop's currency is EUR.",
  ],
  ['two currencies', 'Reference,Amount,Currency\n7,20.00 GBP,EUR', "It is in GBP, the shop's currency is EUR."],
  ['an unreadable amount', 'Reference,Amount\norder 7,1.234', 'Its amount cannot be read: 1.234.'],
  ['an unknown word beside the amount', 'Reference,Amount\norder 7,20.00 pts', 'Its amount has an unknown word: pts.'],
  ['a returned payment', 'Reference,Amount\nRETURNED PAYMENT order 7,20.00', RETURNED()],
  ['a German reversal', 'Verwendungszweck;Betrag\nStorno Bestellung 7;20,00', RETURNED()],
  ['a German return', 'Buchungstext;Verwendungszweck;Betrag\nRetourenüberweisung;Bestellung 7;20,00', RETURNED()],
])('requires a manual check of a transfer with %s', (_what, csv, reason) => {
  expect(resultOf(csv)).toBe(reason);
});

function RETURNED(): string {
  return 'Its text mentions a return, a reversal or a refund.';
}

interface Entry {
  amount?: string;
  indicator?: string;
  state?: string;
  currency?: string;
  rest?: string;
}

const CAMT = ({ amount = '20.00', indicator = 'CRDT', state = 'BOOK', currency = 'EUR', rest = '' }: Entry) =>
  `<?xml version="1.0"?><Document><BkToCstmrStmt><Stmt><Ntry><Amt Ccy="${currency}">${amount}</Amt>
  <CdtDbtInd>${indicator}</CdtDbtInd><Sts><Cd>${state}</Cd></Sts>${rest}</Ntry></Stmt></BkToCstmrStmt></Document>`;
const DETAILS = (...parts: string[]) =>
  `<NtryDtls>${parts.map((part) => `<TxDtls>${part}</TxDtls>`).join('')}</NtryDtls>`;
const EUR = (amount: string) => `<Amt Ccy="EUR">${amount}</Amt>`;
const TEXT = (text: string) => `<RmtInf><Ustrd>${text}</Ustrd></RmtInf>`;
const TEXTS = DETAILS(TEXT('order 7'), TEXT('order 8'));

test.each([
  ['DBIT', { indicator: 'DBIT' }, 'outgoing'],
  ['PDNG', { state: 'PDNG' }, 'not booked'],
  ['an unknown state', { state: 'PART' }, 'Its state is unknown: PART.'],
  ['an unknown direction', { indicator: 'BOTH' }, 'Its direction is unknown.'],
  ['a reversal', { rest: '<RvslInd>true</RvslInd>' }, 'It reverses an earlier entry.'],
  ['another currency', { currency: 'USD' }, "It is in USD, the shop's currency is EUR."],
  ['an unreadable amount', { amount: '20,00' }, 'Its amount cannot be read: 20,00.'],
  ['a returned payment', { rest: DETAILS(`<RtrInf><Rsn><Cd>AC04</Cd></Rsn></RtrInf>${TEXT('7')}`) }, IS_RETURN()],
  ['a return by its code', { rest: '<BkTxCd><Prtry><Cd>NRTI+159+00931</Cd></Prtry></BkTxCd>' }, IS_RETURN()],
  ['a batch without amounts', { rest: TEXTS }, 'It is a batch without single amounts.'],
  [
    'a batch of which only one payment is listed',
    { rest: `<NtryDtls><Btch><NbOfTxs>3</NbOfTxs></Btch><TxDtls>${TEXT('order 7')}</TxDtls></NtryDtls>` },
    'It is a batch without single amounts.',
  ],
  [
    'payments that do not add up',
    { rest: DETAILS(EUR('30.00') + TEXT('order 7'), EUR('10.00')) },
    'Its direction is missing.',
  ],
  ['one payment', { rest: DETAILS(TEXT('order 7')) }, 'payment'],
])('classifies a CAMT entry with %s', (_what, entry, result) => {
  expect(resultOf(CAMT(entry))).toBe(result);
});

function IS_RETURN(): string {
  return 'It is a return, a reversal or a refund.';
}

test('reads the incoming payments of a CAMT entry, and ignores an outgoing payment in it', () => {
  const parts = [
    `${EUR('70.00')}<CdtDbtInd>CRDT</CdtDbtInd>${TEXT('order 8')}`,
    `${EUR('20.00')}<CdtDbtInd>DBIT</CdtDbtInd>${TEXT('order 7')}`,
  ];
  const { transfers, left_out } = readCamt(CAMT({ amount: '50.00', rest: DETAILS(...parts) }), 'EUR');

  expect(transfers).toMatchObject([
    { line: 1, amount: '70.00', currency: 'EUR', payer: '', text: 'order 8', doubt: null },
  ]);
  expect(left_out).toEqual({ outgoing: 1, not_booked: 0 });
});

test('compares the booked amount with the order, not the amount in another currency that the payer instructed', () => {
  const ordered = `<AmtDtls><InstdAmt><Amt Ccy="USD">20.00</Amt></InstdAmt></AmtDtls>${TEXT('order 7')}`;
  const booked = `<AmtDtls><InstdAmt><Amt Ccy="USD">9.00</Amt></InstdAmt><TxAmt><Amt Ccy="EUR">8.00</Amt></TxAmt></AmtDtls>`;
  const amountsOf = (...parts: string[]) =>
    readCamt(CAMT({ amount: '18.40', rest: DETAILS(...parts) }), 'EUR').transfers.map(({ amount, currency, doubt }) => [
      amount,
      currency,
      doubt,
    ]);

  expect(amountsOf(ordered)).toEqual([['18.40', 'EUR', null]]);
  expect(amountsOf(booked, EUR('10.40'))).toEqual([
    ['8.00', 'EUR', null],
    ['10.40', 'EUR', null],
  ]);
});
