import type { Handler } from '../http/pipeline/handler.ts';
import * as agentShop from '../shop/agents/shop.ts';

export const getShop: Handler<'agent.getShop'> = ({ shop, checkoutDeps }) => agentShop.read(shop, checkoutDeps);
