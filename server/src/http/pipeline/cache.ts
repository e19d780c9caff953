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
 * Cache of catalogue responses that cannot be stale: the look-up of the credential has just read the site's catalogue
 * version, which every committed change to the catalogue increments, and, in the same statement, the stock of the
 * products in the cached response. A cached response of the same version is sent with that stock filled in. The ETag
 * depends on both.
 */
export interface CatalogueCache {
  /** The cache entry for a request, looked for before the caller is known. */
  find(operation: Operation, site_id: string | null, request: Pick<Received, 'params' | 'query'>): Found;
  /** The cached response, if the look-up shows that it is current. */
  current(found: Found, seen: Seen, context: RequestContext): Answer | undefined;
  /** The cached response, or the result of `read`, which is then cached. */
  remember(found: Found, shop: Shop, context: RequestContext, read: () => Promise<Answer>): Promise<Answer>;
  /** The current size of the cache, as it counts it. */
  held(): { entries: number; bytes: number };
}

/** What the look-up of the caller has read about the shop. */
type Seen = Pick<Tenant, 'site_id' | 'catalog_version' | 'shown_stock'>;

/** The key of a cached response, with the products whose stock it contains. */
export interface Found {
  operation: Operation;
  /** The request without its site, which only the credential may determine. */
  request: string;
  isKept: boolean;
  productIds: string[];
}

/** A response as bytes, with its compressed forms. */
interface Kept {
  version: string;
  body: Buffer;
  etag: string;
  /** The products whose stock the response contains, and that stock. */
  productIds: string[];
  stock: string;
  /** Positions of stock values in the body, with their slots. */
  slots: { start: number; end: number; slot: string }[];
  br?: Buffer;
  gzip?: Buffer;
}

/** Part of each key, because another version of the contract may answer differently for the same catalogue. */
const RELEASE = hash('sha1', readFileSync(contractFile()), 'base64url').slice(0, 8);

function contractFile(): string {
  return createRequire(import.meta.url).resolve('@commerce-backend/spec/openapi.json');
}

const MAX_BYTES = 64 * 1024 * 1024;
const MAX_ENTRY_BYTES = 1024 * 1024;
/**
 * Memory of an entry in addition to its body and key: the buffer object, its backing store, the ETag, its place in the
 * map.
 */
const ENTRY_BYTES = 1024;
/** Memory of a buffer in addition to its bytes. */
const BUFFER_BYTES = 256;
/** Memory of a slot or a product id. */
const SLOT_BYTES = 64;
const ID_BYTES = 72;

export function createCatalogueCache({ enabled }: { enabled: boolean }): CatalogueCache {
  // Bytes, not text, so that repeated responses are encoded once.
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
  /** A response that is sent repeatedly is compressed once. Only the entry from which it was made stores the result. */
  const packedOf = (key: string, entry: Kept): Packed => ({
    of: (encoding) => entry[encoding],
    keep(encoding, bytes) {
      const kept = answers.peek(key);
      if (kept?.body === entry.body) answers.set(key, { ...kept, [encoding]: exactBuffer(bytes) });
    },
  });
  /** The entry, if it was still current when the caller was looked up. */
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
      // Not cached: empty results, which anybody can cause in any number, and reads during a change, parts of which may
      // be older.
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

/** The ETag, which depends on the displayed stock: that may reveal less than the real stock. */
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

/** A cached response with another stock filled in. */
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

/**
 * Copies the bytes: a small `Buffer.from` would be a slice of a shared block of 64 KB, and keep all of it in memory.
 */
function exactBuffer(body: string | Buffer): Buffer {
  const buffer = Buffer.allocUnsafeSlow(Buffer.byteLength(body));
  if (typeof body === 'string') buffer.write(body);
  else body.copy(buffer);
  return buffer;
}

function sorted(query: Received['query']): [string, unknown][] {
  return Object.entries(query).sort(([a], [b]) => (a < b ? -1 : 1));
}
