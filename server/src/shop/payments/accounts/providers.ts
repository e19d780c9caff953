import type { Pool } from 'pg';
import sql from 'sql-template-tag';
import type { RowOf } from '../../../db/row-of.ts';
import { bodyMistake, ValidationError } from '../../errors.ts';
import { findAnyTenant, inShop } from '../../in-shop.ts';
import { SYSTEM } from '../../shop.ts';
import type { PaymentProvider } from '../provider.ts';
import { PROVIDER_DEADLINES, type ProviderDeadlines } from '../provider-deadlines.ts';
import type { StripeAccess } from '../stripe/client.ts';
import { openKey, opens } from './sealed-keys.ts';

export interface AccountSettings {
  secretKey: string;
  /** A different URL for Stripe's API, for tests; ignored in production. */
  stripeApiUrl?: string | undefined;
  /** The API key of the operator's platform account, to which sites' accounts are connected. */
  stripePlatformKey?: string | undefined;
  /** Default: `PROVIDER_DEADLINES`. */
  providerDeadlines?: ProviderDeadlines;
}

export interface PaymentAccounts {
  readonly deadlines: ProviderDeadlines;
  /** Returns the provider for a site's own or connected account; undefined if it has none. */
  providerOf(site_id: string): Promise<PaymentProvider | undefined>;
  /**
   * Throws a ValidationError for a key that Stripe rejects; accepts any key while Stripe is unreachable. Returns
   * whether the key certainly belongs to an account other than the current one.
   */
  refuseWrongKey(site_id: string, key: string): Promise<{ isOtherAccount: boolean }>;
  /**
   * Makes the provider send the events of an imported site to this URL. Returns false if the provider has no endpoint
   * for the site. Throws if the provider rejects the call, for example because a restricted key lacks the permission.
   */
  moveWebhook(site_id: string, url: string): Promise<boolean>;
}

export function openAccounts(db: Pool, settings: AccountSettings): PaymentAccounts {
  return {
    deadlines: settings.providerDeadlines ?? PROVIDER_DEADLINES,
    async providerOf(site_id) {
      const account = await accountOf(db, site_id);
      return account && providerOf(settings, site_id, account);
    },
    async refuseWrongKey(site_id, key) {
      const { accountOfKey } = await import('../stripe/client.ts');
      const ownerOf = (secretKey: string) =>
        accountOfKey({ secretKey, connectedAccount: null, apiUrl: settings.stripeApiUrl });
      const account = await ownerOf(key);
      if (account !== undefined) {
        const known = account && (await presentKey(db, settings, site_id));
        // Stripe does not return the account of a revoked key.
        const present = known ? await ownerOf(known) : undefined;
        return { isOtherAccount: Boolean(present && account !== present) };
      }
      const message = 'Stripe does not accept this key. Copy it again from the API keys of your Stripe dashboard.';
      throw new ValidationError([bodyMistake(['secret_key'], 'value_error', message)]);
    },
    async moveWebhook(site_id, url) {
      const account = await accountOf(db, site_id);
      if (!account) return false;
      const { moveWebhook } = await import('../stripe/webhook-address.ts');
      return moveWebhook(accessOf(settings, site_id, account), site_id, url);
    },
  };
}

type AccountRow = RowOf<'payment_accounts', 'secret_key' | 'connected_account' | 'webhook_secret'>;

async function accountOf(db: Pool, site_id: string): Promise<AccountRow | undefined> {
  const tenant = await findAnyTenant(db, site_id);
  if (!tenant) return undefined;
  return inShop(db, tenant, SYSTEM, (shop) =>
    shop.one<AccountRow>(
      sql`select secret_key, connected_account, webhook_secret from payment_accounts where site_id = ${shop.siteId}`,
    ),
  );
}

/**
 * Returns the current key of a site; undefined if the site has no account of its own, or SECRET_KEY does not decrypt
 * its key.
 */
async function presentKey(db: Pool, { secretKey }: AccountSettings, site_id: string): Promise<string | undefined> {
  const sealed = (await accountOf(db, site_id))?.secret_key;
  if (!sealed || !opens(secretKey, site_id, 'secret_key', sealed)) return undefined;
  return openKey(secretKey, site_id, 'secret_key', sealed);
}

/**
 * Creates the payment provider of an account. The Stripe client is loaded with the first account, because many shops
 * have none.
 */
async function providerOf(settings: AccountSettings, site_id: string, account: AccountRow): Promise<PaymentProvider> {
  const { webhook_secret } = account;
  const access = accessOf(settings, site_id, account);
  const webhookSecret = webhook_secret && openKey(settings.secretKey, site_id, 'webhook_secret', webhook_secret);
  const { stripeProvider } = await import('../stripe/stripe.ts');
  return stripeProvider({ site_id, webhookSecret, ...access });
}

function accessOf(
  { secretKey, stripeApiUrl: apiUrl, stripePlatformKey }: AccountSettings,
  site_id: string,
  { secret_key, connected_account: connectedAccount }: AccountRow,
): StripeAccess {
  const key = secret_key === null ? stripePlatformKey : openKey(secretKey, site_id, 'secret_key', secret_key);
  if (!key) throw new Error('The site has a connected account, and STRIPE_PLATFORM_KEY is not set.');
  return { secretKey: key, connectedAccount, apiUrl };
}
