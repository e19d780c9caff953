/** A shop's account at the payment provider. The API can set its keys but never returns them. */

import type { PaymentAccount, PaymentAccountPatch } from '@commerce-backend/spec';
import sql from 'sql-template-tag';
import type { RowOf } from '../../../db/row-of.ts';
import { bodyMistake, notFound, ShopError, ValidationError } from '../../errors.ts';
import type { Shop } from '../../shop.ts';
import { sealKey } from './sealed-keys.ts';

export interface AccountDeps {
  baseUrl: string;
  secretKey: string;
}

interface AccountRow {
  provider: 'stripe' | null;
  kind: 'own' | 'connected' | null;
  mode: 'live' | 'test' | null;
  connected_account: string | null;
  webhook_secret_set: boolean;
  capture: 'automatic' | 'manual';
  updated_at: string | null;
}

/** Serializes changes of a shop's payment account until the transaction ends. */
export async function lock(shop: Shop): Promise<void> {
  await shop.run(sql`select from site_settings where site_id = ${shop.siteId} for update`);
}

/** Returns the payment account. Without one, fields such as `provider` and `mode` are null. */
export async function get(
  shop: Shop,
  { baseUrl }: Pick<AccountDeps, 'baseUrl'> = { baseUrl: '' },
): Promise<PaymentAccount> {
  const found = await shop.one<AccountRow>(
    sql`select a.provider, case when a.secret_key is not null then 'own' when a.provider is not null then 'connected' end as kind,
        a.mode, a.connected_account, coalesce(a.webhook_secret is not null, false) as webhook_secret_set,
        t.payment_capture as capture, a.updated_at
      from site_settings t left join payment_accounts a on a.site_id = t.site_id where t.site_id = ${shop.siteId}`,
  );
  if (!found) throw new Error(`Site ${shop.siteId} has no settings.`);
  return { ...found, webhook_url: `${baseUrl}/webhooks/stripe/${shop.siteId}` };
}

/**
 * Changes the given fields of the payment account, or creates it with its first key. Throws `payment_account_connected`
 * if the request sets keys of an account that the operator connected. Throws `payment_account_in_use` if the keys
 * belong to another account while a payment is open.
 */
export async function update(
  shop: Shop,
  deps: AccountDeps,
  patch: PaymentAccountPatch,
  isOtherAccount = false,
): Promise<PaymentAccount> {
  const { secret_key, webhook_secret, capture } = patch;
  await lock(shop);
  if (secret_key !== undefined) {
    if (isOtherAccount) await refuseOpenPayments(shop);
    await setKey(shop, deps, secret_key);
  }
  if (webhook_secret !== undefined) await setWebhookSecret(shop, deps, webhook_secret);
  if (capture !== undefined) {
    await shop.run(
      sql`update site_settings set payment_capture = ${capture}, updated_at = now() where site_id = ${shop.siteId}`,
    );
  }
  return get(shop, deps);
}

/**
 * Removes the merchant's payment account. Throws `not_found`, `payment_account_connected` or `payment_account_in_use`.
 */
export async function remove(shop: Shop, deps: AccountDeps): Promise<PaymentAccount> {
  await lock(shop);
  await refuseConnected(shop);
  await refuseOpenPayments(shop);
  const removed = await shop.run(sql`delete from payment_accounts where site_id = ${shop.siteId}`);
  if (removed === 0) throw notFound('payment account');
  return get(shop, deps);
}

/** A merchant's Stripe account that is connected to the operator's platform account. */
export interface Connection {
  account: string;
  platformKey: string;
  webhookSecret: string | null;
}

/**
 * Makes a site use a connected account, and deletes the keys of its own account. Only operators call this. Throws
 * `payment_account_in_use`.
 */
export async function connect(
  shop: Shop,
  { secretKey }: AccountDeps,
  { account, platformKey, webhookSecret }: Connection,
): Promise<void> {
  await lock(shop);
  await refuseOpenPayments(shop);
  const sealed = webhookSecret && sealKey(secretKey, shop.siteId, 'webhook_secret', webhookSecret);
  await shop.run(
    sql`insert into payment_accounts (site_id, provider, mode, connected_account, webhook_secret)
      values (${shop.siteId}, 'stripe', ${modeOf(platformKey)}, ${account}, ${sealed})
      on conflict (site_id) do update set mode = excluded.mode, secret_key = null,
        connected_account = excluded.connected_account, webhook_secret = excluded.webhook_secret, updated_at = now()`,
  );
}

/**
 * Removes a connected account. The site then has no account of its own until it sets its keys. Only operators call
 * this. Throws `payment_account_in_use`.
 */
export async function disconnect(shop: Shop): Promise<void> {
  await lock(shop);
  await refuseOpenPayments(shop);
  await shop.run(sql`delete from payment_accounts where site_id = ${shop.siteId} and connected_account is not null`);
}

async function setKey(shop: Shop, { secretKey }: AccountDeps, key: string): Promise<void> {
  await refuseConnected(shop);
  const mode = modeOf(key);
  const sealed = sealKey(secretKey, shop.siteId, 'secret_key', key);
  const known = await shop.one<RowOf<'payment_accounts', 'mode'>>(
    sql`select mode from payment_accounts where site_id = ${shop.siteId} for update`,
  );
  if (known && known.mode !== mode) await refuseOpenPayments(shop);
  await shop.run(
    sql`insert into payment_accounts (site_id, provider, mode, secret_key) values (${shop.siteId}, 'stripe', ${mode}, ${sealed})
      on conflict (site_id) do update set mode = excluded.mode, secret_key = excluded.secret_key, updated_at = now()`,
  );
}

async function setWebhookSecret(shop: Shop, { secretKey }: AccountDeps, secret: string | null): Promise<void> {
  await refuseConnected(shop);
  const sealed = secret === null ? null : sealKey(secretKey, shop.siteId, 'webhook_secret', secret);
  const changed = await shop.run(
    sql`update payment_accounts set webhook_secret = ${sealed}, updated_at = now() where site_id = ${shop.siteId}`,
  );
  if (changed > 0) return;
  throw new ValidationError([
    bodyMistake(['secret_key'], 'missing', 'The shop has no account yet. Send its secret_key as well.'),
  ]);
}

/** A Stripe key has its mode in its prefix. Test keys move no money. */
function modeOf(key: string): 'live' | 'test' {
  return /^[sr]k_live_/.test(key) ? 'live' : 'test';
}

async function refuseConnected(shop: Shop): Promise<void> {
  const connected = await shop.one(
    sql`select from payment_accounts where site_id = ${shop.siteId} and connected_account is not null`,
  );
  if (!connected) return;
  const message = 'The operator of this server set the account. Only the operator can change it.';
  throw new ShopError('payment_account_connected', message);
}

/** Throws `payment_account_in_use` while a payment is open. Only the account that began a payment can finish it. */
async function refuseOpenPayments(shop: Shop): Promise<void> {
  const open = await shop.one(
    sql`select from payments where site_id = ${shop.siteId} and provider = 'stripe'
        and status in ('started', 'requires_action', 'pending', 'authorized', 'abandoned') limit 1`,
  );
  const moving = await shop.one(
    sql`select from payment_moves m join payments p on p.site_id = m.site_id and p.id = m.payment_id
      where m.site_id = ${shop.siteId} and m.status = 'pending' and p.provider = 'stripe' limit 1`,
  );
  if (!open && !moving) return;
  const message = 'Payments or refunds of this account are pending. Wait until they complete, or cancel their orders.';
  throw new ShopError('payment_account_in_use', message);
}
