import sql from 'sql-template-tag';
import type { Config } from '../config.ts';
import { withClient } from '../db/client.ts';
import { openPool, query } from '../db/connect.ts';
import { inTransaction } from '../db/transaction.ts';
import { adoptNewKey, fingerprintOf, newKeyIn } from '../secret-key.ts';
import { resealAuditKeys } from '../shop/audit/keys.ts';
import { linkOpenCheckouts } from '../shop/checkout/links.ts';
import { resealSecondFactors } from '../shop/merchant/second-factor.ts';
import { resealAccount } from '../shop/payments/accounts/sealed-keys.ts';
import { Shop, SYSTEM, type Tenant } from '../shop/shop.ts';
import { resealReceivers } from '../shop/sites/receivers.ts';
import { type KeyChange, resealSecrets } from '../shop/webhooks/reseal.ts';
import { resealSigningKeys } from '../shop/webhooks/signing-keys.ts';
import { shareDatabase } from './database.ts';
import { printProgress } from './progress.ts';
import { prepareSchema } from './schema.ts';

/**
 * Changes SECRET_KEY: re-encrypts the secrets in the database, and adds links signed with the new key to open
 * checkouts. A repetition with the same keys processes the remaining data, such as secrets that a process with the old
 * key has encrypted in the meantime.
 */
export async function rotateSecretKey(config: Config): Promise<void> {
  const keys = { from: config.secretKey, to: newKeyOf(config) };
  if (keys.from === keys.to) throw new Error('NEW_SECRET_KEY is the same as SECRET_KEY. Use another one.');
  const database = await shareDatabase(config, printProgress);
  try {
    const { migrationWaitSeconds: seconds, skippedNumbers } = config;
    const wait = { onWait: printProgress, seconds, skippedNumbers };
    await prepareSchema(database.directUrl, wait);
    await withClient({ connectionString: database.directUrl }, (client) => resealReceivers(client, keys));
    const done = await change(database.directUrl, keys);
    if (config.secretKeyInFile) adoptNewKey(config.dataDir);
    printProgress(
      `Encrypted with the new key: ${done.resealed} webhook secrets, ${done.keys} keys of payment accounts, ${done.factors} second factors, ${done.auditKeys} keys of the audit, ${done.signingKeys} keys for UCP. Open checkouts with a new link: ${done.links}. ` +
        `${config.secretKeyInFile ? 'The key in DATA_DIR is the new one' : 'Set SECRET_KEY to the new key'} ` +
        `(fingerprint ${fingerprintOf(keys.to)}). Restart every process of the server.`,
    );
    if (done.closed.length > 0) {
      throw new Error(
        `The secrets of ${done.closed.length} webhooks cannot be decrypted with either key, and must be rotated: ${done.closed.join(', ')}.`,
      );
    }
    if (done.closedFactors.length > 0) {
      throw new Error(
        `The second factors of ${done.closedFactors.length} staff members cannot be decrypted with either key: ${done.closedFactors.join(', ')}.`,
      );
    }
    if (done.closedAuditKeys.length > 0) {
      throw new Error(
        `${done.closedAuditKeys.length} audit keys cannot be decrypted with either key, so their signatures cannot be verified: ${done.closedAuditKeys.join(', ')}.`,
      );
    }
    if (done.closedAccounts.length > 0) {
      throw new Error(
        `The keys of ${done.closedAccounts.length} payment accounts cannot be decrypted with either key and must be set again: sites ${done.closedAccounts.join(', ')}.`,
      );
    }
  } finally {
    await database.stop();
  }
}

function newKeyOf({ newSecretKey, secretKeyInFile, dataDir }: Config): string {
  if (secretKeyInFile) return newKeyIn(dataDir, newSecretKey);
  if (newSecretKey) return newSecretKey;
  throw new Error(
    'Set NEW_SECRET_KEY to the new key. Generate one with `openssl rand -base64 48` and keep it in your secret store.',
  );
}

interface Changed {
  resealed: number;
  /** Number of re-encrypted payment account keys. */
  keys: number;
  /** Number of re-encrypted staff second factors. */
  factors: number;
  auditKeys: number;
  /** Number of re-encrypted keys that sign requests to UCP platforms. */
  signingKeys: number;
  links: number;
  closed: string[];
  /** Staff members whose second factor cannot be decrypted with the old or the new key. */
  closedFactors: string[];
  /** Audit keys that cannot be decrypted with the old or the new key. */
  closedAuditKeys: string[];
  /** Sites with payment account keys that cannot be decrypted with the old or the new key. */
  closedAccounts: string[];
}

async function change(url: string, keys: KeyChange): Promise<Changed> {
  const db = openPool({ url, max: 1, pooling: 'session' });
  try {
    return await inTransaction(db, async (connection) => {
      const { rows: sites } = await query<Tenant>(
        connection,
        sql`select site_id, merchant_id, currency, currency_digits, show_stock, '' as catalog_version from sites order by site_id`,
      );
      const { resealed: factors, closed: closedFactors } = await resealSecondFactors(connection, keys);
      const audit = await resealAuditKeys(connection, keys);
      const done: Changed = {
        ...{ resealed: 0, keys: 0, links: 0, signingKeys: 0, closed: [], closedAccounts: [] },
        ...{ factors, closedFactors, auditKeys: audit.resealed, closedAuditKeys: audit.closed },
      };
      for (const site of sites) {
        await query(connection, sql`select set_config('app.site_id', ${site.site_id}, true)`);
        const shop = new Shop(site, SYSTEM, connection);
        const { resealed, closed } = await resealSecrets(shop, keys);
        const account = await resealAccount(shop, keys);
        done.resealed += resealed;
        done.closed.push(...closed);
        done.keys += account.resealed;
        if (account.closed.length > 0) done.closedAccounts.push(site.site_id);
        done.signingKeys += await resealSigningKeys(shop, keys);
        done.links += await linkOpenCheckouts(shop, keys.to);
      }
      return done;
    });
  } finally {
    await db.end();
  }
}
