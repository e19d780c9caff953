import type { DashboardClient } from '@commerce-backend/sdk';
import { collectionIdOf } from './commands/collection-id.ts';
import { customerIdOf } from './commands/customer-id.ts';
import { discountIdOf } from './commands/discount-view.ts';
import { isUuid } from './commands/options.ts';
import { findOrder } from './commands/order-view.ts';
import { findProduct } from './commands/product-view.ts';
import { shippingOptionIdOf } from './commands/shipping-option-id.ts';
import { staffIdOf } from './commands/staff-id.ts';
import { variantIdOf } from './commands/variant-id.ts';

interface Finder {
  /** The other name of the thing, besides its id. */
  by: string;
  find: (client: DashboardClient, wanted: string) => Promise<string>;
}

/** The parameters whose things have a name for merchants, such as a SKU. */
const FINDERS: Partial<Record<string, Finder>> = {
  collection_id: { by: 'handle', find: collectionIdOf },
  customer_id: { by: 'e-mail', find: customerIdOf },
  discount_id: { by: 'code', find: discountIdOf },
  order_id: { by: 'number', find: async (client, wanted) => (await findOrder(client, wanted)).id },
  product_id: { by: 'slug, SKU', find: async (client, wanted) => (await findProduct(client, wanted)).id },
  shipping_option_id: { by: 'name', find: shippingOptionIdOf },
  staff_id: { by: 'e-mail', find: staffIdOf },
  variant_id: { by: 'SKU', find: variantIdOf },
};

/** Whether the thing of a parameter has a name besides its id. */
export function isFound(parameter: string): boolean {
  return Object.hasOwn(FINDERS, parameter);
}

/** The function that finds a parameter's thing by its name; undefined if it has only an id. */
export function namedBy(parameter: string): string | undefined {
  const finder = FINDERS[parameter];
  return finder && `by ${finder.by} or id`;
}

/** Finds the id of a thing by its name. */
export async function idOf(parameter: string, client: DashboardClient, wanted: string): Promise<string> {
  return isUuid(wanted) ? wanted : ((await FINDERS[parameter]?.find(client, wanted)) ?? wanted);
}
