import type { DashboardClient } from '@commerce-backend/sdk';
import { collectionIdOf } from './commands/collection-id.ts';
import { customerIdOf } from './commands/customer-id.ts';
import { discountIdOf } from './commands/discount-view.ts';
import { findDocument } from './commands/document-view.ts';
import { isUuid } from './commands/options.ts';
import { findOrder } from './commands/order-view.ts';
import { findProduct } from './commands/product-view.ts';
import { findReturn } from './commands/return-view.ts';
import { shippingOptionIdOf } from './commands/shipping-option-id.ts';
import { staffIdOf } from './commands/staff-id.ts';
import { variantIdOf } from './commands/variant-id.ts';

interface Finder {
  /** The property other than the id that identifies the object, such as its SKU. */
  by: string;
  find: (client: DashboardClient, wanted: string) => Promise<string>;
}

/** Path parameters whose objects can be named by another property than the id. */
const FINDERS: Partial<Record<string, Finder>> = {
  collection_id: { by: 'handle', find: collectionIdOf },
  customer_id: { by: 'e-mail', find: customerIdOf },
  discount_id: { by: 'code', find: discountIdOf },
  document_id: { by: 'number', find: async (client, wanted) => (await findDocument(client, wanted)).id },
  order_id: { by: 'number', find: async (client, wanted) => (await findOrder(client, wanted)).id },
  product_id: { by: 'slug, SKU', find: async (client, wanted) => (await findProduct(client, wanted)).id },
  return_id: { by: 'number', find: async (client, wanted) => (await findReturn(client, wanted)).id },
  shipping_option_id: { by: 'name', find: shippingOptionIdOf },
  staff_id: { by: 'e-mail', find: staffIdOf },
  variant_id: { by: 'SKU', find: variantIdOf },
};

/** Whether the parameter's object can be named by another property than the id. */
export function isFound(parameter: string): boolean {
  return Object.hasOwn(FINDERS, parameter);
}

/** Describes how the parameter's object can be named, such as "by SKU or id"; undefined if only its id is accepted. */
export function namedBy(parameter: string): string | undefined {
  const finder = FINDERS[parameter];
  return finder && `by ${finder.by} or id`;
}

/** Returns the id of an object that is named by its id or another property. */
export async function idOf(parameter: string, client: DashboardClient, wanted: string): Promise<string> {
  return isUuid(wanted) ? wanted : ((await FINDERS[parameter]?.find(client, wanted)) ?? wanted);
}
