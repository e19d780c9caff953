import type { Handler } from '../http/pipeline/handler.ts';
import * as agentCatalog from '../shop/agents/catalog.ts';

export const searchCatalog: Handler<'agent.searchCatalog'> = ({ shop, checkoutDeps, query }) =>
  agentCatalog.list(shop, checkoutDeps, query);

export const getFacets: Handler<'agent.getFacets'> = ({ shop }) => agentCatalog.facets(shop);

export const getProduct: Handler<'agent.getProduct'> = ({ shop, checkoutDeps, path }) =>
  agentCatalog.get(shop, checkoutDeps, path.product_id);
