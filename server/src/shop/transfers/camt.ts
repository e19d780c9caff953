import { XMLParser, XMLValidator } from 'fast-xml-parser';
import { refuseMoreThan, type Transfer, unreadable } from './transfer.ts';

/**
 * Bank statements in CAMT.053 of ISO 20022, versions 2 to 13: they differ in what is not read here. Entities are not expanded,
 * but for the five of XML and characters by their number, and a document type is refused.
 */

/** Below the name of each element, all of that name; an element that has only text, and no attributes, is a string. */
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

/** The incoming, booked payments of a statement. */
export function readCamt(xml: string): Transfer[] {
  return entriesOf(parsed(xml)).flatMap((entry, i) => transfersOf(entry, i + 1));
}

/** A payment has about 20 elements, each with a beginning and an end. */
const MOST_TAGS = 100_000;

function parsed(xml: string): Node {
  refuseMoreThan(MOST_TAGS, '<', xml, 'tags');
  if (/<!(?:DOCTYPE|ENTITY)/i.test(xml))
    throw unreadable('The statement declares a document type, which no bank does.');
  const valid = XMLValidator.validate(xml);
  if (valid !== true) throw unreadable(`The XML of the statement is broken in line ${valid.err.line}.`);
  try {
    return parser.parse(xml) as Node;
  } catch {
    throw unreadable('The XML of the statement cannot be read.');
  }
}

function entriesOf(root: Node): Node[] {
  const statements = at([root], 'Document', 'BkToCstmrStmt');
  if (statements.length === 0) {
    throw unreadable('The XML is no bank statement in CAMT.053: it has no BkToCstmrStmt. Export CAMT.053 or CSV.');
  }
  return at(statements, 'Stmt', 'Ntry');
}

/** All nodes at the end of a path. */
function at(nodes: Node[], ...path: string[]): Node[] {
  return path.reduce((found, name) => found.flatMap((node) => nodesIn(node, name)), nodes);
}

function nodesIn(node: Node, name: string): Node[] {
  const found = node[name];
  if (!Array.isArray(found)) return [];
  return found.map((one) => (typeof one === 'object' ? (one as Node) : { '#text': String(one) }));
}

/** The texts of an element's descendants of these names. */
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

function counts(entry: Node): boolean {
  const [status] = at([entry], 'Sts');
  // Of an entry: BOOK, PDNG or INFO; from version 8 on as a code within.
  const booked = status === undefined || [textOf(status), textOf(at([status], 'Cd')[0])].includes('BOOK');
  const reversal = ['true', '1'].includes(textOf(at([entry], 'RvslInd')[0]));
  return booked && !reversal && textOf(at([entry], 'CdtDbtInd')[0]) === 'CRDT';
}

/** One payment for each that the bank has booked together as one entry. */
function transfersOf(entry: Node, line: number): Transfer[] {
  if (!counts(entry)) return [];
  const [total] = at([entry], 'Amt');
  const details = at([entry], 'NtryDtls', 'TxDtls');
  const whole = Object.keys(entry).filter((name) => name !== 'NtryDtls');
  const around = whole.flatMap((name) => textsIn(entry, name, WRITTEN));
  return (details.length > 0 ? details : [entry]).map((part) => {
    const [first] = [...at([part], 'Amt'), ...at([part], 'AmtDtls', 'TxAmt', 'Amt')];
    const own = part === entry || details.length > 1 ? first : (first ?? total);
    const [payer] = at([part], 'RltdPties', 'Dbtr').flatMap((debtor) => textsBelow(debtor, ['Nm']));
    const text = [...new Set([...textsBelow(part, WRITTEN), ...around])].join(' ');
    const currency = own?.['@Ccy'] ?? total?.['@Ccy'];
    const amount = amountIn(own, line);
    return { line, amount, currency: currency ? String(currency).toUpperCase() : null, payer: payer ?? '', text };
  });
}

/** ISO 20022 writes decimals with a full stop, and nothing else. */
function amountIn(node: Node | undefined, line: number): string {
  const amount = textOf(node);
  if (/^\d{1,18}(?:\.\d{1,17})?$/.test(amount)) return amount;
  throw unreadable(`Entry ${line} has no readable amount: ${amount.slice(0, SHOWN)}`);
}

const SHOWN = 40;
