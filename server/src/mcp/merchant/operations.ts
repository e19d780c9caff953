import type { AssistantScope } from '@commerce-backend/spec';
import type { OperationId } from '../../http/contract/contract.ts';

/** An operation of the dashboard that assistants of staff can call. */
export interface Offered {
  id: OperationId;
  /** Description for the model. The contract describes the arguments. */
  about: string;
  /**
   * The scope with which the call runs immediately, if it contains only these fields. All other changes wait for
   * confirmation.
   */
  direct?: { scope: AssistantScope; fields: string[] };
}

/** The tools of the merchant MCP, in this order. */
export const OFFERED: Offered[] = [
  {
    id: 'dashboard.getOverview',
    about: 'Sales of today and recent days, and what waits: orders to pay or ship, low stock.',
  },
  {
    id: 'dashboard.listOrders',
    about: 'Find orders. waiting_for "shipping" lists the orders to ship. q searches numbers, names and e-mails.',
  },
  { id: 'dashboard.getOrder', about: 'One order with its lines, addresses, payments and shipments.' },
  { id: 'dashboard.getOrderTimeline', about: 'The timeline of an order, newest first.' },
  { id: 'dashboard.listProducts', about: 'Find products by words, status, type, tag, price or stock.' },
  { id: 'dashboard.getProduct', about: 'One product with its texts, variants, prices and stock.' },
  { id: 'dashboard.listInventory', about: 'Stock of variants. low_stock and out_of_stock filter.' },
  { id: 'dashboard.listMovements', about: 'The changes of the stock of a variant with their reasons, newest first.' },
  { id: 'dashboard.listCustomers', about: 'Find customers by name or e-mail.' },
  { id: 'dashboard.getCustomer', about: 'One customer with addresses and totals.' },
  { id: 'dashboard.listOrdersOfCustomer', about: 'The orders of a customer.' },
  { id: 'dashboard.listReturns', about: 'Find returns. open lists those that wait for the shop.' },
  { id: 'dashboard.getReturn', about: 'One return with its pieces and reasons.' },
  { id: 'dashboard.listDraftOrders', about: 'Draft orders that staff prepared.' },
  { id: 'dashboard.getDraftOrder', about: 'One draft order with its lines and totals.' },
  { id: 'dashboard.listDiscounts', about: 'Find discount codes.' },
  { id: 'dashboard.getDiscount', about: 'One discount code with its rules and uses.' },
  { id: 'dashboard.listShippingOptions', about: 'The shipping options of the shop with their prices.' },
  { id: 'dashboard.getSettings', about: 'The settings of the shop: name, currency, taxes, policies.' },
  { id: 'dashboard.listAuditEvents', about: 'The audit: calls of staff, keys and agents, newest first.' },
  {
    id: 'dashboard.updateProduct',
    about: 'Change a product. Only the sent fields change.',
    direct: {
      scope: 'products:texts',
      fields: ['name', 'description', 'description_html', 'seo_title', 'seo_description', 'tags'],
    },
  },
  {
    id: 'dashboard.updateOrder',
    about: 'Change an order: its staff note, addresses or contact.',
    direct: { scope: 'orders:notes', fields: ['staff_note'] },
  },
  {
    id: 'dashboard.createFulfillment',
    about:
      'Record that an order was shipped. Without items it ships everything that is left. The customer gets a mail.',
    // A call with `tracking_url` waits for confirmation: the customer gets the URL by mail, and it may lead anywhere.
    direct: { scope: 'orders:ship', fields: ['items', 'carrier', 'tracking_number'] },
  },
  { id: 'dashboard.updateVariant', about: 'Change a variant, such as its price or SKU.' },
  { id: 'dashboard.adjustInventory', about: 'Change the stock of a variant by delta, or set it with set_to.' },
  { id: 'dashboard.createRefund', about: 'Refund an order, fully or in part.' },
  { id: 'dashboard.markOrderPaid', about: 'Record that a bank transfer for an order has arrived.' },
  { id: 'dashboard.cancelOrder', about: 'Cancel an order, with or without a refund.' },
  { id: 'dashboard.createDiscount', about: 'Create a discount code.' },
  { id: 'dashboard.approveReturn', about: 'Approve a return that a customer has requested.' },
  {
    id: 'dashboard.getAssistantAction',
    about: 'The state of a change that waits for the member, and its result.',
  },
];
