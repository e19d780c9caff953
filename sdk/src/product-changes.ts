import type { Client } from './client.ts';
import type { AnswerOf, OperationOf, Schemas, SurfacePaths } from './contract.ts';
import { unwrap } from './errors.ts';

const PATH = '/api/sync/products';

type SyncPaths = SurfacePaths<'sync'>;

/** One answer of `GET /api/sync/products`. */
export type ProductChangesPage = AnswerOf<OperationOf<SyncPaths, typeof PATH, 'get'>>;

export interface ProductChangesOptions {
  /** Where to continue; without one it starts at the beginning, which is a full crawl. */
  cursor?: string;
  /** Begin with what changed since then, a date-time; it counts only without a cursor. */
  updated_since?: string;
  /** How many changes in one answer, 500 at most. */
  limit?: number;
  /** Stops it, with the signal's reason. */
  signal?: AbortSignal;
}

/**
 * Changes of products in their order, up to now; pages are fetched as they are needed. Iterate it over changes, or with
 * `pages` over whole pages. Throws what `unwrap` throws.
 */
export interface ProductChanges extends AsyncIterable<Schemas['ProductChange'], void, undefined> {
  /**
   * Where a restart continues, at any time: after the last page that was iterated to its end. It does not expire. Undefined
   * until then, unless one was given.
   */
  readonly cursor: string | undefined;
  /** The same by page, for writing each page and its `resume_cursor` together. */
  pages(): AsyncGenerator<ProductChangesPage, void, undefined>;
}

/** The iteration that `SyncClient.products` gives. */
export function followProducts(
  client: Client<SyncPaths>,
  { cursor, updated_since, limit = 500, signal }: ProductChangesOptions = {},
): ProductChanges {
  let reached = cursor;

  async function* pages(): AsyncGenerator<ProductChangesPage, void, undefined> {
    for (;;) {
      const query = { cursor: reached, limit, updated_since: reached === undefined ? updated_since : undefined };
      const page = await unwrap(client.GET(PATH, { params: { query }, signal }));
      yield page;
      // Only now, when the caller comes back for more, is the page done with.
      reached = page.resume_cursor;
      if (page.next_cursor === null) return;
    }
  }

  return {
    get cursor() {
      return reached;
    },
    pages,
    async *[Symbol.asyncIterator]() {
      for await (const { changes } of pages()) yield* changes;
    },
  };
}
