import type { openShop } from './shop.ts';

/** Calls to a shop for tests about buying. */

type OpenShop = Awaited<ReturnType<typeof openShop>>;

/** Creates a product with one variant, and returns the variant's id, too. */
export async function givenVariant(shop: OpenShop, input: Parameters<OpenShop['givenProduct']>[0] = {}) {
  const product = await shop.givenProduct(input);
  return { product, variant_id: product.variants[0]?.id ?? '' };
}

/** The stock of a product that has one variant, as the merchant sees it. */
export async function stockOf({ dashboard }: Pick<OpenShop, 'dashboard'>, product_id: string) {
  const { data } = await dashboard.GET('/api/dashboard/inventory', { params: { query: { product_id } } });
  const { on_hand, reserved } = data?.inventory[0] ?? {};
  return { on_hand, reserved };
}

/** The orders of the shop, the latest first. */
export async function ordersOf({ dashboard }: Pick<OpenShop, 'dashboard'>) {
  const { data } = await dashboard.GET('/api/dashboard/orders', { params: { query: { limit: 100 } } });
  return data?.orders ?? [];
}
