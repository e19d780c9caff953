import type { Handler } from '../http/pipeline/handler.ts';
import * as buying from '../shop/agents/buying.ts';
import * as agentCatalog from '../shop/agents/catalog.ts';

export const findProducts: Handler<'agent.findProducts'> = ({ shop, body }) => agentCatalog.findCandidates(shop, body);

export const findAndAdd: Handler<'agent.findAndAdd'> = ({ shop, body }) => buying.findAndAdd(shop, body);

export const findAndBuy: Handler<'agent.findAndBuy'> = ({ shop, checkoutDeps, body }) =>
  buying.findAndBuy(shop, checkoutDeps, body);
