import type { Handler } from '../http/pipeline/handler.ts';
import * as carts from '../shop/carts/carts.ts';
import * as cartDiscounts from '../shop/carts/discounts.ts';
import * as cancelled from '../shop/checkout/cancelled-carts.ts';
import { choicesForCart } from '../shop/shipping/choices.ts';

export const createCart: Handler<'storefront.createCart'> = ({ shop, body }) => carts.create(shop, body);

export const getCart: Handler<'storefront.getCart'> = ({ shop, path }) => carts.get(shop, path.cart_id);

export const cancelCart: Handler<'storefront.cancelCart'> = ({ shop, path }) =>
  cancelled.cancelCart(shop, path.cart_id);

export const addCartItem: Handler<'storefront.addCartItem'> = ({ shop, path, body }) =>
  carts.addItem(shop, path.cart_id, body);

export const updateCartItem: Handler<'storefront.updateCartItem'> = ({ shop, path, body }) =>
  carts.updateItem(shop, path.cart_id, path.line_item_id, body.quantity);

export const removeCartItem: Handler<'storefront.removeCartItem'> = ({ shop, path }) =>
  carts.removeItem(shop, path.cart_id, path.line_item_id);

export const applyDiscount: Handler<'storefront.applyDiscount'> = ({ shop, path, body }) =>
  cartDiscounts.apply(shop, path.cart_id, body.code);

export const removeDiscount: Handler<'storefront.removeDiscount'> = ({ shop, path }) =>
  cartDiscounts.remove(shop, path.cart_id);

export const listCartShippingOptions: Handler<'storefront.listCartShippingOptions'> = ({ shop, path, query }) =>
  choicesForCart(shop, path.cart_id, query);
