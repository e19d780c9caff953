import { unwrap } from '@commerce-backend/sdk';
import { api, ifMatch, readAgain, type Schemas, type Versioned, versioned } from '../../api.ts';
import { type Collection, type CollectionDraft, collectionDraftOf, collectionFields } from './draft.ts';

/** As many products as one call of a collection shows; what comes after them keeps its order. */
export const SHOWN = 250;

export type ListedProduct = Pick<Schemas['Product'], 'id' | 'name' | 'status'> & { picture: string | undefined };

export function listedProductOf({ id, name, status, images }: Schemas['Product']): ListedProduct {
  return { id, name, status, picture: images[0]?.url };
}

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

export async function createCollection(draft: CollectionDraft, products: ListedProduct[]): Promise<string> {
  const { type } = draft;
  const body = {
    ...collectionFields(draft),
    type,
    ...(type === 'manual' && { product_ids: products.map(({ id }) => id) }),
  };
  const { id } = await unwrap(api.POST('/api/dashboard/collections', { body }));
  return id;
}

/** Brings a collection to what was edited. Each call names the version that the one before it left behind. */
export async function updateCollection(
  { data: base, etag }: Versioned<Collection>,
  draft: CollectionDraft,
  products: ListedProduct[],
): Promise<void> {
  const collection_id = base.id;
  let version = etag;
  const send = async <Result extends { response: Response; error?: unknown }>(
    call: (headers: Record<string, string>) => Promise<Result>,
  ) => {
    const result = await call(ifMatch(version));
    await unwrap(Promise.resolve(result));
    version = result.response.headers.get('ETag') ?? undefined;
  };
  const path = { collection_id };
  const body = collectionFields(draft);
  if (JSON.stringify(body) !== JSON.stringify(collectionFields(collectionDraftOf(base)))) {
    await send((headers) =>
      api.PATCH('/api/dashboard/collections/{collection_id}', { params: { path }, body, headers }),
    );
  }
  if (draft.type !== 'manual') return;
  const before = base.products.map(({ id }) => id);
  const after = products.map(({ id }) => id);
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
  const product_ids = [...after, ...(await idsBeyond(base, after))];
  await send((headers) =>
    api.PUT('/api/dashboard/collections/{collection_id}/products/reorder', {
      params: { path },
      body: { product_ids },
      headers,
    }),
  );
}

/** The products that the screen does not show: an order names each of them. */
async function idsBeyond({ id, products_count }: Collection, shown: string[]): Promise<string[]> {
  const known = new Set(shown);
  const ids: string[] = [];
  for (let page = 1; (page - 1) * SHOWN < products_count + shown.length && products_count > SHOWN; page++) {
    const params = { path: { collection_id: id }, query: { page, limit: SHOWN } };
    const { products } = await unwrap(api.GET('/api/dashboard/collections/{collection_id}', { params }));
    for (const product of products) if (!known.has(product.id)) ids.push(product.id);
  }
  return ids;
}
