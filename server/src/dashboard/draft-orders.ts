import type { DraftOrderPatch } from '@commerce-backend/spec';
import type { Caller } from '../http/callers/caller.ts';
import { requireAlso } from '../http/callers/scopes.ts';
import type { Handler } from '../http/pipeline/handler.ts';
import * as drafts from '../shop/drafts/drafts.ts';
import { get, list } from '../shop/drafts/rows.ts';

export const listDraftOrders: Handler<'dashboard.listDraftOrders'> = ({ shop, query }) => list(shop, query);

export const getDraftOrder: Handler<'dashboard.getDraftOrder'> = ({ shop, checkoutDeps, path }) =>
  get(shop, checkoutDeps, path.draft_order_id);

export const createDraftOrder: Handler<'dashboard.createDraftOrder'> = ({ shop, caller, checkoutDeps, body }) => {
  requirePrices(body, caller);
  return drafts.create(shop, checkoutDeps, body);
};

export const updateDraftOrder: Handler<'dashboard.updateDraftOrder'> = ({ shop, caller, checkoutDeps, path, body }) => {
  requirePrices(body, caller);
  return drafts.update(shop, checkoutDeps, path.draft_order_id, body);
};

/** Custom prices and discounts also require the scope orders:payments. */
function requirePrices({ lines = [], discount }: DraftOrderPatch, caller: Caller): void {
  if (discount || lines.some(({ price }) => price !== undefined)) requireAlso('orders:payments', caller);
}

export const sendDraftOrder: Handler<'dashboard.sendDraftOrder'> = ({ shop, checkoutDeps, path }) =>
  drafts.send(shop, checkoutDeps, path.draft_order_id);

export const cancelDraftOrder: Handler<'dashboard.cancelDraftOrder'> = ({ shop, checkoutDeps, path }) =>
  drafts.cancel(shop, checkoutDeps, path.draft_order_id);

export const completeDraftOrder: Handler<'dashboard.completeDraftOrder'> = ({ shop, checkoutDeps, path, body }) =>
  drafts.complete(shop, checkoutDeps, path.draft_order_id, body.payment_method);
