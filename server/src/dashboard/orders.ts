import { requireAlso } from '../http/callers/scopes.ts';
import { mistakesInOrder } from '../http/contract/rows.ts';
import type { Handler } from '../http/pipeline/handler.ts';
import { requestInvoice } from '../shop/invoices/issue.ts';
import { capture } from '../shop/orders/captures.ts';
import { edit } from '../shop/orders/edit.ts';
import { expireIfDue } from '../shop/orders/expiry.ts';
import { exportPage } from '../shop/orders/export.ts';
import { fulfillSeveral } from '../shop/orders/fulfill-several.ts';
import * as fulfillments from '../shop/orders/fulfillments.ts';
import * as orderImport from '../shop/orders/import.ts';
import { reinstate } from '../shop/orders/late-payments.ts';
import * as orderList from '../shop/orders/list.ts';
import { sendAgain } from '../shop/orders/mails.ts';
import { markSeveralPaid } from '../shop/orders/mark-paid.ts';
import * as orders from '../shop/orders/orders.ts';
import { recordPayment } from '../shop/orders/payments.ts';
import * as refunds from '../shop/orders/refunds.ts';
import { suggest } from '../shop/orders/suggestion.ts';
import { timeline } from '../shop/orders/timeline.ts';
import { matchStatement } from '../shop/transfers/match.ts';

export const listOrders: Handler<'dashboard.listOrders'> = ({ shop, query }) => orderList.list(shop, query);

export const getOrder: Handler<'dashboard.getOrder'> = ({ shop, path }) => orders.get(shop, path.order_id);

/** Records the expiry of an overdue order first, because the event of the change contains the stored state. */
export const updateOrder: Handler<'dashboard.updateOrder'> = async ({ shop, path, body }) => {
  await expireIfDue(shop.asSystem(), path.order_id);
  return orders.update(shop, path.order_id, body);
};

export const editOrder: Handler<'dashboard.editOrder'> = ({ shop, path, body }) => edit(shop, path.order_id, body);

export const markOrderPaid: Handler<'dashboard.markOrderPaid'> = ({ shop, path }) =>
  orders.markPaid(shop, path.order_id);

export const markOrdersPaid: Handler<'dashboard.markOrdersPaid'> = ({ shop, caller, body }) =>
  markSeveralPaid(shop, body, () => requireAlso('orders:payments', caller));

export const markOrderDelivered: Handler<'dashboard.markOrderDelivered'> = ({ shop, path }) =>
  orders.markDelivered(shop, path.order_id);

export const cancelOrder: Handler<'dashboard.cancelOrder'> = async ({ shop, caller, path, body }) => {
  if (body.refund) requireAlso('orders:refund', caller);
  const order = await orders.cancel(shop, path.order_id, body);
  return body.refund ? refunds.refundCancelled(shop, path.order_id, body.reason) : order;
};

export const captureOrder: Handler<'dashboard.captureOrder'> = ({ shop, path, body }) =>
  capture(shop, path.order_id, body?.amount);

export const recordOrderPayment: Handler<'dashboard.recordOrderPayment'> = ({ shop, caller, path, body }) =>
  recordPayment(shop, path.order_id, body, () => requireAlso('orders:payments', caller));

export const reinstateOrder: Handler<'dashboard.reinstateOrder'> = ({ shop, path, body }) =>
  reinstate(shop, path.order_id, body);

export const listFulfillments: Handler<'dashboard.listFulfillments'> = ({ shop, path }) =>
  fulfillments.list(shop, path.order_id);

export const createFulfillment: Handler<'dashboard.createFulfillment'> = ({ shop, path, body }) =>
  fulfillments.create(shop, path.order_id, body);

export const updateFulfillment: Handler<'dashboard.updateFulfillment'> = ({ shop, path, body }) =>
  fulfillments.update(shop, path.order_id, path.fulfillment_id, body);

export const listRefunds: Handler<'dashboard.listRefunds'> = ({ shop, path }) => refunds.list(shop, path.order_id);

export const createRefund: Handler<'dashboard.createRefund'> = ({ shop, path, body }) =>
  refunds.create(shop, path.order_id, body);

export const suggestRefund: Handler<'dashboard.suggestRefund'> = ({ shop, path, body }) =>
  suggest(shop, path.order_id, body);

export const getOrderTimeline: Handler<'dashboard.getOrderTimeline'> = ({ shop, path, query }) =>
  timeline(shop, path.order_id, query);

export const sendOrderMail: Handler<'dashboard.sendOrderMail'> = ({ shop, path, body }) =>
  sendAgain(shop, path.order_id, body.kind);

export const fulfillOrders: Handler<'dashboard.fulfillOrders'> = ({ shop, body }) => fulfillSeveral(shop, body.orders);

export const matchTransfers: Handler<'dashboard.matchTransfers'> = ({ shop, body }) =>
  matchStatement(shop, body.statement);

export const issueInvoice: Handler<'dashboard.issueInvoice'> = ({ shop, path }) => requestInvoice(shop, path.order_id);

export const exportOrders: Handler<'dashboard.exportOrders'> = ({ shop, query }) => exportPage(shop, query);

export const importOrders: Handler<'dashboard.importOrders'> = ({ shop, body }) =>
  orderImport.importOrders(shop, body, mistakesInOrder);
