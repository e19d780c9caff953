import { unwrap } from '@commerce-backend/sdk';
import { slugOf } from '../../../../cli/src/formats/slug.ts';
import { webAddress } from '../../../../cli/src/formats/typed-text.ts';
import { api, type Inputs, ifMatch, inWords, readAgain, type Versioned, versioned } from '../../api.ts';
import { conflictOf } from '../../ui/conflict-dialog.tsx';
import { changesOf, without } from '../../ui/form/changes.ts';
import { PartlySaved } from '../../ui/form/use-editing.ts';
import { type Collection, type CollectionDraft, collectionDraftOf } from './draft.ts';

type Saved = Versioned<CollectionDraft>;

/** Number of a collection's products that one call returns. Later products keep their order. */
export const SHOWN = 250;

export function loadCollection(collection_id: string, signal?: AbortSignal): Promise<Versioned<Collection>> {
  const call = api.GET('/api/dashboard/collections/{collection_id}', {
    params: { path: { collection_id }, query: { limit: SHOWN } },
    ...(signal && { signal }),
  });
  return versioned(call, unwrap);
}

export function forgetCollections(): Promise<void> {
  return readAgain('collections');
}

/** Converts a draft to the API's request body. An empty handle is omitted, so that it stays unchanged. */
function inBody({ products, ...draft }: CollectionDraft): Omit<CollectionDraft, 'products'> {
  const { handle, image_url, type } = draft;
  return {
    ...(type === 'automatic' ? draft : (without(draft, ['rules', 'rules_match']) as typeof draft)),
    handle: handle ? slugOf(handle) || handle : undefined,
    image_url: image_url && webAddress(image_url),
  };
}

export async function createCollection(draft: CollectionDraft): Promise<string> {
  const product_ids = draft.products.map(({ id }) => id);
  const body = { ...changesOf({}, inBody(draft)), ...(draft.type === 'manual' && { product_ids }) };
  const { id } = await unwrap(api.POST('/api/dashboard/collections', { body: body as Inputs['CollectionInput'] }));
  return id;
}

/**
 * Saves a collection with several calls. If one fails, the form keeps the remaining changes and continues from the
 * collection's current state.
 */
export async function saveCollection(collection_id: string, draft: CollectionDraft, over: Saved): Promise<Saved> {
  const load = async () => collectionDraftOf(await loadCollection(collection_id));
  try {
    await update(collection_id, over, draft);
  } catch (error) {
    const now = conflictOf(error) ? undefined : await load().catch(() => undefined);
    if (now === undefined || now.etag === over.etag) throw error;
    throw new PartlySaved(inWords(error), now, draft, error);
  }
  return load();
}

/** Updates a collection to the draft. Each call sends the ETag that the previous one returned. */
async function update(collection_id: string, { data: base, etag }: Saved, draft: CollectionDraft): Promise<void> {
  let version = etag;
  const send = async <Result extends { response: Response; error?: unknown }>(
    call: (headers: Record<string, string>) => Promise<Result>,
  ) => {
    const result = await call(ifMatch(version));
    await unwrap(Promise.resolve(result));
    version = result.response.headers.get('ETag') ?? undefined;
  };
  const path = { collection_id };
  const body = changesOf(inBody(base), inBody(draft));
  if (JSON.stringify(body) !== '{}') {
    await send((headers) =>
      api.PATCH('/api/dashboard/collections/{collection_id}', { params: { path }, body, headers }),
    );
  }
  if (draft.type !== 'manual') return;
  const before = base.products.map(({ id }) => id);
  const after = draft.products.map(({ id }) => id);
  for (const product_id of before.filter((id) => !after.includes(id))) {
    const params = { path: { collection_id, product_id } };
    await send((headers) =>
      api.DELETE('/api/dashboard/collections/{collection_id}/products/{product_id}', { params, headers }),
    );
  }
  const added = after.filter((id) => !before.includes(id));
  for (let at = 0; at < added.length; at += 100) {
    const product_ids = added.slice(at, at + 100);
    await send((headers) =>
      api.POST('/api/dashboard/collections/{collection_id}/products', {
        params: { path },
        body: { product_ids },
        headers,
      }),
    );
  }
  const appended = [...before.filter((id) => after.includes(id)), ...added];
  if (appended.join() === after.join()) return;
  const product_ids = [...after, ...(await idsBeyond(collection_id, base.products.length, after))];
  await send((headers) =>
    api.PUT('/api/dashboard/collections/{collection_id}/products/reorder', {
      params: { path },
      body: { product_ids },
      headers,
    }),
  );
}

/** Ids of the products that the screen does not show. The API requires every product in a new order. */
async function idsBeyond(collection_id: string, listed: number, shown: string[]): Promise<string[]> {
  const known = new Set(shown);
  const ids: string[] = [];
  for (let page = 1, pages = listed < SHOWN ? 0 : 1; page <= pages; page++) {
    const params = { path: { collection_id }, query: { page, limit: SHOWN } };
    const found = await unwrap(api.GET('/api/dashboard/collections/{collection_id}', { params }));
    pages = found.pages;
    for (const product of found.products) if (!known.has(product.id)) ids.push(product.id);
  }
  return ids;
}
