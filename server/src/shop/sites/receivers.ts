/**
 * One-time keys of this server to which another server encrypts the export of a site. The private key is encrypted with
 * SECRET_KEY. A key is valid for one import and for seven days.
 */

import { hkdfSync } from 'node:crypto';
import type pg from 'pg';
import { newReceiverKeys } from '../../backup/encryption.ts';
import type { RowOf } from '../../db/row-of.ts';
import { type Sealing, seal, unseal } from '../sealing.ts';

/** Creates a key. Returns the public key. */
export async function addReceiver(owner: pg.ClientBase, secretKey: string): Promise<Buffer> {
  const { publicKey, privateKey } = newReceiverKeys();
  const sealed = seal(sealingOf(secretKey, publicKey), privateKey.toString('base64'));
  await owner.query(`delete from commerce.site_receivers where created_at <= now() - interval '7 days'`);
  await owner.query('insert into commerce.site_receivers (public_key, private_key) values ($1, $2)', [
    publicKey,
    sealed,
  ]);
  return publicKey;
}

/** Returns the private key of a public key; undefined if there is none that is still valid. */
export async function findReceiver(
  owner: pg.ClientBase,
  publicKey: Buffer,
  secretKey: string,
): Promise<Buffer | undefined> {
  const { rows } = await owner.query<{ private_key: Buffer }>(
    `select private_key from commerce.site_receivers where public_key = $1 and created_at > now() - interval '7 days'`,
    [publicKey],
  );
  const key = rows[0] && opened(secretKey, publicKey, rows[0].private_key);
  return key === undefined ? undefined : Buffer.from(key, 'base64');
}

/** Marks a key as used. Throws an Error if another import has used it meanwhile. */
export async function useReceiver(owner: pg.ClientBase, publicKey: Buffer): Promise<void> {
  const { rowCount } = await owner.query('delete from commerce.site_receivers where public_key = $1', [publicKey]);
  if (rowCount !== 1) throw new Error('The one-time key of this file was used by another import.');
}

/** Re-encrypts the keys with a new SECRET_KEY. Deletes keys that neither SECRET_KEY decrypts. Can be repeated. */
export async function resealReceivers(owner: pg.ClientBase, { from, to }: { from: string; to: string }): Promise<void> {
  const { rows } = await owner.query<RowOf<'site_receivers', 'public_key' | 'private_key'>>(
    'select public_key, private_key from commerce.site_receivers',
  );
  for (const { public_key, private_key } of rows) {
    if (opened(to, public_key, private_key)) continue;
    const key = opened(from, public_key, private_key);
    if (key === undefined) {
      await owner.query('delete from commerce.site_receivers where public_key = $1', [public_key]);
    } else {
      const sealed = seal(sealingOf(to, public_key), key);
      await owner.query('update commerce.site_receivers set private_key = $2 where public_key = $1', [
        public_key,
        sealed,
      ]);
    }
  }
}

function opened(secretKey: string, publicKey: Buffer, sealed: Buffer): string | undefined {
  try {
    return unseal(sealingOf(secretKey, publicKey), sealed);
  } catch {
    return undefined;
  }
}

function sealingOf(secretKey: string, publicKey: Buffer): Sealing {
  const key = Buffer.from(hkdfSync('sha256', secretKey, '', 'commerce site receivers', 32));
  return { key, tag: 'last', context: publicKey.toString('hex') };
}
