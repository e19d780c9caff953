/**
 * Bank statements in CAMT.053 of ISO 20022, versions 2 to 13. Where their elements differ, such as the state of an
 * entry, all forms are read. For safety, only the five XML entities and numeric character references are expanded, and
 * files with a document type declaration are rejected.
 */

import { XMLParser, XMLValidator } from 'fast-xml-parser';
import { comparable, RETURNED, RETURNED_CODES, RETURNED_FAMILIES } from './bank-words.ts';
import {
  collect,
  type LeftOut,
  type ReadStatement,
  type ReadTransfer,
  refuseMoreThan,
  unreadable,
} from './transfer.ts';

/** Child elements by name. An element with only text and no attributes is a string. */
type Node = Record<string, unknown>;

const REPEATED = /./;

const parser = new XMLParser({
  ignoreAttributes: (name) => name !== 'Ccy',
  attributeNamePrefix: '@',
  removeNSPrefix: true,
  processEntities: false,
  parseTagValue: false,
  parseAttributeValue: false,
  trimValues: true,
  isArray: (name, _path, _leaf, isAttribute) => !isAttribute && REPEATED.test(name) && name !== '#text',
});

export function readCamt(xml: string, shopCurrency: string): ReadStatement {
  return collect(entriesOf(parsed(xml)).flatMap((booked, i) => transfersOf(booked, i + 1, shopCurrency)));
}

type Entry = ReadTransfer | keyof LeftOut;

/** An entry of a statement, with the account of the statement. */
interface Booked {
  account: string;
  entry: Node;
}

/**
 * Maximum number of tags, enough for 2,500 payments, each with about 20 elements, which have a start tag and an end
 * tag.
 */
const MOST_TAGS = 100_000;

function parsed(xml: string): Node {
  refuseMoreThan(MOST_TAGS, '<', xml, 'tags');
  if (/<!(?:DOCTYPE|ENTITY)/i.test(xml))
    throw unreadable('The statement declares a document type, which is not supported.');
  const valid = XMLValidator.validate(xml);
  if (valid !== true) throw unreadable(`The XML of the statement is invalid in line ${valid.err.line}.`);
  try {
    return parser.parse(xml) as Node;
  } catch {
    throw unreadable('The XML of the statement cannot be read.');
  }
}

function entriesOf(root: Node): Booked[] {
  const statements = at([root], 'Document', 'BkToCstmrStmt');
  if (statements.length === 0) {
    throw unreadable('The XML is not a bank statement in CAMT.053: it has no BkToCstmrStmt. Export CAMT.053 or CSV.');
  }
  return at(statements, 'Stmt').flatMap((statement) => {
    const [id] = at([statement], 'Acct', 'Id');
    const account = id ? textsBelow(id, ['IBAN', 'Id']).join(' ') : '';
    return at([statement], 'Ntry').map((entry) => ({ account, entry }));
  });
}

/** Returns all nodes at the end of a path that begins at these nodes. */
function at(nodes: Node[], ...path: string[]): Node[] {
  return path.reduce((found, name) => found.flatMap((node) => nodesIn(node, name)), nodes);
}

function nodesIn(node: Node, name: string): Node[] {
  const found = node[name];
  if (!Array.isArray(found)) return [];
  return found.map((one) => (typeof one === 'object' ? (one as Node) : { '#text': String(one) }));
}

/** The texts of all descendants with one of these names, down to a maximum depth. */
function textsBelow(node: Node, names: string[], depth = 0): string[] {
  if (depth > DEEPEST) return [];
  return Object.keys(node).flatMap((name) => textsIn(node, name, names, depth));
}

function textsIn(node: Node, name: string, names: string[], depth = 0): string[] {
  return nodesIn(node, name).flatMap((child) =>
    names.includes(name) && child['#text'] ? [textOf(child)] : textsBelow(child, names, depth + 1),
  );
}

const DEEPEST = 12;
const WRITTEN = ['Ustrd', 'EndToEndId', 'Ref', 'AddtlRmtInf', 'AddtlNtryInf', 'AddtlTxInf'];

function textOf(node: Node | undefined): string {
  return decoded(String(node?.['#text'] ?? '')).trim();
}

const NAMED: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };

function decoded(text: string): string {
  return text.replace(/&(?:#(\d{1,7})|#x([0-9a-f]{1,6})|([a-z]{2,4}));/gi, (whole, decimal, hex, name) => {
    if (name) return NAMED[name] ?? whole;
    const code = decimal ? Number(decimal) : Number.parseInt(hex, 16);
    return code <= LAST_CHARACTER ? String.fromCodePoint(code) : whole;
  });
}

const LAST_CHARACTER = 0x10ffff;

/** Returns the payments in an entry: each is a transfer, or the reason why it is left out. */
function transfersOf({ account, entry }: Booked, line: number, shopCurrency: string): Entry[] {
  const direction = directionOf(entry);
  if (direction === 'out') return ['outgoing'];
  const state = textOf(at(at([entry], 'Sts'), 'Cd')[0]) || textOf(at([entry], 'Sts')[0]);
  if (NOT_BOOKED_STATES.has(state)) return ['not_booked'];
  const details = at([entry], 'NtryDtls', 'TxDtls');
  const total = amountOf(at([entry], 'Amt')[0]);
  const whole = Object.keys(entry).filter((name) => name !== 'NtryDtls');
  const around = whole.flatMap((name) => textsIn(entry, name, WRITTEN));
  const doubt =
    doubtOfState(state) ??
    doubtOfDirection(direction) ??
    doubtOfReturn(entry, around) ??
    doubtOfCurrency(total, shopCurrency);
  const identity = identityOf(account, entry, total);
  const base = { line, identity, ...total, payer: payerOf(entry), text: around.join(' '), doubt };
  if (doubt === null && isUndividedBatch(entry, details, total)) return [{ ...base, doubt: BATCH }];
  if (details.length === 0) return [base];
  const inherits = details.length === 1 || addsUp(details, total);
  return details.map((part, i): Entry => {
    const own = directionOf(part) ?? (inherits ? 'in' : undefined);
    if (own === 'out') return 'outgoing';
    const amount = details.length === 1 ? total : (singleAmount(part, total) ?? total);
    const words = [...new Set([...textsBelow(part, WRITTEN), ...around])];
    const doubtOfPart = doubt ?? doubtOfDirection(own) ?? doubtOfReturn(part, words);
    const ofPart = { ...identity, texts: [...identity.texts, amount.amount, referenceOf(part), String(i)] };
    return { line, identity: ofPart, ...amount, payer: payerOf(part), text: words.join(' '), doubt: doubtOfPart };
  });
}

/** If the bank gives no reference, the content of the whole entry identifies it. */
function identityOf(account: string, entry: Node, { amount, currency }: Amount): ReadTransfer['identity'] {
  const reference = referenceOf(entry);
  const [date = ''] = at([entry], 'BookgDt').flatMap((node) => textsBelow(node, ['Dt', 'DtTm']));
  const texts = [account, date, amount, currency ?? '', reference || JSON.stringify(entry)];
  return { texts, hasReference: reference !== '' };
}

/**
 * The bank's reference; empty if there is none. Some banks write the same placeholder into all entries, which
 * identifies none of them.
 */
function referenceOf(node: Node): string {
  const reference = textOf(at([node], 'AcctSvcrRef')[0]) || textOf(at([node], 'Refs', 'AcctSvcrRef')[0]);
  return FILLER.test(reference) ? '' : reference;
}

const FILLER = /^(?:NONREF|NOT ?PROVIDED|0*)$/i;

const BATCH = 'It is a batch without single amounts.';

interface Amount {
  amount: string;
  currency: string | null;
}

/**
 * The amount of a node. ISO 20022 allows only a full stop as decimal separator; any other text is returned unparsed.
 */
function amountOf(node: Node | undefined): Amount {
  const currency = node?.['@Ccy'];
  return { amount: textOf(node).slice(0, LONGEST_AMOUNT), currency: currency ? String(currency).toUpperCase() : null };
}

const LONGEST_AMOUNT = 32;
const LONGEST_TEXT = 1_000;
const AMOUNT = /^\d{1,18}(?:\.\d{1,10})?$/;

/**
 * The amount of one payment in a batch, in the account's currency. The payer may have ordered it in another currency.
 */
function singleAmount(part: Node, total: Amount): Amount | undefined {
  const written = [
    ...at([part], 'Amt'),
    ...at([part], 'AmtDtls', 'TxAmt', 'Amt'),
    ...at([part], 'AmtDtls', 'InstdAmt', 'Amt'),
  ];
  return written.map(amountOf).find(({ amount, currency }) => AMOUNT.test(amount) && currency === total.currency);
}

/** Whether an entry contains several payments without the amount of each. */
function isUndividedBatch(entry: Node, details: Node[], total: Amount): boolean {
  const announced = Math.max(...at([entry], 'NtryDtls', 'Btch', 'NbOfTxs').map((node) => Number(textOf(node)) || 0), 0);
  if (announced > Math.max(details.length, 1)) return true;
  return details.length > 1 && details.some((part) => singleAmount(part, total) === undefined);
}

/**
 * Whether the payments of a batch add up to its amount. Payments without a direction then have the direction of the
 * batch.
 */
function addsUp(details: Node[], total: Amount): boolean {
  const sum = details.reduce((sum, part) => {
    const amount = Number(singleAmount(part, total)?.amount);
    return directionOf(part) === 'out' ? sum - amount : sum + amount;
  }, 0);
  return Math.abs(sum - Number(total.amount)) < SMALLEST;
}

/** Less than the smallest unit of any currency. */
const SMALLEST = 0.0005;

type Direction = 'in' | 'out' | 'unknown';

/** The direction of a node; undefined if it has none, as payments in a batch may. */
function directionOf(node: Node): Direction | undefined {
  const [indicator] = at([node], 'CdtDbtInd');
  if (!indicator) return undefined;
  const word = textOf(indicator);
  if (word === 'CRDT') return 'in';
  return word === 'DBIT' ? 'out' : 'unknown';
}

function doubtOfDirection(direction: Direction | undefined): string | null {
  if (direction === undefined) return 'Its direction is missing.';
  return direction === 'in' ? null : 'Its direction is unknown.';
}

/** States of entries that are not booked. Up to version 7 the state is text, in later versions a code. */
const NOT_BOOKED_STATES = new Set(['PDNG', 'INFO', 'FUTR']);

function doubtOfState(state: string): string | null {
  if (state === 'BOOK') return null;
  return state === '' ? 'Its state is missing.' : `Its state is unknown: ${state.slice(0, LONGEST_AMOUNT)}.`;
}

/** The reason why an entry, or a payment in it, may be a return; null if there is none. */
function doubtOfReturn(node: Node, texts: string[]): string | null {
  const reversed = ['true', '1'].includes(textOf(at([node], 'RvslInd')[0]).toLowerCase());
  const families = at([node], 'BkTxCd', 'Domn', 'Fmly', 'SubFmlyCd').map(textOf);
  const codes = at([node], 'BkTxCd', 'Prtry', 'Cd').map(textOf);
  if (reversed) return 'It reverses an earlier entry.';
  const isReturn =
    at([node], 'RtrInf').length > 0 ||
    families.some((family) => RETURNED_FAMILIES.has(family)) ||
    codes.some((code) => RETURNED_CODES.test(code)) ||
    RETURNED.test(comparable(texts.join(' ').slice(0, LONGEST_TEXT)));
  return isReturn ? 'It is a return, a reversal or a refund.' : null;
}

function doubtOfCurrency({ amount, currency }: Amount, shopCurrency: string): string | null {
  if (!AMOUNT.test(amount)) return `Its amount cannot be read: ${amount}.`;
  if (currency === null) return 'Its currency is missing.';
  return currency === shopCurrency ? null : `It is in ${currency}, the shop's currency is ${shopCurrency}.`;
}

function payerOf(node: Node): string {
  const [name] = at([node], 'RltdPties', 'Dbtr').flatMap((debtor) => textsBelow(debtor, ['Nm']));
  return name ?? '';
}
