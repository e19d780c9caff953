import {
  CommerceError,
  type DashboardClient,
  type Schemas,
  unwrap,
  type ValidationErrorItem,
} from '@commerce-backend/sdk';
import { fieldOf } from '../field-of.ts';
import type { FieldError } from '../formats/row-reader.ts';
import type { Refused, Row } from './batches.ts';
import type { SkuPlaces } from './sku-places.ts';
import { claim, repeatedIn, skusOf, withLine } from './skus.ts';

interface ImportSettings {
  dry_run: boolean;
  update_inventory: boolean;
}

/** Counts of products by result. */
export interface Counts {
  created: number;
  updated: number;
  unchanged: number;
  refused: number;
}

/** A running import. `counts` is updated with each response. */
export interface Import {
  client: DashboardClient;
  settings: ImportSettings;
  counts: Counts;
  /**
   * SKUs that the file has used so far. The server cannot detect repetitions in a dry run, because it rolls each call
   * back.
   */
  places: SkuPlaces;
  /** Whether to record the SKUs of imported products in `places`. */
  claims: boolean;
  /** Called after each response. */
  sent: () => void;
  /** Called for each value that the server has removed from a row. */
  warned: (warning: { line: number; message: string; slug?: string }) => void;
  /** Called for each rejected row. */
  refused: (refused: Refused) => void;
}

/**
 * Number of concurrent calls: while PostgreSQL writes the products of one, the server parses the next, and a third is
 * being sent.
 */
const IN_FLIGHT = 3;

/**
 * Sends all batches. A rejected row does not stop the others. If an error ends the import, such as an unreachable
 * server, waits for running calls and then throws it.
 */
export async function sendAll(batches: AsyncGenerator<Row[], void, undefined>, target: Import): Promise<void> {
  const underway = new Set<Underway>();
  const sendEach = async () => {
    for (let next = await batches.next(); !next.done; next = await batches.next()) {
      const rows = next.value;
      const skus = rows.flatMap(skusOf);
      // If two products have the same SKU, the first in the file must get it, so its call has to finish first.
      const earlier = [...underway].filter((other) => skus.some((sku) => other.skus.has(sku)));
      const done = Promise.all(earlier.map((other) => other.done)).then(() => sendRows(rows, target));
      const own = { skus: new Set(skus), done };
      underway.add(own);
      await done.finally(() => underway.delete(own));
    }
  };
  const senders = Array.from({ length: IN_FLIGHT }, () =>
    sendEach().catch(async (error: unknown) => {
      await batches.return();
      throw error;
    }),
  );
  const failed = (await Promise.allSettled(senders)).find((sender) => sender.status === 'rejected');
  if (failed) throw failed.reason;
}

/** A call without a response yet. */
interface Underway {
  skus: Set<string>;
  done: Promise<void>;
}

async function sendRows(rows: Row[], target: Import): Promise<void> {
  const { client, settings, sent } = target;
  const body = { products: rows.map(({ product }) => product), ...settings };
  try {
    const { results } = await unwrap(client.POST('/api/dashboard/products/import', { body }));
    for (const result of results) record(rows[result.index], result, target);
    sent();
  } catch (error) {
    if (!isAboutRows(error)) throw error;
    // The server rejected the whole call because of one row. Halving the batch finds that row.
    const [first] = rows;
    if (rows.length > 1) {
      const middle = Math.ceil(rows.length / 2);
      await sendRows(rows.slice(0, middle), target);
      await sendRows(rows.slice(middle), target);
    } else if (first) {
      refuse(first, reasonsIn(error, first), target);
      sent();
    }
  }
}

/** Whether rows caused the error. A 409 counts unless a later retry can succeed. */
export function isAboutRows(error: unknown): error is CommerceError {
  if (!(error instanceof CommerceError)) return false;
  return error.status === 422 || error.status === 413 || (error.status === 409 && !error.retryable);
}

function reasonsIn({ detail, message }: CommerceError, row: Row): FieldError[] {
  const { line } = row;
  return detail.length > 0 ? detail.map((mistake) => reasonOf(row, mistake)) : [{ line, field: 'product', message }];
}

/** Maps an error to the file: `["body","products",3,"price"]` to the price field of the row, or to its column. */
function reasonOf({ line, placeOf }: Row, { loc, msg: message }: ValidationErrorItem): FieldError {
  if (loc[1] !== 'products') return { line, field: fieldOf(loc), message };
  const at = loc.slice(3);
  if (placeOf && at.length > 0) return { ...placeOf(at), message };
  return { line, field: at.join('.') || 'product', message };
}

type Result = Schemas['ImportResult']['results'][number];

function record(row: Row | undefined, { status, errors, warnings = [] }: Result, target: Import): void {
  if (!row) return;
  for (const warning of warnings) {
    const { line, field, message } = reasonOf(row, warning);
    const { slug } = row.product;
    target.warned({ line, message: `${field}: ${message} (${slug})`, slug });
  }
  const { places, claims, settings } = target;
  const repeated = isDone(status) && settings.dry_run ? repeatedIn(row, places) : [];
  const mistakes = [...errors.map((mistake) => withLine(mistake, places)), ...repeated];
  if (!isDone(status) || repeated.length > 0) {
    refuse(
      row,
      mistakes.map((mistake) => reasonOf(row, mistake)),
      target,
    );
  } else {
    target.counts[status] += 1;
    if (claims) claim(row, places);
  }
}

function isDone(status: string): status is 'created' | 'updated' | 'unchanged' {
  return status === 'created' || status === 'updated' || status === 'unchanged';
}

function refuse({ line, product: { slug } }: Row, errors: FieldError[], { counts, refused }: Import): void {
  counts.refused += 1;
  refused({ line, slug, errors });
}
