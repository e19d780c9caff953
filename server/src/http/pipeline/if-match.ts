import { ShopError } from '../../shop/errors.ts';
import type { Shop } from '../../shop/shop.ts';
import { lastChange } from '../../shop/versions/last-change.ts';
import type { Versioned } from '../../shop/versions/versions.ts';
import type { Operation } from '../contract/contract.ts';
import type { Received } from '../received.ts';
import type { Answer } from './errors.ts';
import { matches } from './etag.ts';

/**
 * Optimistic locking (RFC 9110 §13.1.1). Reads of what people edit carry its version as their ETag; a change that names a
 * version in If-Match is refused with `stale` when it is not the present one. That is judged in the transaction of the change,
 * after the lock that all changes of the resource take, so that of two changes which name the same version one is refused.
 */
export async function runVersioned(
  operation: Operation,
  { params, headers }: Pick<Received, 'params' | 'headers'>,
  shop: Shop,
  work: () => Promise<{ answer: Answer; body: unknown }>,
): Promise<Answer> {
  // The nouns of the shop are loaded with the surfaces, not with the pipeline.
  const { VERSIONED, tagOf } = await import('../../shop/versions/versions.ts');
  const resource = VERSIONED[operation.noun];
  if (!resource) throw new Error(`${operation.id} has no version`);
  const id = String(resource.parameter ? params[resource.parameter] : shop.siteId);
  const wanted = operation.guarded ? headers['if-match'] : undefined;
  const present = (shown: object, beside?: string) => tagOf(resource, shown, beside);
  if (wanted !== undefined) await refuseStale(shop, operation, resource, id, wanted, present);
  // Read before what is shown: if it changes in between, the tag is outdated and not the answer.
  const before = operation.safe ? await resource.beside?.(shop, id) : undefined;
  const { answer, body } = await work();
  const shown = operation.tagged && (await shownIn(shop, operation, resource, id, body, wanted !== undefined));
  if (!shown) return answer;
  return { ...answer, headers: { ETag: present(shown, before ?? (await resource.beside?.(shop, id))) } };
}

async function refuseStale(
  shop: Shop,
  operation: Operation,
  resource: Versioned,
  id: string,
  wanted: string,
  present: (shown: object, beside?: string) => string,
): Promise<void> {
  await resource.lock(shop, id);
  const now = await resource.read(shop, id);
  const etag = present(now, await resource.beside?.(shop, id));
  if (matches(wanted, etag)) return;
  const change = await lastChange(shop, operation.noun, id, now);
  throw new ShopError('stale', sentence(change.changed_at, change.changed_by?.name), { etag, ...change });
}

function sentence(at: string | null, by: string | null | undefined): string {
  const last = by || at ? `, last${by ? ` by ${by}` : ''}${at ? ` at ${at}` : ''}` : '';
  return `This was changed since it was read${last}.`;
}

/** The resource as it is after the work. Where the answer is another one, it is read only for those who watch versions. */
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
