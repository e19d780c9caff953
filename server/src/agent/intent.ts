import type { Handler } from '../http/pipeline/handler.ts';
import * as buying from '../shop/agents/buying.ts';
import * as agentCatalog from '../shop/agents/catalog.ts';

export const findProducts: Handler<'agent.findProducts'> = ({ shop, checkoutDeps, body }) =>
  agentCatalog.findCandidates(shop, checkoutDeps, body);

export const findAndAdd: Handler<'agent.findAndAdd'> = ({ shop, checkoutDeps, body }) =>
  buying.findAndAdd(shop, checkoutDeps, body);

export const findAndBuy: Handler<'agent.findAndBuy'> = ({ shop, checkoutDeps, body }) =>
  buying.findAndBuy(shop, checkoutDeps, body);
