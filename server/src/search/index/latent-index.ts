import sql, { type Sql } from 'sql-template-tag';
import type { SearchDb } from '../search-db.ts';
import type { Group } from '../words/term-groups.ts';
import { cosinesTo, DIMENSIONS } from './latent.ts';

/** What a search reads of the meanings that the shop's words have, and the forms in which they are kept. */

/** The vectors of the groups' words, by term, as an expression; null where none is known. */
export function meaningsOf(db: SearchDb, groups: Group[]): Sql {
  const terms = groups.flatMap(({ alternatives }) => alternatives.map(({ term }) => term));
  return sql`(select json_object_agg(w.term, encode(w.vector, 'base64')) from search_word_vectors w
    where w.site_id = ${db.siteId} and w.term = any(${terms}::text[]))`;
}

/** The vectors of the products `b.product_id`, one behind the other, as an aggregate. */
export function vectorsOf(db: SearchDb): Sql {
  return sql`encode(string_agg(coalesce((select v.vector from search_product_vectors v
    where v.site_id = ${db.siteId} and v.product_id = b.product_id
      and v.model_id = (select id from search_models where site_id = ${db.siteId})), ${NO_VECTOR}), ''), 'hex')`;
}

/** Stands for the vector of a product that the shop's present model has given none: such a direction there is not. */
export const NO_VECTOR = Buffer.alloc(DIMENSIONS);

/** The vectors that `vectorsOf` has read. */
export function vectorsIn(hex: string | null): (Int8Array | undefined)[] {
  const bytes = productVector(Buffer.from(hex ?? '', 'hex'));
  return Array.from({ length: bytes.length / DIMENSIONS }, (_, at) => {
    const vector = bytes.subarray(at * DIMENSIONS, (at + 1) * DIMENSIONS);
    return vector.some((value) => value !== 0) ? vector : undefined;
  });
}

/** How well a product is what the groups are about, -1 to 1; for one without vector, as well as the others on average. */
export function affinities(
  groups: Group[],
  meanings: Map<string, string>,
  vectors: (Int8Array | undefined)[],
): number[] {
  const query = new Float32Array(DIMENSIONS);
  for (const { term, weight } of groups.flatMap(({ alternatives }) => alternatives)) {
    const meaning = meanings.get(term);
    if (meaning === undefined) continue;
    for (const [i, value] of wordVector(Buffer.from(meaning, 'base64')).entries()) {
      query[i] = (query[i] ?? 0) + weight * value;
    }
  }
  return cosinesTo(query, vectors);
}

export function wordBytes(vector: Float32Array): Buffer {
  const bytes = Buffer.alloc(vector.length * 4);
  vector.forEach((value, i) => {
    bytes.writeFloatLE(value, i * 4);
  });
  return bytes;
}

export function wordVector(bytes: Buffer): Float32Array {
  return Float32Array.from({ length: bytes.length / 4 }, (_, i) => bytes.readFloatLE(i * 4));
}

const LARGEST_BYTE = 127;

/** Only the direction of a product counts, so that one byte for each dimension is exact enough. */
export function productBytes(vector: Float32Array): Buffer {
  const largest = vector.reduce((most, value) => Math.max(most, Math.abs(value)), 0) || 1;
  return Buffer.from(Int8Array.from(vector, (value) => Math.round((value / largest) * LARGEST_BYTE)).buffer);
}

function productVector(bytes: Buffer): Int8Array {
  return new Int8Array(bytes.buffer, bytes.byteOffset, bytes.length);
}
