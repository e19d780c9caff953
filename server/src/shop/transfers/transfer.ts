import { createHash } from 'node:crypto';
import { bodyMistake, ValidationError } from '../errors.ts';

/** An incoming payment in a bank statement. */
export interface Transfer {
  /** Line of a CSV file or entry of a CAMT file, counted from 1. */
  line: number;
  /** Identifies the payment in every file that contains it. */
  entry: string;
  /** A plain decimal, such as 35.82; the original text if it cannot be parsed. */
  amount: string;
  /** Null if the file contains none. */
  currency: string | null;
  payer: string;
  /** The payer's text. */
  text: string;
  /** The reason why staff must check the transfer; null if nothing about it is doubtful. */
  doubt: string | null;
}

/** The number of entries that are left out, by reason. */
export interface LeftOut {
  outgoing: number;
  not_booked: number;
}

/** A parsed transfer, before its `entry` is computed. */
export interface ReadTransfer extends Omit<Transfer, 'entry'> {
  /**
   * Texts that identify the entry in every file. Without the bank's reference, equal entries of a file are numbered.
   */
  identity: { texts: string[]; hasReference: boolean };
}

export interface ReadStatement {
  transfers: Transfer[];
  left_out: LeftOut;
}

/** Separates the incoming payments of a statement from its other entries. */
export function collect(entries: (ReadTransfer | keyof LeftOut | undefined)[]): ReadStatement {
  const read: ReadStatement = { transfers: [], left_out: { outgoing: 0, not_booked: 0 } };
  const counted = new Map<string, number>();
  for (const entry of entries) {
    if (typeof entry === 'string') read.left_out[entry] += 1;
    else if (entry) read.transfers.push(identified(entry, counted));
  }
  return read;
}

function identified({ identity, ...transfer }: ReadTransfer, counted: Map<string, number>): Transfer {
  const text = JSON.stringify(identity.texts);
  const ordinal = counted.get(text) ?? 0;
  counted.set(text, ordinal + 1);
  const whole = identity.hasReference ? text : `${text} ${ordinal}`;
  return { ...transfer, entry: createHash('sha256').update(whole).digest('hex').slice(0, ENTRY_LENGTH) };
}

const ENTRY_LENGTH = 32;

/** Throws if a text contains `mark` more than `most` times. Parsers call this first, to limit their work. */
export function refuseMoreThan(most: number, mark: string, text: string, things: string): void {
  let count = 0;
  for (let at = text.indexOf(mark); at >= 0 && count <= most; at = text.indexOf(mark, at + 1)) count += 1;
  if (count <= most) return;
  throw unreadable(`The statement has more than ${most} ${things}. Export fewer days at a time.`);
}

/** The error for a statement that cannot be parsed. `msg` is the reason. */
export function unreadable(msg: string): ValidationError {
  return new ValidationError([bodyMistake(['statement'], 'statement_unreadable', msg)]);
}
