import type { InvoicingInput } from '@commerce-backend/spec';
import { Logger as JobLogger, runOnce } from 'graphile-worker';
import { issueDocuments } from '../src/jobs/issue-documents.ts';
import type { openShop } from './shop.ts';
import { databaseUrl } from './worker-database.ts';

type Shop = Pick<Awaited<ReturnType<typeof openShop>>, 'dashboard' | 'db'>;

export const SELLER = {
  legal_name: 'Alder & Finch GmbH',
  address1: 'Werkstraße 12',
  postal_code: '10115',
  city: 'Berlin',
  country: 'DE',
  vat_id: 'DE123456789',
};

/** Stores the seller's data, so that invoices can be issued. */
export async function givenSeller(shop: Shop, invoicing: InvoicingInput = {}): Promise<void> {
  const body = { invoicing: { ...SELLER, ...invoicing } };
  const { error } = await shop.dashboard.PATCH('/api/dashboard/settings', { body });
  if (error) throw new Error(JSON.stringify(error));
}

/** Runs the job that issues documents until none is due. */
export async function issueAll({ db }: Pick<Shop, 'db'>, connectionString = databaseUrl()): Promise<void> {
  await runOnce({
    connectionString,
    noHandleSignals: true,
    logger: new JobLogger(() => () => undefined),
    taskList: { issue_documents: issueDocuments(db) },
  });
}

/** The documents of an order, oldest first, after the job has run. */
export async function documentsOf(shop: Shop, order_id: string) {
  await issueAll(shop);
  const { data } = await shop.dashboard.GET('/api/dashboard/documents', { params: { query: { order_id } } });
  return data?.documents.toReversed() ?? [];
}

/** Issues the invoice of an order by hand, and returns its id. */
export async function givenInvoice(shop: Shop, order_id: string): Promise<string> {
  await givenSeller(shop);
  const params = { path: { order_id } };
  const { error } = await shop.dashboard.POST('/api/dashboard/orders/{order_id}/documents', { params });
  if (error) throw new Error(JSON.stringify(error));
  return (await documentsOf(shop, order_id))[0]?.id ?? '';
}
