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

/** A statement that cannot be read, in a sentence that says what is missing. */
export function unreadable(msg: string): ValidationError {
  return new ValidationError([bodyMistake(['statement'], 'statement_unreadable', msg)]);
}
