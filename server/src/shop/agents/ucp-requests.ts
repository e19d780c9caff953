import sql from 'sql-template-tag';
import type { RowOf } from '../../db/row-of.ts';
import type { Shop } from '../shop.ts';

/**
 * A request over UCP is several operations, each with a key of its own that follows from the request's. Here stands what the key
 * was first used for, so that it serves no other request, and how that was answered, so that a copy that comes late changes nothing
 * and is answered alike.
 */

export interface RequestKey {
  caller_hash: Buffer;
  key_hash: Buffer;
  request_hash: Buffer;
}

export interface KnownRequest {
  /** Whether the key was first used for this very request. */
  same: boolean;
  /** What it was answered, sealed; null as long as it is under way. */
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
  if (!known) throw new Error('A request was not noted.');
  return known;
}

/** Of copies that ran at the same time, the first answer counts for all. Returns it. */
export async function keepAnswer(shop: Shop, { caller_hash, key_hash }: RequestKey, answer: Buffer): Promise<Buffer> {
  const kept = await shop.one<{ answer: Buffer }>(
    sql`update ucp_requests set answer = coalesce(answer, ${answer})
      where site_id = ${shop.siteId} and caller_hash = ${caller_hash} and key_hash = ${key_hash} returning answer`,
  );
  return kept?.answer ?? answer;
}

/** The checkout that became an order of the customer given. */
export async function checkoutOf(shop: Shop, order_id: string): Promise<string | undefined> {
  const found = await shop.one<RowOf<'checkouts', 'id'>>(
    sql`select id from checkouts where site_id = ${shop.siteId} and order_id = ${order_id}`,
  );
  return found?.id;
}

/** The products of variants, by the variant's id. */
export async function productsOf(shop: Shop, variant_ids: string[]): Promise<Map<string, string>> {
  const rows = await shop.rows<RowOf<'variants', 'id' | 'product_id'>>(
    sql`select id, product_id from variants where site_id = ${shop.siteId} and id = any(${variant_ids}::uuid[])`,
  );
  return new Map(rows.map(({ id, product_id }) => [id, product_id]));
}
