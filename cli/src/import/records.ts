/** Imports customers or orders, at most a hundred per call. */

import type { CommerceError, ValidationErrorItem } from '@commerce-backend/sdk';
import type { RecordRead } from '../formats/reading.ts';
import type { FieldError } from '../formats/row-reader.ts';
import { plain } from '../output.ts';
import type { Terminal } from '../terminal.ts';
import type { ReportFiles } from './report-files.ts';
import { isAboutRows } from './send.ts';

type Sent<Item> = Extract<RecordRead<Item>, { item: unknown }>;

interface Result {
  index: number;
  status: string;
  errors: ValidationErrorItem[];
  warnings: ValidationErrorItem[];
}

export interface RecordCounts {
  created: number;
  updated: number;
  unchanged: number;
  failed: number;
}

export interface RecordListeners {
  warned: (line: number, message: string) => void;
  refused: (errors: FieldError[], name: string | undefined) => void;
  /** Called after each response. */
  sent?: (counts: RecordCounts) => void;
}

export interface RecordImport<Item> extends RecordListeners {
  noun: 'customer' | 'order';
  post: (items: Item[]) => Promise<{ results: Result[] }>;
  /** Whether to ignore a warning, for example about missing products before they are imported. */
  ignores?: (warning: ValidationErrorItem) => boolean;
}

/** Sends all records. A rejected one does not stop the others. Throws the error that ended the import. */
export async function sendRecords<Item>(
  reads: AsyncIterable<RecordRead<Item>>,
  target: RecordImport<Item>,
): Promise<RecordCounts> {
  const counts: RecordCounts = { created: 0, updated: 0, unchanged: 0, failed: 0 };
  const refused: RecordListeners['refused'] = (errors, name) => {
    counts.failed += 1;
    target.refused(errors, name);
  };
  for await (const rows of batchesOf(reads, refused)) {
    await send(rows, { ...target, refused }, counts);
    target.sent?.(counts);
  }
  return counts;
}

/** The contract's maximum is 100 rows per call. Calls also stay below the 1 MB that servers accept. */
const MOST_ROWS = 100;
const MOST_BYTES = 900_000;

async function* batchesOf<Item>(
  reads: AsyncIterable<RecordRead<Item>>,
  refused: RecordListeners['refused'],
): AsyncGenerator<Sent<Item>[]> {
  let batch: Sent<Item>[] = [];
  let bytes = 0;
  for await (const read of reads) {
    if ('errors' in read) {
      refused(read.errors, read.name);
      continue;
    }
    const size = Buffer.byteLength(JSON.stringify(read.item)) + 1;
    if (batch.length >= MOST_ROWS || (batch.length > 0 && bytes + size > MOST_BYTES)) {
      yield batch;
      batch = [];
      bytes = 0;
    }
    batch.push(read);
    bytes += size;
  }
  if (batch.length > 0) yield batch;
}

async function send<Item>(rows: Sent<Item>[], target: RecordImport<Item>, counts: RecordCounts): Promise<void> {
  try {
    const { results } = await target.post(rows.map(({ item }) => item));
    for (const result of results) record(rows[result.index], result, target, counts);
  } catch (error) {
    if (!isAboutRows(error)) throw error;
    // The server rejected the whole call because of one row. Halving the batch finds that row.
    const [first] = rows;
    if (rows.length > 1) {
      const middle = Math.ceil(rows.length / 2);
      await send(rows.slice(0, middle), target, counts);
      await send(rows.slice(middle), target, counts);
    } else if (first) target.refused(reasonsIn(error, first, target.noun), first.name);
  }
}

function record<Item>(
  row: Sent<Item> | undefined,
  { status, errors, warnings }: Result,
  { noun, warned, refused, ignores }: RecordImport<Item>,
  counts: RecordCounts,
): void {
  if (!row) return;
  for (const warning of warnings) {
    if (ignores?.(warning)) continue;
    const { line, field, message } = reasonOf(row, warning, noun);
    warned(line, `${field}: ${message}${named(row.name)}`);
  }
  if (status === 'failed') {
    const reasons = errors.map((mistake) => reasonOf(row, mistake, noun));
    refused(reasons, row.name);
  } else counts[status as keyof RecordCounts] += 1;
}

function reasonsIn({ detail, message }: CommerceError, row: Sent<unknown>, noun: string): FieldError[] {
  if (detail.length > 0) return detail.map((mistake) => reasonOf(row, mistake, noun));
  return [{ line: row.line, field: noun, message }];
}

/** Maps an error to the file: `["body","customers",3,"phone"]` to the phone field of the row, or to its column. */
function reasonOf({ line, placeOf }: Sent<unknown>, { loc, msg, type }: ValidationErrorItem, noun: string): FieldError {
  const message = type === 'order_number_taken' ? `${msg} --number-prefix does that.` : msg;
  const at = loc.slice(3);
  if (placeOf && at.length > 0) return { ...placeOf(at), message };
  return { line, field: at.join('.') || noun, message };
}

function named(name: string | undefined): string {
  return name ? ` (${name})` : '';
}

/**
 * Writes rejections and warnings to stderr, as text or JSON lines, and to the report files. `as` is the JSON field for
 * the record's name.
 */
export function recordListeners(
  terminal: Terminal,
  json: boolean,
  as: 'email' | 'order_number',
  files: ReportFiles,
): RecordListeners {
  const say = (fact: object, words: string) => terminal.stderr.write(`${json ? JSON.stringify(fact) : plain(words)}\n`);
  return {
    warned: (line, message) => {
      files.warned(line, message);
      say({ line, warning: message }, `line ${line}: warning: ${message}`);
    },
    refused: (errors, name) => {
      files.refused({ line: errors[0]?.line, [as]: name, errors }, errors, name ?? '');
      for (const error of errors) {
        say({ ...error, [as]: name }, `line ${error.line}: ${error.field}: ${error.message}${named(name)}`);
      }
    },
  };
}
