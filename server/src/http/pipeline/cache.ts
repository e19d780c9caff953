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
  /** What it holds now, by its own count. */
  held(): { entries: number; bytes: number };
}

/** An answer as bytes, and what it is compressed. */
interface Kept {
  body: Buffer;
  etag: string;
  br?: Buffer;
  gzip?: Buffer;
}

/** An answer of another contract is another answer, though the catalogue has not changed. */
const RELEASE = createHash('sha1').update(JSON.stringify(document)).digest('base64url').slice(0, 8);

const MAX_BYTES = 64 * 1024 * 1024;
const MAX_ENTRY_BYTES = 1024 * 1024;
/** What an entry takes beside its body and key: the buffer object, its backing store, the ETag, its place in the map. */
const ENTRY_BYTES = 1024;
/** What a buffer takes beside its bytes. */
const BUFFER_BYTES = 256;

export function createCatalogueCache({ enabled }: { enabled: boolean }): CatalogueCache {
  // Bytes, not text: what is sent again and again is encoded once.
  const answers = new LRUCache<string, Kept>({
    maxSize: MAX_BYTES,
    maxEntrySize: MAX_ENTRY_BYTES,
    sizeCalculation: ({ body, br, gzip }, key) =>
      body.length + compressedSize(br) + compressedSize(gzip) + 2 * key.length + ENTRY_BYTES,
  });
  /** An answer that is asked for again is compressed once. Only the entry that it was made of takes it. */
  const packedOf = (key: string, entry: Kept): Packed => ({
    of: (encoding) => entry[encoding],
    keep(encoding, bytes) {
      const kept = answers.peek(key);
      if (kept?.body === entry.body) answers.set(key, { ...kept, [encoding]: exactBuffer(bytes) });
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
      const known = enabled ? answers.get(key) : undefined;
      notes.cached = known !== undefined;
      if (known) {
        const { body, etag } = known;
        return { status: operation.status, body, headers: headersFor(etag), packed: packedOf(key, known) };
      }
      const etag = `"${createHash('sha1').update(key).digest('base64url')}"`;
      const { status, body, empty } = await read();
      // Anybody can make up any number of searches that find nothing.
      if (enabled && body !== undefined && !empty) answers.set(key, { body: exactBuffer(body), etag });
      return { status, body, headers: headersFor(etag) };
    },
    held: () => ({ entries: answers.size, bytes: answers.calculatedSize }),
  };
}

function headersFor(etag: string): Record<string, string> {
  return { ETag: etag, 'Cache-Control': 'private, no-cache' };
}

function compressedSize(bytes: Buffer | undefined): number {
  return bytes ? bytes.length + BUFFER_BYTES : 0;
}

/** The bytes in memory of their own: a small `Buffer.from` is a slice of a shared 64 KB block, and keeps all of it alive. */
function exactBuffer(body: string | Buffer): Buffer {
  const buffer = Buffer.allocUnsafeSlow(Buffer.byteLength(body));
  if (typeof body === 'string') buffer.write(body);
  else body.copy(buffer);
  return buffer;
}

function sorted(query: Request['query']): [string, unknown][] {
  return Object.entries(query).sort(([a], [b]) => (a < b ? -1 : 1));
}
