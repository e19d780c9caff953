import { createHash } from 'node:crypto';
import type { Request } from 'express';
import { LRUCache } from 'lru-cache';
import type { Shop } from '../../shop/shop.ts';
import { document, type Operation } from '../contract/contract.ts';
import type { Packed } from './compress.ts';
import type { Answer } from './errors.ts';
import type { Notes } from './notes.ts';

/**
 * Catalogue answers that cannot be stale: the key holds the site's catalogue version, which the credential's look-up has
 * just read from the database and which every committed change moves on. The key is also the ETag.
 */
export interface CatalogueCache {
  remember(shop: Shop, operation: Operation, req: Request, notes: Notes, read: () => Promise<Answer>): Promise<Answer>;
}

/** An answer as bytes, and what it is compressed. */
interface Kept {
  body: Buffer;
  headers: Record<string, string>;
  br?: Buffer;
  gzip?: Buffer;
}

/** An answer of another contract is another answer, though the catalogue has not changed. */
const RELEASE = createHash('sha1').update(JSON.stringify(document)).digest('base64url').slice(0, 8);

const MAX_BYTES = 64 * 1024 * 1024;
const MAX_ENTRY_BYTES = 1024 * 1024;

export function createCatalogueCache({ enabled }: { enabled: boolean }): CatalogueCache {
  // Bytes, not text: what is sent again and again is encoded once.
  const bodies = new LRUCache<string, Kept>({
    maxSize: MAX_BYTES,
    maxEntrySize: MAX_ENTRY_BYTES,
    sizeCalculation: ({ body, br, gzip }, key) =>
      body.length + (br?.length ?? 0) + (gzip?.length ?? 0) + 2 * key.length,
  });
  /** An answer that is asked for again is compressed once. Only the entry that it was made of takes it. */
  const packedOf = (key: string, entry: Kept): Packed => ({
    of: (encoding) => entry[encoding],
    keep(encoding, bytes) {
      const kept = bodies.peek(key);
      if (kept?.body === entry.body) bodies.set(key, { ...kept, [encoding]: exactBuffer(bytes) });
    },
  });
  return {
    async remember(shop, operation, req, notes, read) {
      const key = JSON.stringify([
        RELEASE,
        shop.siteId,
        shop.catalogVersion,
        operation.id,
        req.params,
        sorted(req.query),
      ]);
      const known = enabled ? bodies.get(key) : undefined;
      notes.cached = known !== undefined;
      if (known) {
        const { body, headers } = known;
        return { status: operation.status, body, headers, packed: packedOf(key, known) };
      }
      const etag = `"${createHash('sha1').update(key).digest('base64url')}"`;
      const headers = { ETag: etag, 'Cache-Control': 'private, no-cache' };
      const { status, body } = await read();
      if (enabled && body !== undefined) bodies.set(key, { body: Buffer.from(body), headers });
      return { status, body, headers };
    },
  };
}

/** The bytes in memory of their own: a small buffer is a slice of a larger block, and keeps all of it alive. */
function exactBuffer(body: string | Buffer): Buffer {
  const buffer = Buffer.allocUnsafeSlow(Buffer.byteLength(body));
  if (typeof body === 'string') buffer.write(body);
  else body.copy(buffer);
  return buffer;
}

function sorted(query: Request['query']): [string, unknown][] {
  return Object.entries(query).sort(([a], [b]) => (a < b ? -1 : 1));
}
