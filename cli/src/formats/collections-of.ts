import { type DashboardClient, paginate, type Schemas } from '@commerce-backend/sdk';

/** Number of collections that are searched at the same time. */
const CONCURRENT = 6;

/**
 * The ids of the manual collections of a product. The API does not list them, so this searches each manual collection
 * for products that were created in the same second.
 */
export async function manualCollectionsOf(
  client: DashboardClient,
  { id, created_at }: Pick<Schemas['Product'], 'id' | 'created_at'>,
): Promise<string[]> {
  const second = Math.floor(Date.parse(created_at) / 1000) * 1000;
  const [created_from = '', created_to] = [second, second + 1000].map((time) => new Date(time).toISOString());
  const contains = async (collection_id: string) => {
    const params = { query: { collection_id, created_from, ...(created_to && { created_to }) } };
    for await (const product of paginate(client, '/api/dashboard/products', { params })) {
      if (product.id === id) return true;
    }
    return false;
  };
  const all: string[] = [];
  for await (const collection of paginate(client, '/api/dashboard/collections', {
    params: { query: { type: 'manual' } },
  })) {
    all.push(collection.id);
  }
  const found: string[] = [];
  for (let at = 0; at < all.length; at += CONCURRENT) {
    const some = all.slice(at, at + CONCURRENT);
    const answers = await Promise.all(some.map(contains));
    found.push(...some.filter((_, i) => answers[i]));
  }
  return found;
}
