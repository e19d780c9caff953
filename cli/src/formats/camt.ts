import { Parser } from 'htmlparser2';
import { FormatError } from './reading.ts';
import type { Transfer } from './transfer.ts';

/** Bank statements in CAMT.053 of ISO 20022, versions 2 to 13: they differ in what is not read here. */

interface Entry {
  amount: string;
  currency: string | null;
  /** Whether it came in and was booked, and is no reversal of what went out. */
  counts: { incoming: boolean; booked: boolean; reversal: boolean };
  payer: string[];
  text: string[];
  /** The payments within one entry, where the bank books several as one. */
  details: Pick<Entry, 'amount' | 'currency' | 'payer' | 'text'>[];
}

/** The incoming, booked payments of a statement. Throws a FormatError when it is no CAMT.053. */
export function readCamt(xml: string, path: string): Transfer[] {
  const transfers: Transfer[] = [];
  const stack: string[] = [];
  let entry: Entry | undefined;
  let entries = 0;
  let written = '';
  let isStatement = false;
  const parser = new Parser(
    {
      onopentag(tag, { Ccy }) {
        const name = withoutPrefix(tag);
        stack.push(name);
        written = '';
        if (name === 'BkToCstmrStmt') isStatement = true;
        if (name === 'Ntry') entry = newEntry();
        if (name === 'TxDtls') entry?.details.push({ amount: '', currency: null, payer: [], text: [] });
        if (name === 'Amt' && entry && Ccy) target(entry).currency ??= Ccy;
      },
      // Text comes in pieces, one for each entity.
      ontext(text) {
        written += text;
      },
      onclosetag() {
        if (entry) note(entry, stack, written.trim());
        written = '';
        if (stack.pop() !== 'Ntry' || !entry) return;
        entries += 1;
        transfers.push(...transfersOf(entry, entries));
        entry = undefined;
      },
    },
    { xmlMode: true, decodeEntities: true },
  );
  parser.end(xml);
  if (!isStatement) {
    throw new FormatError(
      `${path} is not a bank statement in CAMT.053: it has no BkToCstmrStmt. Export CAMT.053 or CSV.`,
    );
  }
  return transfers;
}

function withoutPrefix(tag: string): string {
  return tag.slice(tag.indexOf(':') + 1);
}

function newEntry(): Entry {
  const counts = { incoming: false, booked: true, reversal: false };
  return { amount: '', currency: null, counts, payer: [], text: [], details: [] };
}

/** The payment that is open, else the entry, which what is read belongs to. */
function target(entry: Entry): Entry | Entry['details'][number] {
  return entry.details.at(-1) ?? entry;
}

/** Takes in the text of one element, depending on where it is. */
function note(entry: Entry, stack: string[], text: string): void {
  if (text === '') return;
  const [within, name] = stack.slice(-2);
  const into = stack.includes('TxDtls') ? target(entry) : entry;
  // Charges and amounts in other currencies are nested deeper, in elements of their own.
  if (name === 'Amt' && (within === 'Ntry' || within === 'TxDtls' || within === 'TxAmt')) into.amount ||= text;
  else if (name === 'CdtDbtInd' && within === 'Ntry') entry.counts.incoming = text === 'CRDT';
  else if (name === 'RvslInd' && within === 'Ntry') entry.counts.reversal = text === 'true' || text === '1';
  else if (stack.includes('Sts') && stack.at(-1) !== 'AddtlInf') entry.counts.booked &&= isBooked(stack, text);
  else if (name === 'Nm' && stack.includes('Dbtr')) into.payer.push(text);
  else if (['Ustrd', 'EndToEndId', 'Ref', 'AddtlRmtInf', 'AddtlNtryInf', 'AddtlTxInf'].includes(name ?? '')) {
    into.text.push(text);
  }
}

/** `Sts` of an entry: BOOK, PDNG or INFO; from version 8 on as a code within it. Other statuses are of no interest. */
function isBooked(stack: string[], text: string): boolean {
  const at = stack.lastIndexOf('Sts');
  return stack[at - 1] !== 'Ntry' || text === 'BOOK';
}

function transfersOf({ details, counts, ...whole }: Entry, line: number): Transfer[] {
  if (!counts.incoming || !counts.booked || counts.reversal) return [];
  const parts = details.length > 0 ? details : [whole];
  return parts.map((part) => ({
    line,
    amount: part.amount || (parts.length === 1 ? whole.amount : ''),
    currency: part.currency ?? whole.currency,
    payer: part.payer[0] ?? whole.payer[0] ?? '',
    text: [...new Set([...part.text, ...whole.text])].join(' '),
  }));
}
