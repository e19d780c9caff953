import type { Handler } from '../http/pipeline/handler.ts';
import * as agentCatalog from '../shop/agents/catalog.ts';

export const searchCatalog: Handler<'agent.searchCatalog'> = ({ shop, query }) => agentCatalog.list(shop, query);

export const getProduct: Handler<'agent.getProduct'> = ({ shop, path }) => agentCatalog.get(shop, path.product_id);
