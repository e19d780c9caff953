import { type Command, InvalidArgumentError, Option } from 'commander';
import type { GlobalOptions } from '../session.ts';

export interface PageOptions {
  page?: number;
  limit?: number;
}

/** Adds the options of every list that has pages. */
export function addPageOptions(command: Command): Command {
  return command
    .option('--page <number>', 'the page to show, from 1', wholeNumber)
    .option('--limit <number>', 'how many on a page, at most 100 (default: 20)', wholeNumber);
}

/** A whole number with or without sign. Its bounds are the server's to judge. */
export function wholeNumber(text: string): number {
  if (!/^[+-]?\d{1,10}$/.test(text)) throw new InvalidArgumentError('Give a whole number.');
  return Number(text);
}

/** An option that takes one of a few words. */
export function choice(flags: string, description: string, words: readonly string[]): Option {
  return new Option(flags, description).choices(words);
}

/** Whether the output is for a program. */
export function isJson(command: Command): boolean {
  return command.optsWithGlobals<GlobalOptions>().json === true;
}

/** Collects the values of an option that may be repeated. */
export function repeated(value: string, earlier: string[] = []): string[] {
  return [...earlier, value];
}

/** Whether a text has the form of an id. */
export function isUuid(text: string): boolean {
  return /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(text);
}

/** An argument that must be an id. */
export function uuid(text: string): string {
  if (!isUuid(text)) throw new InvalidArgumentError('Give an id, such as 0192f3a0-4444-7000-8000-000000000001.');
  return text;
}
