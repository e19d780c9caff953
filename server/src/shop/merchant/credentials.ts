/**
 * Credentials of a shop: API keys, storefront tokens and sync keys, in one table. A secret is returned once. A
 * credential can be rotated once; its old secret stays valid for some hours. Revocation takes effect immediately.
 */

import type { ApiKey, ApiKeyScope, StorefrontToken, SyncKey, SyncKeyScope } from '@commerce-backend/spec';
import sql, { type Sql } from 'sql-template-tag';
import { v7 as uuidv7 } from 'uuid';
import { selectList } from '../../db/fields.ts';
import { actorBehind } from '../actor-names.ts';
import { notFound, ShopError } from '../errors.ts';
import type { Shop } from '../shop.ts';
import { hashToken, mintToken, visiblePrefix } from '../tokens.ts';
import { followKey } from '../webhooks/makers.ts';
import { takeTurn } from './members.ts';

export interface Credentials {
  api_key: ApiKey;
  storefront: StorefrontToken;
  sync: SyncKey;
}

export type CredentialKind = keyof Credentials;

export interface CredentialInput {
  description: string;
  scopes: string[];
  allowed_origins?: string[];
  private?: boolean;
}

const STOREFRONT_SCOPES = ['catalog:read', 'cart:write', 'checkout:create', 'customer:auth'];
const SYNC_SCOPES = ['read', 'write'];
/** The additional scope of a sync key with `write`. */
const CATALOG_WRITE = 'catalog:write';
const GRACE_HOURS = 24;
const LIST_LIMIT = 1_000;
const LIMITS: Record<CredentialKind, number> = { api_key: 100, storefront: 100, sync: 2 };
const NOUNS: Record<CredentialKind, string> = {
  api_key: 'API key',
  storefront: 'storefront token',
  sync: 'sync key',
};

const COMMON = {
  id: sql`t.id`,
  description: sql`t.description`,
  secret_prefix: sql`t.secret_prefix`,
  created_at: sql`t.created_at`,
  last_used_at: sql`t.last_used_at`,
  expires_at: sql`t.expires_at`,
  revoked_at: sql`t.revoked_at`,
  created_by: actorBehind(sql`t.created_by`),
  revoked_by: actorBehind(sql`t.revoked_by`),
};
const COLUMNS: Record<CredentialKind, Sql> = {
  api_key: selectList<ApiKey>({ ...COMMON, scopes: sql`t.scopes` }),
  storefront: selectList<StorefrontToken>({
    ...COMMON,
    kind: sql`case when t.private then 'private' else 'public' end`,
    scopes: sql`t.scopes`,
    allowed_origins: sql`t.allowed_origins`,
  }),
  sync: selectList<SyncKey>({
    ...COMMON,
    // The last digits of a UUIDv7 are random. The first digits are a time, which two keys may share.
    key_id: sql`'sync_' || right(t.id::text, 12)`,
    scopes: sql`case when ${CATALOG_WRITE} = any(t.scopes) then array['read', 'write'] else array['read'] end`,
  }),
};
const ALIVE = sql`revoked_at is null and (expires_at is null or expires_at > now())`;

/** Lists active and revoked credentials, newest first. If there are more than 1,000, prefers active ones. */
export async function list<Kind extends CredentialKind>(shop: Shop, kind: Kind): Promise<Credentials[Kind][]> {
  return shop.rows(
    sql`with kept as (
        select * from tokens where site_id = ${shop.siteId} and kind = ${kind}
        order by (${ALIVE}) desc, created_at desc, id desc limit ${LIST_LIMIT}
      )
      select ${COLUMNS[kind]} from kept t order by t.created_at desc, t.id desc`,
  );
}

/** Returns one credential. Throws `not_found`, even for one of another shop. */
export async function get<Kind extends CredentialKind>(shop: Shop, kind: Kind, id: string): Promise<Credentials[Kind]> {
  const found = await shop.one<Credentials[Kind]>(
    sql`select ${COLUMNS[kind]} from tokens t where t.site_id = ${shop.siteId} and t.kind = ${kind} and t.id = ${id}`,
  );
  if (!found) throw notFound(NOUNS[kind]);
  return found;
}

/** Creates an API key. `write` includes `read`. The handler must check that the caller has all of the scopes. */
export async function createApiKey(
  shop: Shop,
  { description, scopes }: { description: string; scopes: ApiKeyScope[] },
) {
  return create(shop, 'api_key', {
    description,
    scopes: scopes.includes('write') ? [...new Set(['read', 'write', ...scopes])] : scopes,
  });
}

/** Creates a token with all storefront scopes. */
export async function createStorefrontToken(
  shop: Shop,
  { kind, ...input }: { description: string; kind?: 'public' | 'private'; allowed_origins?: string[] },
) {
  return create(shop, 'storefront', { ...input, private: kind === 'private', scopes: STOREFRONT_SCOPES });
}

/** Creates a sync key for an integration. Throws `sync_key_limit` if two are active. */
export async function createSyncKey(
  shop: Shop,
  { description, scopes = ['read'] }: { description: string; scopes?: SyncKeyScope[] },
) {
  const may = scopes.includes('write') ? [...SYNC_SCOPES, CATALOG_WRITE] : SYNC_SCOPES;
  return create(shop, 'sync', { description, scopes: may });
}

/**
 * Creates a successor with the same description, kind, scopes and origins. The old secret stays valid for another
 * `grace_hours` hours. Throws `not_found`, `key_not_active` if the credential is revoked or was rotated before, and
 * `limit_reached` or `sync_key_limit`, because the old secret still counts as active.
 */
export async function rotate<Kind extends CredentialKind>(
  shop: Shop,
  kind: Kind,
  id: string,
  grace_hours: number = GRACE_HOURS,
) {
  await takeTurn(shop);
  const old = await shop.one<Required<CredentialInput>>(
    sql`update tokens set expires_at = now() + make_interval(hours => ${grace_hours})
      where site_id = ${shop.siteId} and kind = ${kind} and id = ${id} and revoked_at is null and expires_at is null
      returning description, scopes, allowed_origins, private`,
  );
  if (!old) {
    await get(shop, kind, id);
    throw new ShopError('key_not_active', `This ${NOUNS[kind]} is revoked or was already rotated.`);
  }
  const made = await insert(shop, kind, old);
  if (kind === 'api_key') await followKey(shop, id, made.id);
  return made;
}

/** Revokes a credential. Repeating the call changes nothing. */
export async function revoke<Kind extends CredentialKind>(
  shop: Shop,
  kind: Kind,
  id: string,
): Promise<Credentials[Kind]> {
  const revoked = await shop.one<Credentials[Kind]>(
    sql`update tokens t set revoked_at = coalesce(revoked_at, now()),
        revoked_by = case when revoked_at is null then ${actedBy(shop)}::uuid else revoked_by end
      where t.site_id = ${shop.siteId} and t.kind = ${kind} and t.id = ${id} returning ${COLUMNS[kind]}`,
  );
  if (!revoked) throw notFound(NOUNS[kind]);
  return revoked;
}

/** Locks the site, so that concurrent creations do not exceed the limit. */
async function create<Kind extends CredentialKind>(shop: Shop, kind: Kind, input: CredentialInput) {
  await takeTurn(shop);
  return insert(shop, kind, input);
}

async function insert<Kind extends CredentialKind>(shop: Shop, kind: Kind, input: CredentialInput) {
  const secret = mintToken(kind);
  const limit = LIMITS[kind];
  const made = await shop.one<Credentials[Kind]>(
    sql`insert into tokens as t (site_id, id, kind, token_hash, secret_prefix, description, scopes, allowed_origins,
        private, created_by)
      select ${shop.siteId}, ${uuidv7()}, ${kind}, ${hashToken(secret)}, ${visiblePrefix(secret)}, ${input.description},
        ${input.scopes}::text[], ${input.allowed_origins ?? []}::text[], ${input.private ?? false},
        ${actedBy(shop)}::uuid
      where (select count(*) from tokens where site_id = ${shop.siteId} and kind = ${kind} and ${ALIVE}) < ${limit}
      returning ${COLUMNS[kind]}`,
  );
  if (!made) throw tooMany(kind, limit);
  return { ...made, secret };
}

/** The id of the calling staff member or API key; null for other callers. */
function actedBy({ actorType, actorId }: Shop): string | null {
  return actorType === 'staff' || actorType === 'api_key' ? actorId : null;
}

function tooMany(kind: CredentialKind, limit: number): ShopError {
  const code = kind === 'sync' ? 'sync_key_limit' : 'limit_reached';
  return new ShopError(code, `The maximum of ${limit} active ${NOUNS[kind]}s is reached. Revoke one first.`, { limit });
}
