import type { Handler } from '../http/pipeline/handler.ts';
import { exchange } from '../shop/returns/exchange.ts';
import * as moves from '../shop/returns/moves.ts';
import * as receive from '../shop/returns/receive.ts';
import * as refund from '../shop/returns/refund.ts';
import * as requests from '../shop/returns/request.ts';
import * as returns from '../shop/returns/rows.ts';

export const listReturns: Handler<'dashboard.listReturns'> = ({ shop, query }) => returns.list(shop, query);

export const getReturn: Handler<'dashboard.getReturn'> = ({ shop, path }) => returns.get(shop, path.return_id);

export const createReturn: Handler<'dashboard.createReturn'> = ({ shop, body }) => requests.create(shop, body);

export const approveReturn: Handler<'dashboard.approveReturn'> = ({ shop, path, body }) =>
  moves.approve(shop, path.return_id, body ?? {});

export const declineReturn: Handler<'dashboard.declineReturn'> = ({ shop, path, body }) =>
  moves.decline(shop, path.return_id, body.reason);

export const setReturnTracking: Handler<'dashboard.setReturnTracking'> = ({ shop, path, body }) =>
  moves.setTracking(shop, path.return_id, body);

export const cancelReturn: Handler<'dashboard.cancelReturn'> = ({ shop, path }) => moves.cancel(shop, path.return_id);

export const receiveReturn: Handler<'dashboard.receiveReturn'> = ({ shop, path, body }) =>
  receive.receive(shop, path.return_id, body.lines);

export const refundReturn: Handler<'dashboard.refundReturn'> = ({ shop, path, body }) =>
  refund.refund(shop, path.return_id, body ?? {});

export const closeReturn: Handler<'dashboard.closeReturn'> = ({ shop, path, body }) =>
  body?.lost ? receive.closeLost(shop, path.return_id, body.reason) : moves.close(shop, path.return_id, body?.reason);

export const exchangeReturn: Handler<'dashboard.exchangeReturn'> = ({ shop, path, body }) =>
  exchange(shop, path.return_id, body);
