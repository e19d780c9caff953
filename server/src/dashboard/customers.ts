import type { CustomerPatch } from '@commerce-backend/spec';
import type { Caller } from '../http/callers/caller.ts';
import { requireAlso } from '../http/callers/scopes.ts';
import { mistakesInCustomer } from '../http/contract/rows.ts';
import type { Handler } from '../http/pipeline/handler.ts';
import * as customers from '../shop/customers/customers.ts';
import * as erasure from '../shop/customers/erasure.ts';
import * as guests from '../shop/customers/guests.ts';
import * as customerImport from '../shop/customers/import.ts';
import * as orderList from '../shop/orders/list.ts';

export const listCustomers: Handler<'dashboard.listCustomers'> = ({ shop, query }) => customers.list(shop, query);

export const listGuests: Handler<'dashboard.listGuests'> = ({ shop, query }) => guests.list(shop, query);

export const createCustomer: Handler<'dashboard.createCustomer'> = ({ shop, caller, body }) => {
  requireTerms(body, caller);
  return customers.create(shop, body);
};

export const getCustomer: Handler<'dashboard.getCustomer'> = ({ shop, path }) => customers.get(shop, path.customer_id);

export const updateCustomer: Handler<'dashboard.updateCustomer'> = ({ shop, caller, path, body }) => {
  requireTerms(body, caller);
  return customers.update(shop, path.customer_id, body);
};

/** Payment terms are a form of credit, so changing them also requires the scope orders:payments. */
function requireTerms({ payment_terms_days, credit_limit }: CustomerPatch, caller: Caller): void {
  if (payment_terms_days !== undefined || credit_limit !== undefined) requireAlso('orders:payments', caller);
}

export const anonymizeCustomer: Handler<'dashboard.anonymizeCustomer'> = ({ shop, path }) =>
  erasure.anonymize(shop, path.customer_id);

export const listOrdersOfCustomer: Handler<'dashboard.listOrdersOfCustomer'> = async ({ shop, path, query }) => {
  await customers.record(shop, path.customer_id);
  return orderList.listOfCustomer(shop, path.customer_id, query, 'merchant');
};

export const exportCustomers: Handler<'dashboard.exportCustomers'> = ({ shop, query }) =>
  customers.exportPage(shop, query);

export const importCustomers: Handler<'dashboard.importCustomers'> = ({ shop, body }) =>
  customerImport.importCustomers(shop, body, mistakesInCustomer);
