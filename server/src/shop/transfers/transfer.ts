import { bodyMistake, ValidationError } from '../errors.ts';

/** An incoming payment, as a bank statement lists it. */
export interface Transfer {
  /** Where in the file: the line of a CSV, the entry of a CAMT file, counted from 1. */
  line: number;
  /** As a plain decimal, such as 35.82. */
  amount: string;
  /** Null if the file does not say. */
  currency: string | null;
  payer: string;
  /** What the payer wrote. */
  text: string;
}

/** Refuses a text with more of something than a statement has. Nothing is read before that. */
export function refuseMoreThan(most: number, mark: string, text: string, things: string): void {
  let count = 0;
  for (let at = text.indexOf(mark); at >= 0 && count <= most; at = text.indexOf(mark, at + 1)) count += 1;
  if (count <= most) return;
  throw unreadable(`The statement has more than ${most} ${things}. Export fewer days at a time.`);
}

/** A statement that cannot be read, in a sentence that says what is missing. */
export function unreadable(msg: string): ValidationError {
  return new ValidationError([bodyMistake(['statement'], 'statement_unreadable', msg)]);
}
