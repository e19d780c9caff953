import type { Handler } from '../http/pipeline/handler.ts';
import * as agentCarts from '../shop/agents/carts.ts';
import { cartOf } from '../shop/agents/views.ts';
import * as carts from '../shop/carts/carts.ts';

export const listCarts: Handler<'agent.listCarts'> = ({ shop, query }) => agentCarts.listOpen(shop, query);

export const createCart: Handler<'agent.createCart'> = ({ shop, body }) => agentCarts.create(shop, body);

export const getCart: Handler<'agent.getCart'> = async ({ shop, path }) => cartOf(await carts.get(shop, path.cart_id));

export const addCartItem: Handler<'agent.addCartItem'> = ({ shop, path, body }) =>
  agentCarts.addItem(shop, path.cart_id, body);

export const updateCartItem: Handler<'agent.updateCartItem'> = ({ shop, path, body }) =>
  agentCarts.updateItem(shop, path.cart_id, path.line_item_id, body.quantity);

export const removeCartItem: Handler<'agent.removeCartItem'> = ({ shop, path }) =>
  agentCarts.removeItem(shop, path.cart_id, path.line_item_id);

export const applyDiscount: Handler<'agent.applyDiscount'> = ({ shop, path, body }) =>
  agentCarts.applyDiscount(shop, path.cart_id, body.code);

export const removeDiscount: Handler<'agent.removeDiscount'> = ({ shop, path }) =>
  agentCarts.removeDiscount(shop, path.cart_id);

export const listCartShippingOptions: Handler<'agent.listCartShippingOptions'> = ({ shop, path, query }) =>
  agentCarts.listShippingOptions(shop, path.cart_id, query);
