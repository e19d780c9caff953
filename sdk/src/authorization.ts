import type { components } from '@commerce-backend/spec';
import type { ClientOptions } from './client.ts';
import type { Schemas } from './contract.ts';
import { given } from './credentials.ts';
import { ConnectionError, errorOf } from './errors.ts';

/** The server and shop to which an agent sends the customer's browser to ask for consent. */
export interface AuthorizationPlace extends Pick<ClientOptions, 'fetch'> {
  /** The address of the server, or the shop's own host if it has one. */
  baseUrl: string;
  /** The id of the shop. */
  siteId: string;
}

export interface AuthorizationOptions extends AuthorizationPlace {
  /** From `registerAgent`, or the https address of a document about the agent (`client_id_metadata_document`). */
  clientId: string;
  /** The redirect URI: one of those that the agent registered. */
  redirectUri: string;
  /** Default: all except `returns:request`. The customer can remove each one. */
  scopes?: components['schemas']['AgentScope'][];
  /** The budget in the currency's minor unit. Without it the customer enters one. */
  budgetCents?: number;
  /** The maximum for one order, in the minor unit. */
  maxPerOrderCents?: number;
  /** Whether the budget applies once, or resets each week or month. */
  budgetPeriod?: components['schemas']['BudgetPeriod'];
}

/**
 * The state for `finishAuthorization`. It contains the PKCE secret: store it in this browser's session until the
 * browser returns. It is plain data that can be stored as JSON.
 */
export interface PendingAuthorization {
  issuer: string;
  token_endpoint: string;
  client_id: string;
  redirect_uri: string;
  state: string;
  code_verifier: string;
}

/** The browser returned without a code, or with a response to another request. */
export class AuthorizationError extends Error {
  override readonly name = 'AuthorizationError';
  /**
   * `access_denied` if the customer denied the request, another code of RFC 6749 §4.1.2.1, or an error of this client:
   * `state_mismatch`, `issuer_mismatch`, `missing_code`.
   */
  readonly code: string;

  constructor(code: string, message: string) {
    super(message);
    this.code = code;
  }
}

/**
 * Registers an agent for the authorization code flow (RFC 7591), and resolves to its client id. Do it once for each
 * shop and store the id; the shop deletes a registration that obtained no token within a day. Throws a CommerceError
 * such as `invalid_redirect_uri`.
 *
 *     const clientId = await registerAgent({ baseUrl, siteId, name: 'Gift finder', redirectUris: ['https://agent.example/back'] });
 */
export async function registerAgent({
  name,
  redirectUris,
  ...place
}: AuthorizationPlace & { name: string; redirectUris: string[] }): Promise<string> {
  const { registration_endpoint } = await discover(place);
  const metadata = { client_name: name, redirect_uris: redirectUris, token_endpoint_auth_method: 'none' };
  const body = JSON.stringify(metadata);
  const request = new Request(registration_endpoint, {
    method: 'POST',
    body,
    headers: { 'Content-Type': 'application/json' },
  });
  const { client_id } = await ask<{ client_id: string }>(place, request);
  return client_id;
}

/**
 * Begins the authorization code flow with PKCE (RFC 6749, RFC 7636): send the customer's browser to `url`, and store
 * `pending`. It is for agents that can receive a browser redirect; others use `requestConsent`. Throws a CommerceError
 * or a ConnectionError if the shop cannot be found.
 *
 *     const { url, pending } = await beginAuthorization({ baseUrl, siteId, clientId, redirectUri, budgetCents: 5000 });
 *     session.pending = pending;
 *     response.redirect(url);
 */
export async function beginAuthorization(
  options: AuthorizationOptions,
): Promise<{ url: string; pending: PendingAuthorization }> {
  const { issuer, authorization_endpoint, token_endpoint } = await discover(options);
  const [state, code_verifier] = [randomText(), randomText()];
  const client_id = given('clientId', options.clientId);
  const redirect_uri = given('redirectUri', options.redirectUri);
  const { scopes, budgetCents, maxPerOrderCents, budgetPeriod } = options;
  const url = new URL(authorization_endpoint);
  const wishes = {
    ...{ response_type: 'code', client_id, redirect_uri, state, scope: scopes?.join(' ') },
    ...{ code_challenge: await challengeOf(code_verifier), code_challenge_method: 'S256' },
    ...{ budget_cents: budgetCents, max_per_order_cents: maxPerOrderCents, budget_period: budgetPeriod },
  };
  for (const [name, value] of Object.entries(wishes))
    if (value !== undefined) url.searchParams.set(name, String(value));
  return { url: url.href, pending: { issuer, token_endpoint, client_id, redirect_uri, state, code_verifier } };
}

/**
 * Exchanges the authorization code for the agent's token. `callbackUrl` is the whole address that the browser opened.
 * Throws an AuthorizationError if the customer denied the request, or if the response belongs to another request
 * (another `state`) or another shop (another `iss`, RFC 9207). Throws a CommerceError if the shop rejects the code.
 *
 *     const { access_token } = await finishAuthorization(session.pending, request.url);
 *     const agent = createAgentClient({ baseUrl, agentToken: access_token });
 */
export async function finishAuthorization(
  pending: PendingAuthorization,
  callbackUrl: string | URL,
  { fetch }: Pick<ClientOptions, 'fetch'> = {},
): Promise<Schemas['IssuedAgentToken']> {
  const { searchParams: answer } = new URL(callbackUrl);
  if (answer.get('state') !== pending.state) {
    throw new AuthorizationError('state_mismatch', 'The response does not belong to this request: its state differs.');
  }
  if (answer.get('iss') !== pending.issuer) {
    throw new AuthorizationError('issuer_mismatch', `The response is not from ${pending.issuer}.`);
  }
  const error = answer.get('error');
  if (error) throw new AuthorizationError(error, answer.get('error_description') ?? `The shop returned ${error}.`);
  const code = answer.get('code');
  if (!code) throw new AuthorizationError('missing_code', 'The response has neither a code nor an error.');
  const { token_endpoint, client_id, redirect_uri, code_verifier } = pending;
  const fields = { grant_type: 'authorization_code', code, client_id, redirect_uri, code_verifier };
  return ask({ fetch }, new Request(token_endpoint, { method: 'POST', body: new URLSearchParams(fields) }));
}

interface Metadata {
  issuer: string;
  authorization_endpoint: string;
  token_endpoint: string;
  registration_endpoint: string;
}

/** Fetches the shop's OAuth metadata (RFC 8414). Its issuer must be the requested shop. */
async function discover({ baseUrl, siteId, fetch }: AuthorizationPlace): Promise<Metadata> {
  const origin = given('baseUrl', baseUrl).replace(/\/$/, '');
  const site = given('siteId', siteId);
  const address = `${origin}/.well-known/oauth-authorization-server/sites/${encodeURIComponent(site)}`;
  const metadata = await ask<Metadata>({ fetch }, new Request(address));
  if (metadata.issuer !== `${origin}/sites/${site}`) {
    throw new ConnectionError(
      `${origin} reports the issuer ${metadata.issuer}. Set baseUrl to the server's own address.`,
    );
  }
  return metadata;
}

/** Sends a request. Returns the JSON of a 2xx response, and throws for any other. */
async function ask<Answer>({ fetch }: Pick<ClientOptions, 'fetch'>, request: Request): Promise<Answer> {
  const send = fetch ?? ((one: Request) => globalThis.fetch(one));
  const response = await send(request).catch((cause: unknown) => {
    throw new ConnectionError(`${new URL(request.url).origin} did not respond: ${cause}`, { cause });
  });
  const body: unknown = await response.json().catch(() => undefined);
  if (!response.ok) throw errorOf(response, body);
  return body as Answer;
}

/** 256 random bits as 43 characters of base64url. */
function randomText(): string {
  return base64Url(crypto.getRandomValues(new Uint8Array(32)));
}

/** The PKCE challenge of a verifier (RFC 7636 §4.2). */
export async function challengeOf(verifier: string): Promise<string> {
  return base64Url(new Uint8Array(await crypto.subtle.digest('SHA-256', new TextEncoder().encode(verifier))));
}

function base64Url(bytes: Uint8Array): string {
  return btoa(String.fromCharCode(...bytes))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replace(/=+$/, '');
}
