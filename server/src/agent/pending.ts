import { ShopError } from '../shop/errors.ts';

/** Operations that the contract describes and that have no deed yet. */
async function unavailable(): Promise<never> {
  throw new ShopError('unavailable', 'This operation is not served yet.');
}

export const searchCatalog = unavailable;
export const getProduct = unavailable;
export const findProducts = unavailable;
export const findAndAdd = unavailable;
export const findAndBuy = unavailable;
export const getCart = unavailable;
export const getCheckout = unavailable;
export const listOrders = unavailable;
export const getOrder = unavailable;
