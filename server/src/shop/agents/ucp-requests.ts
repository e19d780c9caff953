/**
 * Idempotency of UCP requests. A UCP request runs several operations, each with an idempotency key derived from the key
 * of the request. The table `ucp_requests` stores the hash of the first request with a key, and its response, so that a
 * retry gets the same response and a different request is rejected.
 */

import sql from 'sql-template-tag';
import type { RowOf } from '../../db/row-of.ts';
import type { Shop } from '../shop.ts';

export interface RequestKey {
  caller_hash: Buffer;
  key_hash: Buffer;
  request_hash: Buffer;
}

export interface KnownRequest {
  /** Whether the stored request equals this one. */
  same: boolean;
  /** The encrypted response; null while the request is running. */
  answer: Buffer | null;
}

export async function claimKey(shop: Shop, key: RequestKey): Promise<KnownRequest> {
  const { caller_hash, key_hash, request_hash } = key;
  await shop.run(
    sql`insert into ucp_requests (site_id, caller_hash, key_hash, request_hash)
      values (${shop.siteId}, ${caller_hash}, ${key_hash}, ${request_hash}) on conflict do nothing`,
  );
  const known = await shop.one<KnownRequest>(
    sql`select request_hash = ${request_hash} as same, answer from ucp_requests
      where site_id = ${shop.siteId} and caller_hash = ${caller_hash} and key_hash = ${key_hash}`,
  );
  if (!known) throw new Error('The UCP request was not stored.');
  return known;
}

/**
 * Stores the response of a request and returns it. Concurrent duplicates all return the response that was stored first.
 */
export async function keepAnswer(shop: Shop, { caller_hash, key_hash }: RequestKey, answer: Buffer): Promise<Buffer> {
  const kept = await shop.one<{ answer: Buffer }>(
    sql`update ucp_requests set answer = coalesce(answer, ${answer})
      where site_id = ${shop.siteId} and caller_hash = ${caller_hash} and key_hash = ${key_hash} returning answer`,
  );
  return kept?.answer ?? answer;
}

/** Returns product ids by variant id. */
export async function productsOf(shop: Shop, variant_ids: string[]): Promise<Map<string, string>> {
  const rows = await shop.rows<RowOf<'variants', 'id' | 'product_id'>>(
    sql`select id, product_id from variants where site_id = ${shop.siteId} and id = any(${variant_ids}::uuid[])`,
  );
  return new Map(rows.map(({ id, product_id }) => [id, product_id]));
}
