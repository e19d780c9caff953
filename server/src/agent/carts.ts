import type { Handler } from '../http/pipeline/handler.ts';
import { cartOf } from '../shop/agents/views.ts';
import * as carts from '../shop/carts/carts.ts';

export const getCart: Handler<'agent.getCart'> = async ({ shop, path }) => cartOf(await carts.get(shop, path.cart_id));
