import { randomUUID } from 'node:crypto';
import { openPool } from '../../server/src/db/connect.ts';
import { inTransaction } from '../../server/src/db/transaction.ts';
import { createSite, mintPassword, type SiteCredentials } from '../../server/src/shop/merchant/sites.ts';
import { KEY_SCOPES } from '../../server/test/key-scopes.ts';

/** Creates a site for a proof in a migrated database. */
export async function openTenant(databaseUrl: string): Promise<SiteCredentials & { staff: { password: string } }> {
  const db = openPool({ url: databaseUrl, max: 1, pooling: 'session' });
  try {
    const name = `Proof ${randomUUID()}`;
    const staff = { email: `${randomUUID()}@example.com`, name: 'Staff' };
    const password = await mintPassword();
    const { credentials } = await inTransaction(db, (connection) =>
      createSite(connection, { name, currency: 'EUR', staff, password, key_scopes: KEY_SCOPES }),
    );
    return { ...credentials, staff: { email: staff.email, password: credentials.staff.password ?? '' } };
  } finally {
    await db.end();
  }
}
