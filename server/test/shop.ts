import { createDashboardClient, createStorefrontClient } from '@commerce-backend/sdk';
import type { ProductInput } from '@commerce-backend/spec';
import { inTransaction } from '../src/db/transaction.ts';
import { createSite } from '../src/shop/sites.ts';
import { testServer } from './server.ts';

let count = 0;

/**
 * A shop of its own for a test, with clients that hold its credentials. Shops share one database: the neighbours' rows
 * are always there to be leaked.
 */
export async function openShop({ currency = 'EUR' } = {}) {
  const server = await testServer();
  count += 1;
  const name = `Shop ${process.pid}-${count}`;
  const email = `staff-${process.pid}-${count}@example.com`;
  const { credentials } = await inTransaction(server.db, (connection) =>
    createSite(connection, { name, currency, staff: { email, name: 'Staff' } }),
  );
  const { baseUrl } = server;
  const { site_id, api_key, storefront_token } = credentials;
  const dashboard = createDashboardClient({ baseUrl, apiKey: api_key, maxAttempts: 1 });
  const storefront = createStorefrontClient({
    baseUrl,
    siteId: site_id,
    storefrontToken: storefront_token,
    maxAttempts: 1,
  });

  /** A product for the test: active, priced 10.00, ten in stock, unless told otherwise. */
  async function givenProduct(input: Partial<ProductInput> = {}) {
    const body = { name: 'Mug', price: '10.00', status: 'active' as const, ...input };
    const stocked = body.variants ? body : { inventory_quantity: 10, ...body };
    const { data, error } = await dashboard.POST('/api/dashboard/products', { body: stocked });
    if (!data) throw new Error(`The product was refused: ${JSON.stringify(error)}`);
    return data;
  }

  return { ...server, site_id, credentials, dashboard, storefront, givenProduct };
}
