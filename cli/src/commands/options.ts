import { type Command, InvalidArgumentError, Option } from 'commander';
import { readMoney } from '../formats/amounts.ts';
import type { GlobalOptions } from '../session.ts';

/** Parses a whole number with an optional sign. The server checks its range. */
export function wholeNumber(text: string): number {
  if (!/^[+-]?\d{1,10}$/.test(text)) throw new InvalidArgumentError('Give a whole number.');
  return Number(text);
}

/**
 * Parses an amount of money: "12.50", "12,50" or "1.500,00". The server checks decimals and range. "1.500" is rejected,
 * because it could mean 1500.00; in a currency with three decimals, a fourth decimal (1.5000) makes it unambiguous.
 */
export function amount(text: string): string {
  const { amount: read, problem } = readMoney(text, 2);
  if (read === undefined) throw new InvalidArgumentError(problem);
  return read;
}

/** Accepts a number with a decimal point, such as "12.5". Throws for any other text. */
export function decimal(text: string): string {
  if (!/^\d+(?:\.\d+)?$/.test(text))
    throw new InvalidArgumentError('Give it as 12.50: digits, and a point before the decimals.');
  return text;
}

/** Parses a time. A date without a time means the start of that day in the local time zone. */
export function since(text: string): string {
  return momentOf(text, 0);
}

/** Parses a time. A date without a time means the end of that day in the local time zone. */
export function until(text: string): string {
  return momentOf(text, 1);
}

function momentOf(text: string, daysLater: number): string {
  const [, year, month, day] = (/^(\d{4})-(\d\d)-(\d\d)$/.exec(text) ?? []).map(Number);
  const isDay = year !== undefined && month !== undefined && day !== undefined;
  const date = isDay ? new Date(year, month - 1, day + daysLater) : new Date(text);
  // `Date` would convert an invalid date such as 2026-02-30 to one in the next month.
  const exists = isDay ? new Date(year, month - 1, day).getDate() === day : /T.*(?:Z|[+-]\d\d:?\d\d)$/i.test(text);
  if (!exists || Number.isNaN(date.getTime())) {
    throw new InvalidArgumentError(
      'Give a day (2026-12-31) or a date and time with its zone (2026-12-31T18:00:00+01:00).',
    );
  }
  return date.toISOString();
}

/** Parses a number of days or a range. */
export function days(text: string): string {
  const [, from, to = from] = /^(\d{1,3})(?:-(\d{1,3}))?$/.exec(text) ?? [];
  if (from === undefined || Number(from) > Number(to)) throw new InvalidArgumentError('Give days such as 2 or 2-4.');
  return text;
}

const NONE = 'none';

/** Value of an option that accepts "none", because commander has no null. */
export type OrNone<Value> = Value | typeof NONE;

/** Makes a parser accept "none", which clears a field. */
export function orNone<Value>(parse: (text: string) => Value): (text: string) => OrNone<Value> {
  return (text) => (text === NONE ? NONE : parse(text));
}

/**
 * Converts the value of an option that accepts "none" to a field of the body. Undefined if the option was not given, so
 * that the field is omitted.
 */
export function orNull<Value>(value: OrNone<Value> | undefined): Value | null | undefined {
  return value === NONE ? null : value;
}

/** An option with a fixed set of values. */
export function choice(flags: string, description: string, words: readonly string[]): Option {
  return new Option(flags, description).choices(words);
}

/** Option of commands that ask for confirmation. */
export interface YesOption {
  yes?: true;
}

/** Adds `--yes`, which skips the confirmation. */
export function addYes(command: Command): Command {
  return command.option('-y, --yes', 'do it without asking');
}

export interface EncodingOption {
  encoding?: string;
}

/** Adds `--encoding` for commands that read a text file. */
export function addEncoding(command: Command): Command {
  return command.option('--encoding <name>', 'the encoding of the file if it is not UTF-8, such as windows-1250');
}

/** Whether `--json` was given. */
export function isJson(command: Command): boolean {
  return command.optsWithGlobals<GlobalOptions>().json === true;
}

/** Collects the values of an option that may be repeated. */
export function repeated(value: string, earlier: string[] = []): string[] {
  return [...earlier, value];
}

/** Whether a body contains no changes. */
export function isEmpty(body: object): boolean {
  return Object.values(body).every((value) => value === undefined);
}

export function isUuid(text: string): boolean {
  return /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(text);
}

/** Parses an id. Throws for any other text. */
export function uuid(text: string): string {
  if (!isUuid(text)) throw new InvalidArgumentError('Give an id, such as 0192f3a0-4444-7000-8000-000000000001.');
  return text;
}
