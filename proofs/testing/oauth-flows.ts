/** The authorization code flow of legitimate clients and customers, in steps between which a proof can attack. */

import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { leadsTo } from '../../server/test/oauth.ts';
import { PaperBrowser } from '../../server/test/paper-browser.ts';
import { newCustomer } from './agents.ts';
import { endpointOf, headersOf, message } from './mcp.ts';
import { exchange, type Reply } from './raw-requests.ts';
import type { Tenant, World } from './tenant.ts';

export const REDIRECT_URI = 'https://assistant.example/callback';
const FORM = { 'Content-Type': 'application/x-www-form-urlencoded' };

export type Fields = Record<string, string>;

/** A flow as its client sees it. */
export interface Flow {
  tenant: Tenant;
  client_id: string;
  verifier: string;
  challenge: string;
  state: string;
  browser: PaperBrowser;
  /** The path of the page on which the customer decides. */
  page: string;
}

export async function registerClient({ baseUrl }: World, { site_id }: Tenant): Promise<string> {
  const body = JSON.stringify({ redirect_uris: [REDIRECT_URI], client_name: 'A client' });
  const { status, text } = await exchange(baseUrl, 'POST', `/sites/${site_id}/oauth/register`, {}, body);
  if (status !== 201) throw new Error(`The registration was refused: ${status} ${text}`);
  return (JSON.parse(text) as { client_id: string }).client_id;
}

/** Opens the authorization URL with these fields. */
export function authorize(
  { baseUrl }: World,
  { site_id }: Tenant,
  fields: Fields | [string, string][],
): Promise<Reply> {
  const query = new URLSearchParams(fields);
  return exchange(baseUrl, 'GET', `/sites/${site_id}/oauth/authorize?${query}`, {});
}

export function fieldsOf({ tenant, client_id, challenge, state }: Omit<Flow, 'verifier' | 'browser' | 'page'>): Fields {
  return {
    response_type: 'code',
    client_id,
    redirect_uri: REDIRECT_URI,
    code_challenge: challenge,
    code_challenge_method: 'S256',
    state,
    resource: `http://localhost/sites/${tenant.site_id}`,
  };
}

/** Starts a flow for a new customer who is logged in. Returns the path of its consent page without opening the page. */
export async function begin(world: World, tenant: Tenant, client_id: string): Promise<Flow> {
  const verifier = randomBytes(32).toString('base64url');
  const challenge = createHash('sha256').update(verifier).digest('base64url');
  const begun = { tenant, client_id, verifier, challenge, state: randomUUID() };
  const { status, headers } = await authorize(world, tenant, fieldsOf(begun));
  const { pathname, search } = new URL(headers.location ?? '', 'http://localhost');
  if (status !== 303 || pathname !== '/agent-consent') throw new Error(`A flow could not begin: ${status}`);
  return { ...begun, browser: await browserOf(world, tenant), page: pathname + search };
}

/** Returns the browser of a new customer who is logged in. */
export async function browserOf(world: World, tenant: Tenant): Promise<PaperBrowser> {
  const { token } = await newCustomer(world, tenant);
  const session = `sid_${tenant.site_id.replaceAll('-', '')}=${token}`;
  return new PaperBrowser(world.baseUrl, {}, ((address: string, init: RequestInit) => {
    const { Cookie = '', ...headers } = init.headers as Fields;
    // An approval starts a new session. The original cookie is sent only until the browser has the cookie of the new
    // session.
    const own = Cookie.includes('sid_') ? Cookie : [Cookie, session].filter(Boolean).join('; ');
    return fetch(address, { ...init, headers: { ...headers, Cookie: own } });
  }) as typeof fetch);
}

/** The customer approves. Returns the parameters that the browser passes to the client. */
export async function allow({ browser, page }: Flow): Promise<URLSearchParams> {
  const shown = await browser.press(await browser.open(page), 'approve', { budget: '20.00' });
  const back = leadsTo(shown);
  if (!back?.href.startsWith(`${REDIRECT_URI}?`)) throw new Error(`No code came of it: ${shown.response.status}`);
  return back.searchParams;
}

export function exchangeOf({ client_id, verifier }: Flow, code: string): Fields {
  return {
    grant_type: 'authorization_code',
    code,
    client_id,
    redirect_uri: REDIRECT_URI,
    code_verifier: verifier,
  };
}

export function redeem({ baseUrl }: World, { site_id }: Tenant, fields: Fields | [string, string][]): Promise<Reply> {
  const body = new URLSearchParams(fields).toString();
  return exchange(baseUrl, 'POST', `/sites/${site_id}/oauth/token`, FORM, body);
}

/** Whether a call with the token succeeds. */
export async function opens({ baseUrl }: World, token: string): Promise<boolean> {
  const { status } = await exchange(baseUrl, 'GET', '/api/agent/audit/me', { Authorization: `Bearer ${token}` });
  return status === 200;
}

/** Whether a token works at the shop's MCP endpoint, which is another resource than the API. */
export async function opensMcp({ baseUrl }: World, tenant: Tenant, token: string): Promise<boolean> {
  const listing = message('tools/list');
  const headers = { ...headersOf(listing), Authorization: `Bearer ${token}` };
  const { status } = await exchange(baseUrl, 'POST', endpointOf(tenant), headers, JSON.stringify(listing));
  return status === 200;
}
