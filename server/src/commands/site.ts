import { randomBytes } from 'node:crypto';
import type { Config } from '../config.ts';
import { inTransaction } from '../db/transaction.ts';
import { createSite as create, mintPassword } from '../shop/merchant/sites.ts';
import { slugOf } from '../shop/slugs.ts';
import { withPool } from './database.ts';

export interface SiteOptions {
  name: string;
  currency: string;
  staffEmail?: string;
  staffName?: string;
}

/** Creates a merchant with its site, and prints its credentials as JSON: the only time that the secrets are shown. */
export async function createSite(config: Config, options: SiteOptions): Promise<void> {
  const { name, currency } = options;
  const staff = { email: options.staffEmail ?? inventedEmail(name), name: options.staffName ?? `${name} (owner)` };
  const password = await mintPassword();
  const credentials = await withPool(config, (db) =>
    inTransaction(
      db,
      async (connection) => (await create(connection, { name, currency, staff, password })).credentials,
    ),
  );
  // Only the settings of the server say where it will listen.
  const address = config.baseUrlAssumed ? {} : { base_url: config.baseUrl };
  process.stdout.write(`${JSON.stringify({ ...address, ...credentials }, null, 2)}\n`);
}

/** A unique login at a domain that cannot be registered (RFC 2606). */
function inventedEmail(name: string): string {
  return `owner@${slugOf(name, 'shop').slice(0, 40)}-${randomBytes(3).toString('hex')}.invalid`;
}
