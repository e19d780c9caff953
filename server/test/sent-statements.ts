/**
 * Each statement that the sources sent during the tests, with the places that sent it, for scripts/check-plans.ts.
 * Unlike observed-rows.ts, includes statements that do not use `db/connect.ts`.
 */

import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import { ALL_GO_THROUGH, observeAnswer, placeIn } from './observed-rows.ts';

const FOLDER = join(import.meta.dirname, '../../node_modules/.cache/sent-statements');

/** A statement is traced only the first few times, because a stack trace costs more than the statement. */
const STACKS_PER_TEXT = 5;
/** Files that send statements of other files, so they do not count as the sender. */
const SENDERS = [...ALL_GO_THROUGH, 'db/transaction.ts'];
const sent = new Map<string, { places: Set<string>; times: number }>();
/** Whether a statement or a place is missing in the file of this process. */
let changed = false;

let watching = false;

/**
 * Starts to watch all database clients of this process. Vitest runs all files of a worker in one process, so watching
 * starts only once per process.
 */
export function watchStatements(): void {
  if (watching) return;
  watching = true;
  const { query } = pg.Client.prototype;
  pg.Client.prototype.query = function watched(this: pg.Client, ...args: unknown[]) {
    const text = textOf(args[0]);
    const places = text === undefined ? undefined : note(text);
    const answer: unknown = Reflect.apply(query, this, args);
    if (places && answer instanceof Promise && !isOfPool(args[0])) {
      answer.then(
        (result: pg.QueryResult) => observeAnswer(places, result),
        () => undefined,
      );
    }
    return answer;
  } as typeof query;
}

/** Deletes the files of earlier runs. */
export function forgetStatements(): void {
  rmSync(FOLDER, { recursive: true, force: true });
}

/** Writes the statements so far to a file of this process, if they changed since the last call. */
export function keepStatements(): void {
  if (!changed) return;
  changed = false;
  const all = [...sent].filter(([, { places }]) => places.size > 0).map(([text, { places }]) => [text, [...places]]);
  mkdirSync(FOLDER, { recursive: true });
  writeFileSync(join(FOLDER, `${process.pid}-${process.env.VITEST_POOL_ID}.json`), JSON.stringify(all));
}

/** Reads the statements of the last run, with the places that sent each. */
export function readStatements(): Map<string, Set<string>> {
  const all = new Map<string, Set<string>>();
  for (const file of readdirSync(FOLDER)) {
    const texts = JSON.parse(readFileSync(join(FOLDER, file), 'utf8')) as [string, string[]][];
    for (const [text, places] of texts) all.set(text, new Set([...(all.get(text) ?? []), ...places]));
  }
  return all;
}

function note(text: string): Set<string> {
  const sender = sent.get(text) ?? { places: new Set(), times: 0 };
  sent.set(text, sender);
  sender.times += 1;
  const place = sender.times <= STACKS_PER_TEXT ? placeIn(new Error().stack ?? '', SENDERS) : undefined;
  if (place && !sender.places.has(place) && !/^[^:]*\.test\.ts:/.test(place)) {
    sender.places.add(place);
    changed = true;
  }
  return sender.places;
}

/** Whether `db/connect.ts` sends the statement. observed-rows.ts observes these statements. */
function isOfPool(statement: unknown): boolean {
  return typeof statement === 'object' && statement !== null && 'query_timeout' in statement;
}

function textOf(statement: unknown): string | undefined {
  if (typeof statement === 'string') return statement;
  // A statement without text is a cursor or a stream of rows.
  const { text } = statement as { text?: unknown };
  return typeof text === 'string' ? text : undefined;
}
