import { hash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { LRUCache } from 'lru-cache';
import type { ShownJson } from '../../shop/products/shown.ts';
import { fill, sizeOf } from '../../shop/products/shown-text.ts';
import type { Shop, Tenant } from '../../shop/shop.ts';
import type { Operation } from '../contract/contract.ts';
import type { Received } from '../received.ts';
import type { RequestContext } from '../request.ts';
import type { Packed } from './compress.ts';
import type { Answer } from './errors.ts';

/**
 * A cache of catalogue responses that are never stale. The token look-up reads two values: the site's catalogue
 * version, which every committed change increments, and the current stock of the products in the cached response. If
 * the version is unchanged, the cached response is sent with the current stock filled in. The ETag depends on version
 * and stock.
 */
export interface CatalogueCache {
  /** Looks for a cached response before the caller is authenticated. */
  find(operation: Operation, site_id: string | null, request: Pick<Received, 'params' | 'query'>): Found;
  /** The cached response with current stock; undefined if it is outdated. */
  current(found: Found, seen: Seen, context: RequestContext): Answer | undefined;
  /** Returns the cached response. If there is none, returns the result of `read` and caches it. */
  remember(found: Found, shop: Shop, context: RequestContext, read: () => Promise<Answer>): Promise<Answer>;
  held(): { entries: number; bytes: number };
}

/** The shop data that the token look-up returned. */
type Seen = Pick<Tenant, 'site_id' | 'catalog_version' | 'shown_stock'>;

/** The cache key of a request, and the products in the cached response whose stock must be read. */
export interface Found {
  operation: Operation;
  /** The cache key without the site, because only the credential determines the site. */
  request: string;
  isKept: boolean;
  productIds: string[];
}

/** A response as bytes, and its compressed forms. */
interface Kept {
  version: string;
  body: Buffer;
  etag: string;
  /** Products whose stock the response contains. */
  productIds: string[];
  stock: string;
  /** Positions of the stock values in the body. */
  slots: { start: number; end: number; slot: string }[];
  br?: Buffer;
  gzip?: Buffer;
}

/**
 * Part of each cache key, and thus of the ETag, because a new release may return a different response for the same
 * catalogue.
 */
const RELEASE = hash('sha1', readFileSync(contractFile()), 'base64url').slice(0, 8);

function contractFile(): string {
  return createRequire(import.meta.url).resolve('@commerce-backend/spec/openapi.json');
}

const MAX_BYTES = 64 * 1024 * 1024;
const MAX_ENTRY_BYTES = 1024 * 1024;
/** Estimated memory of an entry besides body and key: buffer object, backing store, ETag, map entry. */
const ENTRY_BYTES = 1024;
/** Estimated memory of a buffer besides its bytes. */
const BUFFER_BYTES = 256;
/** Estimated memory of a slot or product id. */
const SLOT_BYTES = 64;
const ID_BYTES = 72;

export function createCatalogueCache({ enabled }: { enabled: boolean }): CatalogueCache {
  // Stores bytes instead of text, so that a response is encoded only once.
  const answers = new LRUCache<string, Kept>({
    maxSize: MAX_BYTES,
    maxEntrySize: MAX_ENTRY_BYTES,
    sizeCalculation: ({ body, br, gzip, stock, slots, productIds }, key) =>
      body.length +
      compressedSize(br) +
      compressedSize(gzip) +
      2 * key.length +
      stock.length +
      SLOT_BYTES * slots.length +
      ID_BYTES * productIds.length +
      ENTRY_BYTES,
  });
  /**
   * Compressed forms of an entry, created on first use. They are stored only if the entry has not been replaced
   * meanwhile.
   */
  const packedOf = (key: string, entry: Kept): Packed => ({
    of: (encoding) => entry[encoding],
    keep(encoding, bytes) {
      const kept = answers.peek(key);
      if (kept?.body === entry.body) answers.set(key, { ...kept, [encoding]: exactBuffer(bytes) });
    },
  });
  /** The entry with the stock that the look-up read; undefined if its version is outdated. */
  const entryFor = (key: string, { catalog_version, shown_stock }: Omit<Seen, 'site_id'>): Kept | undefined => {
    const kept = answers.get(key);
    if (!kept || kept.version !== catalog_version) return undefined;
    if (kept.slots.length === 0 || kept.stock === shown_stock) return kept;
    if (!shown_stock || sizeOf(shown_stock) !== sizeOf(kept.stock)) return undefined;
    const restocked = withStock(kept, key, shown_stock);
    answers.set(key, restocked);
    return restocked;
  };
  const current = ({ operation, request }: Found, seen: Seen): Answer | undefined => {
    const key = keyOf(seen.site_id, request);
    const kept = enabled ? entryFor(key, seen) : undefined;
    return (
      kept && { status: operation.status, body: kept.body, headers: headersFor(kept.etag), packed: packedOf(key, kept) }
    );
  };
  return {
    find(operation, site_id, { params, query }) {
      const request = JSON.stringify([operation.id, params, sorted(query)]);
      const kept = enabled && site_id ? answers.peek(keyOf(site_id.toLowerCase(), request)) : undefined;
      return { operation, request, isKept: kept !== undefined, productIds: kept?.productIds ?? [] };
    },
    current(found, seen, context) {
      const answer = current(found, seen);
      if (answer) context.cached = true;
      return answer;
    },
    async remember(found, shop, context, read) {
      const { siteId: site_id, catalogVersion: catalog_version, shownStock: shown_stock } = shop;
      const kept = current(found, { site_id, catalog_version, shown_stock });
      context.cached = kept !== undefined;
      if (kept) return kept;
      const key = keyOf(site_id, found.request);
      const { status, body, empty, shown } = await read();
      const etag = etagOf(key, shown?.version ?? shop.catalogVersion, shown ? shown.filled : []);
      const answer = { status, body: shown?.text() ?? body, headers: headersFor(etag) };
      // Does not cache empty results, because the number of such requests is unlimited. Does not cache reads during a
      // change, because they may mix old and new data.
      if (!enabled || empty || shown?.productIds.length === 0 || (shown && shown.version !== shop.catalogVersion))
        return answer;
      if (shown) answers.set(key, entryOf(shown, etag));
      else if (body !== undefined) answers.set(key, plainEntry(body, etag, shop.catalogVersion));
      return answer;
    },
    held: () => ({ entries: answers.size, bytes: answers.calculatedSize }),
  };
}

function keyOf(site_id: string, request: string): string {
  return `${RELEASE} ${site_id} ${request}`;
}

/** The ETag. It covers the displayed stock values, which may be less exact than the real stock. */
function etagOf(key: string, version: string, filled: string[]): string {
  return `"${hash('sha1', `${key} ${version} ${filled.join()}`, 'base64url')}"`;
}

function headersFor(etag: string): Record<string, string> {
  return { ETag: etag, 'Cache-Control': 'private, no-cache' };
}

function plainEntry(body: string | Buffer, etag: string, version: string): Kept {
  return { version, body: exactBuffer(body), etag, productIds: [], stock: '', slots: [] };
}

function entryOf(shown: ShownJson<unknown>, etag: string): Kept {
  const { texts, slots, filled, version, productIds, stock } = shown;
  const body = exactBuffer(texts.map((text, i) => text + (filled[i] ?? '')).join(''));
  let at = 0;
  const placed = slots.map((slot, i) => {
    const start = at + Buffer.byteLength(texts[i] ?? '');
    at = start + (filled[i] ?? '').length;
    return { start, end: at, slot };
  });
  return { version, body, etag, productIds, stock, slots: placed };
}

/** The cached response with new stock values. */
function withStock(kept: Kept, key: string, stock: string): Kept {
  const { slots, version, productIds } = kept;
  const filled = fill(
    slots.map(({ slot }) => slot),
    stock,
  );
  const growth = slots.reduce((sum, { start, end }, i) => sum + (filled[i] ?? '').length - (end - start), 0);
  const body = Buffer.allocUnsafeSlow(kept.body.length + growth);
  let [from, at] = [0, 0];
  const placed = slots.map(({ start, end, slot }, i) => {
    at += kept.body.copy(body, at, from, start);
    from = end;
    const begin = at;
    at += body.write(filled[i] ?? '', at, 'latin1');
    return { start: begin, end: at, slot };
  });
  kept.body.copy(body, at, from);
  return { version, body, etag: etagOf(key, version, filled), productIds, stock, slots: placed };
}

function compressedSize(bytes: Buffer | undefined): number {
  return bytes ? bytes.length + BUFFER_BYTES : 0;
}

/** Copies the bytes. A small `Buffer.from` is a slice of a shared 64 KB block, all of which would stay in memory. */
function exactBuffer(body: string | Buffer): Buffer {
  const buffer = Buffer.allocUnsafeSlow(Buffer.byteLength(body));
  if (typeof body === 'string') buffer.write(body);
  else body.copy(buffer);
  return buffer;
}

function sorted(query: Received['query']): [string, unknown][] {
  return Object.entries(query).sort(([a], [b]) => (a < b ? -1 : 1));
}
