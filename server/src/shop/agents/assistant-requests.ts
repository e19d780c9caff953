/**
 * Clients of the merchant MCP and their requests for an authorization code. Neither is stored: a client id contains the
 * signed registration, and the URL of the panel's page contains the signed request. Thus strangers cannot fill a table;
 * only a member's approval writes to the database.
 */

import { createHash } from 'node:crypto';
import type { AssistantRequest, AssistantScope } from '@commerce-backend/spec';
import { ValidationError } from '../errors.ts';
import { ASSISTANT_SCOPES, grantable, READING } from './assistant-scopes.ts';
import { parseCodeRequest } from './authorization-requests.ts';
import { type ClientMetadata, parseMetadata } from './oauth-clients.ts';
import { OAuthRefusal } from './oauth-refusal.ts';
import { isRegistered, placeOf, withAnswer } from './redirect-uris.ts';
import { readSigned, signedText } from './signed-texts.ts';

interface Deps {
  baseUrl: string;
  secretKey: string;
}

const CLIENT = 'assistant client';
const REQUEST = 'assistant request';
/** Limits the length of client ids, which contain the redirect URIs. */
const MOST_URI_CHARACTERS = 2_000;
const LIFETIME_MS = 15 * 60_000;

/**
 * The issuer of the tokens for assistants of staff. There is one for all shops, because staff log in before they choose
 * one.
 */
export function assistantIssuer(baseUrl: string): string {
  return `${baseUrl}/merchant`;
}

/** The resource for which these tokens are issued. */
export function merchantMcp(baseUrl: string): string {
  return `${baseUrl}/mcp/merchant`;
}

/** Registers a client (RFC 7591). */
export function register({ secretKey }: Deps, said: unknown) {
  const metadata = parseMetadata(said);
  if (metadata.redirect_uris.join('').length > MOST_URI_CHARACTERS) {
    const message = `redirect_uris must have at most ${MOST_URI_CHARACTERS} characters in total.`;
    throw new OAuthRefusal('invalid_redirect_uri', message);
  }
  return { client_id: signedText(secretKey, CLIENT, metadata), ...metadata };
}

/** A request, as contained in the URL of the panel's page. */
export interface Asked {
  client_name: string;
  client_hash: string;
  redirect_uri: string;
  code_challenge: string;
  scopes: AssistantScope[];
  state: string | null;
  ends_at: number;
}

/** A client, and the redirect URI that gets the response. */
export interface AssistantClient {
  client_id: string;
  client_name: string;
  redirect_uri: string;
}

/** Finds the client of a request. Throws an OAuthRefusal, which must not be sent to the redirect URI. */
export function clientIn({ secretKey }: Deps, fields: URLSearchParams): AssistantClient {
  const client_id = fields.get('client_id') ?? '';
  const client = readSigned(secretKey, CLIENT, client_id) as ClientMetadata | undefined;
  if (!client) throw new OAuthRefusal('invalid_client', 'The client_id is unknown. Register the client again.');
  const redirect_uri = fields.get('redirect_uri') ?? '';
  if (!isRegistered(client.redirect_uris, redirect_uri)) {
    throw new OAuthRefusal('invalid_request', 'redirect_uri must be one that the client has registered.');
  }
  return { client_id, client_name: client.client_name, redirect_uri };
}

/** Returns the address of the page where the member decides. Throws an OAuthRefusal. */
export function decisionPage(
  { baseUrl, secretKey }: Deps,
  fields: URLSearchParams,
  { client_id, client_name, redirect_uri }: AssistantClient,
): string {
  const { code_challenge, state } = parseCodeRequest(fields);
  requireResource(baseUrl, fields.get('resource'));
  const asked: Asked = {
    client_name,
    client_hash: hashOfClient(client_id).toString('base64url'),
    ...{ redirect_uri, code_challenge, state },
    scopes: scopesIn(fields.get('scope') ?? ''),
    ends_at: Date.now() + LIFETIME_MS,
  };
  return `${baseUrl}/panel/connect?request=${signedText(secretKey, REQUEST, asked)}`;
}

/** Throws `invalid_target` if a client names another resource (RFC 8707). */
export function requireResource(baseUrl: string, resource: string | null): void {
  if (resource === null || resource === merchantMcp(baseUrl)) return;
  throw new OAuthRefusal('invalid_target', `The resource must be ${merchantMcp(baseUrl)}.`);
}

export function hashOfClient(client_id: string): Buffer {
  return createHash('sha256').update(client_id).digest();
}

function scopesIn(text: string): AssistantScope[] {
  const wanted = text.split(' ').filter(Boolean);
  if (!wanted.every((scope) => (ASSISTANT_SCOPES as string[]).includes(scope))) {
    throw new OAuthRefusal('invalid_scope', `scope must be a selection of ${ASSISTANT_SCOPES.join(' ')}.`);
  }
  return wanted.length === 0 ? READING : ASSISTANT_SCOPES.filter((scope) => wanted.includes(scope));
}

/** Reads a request. Throws a ValidationError if it has expired or was changed. */
export function readAsked({ secretKey }: Deps, text: string, place: 'body' | 'query'): Asked {
  const asked = readSigned(secretKey, REQUEST, text) as Asked | undefined;
  if (asked && asked.ends_at > Date.now()) return asked;
  const msg = 'This request has expired or was changed. Start again in the program that wants to be connected.';
  throw new ValidationError([{ loc: [place, 'request'], msg, type: 'value_error' }]);
}

/** The request as shown to a member with the scopes `held`. */
export function shownRequest(deps: Deps, asked: Asked, held: readonly string[]): AssistantRequest {
  const available_scopes = grantable(held);
  return {
    client_name: asked.client_name,
    client_host: placeOf(asked.redirect_uri) ?? null,
    scopes: asked.scopes.filter((scope) => available_scopes.includes(scope)),
    available_scopes,
    refuse_url: backTo(deps, asked, { error: 'access_denied', error_description: 'The member has refused.' }),
  };
}

/** The address that leads back to the client, with the issuer (RFC 9207). */
export function backTo(
  { baseUrl }: Pick<Deps, 'baseUrl'>,
  { redirect_uri, state }: Pick<Asked, 'redirect_uri' | 'state'>,
  answer: Record<string, string>,
): string {
  return withAnswer(redirect_uri, { ...answer, state, iss: assistantIssuer(baseUrl) });
}
