import { type Command, InvalidArgumentError, Option } from 'commander';
import { readMoney } from '../formats/amounts.ts';
import type { GlobalOptions } from '../session.ts';

/** A whole number with or without sign. The server checks its bounds. */
export function wholeNumber(text: string): number {
  if (!/^[+-]?\d{1,10}$/.test(text)) throw new InvalidArgumentError('Give a whole number.');
  return Number(text);
}

/**
 * An amount of money: "12.50", "12,50" or "1.500,00". The server checks its digits and bounds. "1.500" is rejected because it
 * can mean 1500.00; in a currency of three decimals, a fourth decimal (1.5000) makes it clear.
 */
export function amount(text: string): string {
  const { amount: read, problem } = readMoney(text, 2);
  if (read === undefined) throw new InvalidArgumentError(problem);
  return read;
}

/** A number in canonical decimals: "12.5". */
export function decimal(text: string): string {
  if (!/^\d+(?:\.\d+)?$/.test(text))
    throw new InvalidArgumentError('Give it as 12.50: digits, and a point before the decimals.');
  return text;
}

/** A point in time; a day without a time means its beginning in the caller's time zone. */
export function since(text: string): string {
  return momentOf(text, 0);
}

/** A point in time; a day without a time means its end in the caller's time zone. */
export function until(text: string): string {
  return momentOf(text, 1);
}

function momentOf(text: string, daysLater: number): string {
  const [, year, month, day] = (/^(\d{4})-(\d\d)-(\d\d)$/.exec(text) ?? []).map(Number);
  const isDay = year !== undefined && month !== undefined && day !== undefined;
  const date = isDay ? new Date(year, month - 1, day + daysLater) : new Date(text);
  // Without this check, an invalid day such as 2026-02-30 would become one of the next month.
  const exists = isDay ? new Date(year, month - 1, day).getDate() === day : /T.*(?:Z|[+-]\d\d:?\d\d)$/i.test(text);
  if (!exists || Number.isNaN(date.getTime())) {
    throw new InvalidArgumentError(
      'Give a day (2026-12-31) or a date and time with its zone (2026-12-31T18:00:00+01:00).',
    );
  }
  return date.toISOString();
}

/** A number of days, or a range. */
export function days(text: string): string {
  const [, from, to = from] = /^(\d{1,3})(?:-(\d{1,3}))?$/.exec(text) ?? [];
  if (from === undefined || Number(from) > Number(to)) throw new InvalidArgumentError('Give days such as 2 or 2-4.');
  return text;
}

const NONE = 'none';

/** The value of an option that accepts "none", because commander has no null. */
export type OrNone<Value> = Value | typeof NONE;

/** Makes an option accept "none", which clears the value. */
export function orNone<Value>(parse: (text: string) => Value): (text: string) => OrNone<Value> {
  return (text) => (text === NONE ? NONE : parse(text));
}

/** The value of an option that accepts "none", as a body has it; undefined, and so left out, if the option was not given. */
export function orNull<Value>(value: OrNone<Value> | undefined): Value | null | undefined {
  return value === NONE ? null : value;
}

/** An option with a fixed set of values. */
export function choice(flags: string, description: string, words: readonly string[]): Option {
  return new Option(flags, description).choices(words);
}

/** Asks for confirmation before an irreversible action; programs agree with --yes. */
export interface YesOption {
  yes?: true;
}

/** Adds the option of every command that asks before it acts. */
export function addYes(command: Command): Command {
  return command.option('-y, --yes', 'do it without asking');
}

export interface EncodingOption {
  encoding?: string;
}

/** Adds the option of every command that reads a text file. */
export function addEncoding(command: Command): Command {
  return command.option('--encoding <name>', 'the encoding of the file if it is not UTF-8, such as windows-1250');
}

/** Whether the output is for a program. */
export function isJson(command: Command): boolean {
  return command.optsWithGlobals<GlobalOptions>().json === true;
}

/** Collects the values of an option that may be repeated. */
export function repeated(value: string, earlier: string[] = []): string[] {
  return [...earlier, value];
}

/** Whether a body changes nothing. */
export function isEmpty(body: object): boolean {
  return Object.values(body).every((value) => value === undefined);
}

/** Whether a text looks like an id. */
export function isUuid(text: string): boolean {
  return /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(text);
}

/** An argument that must be an id. */
export function uuid(text: string): string {
  if (!isUuid(text)) throw new InvalidArgumentError('Give an id, such as 0192f3a0-4444-7000-8000-000000000001.');
  return text;
}
