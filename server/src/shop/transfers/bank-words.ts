/**
 * Columns and words of bank statements by language. Transfers whose direction, state or currency is not listed must be
 * checked by staff. To support another bank, add its words here. Comparison ignores case, accents and outer spaces
 * (`comparable`) and, in column names, the currency, as in `Betrag (EUR)`.
 */

/** Columns with amounts of both directions, with signs or next to a direction column. */
const AMOUNT = [
  ...['amount', 'transaction amount', 'booking amount', 'booked amount', 'value', 'net amount'],
  ...['betrag', 'umsatz', 'buchungsbetrag', 'betrag in kontowahrung'],
  ...['montant', 'montant de l’operation', "montant de l'operation"],
  ...['bedrag', 'transactiebedrag'],
];

/** Columns with only incoming money. */
const CREDIT = [
  ...[
    'credit',
    'credits',
    'credit amount',
    'paid in',
    'money in',
    'amount in',
    'in',
    'deposit',
    'deposits',
    'receipts',
  ],
  ...['gutschrift', 'gutschriften', 'haben', 'eingang', 'eingange', 'einzahlung', 'einnahmen'],
  ...['credit euros', 'montant credit', 'montant au credit', 'recettes', 'entree', 'entrees'],
  ...['bij'],
];

/** Columns with only outgoing money. */
const DEBIT = [
  ...[
    'debit',
    'debits',
    'debit amount',
    'paid out',
    'money out',
    'amount out',
    'out',
    'withdrawal',
    'withdrawals',
    'payments',
  ],
  ...['belastung', 'belastungen', 'soll', 'ausgang', 'ausgange', 'auszahlung', 'ausgaben', 'lastschrift'],
  ...['debit euros', 'montant debit', 'montant au debit', 'depenses', 'sortie', 'sorties'],
  ...['af'],
];

const DIRECTION = [
  ...['direction', 'credit debit indicator', 'credit/debit', 'debit/credit', 'debit or credit', 'credit or debit'],
  ...['cr/dr', 'dr/cr', 'c/d', 'd/c', 'dc', 'cd', 'in/out', 'sign', 'debit credit indicator', 'cdtdbtind'],
  ...['s/h', 'h/s', 'soll/haben', 'haben/soll', 'soll-haben', 'soll/haben-kennzeichen', 'soll-/haben-kennzeichen'],
  ...['vorzeichen', 'richtung'],
  ...['sens', 'debit / credit', 'sens de l’operation'],
  ...['af bij', 'af/bij', 'bij/af'],
];

const TYPE = [
  ...['type', 'transaction type', 'subcategory', 'product', 'product name'],
  ...['transaktionstyp', 'umsatztyp', 'umsatzart', 'buchungsart', 'art', 'buchungstext'],
  ...["type d'operation", 'type d’operation', 'nature', 'mutatiesoort'],
];

const STATUS = [
  ...['info', 'status', 'state', 'booking status', 'transaction status', 'payment status'],
  ...['buchungsstatus', 'zustand', 'statut', 'etat'],
];

const CURRENCY = [
  ...['currency', 'ccy', 'currency code', 'account currency', 'payment currency'],
  ...['wahrung', 'waehrung', 'kontowahrung', 'devise', 'devise du compte', 'munt', 'valuta code'],
];

export const COLUMNS = {
  amount: AMOUNT,
  credit: CREDIT,
  debit: DEBIT,
  direction: DIRECTION,
  type: TYPE,
  status: STATUS,
  currency: CURRENCY,
} as const;

/** Parts of the names of columns with the payer's or bank's text. */
export const TEXT_COLUMNS =
  /reference|description|details|purpose|remittance|narrative|memo|verwendungszweck|buchungstext|vorgang|libelle|motif|mededelingen/;
export const PAYER_COLUMNS =
  /payer|counterparty|debtor|^name|sender|auftraggeber|zahlungspflichtig|beg(?:u|ue)nstigt|empf(?:a|ae)nger|donneur|emetteur|contrepartie/;

/** Columns with amounts in currencies other than the account's. */
export const FOREIGN_COLUMNS = /foreign|original|fremd|ursprung|instructed|origine|local amount/;

/** Columns that do not show the direction. */
export const HARMLESS_COLUMNS =
  /date|datum|valuta|wertstellung|buchungstag|iban|bic|swift|konto|account|compte|rekening|balance|saldo|solde|glaubiger|glaeubiger|creditor id|mandat|sammler|batch|end-?to-?end|rate|kurs|taux|fee|gebuhr|gebuehr|frais|ruecklastschrift|rucklastschrift|bank|blz|^id$| id$|nummer|number|numero|time|zeit|heure|foreign|original|fremd|ursprung|note|notiz|address|postcode|country|land/;

/** Words for incoming money: letters after an amount, and cells of direction columns. */
export const INCOMING = new Set([
  ...['c', 'cr', 'crdt', 'credit', 'in', 'incoming', 'money in', 'paid in', 'deposit', '+', 'received'],
  ...['h', 'haben', 'gutschrift', 'eingang', 'eingehend', 'einzahlung', 'zahlungseingang'],
  ...['entree', 'entrant', 'bij'],
]);

export const OUTGOING = new Set([
  ...['d', 'dr', 'dbit', 'debit', 'out', 'outgoing', 'money out', 'paid out', 'withdrawal', '-', 'sent'],
  ...['s', 'soll', 'belastung', 'lastschrift', 'ausgang', 'ausgehend', 'auszahlung', 'zahlungsausgang'],
  ...['sortie', 'sortant', 'af'],
]);

/** Transaction types without a direction. Any other unknown type may be outgoing money, such as a card payment. */
export const NEUTRAL_TYPES = new Set([
  ...['transfer', 'bank transfer', 'wire transfer', 'credit transfer', 'sepa', 'sepa transfer', 'sepa credit transfer'],
  ...['topup', 'top-up', 'current', 'current account', 'general payment'],
  ...['uberweisung', 'ueberweisung', 'sepa-uberweisung', 'sepa uberweisung', 'girokonto'],
  ...['virement', 'virement sepa', 'overschrijving'],
]);

export const BOOKED = new Set([
  ...['book', 'booked', 'posted', 'completed', 'complete', 'settled', 'cleared', 'executed', 'processed'],
  ...['gebucht', 'umsatz gebucht', 'verbucht', 'abgeschlossen', 'ausgefuhrt'],
  ...['comptabilise', 'comptabilisee', 'execute', 'executee', 'effectue', 'effectuee', 'termine', 'terminee'],
  ...['geboekt', 'verwerkt'],
]);

export const NOT_BOOKED = new Set([
  ...['pdng', 'pending', 'futr', 'reverted', 'reversed', 'failed', 'declined', 'cancelled', 'canceled', 'rejected'],
  ...['returned', 'refunded', 'expired', 'authorised', 'authorized', 'on hold', 'blocked', 'scheduled'],
  ...[
    'vorgemerkt',
    'umsatz vorgemerkt',
    'storniert',
    'abgelehnt',
    'ausstehend',
    'geplant',
    'zuruckgewiesen',
    'fehlgeschlagen',
  ],
  ...['en attente', 'en cours', 'annule', 'annulee', 'rejete', 'rejetee', 'refuse', 'refusee', 'echoue', 'a venir'],
]);

/** Incoming money that is not a customer's payment, such as a returned payment or a corrected booking. */
export const RETURNED =
  /\breturned\b|\breturn(?:ed)? (?:payment|transfer)|payment return|\brevers(?:al|ed)\b|chargeback|\brefund(?:ed)?\b|card_refund|\brejected\b|\bunpaid\b|\bcancell?ed\b|storn(?:o|iert)|retoure|(?:ruck|rueck)(?:buchung|gabe|lastschrift|uberweisung|ueberweisung|zahlung|ruf)|erstattung|gutgeschrieben wegen|\brejet|\bannul(?:ation|ee?)\b|\bimpaye|extourne|rembourse|\bretour\b/;

/** CAMT families of returns and reversals (`BkTxCd/Domn/Fmly/SubFmlyCd`), and the German codes for returns. */
export const RETURNED_FAMILIES = new Set(['RRTN', 'RPCR', 'UPCT', 'UPDD', 'PRDD', 'RCDD', 'UPCQ', 'CQRV']);
export const RETURNED_CODES = /^(?:[A-Z]{4}\+)?(?:108|109|159|181|184)(?:\+|$)/;

/** Matches a currency above the header: `Currency: USD`, `Kontostand;1.204,50 USD`. */
export const CURRENCY_OF_ACCOUNT =
  /(?:\b(?:currency|w(?:ä|ae|a)hrung|devise|valuta|divisa|moneda)\W{1,5}|\d[.,]\d\d[ \u00a0;,"\t]{1,3})([a-z]{3})\b/gi;

/** The possible currencies of a symbol or word. */
export const CURRENCY_MARKS: Record<string, string[]> = {
  '€': ['EUR'],
  '£': ['GBP'],
  $: ['USD', 'CAD', 'AUD', 'NZD', 'SGD', 'HKD', 'MXN', 'BRL', 'ARS', 'CLP', 'COP', 'TWD'],
  '¥': ['JPY', 'CNY'],
  '₺': ['TRY'],
  '₹': ['INR'],
  '₩': ['KRW'],
  '₽': ['RUB'],
  '₪': ['ILS'],
  '฿': ['THB'],
  '₫': ['VND'],
  '₱': ['PHP'],
  '₴': ['UAH'],
  us$: ['USD'],
  a$: ['AUD'],
  c$: ['CAD'],
  euro: ['EUR'],
  euros: ['EUR'],
  'fr.': ['CHF'],
  sfr: ['CHF'],
  kr: ['SEK', 'NOK', 'DKK', 'ISK'],
  'kr.': ['SEK', 'NOK', 'DKK', 'ISK'],
  zl: ['PLN'],
  kc: ['CZK'],
  ft: ['HUF'],
  lei: ['RON'],
};

export function comparable(text: string): string {
  return text.trim().toLowerCase().normalize('NFD').replace(/\p{M}/gu, '').replaceAll('ł', 'l').replace(/\s+/g, ' ');
}
