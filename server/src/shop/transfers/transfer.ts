import { bodyMistake, ValidationError } from '../errors.ts';

/** An incoming payment, as a bank statement lists it. */
export interface Transfer {
  /** Where in the file: the line of a CSV, the entry of a CAMT file, counted from 1. */
  line: number;
  /** As a plain decimal, such as 35.82; as written if that cannot be read. */
  amount: string;
  /** Null if the file does not name one. */
  currency: string | null;
  payer: string;
  /** What the payer wrote. */
  text: string;
  /** Why a person must check the transfer; null if it is known to be booked, incoming and in the shop's currency. */
  doubt: string | null;
}

/** Entries that are known to be no incoming payment. */
export interface LeftOut {
  outgoing: number;
  not_booked: number;
}

export interface ReadStatement {
  transfers: Transfer[];
  left_out: LeftOut;
}

/** Sorts out the entries of a statement. */
export function collect(entries: (Transfer | keyof LeftOut | undefined)[]): ReadStatement {
  const read: ReadStatement = { transfers: [], left_out: { outgoing: 0, not_booked: 0 } };
  for (const entry of entries) {
    if (typeof entry === 'string') read.left_out[entry] += 1;
    else if (entry) read.transfers.push(entry);
  }
  return read;
}

/** Refuses a text with more of something than a statement has. Nothing is read before that. */
export function refuseMoreThan(most: number, mark: string, text: string, things: string): void {
  let count = 0;
  for (let at = text.indexOf(mark); at >= 0 && count <= most; at = text.indexOf(mark, at + 1)) count += 1;
  if (count <= most) return;
  throw unreadable(`The statement has more than ${most} ${things}. Export fewer days at a time.`);
}

/** A statement that cannot be read; the sentence names what is missing. */
export function unreadable(msg: string): ValidationError {
  return new ValidationError([bodyMistake(['statement'], 'statement_unreadable', msg)]);
}
