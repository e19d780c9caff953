/**
 * Keys with which a shop signs the requests that it sends to UCP platforms (ES256). The public keys are in the shop's
 * UCP profile. The private keys are stored encrypted with SECRET_KEY. A shop has a second key only if SECRET_KEY was
 * replaced without `rotate-secret-key`, which re-encrypts the keys.
 */

import { createPrivateKey, generateKeyPairSync, hkdfSync, type JsonWebKey } from 'node:crypto';
import sql from 'sql-template-tag';
import type { RowOf } from '../../db/row-of.ts';
import { type SigningKey, thumbprintOf } from '../http-signatures.ts';
import { type Sealing, seal, unseal } from '../sealing.ts';
import type { Shop } from '../shop.ts';

interface PublicKey {
  kid: string;
  public_key: JsonWebKey;
}

type Row = PublicKey & RowOf<'signing_keys', 'sealed'>;

/** Returns the public keys of a shop, newest first, and creates the first one. */
export async function publicKeys(shop: Shop, secretKey: string): Promise<JsonWebKey[]> {
  const known = await keysOf(shop);
  const keys = known.length > 0 ? known : [await makeKey(shop, secretKey)];
  return keys.map(({ kid, public_key }) => ({ kid, ...public_key, use: 'sig', alg: 'ES256' }));
}

/** Returns the newest key that SECRET_KEY decrypts, or creates one. */
export async function signingKey(shop: Shop, secretKey: string): Promise<SigningKey> {
  for (const row of await keysOf(shop)) {
    const key = opened(shop, secretKey, row);
    if (key) return key;
  }
  const made = opened(shop, secretKey, await makeKey(shop, secretKey));
  if (!made) throw new Error('The new signing key cannot be decrypted.');
  return made;
}

function keysOf(shop: Shop): Promise<Row[]> {
  return shop.rows<Row>(
    sql`select kid, public_key, sealed from signing_keys where site_id = ${shop.siteId} order by created_at desc, kid`,
  );
}

/** Creates a key, one at a time in a shop. Returns the key of a concurrent call instead, if SECRET_KEY decrypts it. */
async function makeKey(shop: Shop, secretKey: string): Promise<Row> {
  await shop.run(sql`select from sites where site_id = ${shop.siteId} for no key update`);
  const other = (await keysOf(shop)).find((row) => opened(shop, secretKey, row));
  if (other) return other;
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const public_key = publicKey.export({ format: 'jwk' });
  const kid = thumbprintOf(public_key);
  const sealed = sealPrivateKey(
    secretKey,
    shop.siteId,
    kid,
    privateKey.export({ format: 'pem', type: 'pkcs8' }) as string,
  );
  await shop.run(
    sql`insert into signing_keys (site_id, kid, public_key, sealed)
      values (${shop.siteId}, ${kid}, ${JSON.stringify(public_key)}::jsonb, ${sealed})`,
  );
  return { kid, public_key, sealed };
}

function opened({ siteId }: Shop, secretKey: string, { kid, sealed }: Row): SigningKey | undefined {
  const pem = openPrivateKey(secretKey, siteId, kid, sealed);
  return pem === undefined ? undefined : { kid, privateKey: createPrivateKey(pem) };
}

/** Encrypts a private key in PEM for storage. */
export function sealPrivateKey(secretKey: string, site_id: string, kid: string, pem: string): Buffer {
  return seal(sealingOf(secretKey, site_id, kid), pem);
}

/** Decrypts a private key; undefined if it was encrypted with another SECRET_KEY. */
export function openPrivateKey(secretKey: string, site_id: string, kid: string, sealed: Buffer): string | undefined {
  try {
    return unseal(sealingOf(secretKey, site_id, kid), sealed);
  } catch {
    return undefined;
  }
}

function sealingOf(secretKey: string, site_id: string, kid: string): Sealing {
  const key = Buffer.from(hkdfSync('sha256', secretKey, '', 'commerce signing keys', 32));
  return { key, tag: 'last', context: `${site_id}:${kid}` };
}

/**
 * Re-encrypts the keys of a shop from SECRET_KEY `from` to `to`. Returns their number. A key that neither decrypts
 * stays as it is; the shop then signs with a new one.
 */
export async function resealSigningKeys(shop: Shop, { from, to }: { from: string; to: string }): Promise<number> {
  let resealed = 0;
  for (const row of await keysOf(shop)) {
    const { kid, sealed } = row;
    const pem = opened(shop, to, row) ? undefined : openPrivateKey(from, shop.siteId, kid, sealed);
    if (pem === undefined) continue;
    const again = sealPrivateKey(to, shop.siteId, kid, pem);
    await shop.run(sql`update signing_keys set sealed = ${again} where site_id = ${shop.siteId} and kid = ${kid}`);
    resealed += 1;
  }
  return resealed;
}
