import type { PlaceOf } from './reading.ts';
import type { Columns } from './row-reader.ts';

/** The columns of Shopify's orders CSV that the import uses. */
export const ORDER_COLUMNS = {
  name: ['Name'],
  email: ['Email'],
  financialStatus: ['Financial Status'],
  paidAt: ['Paid at'],
  fulfillmentStatus: ['Fulfillment Status'],
  fulfilledAt: ['Fulfilled at', 'Fulfillment Date'],
  currency: ['Currency'],
  subtotal: ['Subtotal'],
  shipping: ['Shipping'],
  taxes: ['Taxes'],
  total: ['Total'],
  discountCode: ['Discount Code'],
  discountAmount: ['Discount Amount'],
  shippingMethod: ['Shipping Method'],
  createdAt: ['Created at'],
  lineQuantity: ['Lineitem quantity'],
  lineName: ['Lineitem name'],
  linePrice: ['Lineitem price'],
  lineSku: ['Lineitem sku'],
  lineStatus: ['Lineitem fulfillment status'],
  lineDiscount: ['Lineitem discount'],
  billingName: ['Billing Name'],
  billingCompany: ['Billing Company'],
  billingAddress1: ['Billing Address1', 'Billing Street'],
  billingAddress2: ['Billing Address2'],
  billingCity: ['Billing City'],
  billingZip: ['Billing Zip'],
  billingProvince: ['Billing Province'],
  billingCountry: ['Billing Country'],
  billingPhone: ['Billing Phone'],
  shippingName: ['Shipping Name'],
  shippingCompany: ['Shipping Company'],
  shippingAddress1: ['Shipping Address1', 'Shipping Street'],
  shippingAddress2: ['Shipping Address2'],
  shippingCity: ['Shipping City'],
  shippingZip: ['Shipping Zip'],
  shippingProvince: ['Shipping Province'],
  shippingCountry: ['Shipping Country'],
  shippingPhone: ['Shipping Phone'],
  phone: ['Phone'],
  notes: ['Notes'],
  noteAttributes: ['Note Attributes'],
  cancelledAt: ['Cancelled at'],
  paymentMethod: ['Payment Method'],
  paymentReference: ['Payment Reference'],
  refundedAmount: ['Refunded Amount'],
  id: ['Id'],
  tags: ['Tags'],
  source: ['Source'],
  location: ['Location'],
  employee: ['Employee'],
  tax1Name: ['Tax 1 Name'],
  tax1Value: ['Tax 1 Value'],
  tax2Name: ['Tax 2 Name'],
  tax2Value: ['Tax 2 Value'],
  tax3Name: ['Tax 3 Name'],
  tax3Value: ['Tax 3 Value'],
  tax4Name: ['Tax 4 Name'],
  tax4Value: ['Tax 4 Value'],
  tax5Name: ['Tax 5 Name'],
  tax5Value: ['Tax 5 Value'],
} as const;

export type OrderColumn = keyof typeof ORDER_COLUMNS;

/** Columns that repeat other columns or product data, which are ignored without a warning. */
export const SILENT_COLUMNS = [
  /^(?:billing|shipping) (?:street|province name)$/i,
  /^lineitem (?:requires shipping|taxable)$/i,
  /^(?:vendor|payment id|payment references|accepts marketing|outstanding balance)$/i,
];

const COLUMN_OF: Record<string, OrderColumn> = {
  order_number: 'name',
  external_reference: 'id',
  email: 'email',
  phone: 'phone',
  currency: 'currency',
  discount: 'discountAmount',
  discount_code: 'discountCode',
  shipping_cost: 'shipping',
  tax: 'taxes',
  total: 'total',
  payment_status: 'financialStatus',
  fulfillment_status: 'fulfillmentStatus',
  fulfillments: 'lineStatus',
  payment_method: 'paymentMethod',
  shipping_method: 'shippingMethod',
  note: 'notes',
  metadata: 'noteAttributes',
  created_at: 'createdAt',
  paid_at: 'paidAt',
  shipped_at: 'fulfilledAt',
  cancelled_at: 'cancelledAt',
  refunds: 'refundedAmount',
  line_items: 'lineName',
};
const LINE_COLUMN_OF: Record<string, OrderColumn> = { sku: 'lineSku', quantity: 'lineQuantity', price: 'linePrice' };

/**
 * Maps parts of an order to lines of the file. The order starts on `line`; each order line is on one line of the file.
 */
export function orderPlaces(columns: Columns<OrderColumn>, line: number, lines: number[]): PlaceOf {
  const headerOf = (column: OrderColumn) => columns.get(column)?.header ?? ORDER_COLUMNS[column][0];
  return ([field, at, part]) => {
    if (field === 'line_items' && typeof at === 'number') {
      return { line: lines[at] ?? line, field: headerOf(LINE_COLUMN_OF[String(part)] ?? 'lineName') };
    }
    if (field === 'billing_address') return { line, field: headerOf('billingAddress1') };
    if (field === 'shipping_address') return { line, field: headerOf('shippingAddress1') };
    return { line, field: headerOf(COLUMN_OF[String(field)] ?? 'name') };
  };
}
