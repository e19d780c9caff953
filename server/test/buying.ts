import type { openShop } from './shop.ts';

type OpenShop = Awaited<ReturnType<typeof openShop>>;

/** Creates a product with one variant. Also returns the id of the variant. */
export async function givenVariant(shop: OpenShop, input: Parameters<OpenShop['givenProduct']>[0] = {}) {
  const product = await shop.givenProduct(input);
  return { product, variant_id: product.variants[0]?.id ?? '' };
}

/** Places an order, which the merchant marks as paid. Returns it as it was placed. */
export async function givenPaidOrder(shop: OpenShop, given: Parameters<OpenShop['givenOrder']>[0] = {}) {
  const order = await shop.givenOrder(given);
  await shop.dashboard.POST('/api/dashboard/orders/{order_id}/mark-paid', { params: { path: { order_id: order.id } } });
  return order;
}

/** Reads the stock and the reserved quantity of a product with one variant. */
export async function stockOf({ dashboard }: Pick<OpenShop, 'dashboard'>, product_id: string) {
  const { data } = await dashboard.GET('/api/dashboard/inventory', { params: { query: { product_id } } });
  const { on_hand, reserved } = data?.inventory[0] ?? {};
  return { on_hand, reserved };
}

/** Lists the newest 100 orders of the shop, newest first. */
export async function ordersOf({ dashboard }: Pick<OpenShop, 'dashboard'>) {
  const { data } = await dashboard.GET('/api/dashboard/orders', { params: { query: { limit: 100 } } });
  return data?.orders ?? [];
}
