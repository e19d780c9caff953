/**
 * Converts the vectors of the latent semantic model to and from stored bytes, and builds the SQL that reads them for a
 * search.
 */

import sql, { type Sql } from 'sql-template-tag';
import type { SearchDb } from '../search-db.ts';
import type { TermGroup } from '../words/term-groups.ts';
import { cosinesTo, DIMENSIONS } from './latent.ts';

/** An SQL expression for a JSON object with the vectors of all terms in the groups; null if no term has a vector. */
export function termVectors(db: SearchDb, groups: TermGroup[]): Sql {
  const terms = groups.flatMap(({ alternatives }) => alternatives.map(({ term }) => term));
  return sql`(select json_object_agg(w.term, encode(w.vector, 'base64')) from search_word_vectors w
    where w.site_id = ${db.siteId} and w.term = any(${terms}::text[]))`;
}

/** An SQL aggregate that concatenates the vectors of the products `b.product_id`. */
export function productVectors(db: SearchDb): Sql {
  return sql`encode(string_agg(coalesce((select v.vector from search_product_vectors v
    where v.site_id = ${db.siteId} and v.product_id = b.product_id
      and v.model_id = (select id from search_models where site_id = ${db.siteId})), ${NO_VECTOR}), ''), 'hex')`;
}

/** Stands for the vector of a product that has none in the shop's current model. A real vector is never all zeros. */
export const NO_VECTOR = Buffer.alloc(DIMENSIONS);

/** Decodes the result of `productVectors`. */
export function decodeProductVectors(hex: string | null): (Int8Array | undefined)[] {
  const bytes = productVector(Buffer.from(hex ?? '', 'hex'));
  return Array.from({ length: bytes.length / DIMENSIONS }, (_, at) => {
    const vector = bytes.subarray(at * DIMENSIONS, (at + 1) * DIMENSIONS);
    return vector.some((value) => value !== 0) ? vector : undefined;
  });
}

/**
 * The semantic similarity of each product to the query, from -1 to 1. A product without a vector gets the average of
 * the others.
 */
export function querySimilarities(
  groups: TermGroup[],
  vectorsByTerm: Map<string, string>,
  products: (Int8Array | undefined)[],
): number[] {
  const query = new Float32Array(DIMENSIONS);
  for (const { term, weight } of groups.flatMap(({ alternatives }) => alternatives)) {
    const vector = vectorsByTerm.get(term);
    if (vector === undefined) continue;
    for (const [i, value] of termVector(Buffer.from(vector, 'base64')).entries()) {
      query[i] = (query[i] ?? 0) + weight * value;
    }
  }
  return cosinesTo(query, products);
}

export function termVectorBytes(vector: Float32Array): Buffer {
  const bytes = Buffer.alloc(vector.length * 4);
  vector.forEach((value, i) => {
    bytes.writeFloatLE(value, i * 4);
  });
  return bytes;
}

export function termVector(bytes: Buffer): Float32Array {
  return Float32Array.from({ length: bytes.length / 4 }, (_, i) => bytes.readFloatLE(i * 4));
}

const MAX_INT8 = 127;

/**
 * Converts a vector to one byte per dimension. This is precise enough, because only the direction of a vector matters.
 */
export function productVectorBytes(vector: Float32Array): Buffer {
  const largest = vector.reduce((most, value) => Math.max(most, Math.abs(value)), 0) || 1;
  return Buffer.from(Int8Array.from(vector, (value) => Math.round((value / largest) * MAX_INT8)).buffer);
}

function productVector(bytes: Buffer): Int8Array {
  return new Int8Array(bytes.buffer, bytes.byteOffset, bytes.length);
}
