import { ShopError } from '../../shop/errors.ts';
import type { Shop } from '../../shop/shop.ts';
import { lastChange } from '../../shop/versions/last-change.ts';
import type { Versioned } from '../../shop/versions/versions.ts';
import type { Operation } from '../contract/contract.ts';
import type { Received } from '../received.ts';
import type { Answer } from './errors.ts';
import { matches } from './etag.ts';

/**
 * Optimistic locking (RFC 9110 §13.1.1). Reads of editable resources return an ETag. A change with an outdated ETag in
 * If-Match is rejected with `stale`. The check runs in the transaction of the change, after it has taken the resource's
 * lock, so of two changes with the same ETag one is rejected. `locked` is the resource if the caller has locked and
 * read it already.
 */
export async function runVersioned(
  operation: Operation,
  { params, headers }: Pick<Received, 'params' | 'headers'>,
  shop: Shop,
  work: () => Promise<{ answer: Answer; body: unknown }>,
  locked?: object,
): Promise<Answer> {
  // Imported here, because the folders of shop/ are loaded with the handlers and not with the pipeline.
  const { VERSIONED, tagOf } = await import('../../shop/versions/versions.ts');
  const resource = VERSIONED[operation.noun];
  if (!resource) throw new Error(`${operation.id} has no version`);
  const id = String(resource.parameter ? params[resource.parameter] : shop.siteId);
  const wanted = operation.guarded ? headers['if-match'] : undefined;
  const present = (shown: object, beside?: string) => tagOf(resource, shown, beside);
  if (wanted !== undefined) await refuseStale(shop, { operation, resource, id, wanted, present, locked });
  // This data is read before the body: if the resource changes in between, the ETag is outdated, which is safe.
  const before = operation.safe ? await resource.beside?.(shop, id) : undefined;
  const { answer, body } = await work();
  const shown = operation.tagged && (await shownIn(shop, operation, resource, id, body, wanted !== undefined));
  if (!shown) return answer;
  return { ...answer, headers: { ETag: present(shown, before ?? (await resource.beside?.(shop, id))) } };
}

interface Guarded {
  operation: Operation;
  resource: Versioned;
  id: string;
  wanted: string;
  present: (shown: object, beside?: string) => string;
  locked: object | undefined;
}

async function refuseStale(shop: Shop, { operation, resource, id, wanted, present, locked }: Guarded): Promise<void> {
  if (!locked) await resource.lock(shop, id);
  const now = locked ?? (await resource.read(shop, id));
  const etag = present(now, await resource.beside?.(shop, id));
  if (matches(wanted, etag)) return;
  const change = await lastChange(shop, operation.noun, id, now);
  throw new ShopError('stale', sentence(change.changed_at, change.changed_by?.name), { etag, ...change });
}

function sentence(at: string | null, by: string | null | undefined): string {
  const last = by || at ? `, last${by ? ` by ${by}` : ''}${at ? ` at ${at}` : ''}` : '';
  return `This was changed since you read it${last}.`;
}

/**
 * The resource that the operation read or changed. If the response body is not the resource, it is read only for
 * callers that sent If-Match.
 */
async function shownIn(
  shop: Shop,
  { answers }: Operation,
  resource: Versioned,
  id: string,
  body: unknown,
  watched: boolean,
): Promise<object | undefined> {
  if (answers === resource.schema) return body as object;
  return watched ? resource.read(shop, id) : undefined;
}
