import {
  CommerceError,
  type DashboardClient,
  type Schemas,
  unwrap,
  type ValidationErrorItem,
} from '@commerce-backend/sdk';
import { fieldOf } from '../field-of.ts';
import type { Refused, Row } from './batches.ts';

interface ImportSettings {
  dry_run: boolean;
  update_inventory: boolean;
}

/** What became of the products so far. */
export interface Counts {
  created: number;
  updated: number;
  unchanged: number;
  refused: number;
}

/** Which product of the file has a SKU. */
export type Claimed = Map<string, { line: number; slug: string }>;

/** An import under way: where to, how, and who is told of it. `counts` grow as answers come in. */
export interface Import {
  client: DashboardClient;
  settings: ImportSettings;
  counts: Counts;
  /** Of a dry run: the SKUs of the products that would be imported. Of each call the server undoes what it tried. */
  claimed: Claimed | undefined;
  /** Called after each answer of the server. */
  sent: () => void;
  /** Called for what the server removed from a row. */
  warned: (warning: { line: number; message: string }) => void;
  /** Called for each row that the server refuses. */
  refused: (refused: Refused) => void;
}

/** Three calls at a time: the server reads the products of one while PostgreSQL writes those of another, and the next is at hand. */
const IN_FLIGHT = 3;

/**
 * Sends all batches. A row that the server refuses stops no other. Throws what ended the import, such as a server out of
 * reach, once no call is under way any more.
 */
export async function sendAll(batches: AsyncGenerator<Row[], void, undefined>, target: Import): Promise<void> {
  const sendEach = async () => {
    for (let next = await batches.next(); !next.done; next = await batches.next()) await sendRows(next.value, target);
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

async function sendRows(rows: Row[], target: Import): Promise<void> {
  const { client, settings, sent } = target;
  const body = { products: rows.map(({ product }) => product), ...settings };
  try {
    const { results } = await unwrap(client.POST('/api/dashboard/products/import', { body }));
    for (const result of results) record(rows[result.index], result, target);
    sent();
  } catch (error) {
    if (!isAboutRows(error)) throw error;
    // The server refused the call as a whole for something in a row: the halves show which one it is.
    const [first] = rows;
    if (rows.length > 1) {
      const middle = Math.ceil(rows.length / 2);
      await sendRows(rows.slice(0, middle), target);
      await sendRows(rows.slice(middle), target);
    } else if (first) {
      refuse(first, reasonsIn(error), target);
      sent();
    }
  }
}

/** A 409 may be about a row as well, but not one that waiting and repeating the call would resolve. */
function isAboutRows(error: unknown): error is CommerceError {
  if (!(error instanceof CommerceError)) return false;
  return error.status === 422 || error.status === 413 || (error.status === 409 && !error.retryable);
}

type Reason = { field: string; message: string };

function reasonsIn({ detail, message }: CommerceError): Reason[] {
  return detail.length > 0 ? detail.map(reasonOf) : [{ field: 'product', message }];
}

/** `["body","products",3,"price"]` is the field price of its row. */
function reasonOf({ loc, msg }: ValidationErrorItem): Reason {
  const field = loc[1] === 'products' ? loc.slice(3).join('.') || 'product' : fieldOf(loc);
  return { field, message: msg };
}

type Result = Schemas['ImportResult']['results'][number];

function record(row: Row | undefined, { status, errors, warnings = [] }: Result, target: Import): void {
  for (const { field, message } of row ? warnings.map(reasonOf) : []) {
    target.warned({ line: row?.line ?? 0, message: `${field}: ${message}` });
  }
  const repeated = row && isDone(status) && target.claimed ? claim(row, target.claimed) : [];
  if (row && repeated.length > 0) refuse(row, repeated, target);
  else if (isDone(status)) target.counts[status] += 1;
  else if (row) refuse(row, errors.map(reasonOf), target);
}

/** Takes the SKUs of a product, or tells which of them an earlier product of the file has. */
function claim({ line, product }: Row, claimed: Claimed): Reason[] {
  const { slug, sku, variants = [] } = product;
  const skus = [...new Set([sku, ...variants.map((variant) => variant.sku)])].filter((own) => typeof own === 'string');
  const taken = skus.flatMap((own) => {
    const other = claimed.get(own);
    if (!other || other.slug === slug) return [];
    return [{ field: 'sku', message: `The SKU ${own} is that of ${other.slug} in line ${other.line}, too.` }];
  });
  if (taken.length === 0) for (const own of skus) claimed.set(own, { line, slug });
  return taken;
}

function isDone(status: string): status is 'created' | 'updated' | 'unchanged' {
  return status === 'created' || status === 'updated' || status === 'unchanged';
}

function refuse({ line, product: { slug } }: Row, reasons: Reason[], { counts, refused }: Import): void {
  counts.refused += 1;
  refused({ line, slug, errors: reasons.map((reason) => ({ line, ...reason })) });
}
