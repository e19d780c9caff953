/** API keys of payment accounts. The database stores them encrypted with SECRET_KEY, each bound to its site and use. */

import { hkdfSync } from 'node:crypto';
import sql from 'sql-template-tag';
import { type Sealing, seal, unseal } from '../../sealing.ts';
import type { Shop } from '../../shop.ts';

export type KeyUse = 'secret_key' | 'webhook_secret';

export function sealKey(secretKey: string, site_id: string, use: KeyUse, key: string): Buffer {
  return seal(sealingOf(secretKey, site_id, use), key);
}

/** Decrypts a key. Throws if it was encrypted with another SECRET_KEY. */
export function openKey(secretKey: string, site_id: string, use: KeyUse, sealed: Buffer): string {
  return unseal(sealingOf(secretKey, site_id, use), sealed);
}

function sealingOf(secretKey: string, site_id: string, use: KeyUse): Sealing {
  const key = Buffer.from(hkdfSync('sha256', secretKey, '', 'commerce payment accounts', 32));
  return { key, tag: 'last', context: `${site_id}:${use}` };
}

/**
 * Re-encrypts a shop's payment keys from SECRET_KEY `from` to `to`. Returns the number of re-encrypted keys, and the
 * uses of the keys that neither SECRET_KEY decrypts.
 */
export async function resealAccount(
  shop: Shop,
  { from, to }: { from: string; to: string },
): Promise<{ resealed: number; closed: KeyUse[] }> {
  const account = await shop.one<Record<KeyUse, Buffer | null>>(
    sql`select secret_key, webhook_secret from payment_accounts where site_id = ${shop.siteId} for update`,
  );
  const done: { resealed: number; closed: KeyUse[] } = { resealed: 0, closed: [] };
  const sealAnew = (use: KeyUse): Buffer | null => {
    const sealed = account?.[use];
    if (!sealed || opens(to, shop.siteId, use, sealed)) return null;
    if (!opens(from, shop.siteId, use, sealed)) {
      done.closed.push(use);
      return null;
    }
    done.resealed += 1;
    return sealKey(to, shop.siteId, use, openKey(from, shop.siteId, use, sealed));
  };
  const [secret_key, webhook_secret] = [sealAnew('secret_key'), sealAnew('webhook_secret')];
  if (done.resealed > 0) {
    await shop.run(
      sql`update payment_accounts set secret_key = coalesce(${secret_key}::bytea, secret_key),
          webhook_secret = coalesce(${webhook_secret}::bytea, webhook_secret) where site_id = ${shop.siteId}`,
    );
  }
  return done;
}

export function opens(secretKey: string, site_id: string, use: KeyUse, sealed: Buffer): boolean {
  try {
    openKey(secretKey, site_id, use, sealed);
    return true;
  } catch {
    return false;
  }
}
