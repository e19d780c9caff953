/**
 * OAuth clients that use authorization codes. They have no secret, so a client id proves nothing. Security depends on
 * the redirect URIs, which the client declares in its registration (RFC 7591) or in a document whose URL is its client
 * id.
 */

import { randomUUID } from 'node:crypto';
import sql from 'sql-template-tag';
import type { RowOf } from '../../db/row-of.ts';
import { hiddenCharacterIn } from '../hidden-characters.ts';
import type { Shop } from '../shop.ts';
import { OAuthRefusal } from './oauth-refusal.ts';
import { isRedirectUri, placeOf, withoutUndottedSchemes } from './redirect-uris.ts';

export type OAuthClient = RowOf<'oauth_clients', 'client_id' | 'client_name' | 'redirect_uris' | 'from_document'>;

/** Metadata from the client (not verified). */
export type ClientMetadata = Pick<OAuthClient, 'client_name' | 'redirect_uris'>;

const MOST_REDIRECT_URIS = 10;
const LONGEST_NAME = 100;
/**
 * A registration that never got a token is deleted after 1 day, any other registration 90 days after its last token.
 */
const UNUSED_REGISTRATION = '1 day';
const USED_REGISTRATION = '90 days';

/** Validates the metadata of a client. Throws an OAuthRefusal. Ignores unknown fields (RFC 7591 §2). */
export function parseMetadata(said: unknown): ClientMetadata {
  if (typeof said !== 'object' || said === null || Array.isArray(said)) {
    throw new OAuthRefusal('invalid_client_metadata', 'Send a JSON object.');
  }
  const { redirect_uris, client_name } = said as Record<string, unknown>;
  if (!Array.isArray(redirect_uris) || redirect_uris.length === 0 || redirect_uris.length > MOST_REDIRECT_URIS) {
    throw new OAuthRefusal('invalid_redirect_uri', `redirect_uris must be 1 to ${MOST_REDIRECT_URIS} addresses.`);
  }
  const counting = withoutUndottedSchemes(redirect_uris);
  const wrong = redirect_uris.findIndex(
    (uri) => counting.includes(uri) && (typeof uri !== 'string' || !isRedirectUri(uri)),
  );
  if (wrong >= 0) {
    const allowed = 'https, http on localhost or a loopback address, or a scheme of an app that contains a dot';
    throw new OAuthRefusal('invalid_redirect_uri', `redirect_uris[${wrong}] must begin with ${allowed}.`);
  }
  const uris = [...new Set(counting as string[])];
  const name = typeof client_name === 'string' ? client_name.trim() : '';
  if (!name.isWellFormed() || name.length > LONGEST_NAME || hiddenCharacterIn(name, { lines: false })) {
    const message = `client_name must be at most ${LONGEST_NAME} characters, none of them hidden.`;
    throw new OAuthRefusal('invalid_client_metadata', message);
  }
  return { client_name: name || (placeOf(uris[0] ?? '') ?? 'localhost').slice(0, LONGEST_NAME), redirect_uris: uris };
}

export async function register(shop: Shop, { client_name, redirect_uris }: ClientMetadata) {
  const client_id = randomUUID();
  const made = await shop.one<{ issued_at: number }>(
    sql`insert into oauth_clients (site_id, client_id, client_name, redirect_uris, from_document, expires_at)
      values (${shop.siteId}, ${client_id}, ${client_name}, ${redirect_uris}::text[], false,
        now() + ${UNUSED_REGISTRATION}::interval)
      returning floor(extract(epoch from created_at))::float8 as issued_at`,
  );
  return { client_id, client_id_issued_at: made?.issued_at ?? 0, client_name, redirect_uris };
}

/** Finds a client that has not expired. */
export function find(shop: Shop, client_id: string): Promise<OAuthClient | undefined> {
  return shop.one<OAuthClient>(
    sql`select client_id, client_name, redirect_uris, from_document from oauth_clients
      where site_id = ${shop.siteId} and client_id = ${client_id} and expires_at > now()`,
  );
}

/** The name of a client on pages. A document proves only the host that publishes it. */
export function shownName({ client_id, client_name, from_document }: OAuthClient): string {
  return from_document ? new URL(client_id).host : client_name;
}

/** Caches a client's metadata document. */
export async function keepDocument(
  shop: Shop,
  client_id: string,
  { client_name, redirect_uris }: ClientMetadata,
  seconds: number,
): Promise<void> {
  await shop.run(
    sql`insert into oauth_clients (site_id, client_id, client_name, redirect_uris, from_document, expires_at)
      values (${shop.siteId}, ${client_id}, ${client_name}, ${redirect_uris}::text[], true,
        now() + ${seconds} * interval '1 second')
      on conflict (site_id, client_id) do update set client_name = excluded.client_name,
        redirect_uris = excluded.redirect_uris, expires_at = excluded.expires_at`,
  );
}

/** Extends the registration of a client that got a token. */
export async function noteUse(shop: Shop, client_id: string): Promise<void> {
  await shop.run(
    sql`update oauth_clients set expires_at = greatest(expires_at, now() + ${USED_REGISTRATION}::interval)
      where site_id = ${shop.siteId} and client_id = ${client_id} and not from_document`,
  );
}
