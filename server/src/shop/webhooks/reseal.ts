import sql from 'sql-template-tag';
import type { RowOf } from '../../db/row-of.ts';
import type { Shop } from '../shop.ts';
import { seal, unseal } from './secrets.ts';

/** The values of SECRET_KEY before and after a change. */
export interface KeyChange {
  from: string;
  to: string;
}

export interface Resealed {
  /** The number of re-encrypted secrets. */
  resealed: number;
  /** Ids of the webhooks whose secret neither SECRET_KEY decrypts. */
  closed: string[];
}

/** Re-encrypts the webhook secrets of a shop, except those that are already encrypted with the new SECRET_KEY. */
export async function resealSecrets(shop: Shop, keys: KeyChange): Promise<Resealed> {
  const webhooks = await shop.rows<RowOf<'webhooks', 'id' | 'secret' | 'previous_secret'>>(
    sql`select id, secret, previous_secret from webhooks where site_id = ${shop.siteId} order by id for update`,
  );
  const result: Resealed = { resealed: 0, closed: [] };
  for (const { id, secret, previous_secret } of webhooks) {
    const sealed = [secret, previous_secret].map((one) => (one ? sealAnew(keys, id, one) : one));
    if (sealed.includes('closed')) result.closed.push(id);
    const [current, previous] = sealed.map((one) => (one === 'closed' || one === 'kept' ? null : one));
    if (!current && !previous) continue;
    result.resealed += Number(Boolean(current)) + Number(Boolean(previous));
    await shop.run(
      sql`update webhooks set secret = coalesce(${current}::bytea, secret),
        previous_secret = coalesce(${previous}::bytea, previous_secret) where site_id = ${shop.siteId} and id = ${id}`,
    );
  }
  return result;
}

function sealAnew({ from, to }: KeyChange, id: string, sealed: Buffer): Buffer | 'kept' | 'closed' {
  if (opened(to, id, sealed) !== undefined) return 'kept';
  const secret = opened(from, id, sealed);
  return secret === undefined ? 'closed' : seal(to, id, secret);
}

function opened(secretKey: string, id: string, sealed: Buffer): string | undefined {
  try {
    return unseal(secretKey, id, sealed);
  } catch {
    return undefined;
  }
}
