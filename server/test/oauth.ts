import * as oauth from 'openid-client';
import { type Page, PaperBrowser, unescaped } from './paper-browser.ts';
import type { openShop } from './shop.ts';

type Shop = Awaited<ReturnType<typeof openShop>>;
type Customer = Awaited<ReturnType<Shop['givenCustomer']>>;

export const REDIRECT_URI = 'https://assistant.example/callback';

/** A `fetch` for the test server, which does not listen on the port of its base URL. */
export function localFetch(baseUrl: string) {
  return ((address: string | URL, init: RequestInit = {}) => {
    const { protocol, host, pathname, search } = new URL(address);
    if (protocol === 'http:' && host === 'localhost') return fetch(baseUrl + pathname + search, init);
    return fetch(address, init);
  }) as typeof fetch & oauth.CustomFetch;
}

/** Discovers the shop's issuer with an unmodified OAuth library, and registers a client. */
export async function registeredClient({ baseUrl, site_id }: Shop, redirect_uris = [REDIRECT_URI]) {
  const options: oauth.DynamicClientRegistrationRequestOptions = {
    algorithm: 'oauth2',
    execute: [oauth.allowInsecureRequests],
    [oauth.customFetch]: localFetch(baseUrl),
  };
  const issuer = new URL(`http://localhost/sites/${site_id}`);
  const metadata = { client_name: 'Stock client', redirect_uris, token_endpoint_auth_method: 'none' };
  return oauth.dynamicClientRegistration(issuer, metadata, oauth.None(), options);
}

/** Starts the authorization code flow. Returns the values that are needed to complete it. */
export async function beginAuthorization(config: oauth.Configuration, wish: Record<string, string> = {}) {
  const code_verifier = oauth.randomPKCECodeVerifier();
  const state = oauth.randomState();
  const address = oauth.buildAuthorizationUrl(config, {
    redirect_uri: REDIRECT_URI,
    code_challenge: await oauth.calculatePKCECodeChallenge(code_verifier),
    code_challenge_method: 'S256',
    state,
    ...wish,
  });
  return { address, code_verifier, state };
}

/**
 * Opens the consent page in a logged-in browser. `ask` replaces `fetch`, for example to send the requests to the host
 * of a shop.
 */
export async function atConsent(shop: Shop, customer: Customer, address: URL, ask?: typeof fetch) {
  const open = (origin: string) => new PaperBrowser(ask ? origin : shop.baseUrl, {}, ask);
  const sent = await open(address.origin).open(address.href);
  const at = sent.response.headers.get('Location') ?? 'http://localhost/nowhere';
  const browser = open(new URL(at).origin);
  const { email, password } = customer;
  return { browser, at, page: await browser.press(await browser.open(at), 'log_in', { email, password }) };
}

/** The URL outside of the shop to which a page redirects; undefined if the page does not redirect there. */
export function leadsTo({ response, html }: Page): URL | undefined {
  const [, address] = /^0; url=(.+)$/.exec(response.headers.get('Refresh') ?? '') ?? [];
  if (address === undefined || response.status !== 200) return undefined;
  const links = [...html.matchAll(/<a\b[^>]*\shref="([^"]*)"/g)].map(([, href = '']) => unescaped(href));
  if (!links.includes(address)) throw new Error(`The page has no link to ${address}.`);
  return new URL(address);
}

/** Sends a form to the token endpoint, and returns the response. */
export async function exchange({ baseUrl, site_id }: Shop, fields: Record<string, string>) {
  const body = new URLSearchParams({ grant_type: 'authorization_code', ...fields });
  const answer = await fetch(`${baseUrl}/sites/${site_id}/oauth/token`, { method: 'POST', body });
  return { status: answer.status, body: (await answer.json()) as Record<string, string> };
}
