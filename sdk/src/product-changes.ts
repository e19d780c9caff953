import type { Client } from './client.ts';
import type { AnswerOf, OperationOf, Schemas, SurfacePaths } from './contract.ts';
import { unwrap } from './errors.ts';

const PATH = '/api/sync/products';

type SyncPaths = SurfacePaths<'sync'>;

/** One response of `GET /api/sync/products`. */
export type ProductChangesPage = AnswerOf<OperationOf<SyncPaths, typeof PATH, 'get'>>;

export interface ProductChangesOptions {
  /** The position to continue from. Without it, a full crawl starts at the beginning. */
  cursor?: string;
  /** Start with the changes since this date-time; ignored if there is a cursor. */
  updated_since?: string;
  /** The number of changes per response, at most 500. */
  limit?: number;
  /** Aborts with the signal's reason. */
  signal?: AbortSignal;
}

/**
 * Changes of products in order, up to now. It fetches pages on demand. Iterate it over changes, or with `pages` over
 * whole pages. Throws the errors of `unwrap`.
 */
export interface ProductChanges extends AsyncIterable<Schemas['ProductChange'], void, undefined> {
  /**
   * The cursor to continue from after a restart: behind the last page that was iterated to its end. It does not expire.
   * Undefined until then, unless one was passed.
   */
  readonly cursor: string | undefined;
  /** Iterates over whole pages, so that each can be stored together with its `resume_cursor`. */
  pages(): AsyncGenerator<ProductChangesPage, void, undefined>;
}

/** Implements `SyncClient.products`. */
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
      // A page counts as processed when the caller requests the next one.
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
