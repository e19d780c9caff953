import type { Handler } from '../http/contract.ts';
import { cartOf } from '../shop/agent-views.ts';
import * as carts from '../shop/carts.ts';

export const getCart: Handler<'agent.getCart'> = async ({ shop, path }) => cartOf(await carts.get(shop, path.cart_id));
