/**
 * Assistants that staff connect over MCP. A member's approval creates the row with an authorization code, which is
 * valid for 60 seconds and one exchange. The assistant loses its access when the row expires, when it is revoked, or
 * when the membership ends.
 */

import { hash } from 'node:crypto';
import type { Assistant, AssistantScope, ConnectedAssistant } from '@commerce-backend/spec';
import sql, { type Sql } from 'sql-template-tag';
import { v7 as uuidv7 } from 'uuid';
import { selectList } from '../../db/fields.ts';
import type { RowOf } from '../../db/row-of.ts';
import { notFound, ShopError } from '../errors.ts';
import type { Shop } from '../shop.ts';
import { hashToken, isWellFormed, mintToken } from '../tokens.ts';
import { backTo, hashOfClient, readAsked } from './assistant-requests.ts';
import { grantable } from './assistant-scopes.ts';
import { invalidCode, VERIFIER } from './authorization-codes.ts';
import { OAuthRefusal } from './oauth-refusal.ts';
import { placeOf } from './redirect-uris.ts';

const CODE_SECONDS = 60;
const MOST_ASSISTANTS = 20;
const LIST_LIMIT = 1_000;

const ASSISTANT: Sql = selectList<Assistant>({
  id: sql`a.id`,
  staff: sql`(select json_build_object('id', s.id, 'name', s.name) from staff s where s.id = a.staff_id)`,
  client_name: sql`a.client_name`,
  client_host: sql`a.client_host`,
  scopes: sql`a.scopes`,
  created_at: sql`a.created_at`,
  last_used_at: sql`a.last_used_at`,
  expires_at: sql`a.expires_at`,
});

export interface Approval {
  request: string;
  scopes: AssistantScope[];
  lifetime_days: number;
}

/**
 * Connects an assistant for the calling member. Throws `insufficient_scope` for a scope beyond the member's role, and
 * `limit_reached`.
 */
export async function connect(
  shop: Shop,
  deps: { baseUrl: string; secretKey: string },
  { request, scopes, lifetime_days }: Approval,
  held: string[],
): Promise<ConnectedAssistant> {
  const asked = readAsked(deps, request, 'body');
  const beyond = scopes.find((scope) => !grantable(held).includes(scope));
  if (beyond) {
    const message = `You cannot grant ${beyond}, because your role does not include it.`;
    throw new ShopError('insufficient_scope', message, { scope: beyond, held });
  }
  // Approvals of one member run one after another, so that concurrent ones cannot exceed the limit.
  await shop.run(
    sql`select from staff_memberships where site_id = ${shop.siteId} and staff_id = ${shop.actorId} for no key update`,
  );
  const code = mintToken('code');
  const assistant = await shop.one<Assistant>(
    sql`insert into assistants as a (site_id, id, staff_id, client_name, client_host, client_hash, redirect_uri,
        code_challenge, code_hash, code_expires_at, scopes, expires_at)
      select ${shop.siteId}, ${uuidv7()}, ${shop.actorId}, ${asked.client_name},
        ${placeOf(asked.redirect_uri) ?? null}, ${Buffer.from(asked.client_hash, 'base64url')}, ${asked.redirect_uri},
        ${asked.code_challenge}, ${hashToken(code)}, now() + ${CODE_SECONDS} * interval '1 second',
        ${scopes}::text[], now() + ${lifetime_days} * interval '1 day'
      where (select count(*) from assistants o where o.site_id = ${shop.siteId} and o.staff_id = ${shop.actorId}
        and o.expires_at > now() and (o.token_hash is not null or o.code_expires_at > now())) < ${MOST_ASSISTANTS}
      returning ${ASSISTANT}`,
  );
  if (!assistant) {
    throw new ShopError('limit_reached', `You have ${MOST_ASSISTANTS} assistants. Disconnect one first.`, {
      limit: MOST_ASSISTANTS,
    });
  }
  return { assistant, redirect_url: backTo(deps, asked, { code }) };
}

/** Lists the connected assistants: the caller's own, or those of all members. */
export function list(shop: Shop, ofAll: boolean): Promise<Assistant[]> {
  return shop.rows<Assistant>(
    sql`select ${ASSISTANT} from assistants a
      where a.site_id = ${shop.siteId} and (${ofAll} or a.staff_id = ${shop.actorId})
        and a.token_hash is not null and a.expires_at > now()
      order by a.created_at desc, a.id desc limit ${LIST_LIMIT}`,
  );
}

/** Disconnects an assistant. Throws `not_found`, even for an assistant of another member unless `ofAll`. */
export async function revoke(shop: Shop, assistant_id: string, ofAll: boolean): Promise<void> {
  const ended = await shop.run(
    sql`delete from assistants a where a.site_id = ${shop.siteId} and a.id = ${assistant_id}
      and (${ofAll} or a.staff_id = ${shop.actorId})`,
  );
  if (ended === 0) throw notFound('assistant');
}

export interface Exchange {
  code: string;
  client_id: string;
  redirect_uri: string;
  code_verifier: string;
}

type CodeRow = RowOf<'assistants', 'site_id' | 'id' | 'client_hash' | 'redirect_uri' | 'code_challenge'> & {
  used: boolean;
  expired: boolean;
};

/**
 * Exchanges an authorization code for a token. The code identifies the site. Throws an OAuthRefusal; returns one
 * instead if the transaction must commit, because a second exchange of a code revokes the assistant.
 */
export async function exchange(shop: Shop, sent: Exchange) {
  if (!isWellFormed('code', sent.code)) throw invalidCode();
  // The row is locked, so that the second of two concurrent exchanges sees the first.
  const row = await shop.one<CodeRow>(
    sql`select site_id, id, client_hash, redirect_uri, code_challenge, token_hash is not null as used,
        least(code_expires_at, expires_at) <= now() as expired
      from assistants where code_hash = ${hashToken(sent.code)} for update`,
  );
  if (!row || !isFor(row, sent)) throw invalidCode();
  const { site_id, id } = row;
  if (row.used) {
    await shop.run(sql`delete from assistants where site_id = ${site_id} and id = ${id}`);
    return new OAuthRefusal('invalid_grant', 'The code was already used. Its token has been revoked.');
  }
  if (row.expired) throw invalidCode();
  const access_token = mintToken('assistant');
  const issued = await shop.one<{ scopes: AssistantScope[]; seconds: number }>(
    sql`update assistants set token_hash = ${hashToken(access_token)} where site_id = ${site_id} and id = ${id}
      returning scopes, floor(extract(epoch from expires_at - now()))::float8 as seconds`,
  );
  if (!issued) throw invalidCode();
  return { access_token, token_type: 'Bearer', expires_in: issued.seconds, scope: issued.scopes.join(' ') };
}

function isFor({ client_hash, redirect_uri, code_challenge }: CodeRow, sent: Exchange): boolean {
  const proven =
    VERIFIER.test(sent.code_verifier) && hash('sha256', sent.code_verifier, 'base64url') === code_challenge;
  return proven && hashOfClient(sent.client_id).equals(client_hash) && sent.redirect_uri === redirect_uri;
}
