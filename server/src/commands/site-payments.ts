import { readFileSync } from 'node:fs';
import type { Config } from '../config.ts';
import { findAnyTenant, inShop } from '../shop/in-shop.ts';
import * as accounts from '../shop/payments/accounts/accounts.ts';
import { SYSTEM } from '../shop/shop.ts';
import { withPool } from './database.ts';
import { refuseNoSiteId } from './site-id.ts';

export interface SitePaymentsOptions {
  /** An account that is connected to the platform, or `none`. */
  account?: string;
  /** File with the signing secret of the account's webhook endpoint. */
  webhookSecretFile?: string;
}

/** Sets the connected account of a site if one is given, and shows its payment account as JSON, without keys. */
export async function sitePayments(config: Config, site_id: string, options: SitePaymentsOptions): Promise<void> {
  refuseNoSiteId(site_id);
  const account = await withPool(config, async (db) => {
    const tenant = await findAnyTenant(db, site_id);
    if (!tenant) throw new Error(`Site ${site_id} does not exist.`);
    return inShop(db, tenant, SYSTEM, async (shop) => {
      if (options.account === 'none') await accounts.disconnect(shop);
      else if (options.account) await accounts.connect(shop, config, connectionOf(config, options.account, options));
      return accounts.get(shop, config);
    });
  });
  process.stdout.write(`${JSON.stringify(account, null, 2)}\n`);
}

function connectionOf(
  { stripePlatformKey }: Config,
  account: string,
  { webhookSecretFile }: SitePaymentsOptions,
): accounts.Connection {
  if (!/^acct_\w{3,240}$/.test(account)) {
    throw new Error(`"${account}" is not a connected account of Stripe: it begins with acct_.`);
  }
  if (!stripePlatformKey) {
    throw new Error("Set STRIPE_PLATFORM_KEY to the platform's key, which acts for the connected account.");
  }
  if (!webhookSecretFile) return { account, platformKey: stripePlatformKey, webhookSecret: null };
  const webhookSecret = readFileSync(webhookSecretFile, 'utf8').trim();
  if (!/^whsec_\S{3,240}$/.test(webhookSecret)) {
    throw new Error(`${webhookSecretFile} contains no Stripe signing secret, which begins with whsec_.`);
  }
  return { account, platformKey: stripePlatformKey, webhookSecret };
}
