/**
 * OAuth endpoints below the shop's issuer: the authorization code flow with PKCE, as `registerAgent`,
 * `beginAuthorization` and `finishAuthorization` use it, and the token endpoint for devices. The helper `authorize`
 * simulates the customer in the browser.
 */

import type { AgentConsentApproval } from '@commerce-backend/spec';
import { challengeOf } from '../authorization.ts';
import {
  approvedTerms,
  issuedView,
  openAgent,
  pollConsent,
  requireFreePlace,
  revoke,
  SCOPES,
  termsOf,
} from './consents.ts';
import { isRedirectUri, isRegistered, placeOf, withAnswer, withoutUndottedSchemes } from './redirect-uris.ts';
import { answerTo, Refusal } from './refusal.ts';
import {
  type AgentTerms,
  after,
  isOver,
  type State,
  type StoredAgent,
  type StoredClient,
  type StoredCustomer,
} from './state.ts';

const CODE_LIFETIME_MS = 60_000;
const MOST_REDIRECT_URIS = 10;
const LONGEST_NAME = 100;
/** Budget that the simulated customer enters if the request has none. */
const UNNAMED_BUDGET_CENTS = 5_000;
const DEVICE_CODE = 'urn:ietf:params:oauth:grant-type:device_code';

/** An OAuth error (RFC 6749 §4.1.2.1 and §5.2). */
class OAuthRefusal extends Error {
  readonly error: string;
  constructor(error: string, message: string) {
    super(message);
    this.error = error;
  }
}

const issuerOf = ({ baseUrl, site_id }: State) => `${baseUrl}/sites/${site_id}`;

/** Answers a request to an OAuth endpoint; undefined for other paths. */
export async function answerOAuth(state: State, request: Request): Promise<Response | undefined> {
  const { origin, pathname } = new URL(request.url);
  const address = origin + pathname;
  const metadata = `${state.baseUrl}/.well-known/oauth-authorization-server/sites/${state.site_id}`;
  if (request.method === 'GET' && address === metadata) return Response.json(metadataOf(state));
  const [endpoint] = ['register', 'token', 'revoke'].filter((one) => address === `${issuerOf(state)}/oauth/${one}`);
  if (request.method !== 'POST' || !endpoint) return undefined;
  const text = await request.text();
  const request_id = state.nextId();
  try {
    if (endpoint === 'register') return Response.json(register(state, text), { status: 201 });
    const form = new URLSearchParams(text);
    if (endpoint === 'token') return Response.json(issuedView(state, await tokenOf(state, form)));
    const agent = state.agents.get(required(form, 'token'));
    if (agent) revoke(agent, 'agent');
    return new Response(null, { status: 200 });
  } catch (error) {
    if (error instanceof Refusal) return answerTo(error, request_id, false, true);
    if (!(error instanceof OAuthRefusal)) throw error;
    const body = { error: error.error, error_description: error.message, request_id };
    return Response.json(body, { status: 400, headers: { 'X-Request-Id': request_id } });
  }
}

function metadataOf(state: State) {
  const issuer = issuerOf(state);
  return {
    ...{ issuer, authorization_endpoint: `${issuer}/oauth/authorize`, token_endpoint: `${issuer}/oauth/token` },
    ...{ registration_endpoint: `${issuer}/oauth/register`, revocation_endpoint: `${issuer}/oauth/revoke` },
    ...{ token_endpoint_auth_methods_supported: ['none'], revocation_endpoint_auth_methods_supported: ['none'] },
    ...{ grant_types_supported: ['authorization_code', DEVICE_CODE], response_types_supported: ['code'] },
    ...{ response_modes_supported: ['query'], code_challenge_methods_supported: ['S256'] },
    authorization_response_iss_parameter_supported: true,
    client_id_metadata_document_supported: false,
    device_authorization_endpoint: `${state.baseUrl}/api/agent/consent/request?site_id=${state.site_id}`,
    ...{ scopes_supported: SCOPES, service_documentation: `${state.baseUrl}/docs` },
  };
}

function register(state: State, text: string) {
  const { client_name, redirect_uris: sent } = parsed(text);
  if (!Array.isArray(sent) || sent.length === 0 || sent.length > MOST_REDIRECT_URIS) {
    throw new OAuthRefusal('invalid_redirect_uri', `redirect_uris must be 1 to ${MOST_REDIRECT_URIS} addresses.`);
  }
  const redirect_uris = withoutUndottedSchemes(sent);
  const wrong = redirect_uris.findIndex((uri) => typeof uri !== 'string' || !isRedirectUri(uri));
  if (wrong >= 0) {
    const allowed = 'https, http on localhost or a loopback address, or a scheme of an app that contains a dot';
    throw new OAuthRefusal(
      'invalid_redirect_uri',
      `redirect_uris[${sent.indexOf(redirect_uris[wrong])}] must begin with ${allowed}.`,
    );
  }
  const uris = [...new Set(redirect_uris as string[])];
  const name = typeof client_name === 'string' ? client_name.trim() : '';
  const client = {
    client_id: state.nextId(),
    client_name: name || (placeOf(uris[0] ?? '') ?? 'localhost').slice(0, LONGEST_NAME),
    redirect_uris: uris,
  };
  state.clients.set(client.client_id, client);
  const can = { grant_types: ['authorization_code'], response_types: ['code'], token_endpoint_auth_method: 'none' };
  return { ...client, client_id_issued_at: Math.floor(Date.now() / 1000), ...can };
}

function parsed(text: string): Record<string, unknown> {
  const said = jsonIn(text);
  if (typeof said === 'object' && said !== null && !Array.isArray(said)) return said as Record<string, unknown>;
  throw new OAuthRefusal('invalid_client_metadata', 'Send a JSON object.');
}

function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new OAuthRefusal('invalid_client_metadata', 'Send JSON.');
  }
}

function required(form: URLSearchParams, name: string): string {
  const value = form.get(name);
  if (value) return value;
  throw new OAuthRefusal('invalid_request', `Send ${name}.`);
}

async function tokenOf(state: State, form: URLSearchParams): Promise<StoredAgent> {
  const grant = required(form, 'grant_type');
  if (grant === DEVICE_CODE) return pollConsent(state, required(form, 'device_code'));
  if (grant === 'authorization_code') return exchange(state, form);
  throw new OAuthRefusal('unsupported_grant_type', `grant_type must be authorization_code or ${DEVICE_CODE}.`);
}

async function exchange(state: State, form: URLSearchParams): Promise<StoredAgent> {
  const [sent, client_id, redirect_uri, verifier] = ['code', 'client_id', 'redirect_uri', 'code_verifier'].map((name) =>
    required(form, name),
  ) as [string, string, string, string];
  const challenge = await challengeOf(verifier);
  const code = state.codes.get(sent);
  if (code?.agent) {
    revoke(code.agent, 'agent');
    throw new OAuthRefusal('invalid_grant', 'The code was already used. Its token has been revoked.');
  }
  const isFor =
    code?.client_id === client_id && code.redirect_uri === redirect_uri && code.code_challenge === challenge;
  if (!isFor || isOver(code.expires_at)) {
    throw new OAuthRefusal(
      'invalid_grant',
      'The code is unknown or has expired, or was made for another client_id, redirect_uri or code_verifier.',
    );
  }
  code.agent = openAgent(state, code.customer, code.terms);
  return code.agent;
}

/** Parses an authorization request. Throws a TypeError if the server would reject it. */
export function askedAt(
  state: State,
  address: string,
): { client: StoredClient; redirect_uri: string; terms: AgentTerms } {
  const { origin, pathname, searchParams: fields } = new URL(address);
  const mistake = (message: string) => new TypeError(`${message} (${address})`);
  if (origin + pathname !== `${issuerOf(state)}/oauth/authorize`) throw mistake('This is no address of this shop.');
  const client = state.clients.get(fields.get('client_id') ?? '');
  if (!client) throw mistake('The client_id is not registered.');
  const redirect_uri = fields.get('redirect_uri') ?? '';
  if (fields.getAll('redirect_uri').length > 1 || !isRegistered(client.redirect_uris, redirect_uri)) {
    throw mistake('The redirect_uri is not one of the client.');
  }
  if (fields.get('response_type') !== 'code') throw mistake('response_type must be code.');
  if (fields.get('code_challenge_method') !== 'S256' || fields.get('code_challenge')?.length !== 43) {
    throw mistake('Send a code_challenge with code_challenge_method=S256 (RFC 7636).');
  }
  const scope = fields.get('scope');
  const budget = fields.get('budget_cents') ?? String(UNNAMED_BUDGET_CENTS);
  const most = fields.get('max_per_order_cents');
  const terms = termsOf(state, {
    ...{ agent_name: client.client_name, budget_cents: Number(budget) },
    ...(scope && { scope }),
    ...(most && { max_per_order_cents: Number(most) }),
    budget_period: (fields.get('budget_period') ?? 'once') as AgentTerms['budget_period'],
  });
  return { client, redirect_uri, terms };
}

/**
 * Decides as the customer. Returns the URL to which the browser is redirected. Throws for an invalid address
 * (`askedAt`), an approval that exceeds the request, or too many agents.
 */
export function authorize(
  state: State,
  customer: StoredCustomer,
  address: string,
  decision: AgentConsentApproval | 'deny',
): string {
  const { client, redirect_uri, terms } = askedAt(state, address);
  const { searchParams: fields } = new URL(address);
  const answered = (answer: Record<string, string>) =>
    withAnswer(redirect_uri, { ...answer, state: fields.get('state'), iss: issuerOf(state) });
  if (decision === 'deny') {
    return answered({ error: 'access_denied', error_description: 'The customer has refused.' });
  }
  requireFreePlace(state, customer);
  const code = state.nextToken('cod');
  state.codes.set(code, {
    ...{ client_id: client.client_id, redirect_uri, code_challenge: fields.get('code_challenge') ?? '', customer },
    ...{ terms: approvedTerms(terms, decision), expires_at: after(CODE_LIFETIME_MS), agent: null },
  });
  return answered({ code });
}
