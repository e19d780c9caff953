import { HttpResponse, http } from 'msw';
import { expect, expectTypeOf, test } from 'vitest';
import { baseUrl, openNetwork, refusal, siteId } from '../test/backend.ts';
import { AuthenticationError, createSyncClient, type Schemas } from './index.ts';

const network = openNetwork();
const sync = createSyncClient({ baseUrl, siteId, syncSecret: 'syk_1', maxAttempts: 1 });

/** Serves a feed of these pages, with page numbers as cursors, and records the queries. */
function feed(...pages: string[][]) {
  const queries: string[] = [];
  network.use(
    http.get(`${baseUrl}/api/sync/products`, ({ request }) => {
      const { search, searchParams } = new URL(request.url);
      queries.push(search);
      const at = Number(searchParams.get('cursor') ?? 0);
      const changes = (pages[at] ?? []).map((product_id) => ({ product_id, removed: true, product: null }));
      const next_cursor = at + 1 < pages.length ? String(at + 1) : null;
      return HttpResponse.json({ changes, next_cursor, resume_cursor: String(Math.min(at + 1, pages.length)) });
    }),
  );
  return queries;
}

test('returns all product changes in order, and then the cursor for the next read', async () => {
  const queries = feed(['a', 'b'], ['c'], []);
  const changes = sync.products();
  const seen: string[] = [];
  for await (const { product_id } of changes) seen.push(product_id);
  expect(seen).toEqual(['a', 'b', 'c']);
  expect(changes.cursor).toBe('3');
  expect(queries).toEqual(['?limit=500', '?cursor=1&limit=500', '?cursor=2&limit=500']);
});

test('skips no change when an interrupted read continues at its cursor', async () => {
  const pages = [['a', 'b'], ['c', 'd'], ['e']];
  for (let left = 1; left <= 5; left += 1) {
    feed(...pages);
    const first = sync.products();
    const seen: string[] = [];
    for await (const { product_id } of first) {
      seen.push(product_id);
      if (seen.length === left) break;
    }
    for await (const { product_id } of sync.products({ cursor: first.cursor })) seen.push(product_id);
    expect([...new Set(seen)]).toEqual([...'abcde']);
  }
});

test('advances the cursor after the caller has processed a page, not before', async () => {
  feed(['a', 'b'], ['c']);
  const changes = sync.products();
  const cursors: (string | undefined)[] = [];
  for await (const _change of changes) cursors.push(changes.cursor);
  expect(cursors).toEqual([undefined, undefined, '1']);
});

test('returns each page with its cursor', async () => {
  feed(['a', 'b'], ['c']);
  const kept: [string[], string][] = [];
  for await (const { changes, resume_cursor } of sync.products({ limit: 2 }).pages()) {
    kept.push([changes.map(({ product_id }) => product_id), resume_cursor]);
  }
  expect(kept).toEqual([
    [['a', 'b'], '1'],
    [['c'], '2'],
  ]);
});

test('a second iteration returns only new product changes', async () => {
  const pages = [['a']];
  feed(...pages);
  const changes = sync.products();
  for await (const _change of changes);
  feed(['a'], ['b']);
  const seen: string[] = [];
  for await (const { product_id } of changes) seen.push(product_id);
  expect(seen).toEqual(['b']);
});

test('sends updated_since only for the first page', async () => {
  const queries = feed(['a'], ['b']);
  for await (const _change of sync.products({ updated_since: '2026-03-02T00:00:00Z', limit: 1 }));
  expect(queries).toEqual(['?limit=1&updated_since=2026-03-02T00%3A00%3A00Z', '?cursor=1&limit=1']);
});

test('reading product changes throws errors like unwrap, and keeps the cursor', async () => {
  network.use(http.get(`${baseUrl}/api/sync/products`, () => refusal(401, 'unauthorized')));
  const changes = sync.products({ cursor: 'kept' });
  const read = async () => {
    for await (const _change of changes);
  };
  await expect(read()).rejects.toThrow(AuthenticationError);
  expect(changes.cursor).toBe('kept');
});

test("stops reading product changes when the caller's signal is aborted", async () => {
  feed(['a'], ['b'], ['c']);
  const controller = new AbortController();
  const read = async () => {
    for await (const { product_id } of sync.products({ signal: controller.signal })) {
      if (product_id === 'b') controller.abort();
    }
  };
  await expect(read()).rejects.toThrow('abort');
});

test('each product change has the type of the contract', () => {
  expectTypeOf(sync.products()).toExtend<AsyncIterable<Schemas['ProductChange']>>();
});
