import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import type pg from 'pg';
import { observeResults } from '../src/db/connect.ts';

/**
 * The columns that statements returned during the tests, by the place in the source that sent them.
 * scripts/check-row-types.ts compares them with the types in the source.
 */
export interface ObservedColumn {
  name: string;
  /** PostgreSQL's object id of the column type. */
  type: number;
  /** Whether it was null at least once. */
  null: boolean;
}

const FOLDER = join(import.meta.dirname, '../../node_modules/.cache/observed-rows');
const SOURCES = join(import.meta.dirname, '../src');
export const ALL_GO_THROUGH = [
  '../test/observed-rows.ts',
  '../test/sent-statements.ts',
  'db/connect.ts',
  'shop/shop.ts',
];
/** Matches a stack frame. Vitest loads test files with a query string after the file name. */
const FRAME = /(file:\/\/[^()\s?]+\.ts)(?:\?[^():\s]*)?:(\d+):\d+\)?$/;

/** Columns by place (`shop/carts/carts.ts:57`) and by their names, because a place may return several sets. */
const observed = new Map<string, Map<string, ObservedColumn[]>>();
/** Whether something was observed that is not in the file of this process. */
let changed = false;

/**
 * For each statement, the places that send it and how often it was sent. Only the first few times are traced, because
 * a stack trace costs more than the statement.
 */
const senders = new Map<string, { places: Set<string>; sent: number }>();
const STACKS_PER_TEXT = 5;

/** Starts to observe the server in this process. */
export function observeRows(): void {
  observeResults((text) => {
    const sender = senders.get(text) ?? { places: new Set(), sent: 0 };
    senders.set(text, sender);
    sender.sent += 1;
    const place = sender.sent <= STACKS_PER_TEXT ? placeIn(new Error().stack ?? '') : undefined;
    if (place) sender.places.add(place);
    return (result) => observeAnswer(sender.places, result);
  });
}

/** Records the columns that these places received. Skips a text with several statements. */
export function observeAnswer(places: Set<string>, result: pg.QueryResult): void {
  if (Array.isArray(result) || result.fields.length === 0) return;
  for (const one of places) note(one, result);
}

/** Deletes the files of earlier runs. */
export function forgetObserved(): void {
  rmSync(FOLDER, { recursive: true, force: true });
}

/** Writes the observed columns to a file of this process, if they changed since the last call. */
export function keepObserved(): void {
  if (!changed) return;
  changed = false;
  mkdirSync(FOLDER, { recursive: true });
  const places = [...observed].map(([place, sets]) => [place, [...sets.values()]]);
  writeFileSync(join(FOLDER, `${process.pid}-${process.env.VITEST_POOL_ID}.json`), JSON.stringify(places));
}

/** Reads the columns observed by all processes of the last run. */
export function readObserved(): Map<string, ObservedColumn[][]> {
  const all = new Map<string, ObservedColumn[][]>();
  for (const file of readdirSync(FOLDER)) {
    const places = JSON.parse(readFileSync(join(FOLDER, file), 'utf8')) as [string, ObservedColumn[][]][];
    for (const [place, sets] of places) all.set(place, [...(all.get(place) ?? []), ...sets]);
  }
  return all;
}

function note(place: string, { fields, rows }: pg.QueryResult): void {
  const sets = observed.get(place) ?? new Map<string, ObservedColumn[]>();
  observed.set(place, sets);
  const key = fields.map(({ name }) => name).join();
  const known = sets.get(key);
  const columns = known ?? fields.map(({ name, dataTypeID }) => ({ name, type: dataTypeID, null: false }));
  if (!known) changed = true;
  sets.set(key, columns);
  for (const column of columns) {
    if (column.null || !rows.some((row) => row[column.name] === null)) continue;
    column.null = true;
    changed = true;
  }
}

/**
 * The place in the server's sources that sent a statement: the first stack frame outside of the shared database code.
 */
export function placeIn(stack: string, passed = ALL_GO_THROUGH): string | undefined {
  for (const frame of stack.split('\n').slice(1)) {
    const [, url, line] = FRAME.exec(frame) ?? [];
    if (!url) continue;
    const path = relative(SOURCES, fileURLToPath(url));
    if (passed.includes(path)) continue;
    return line && !path.startsWith('..') ? `${path}:${line}` : undefined;
  }
  return undefined;
}
