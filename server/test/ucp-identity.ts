/** A UCP platform that links identities: its host has its profile and the metadata document of its OAuth client. */

import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import * as oauth from 'oauth4webapi';
import { atConsent, leadsTo, localFetch, REDIRECT_URI } from './oauth.ts';
import type { openShop } from './shop.ts';

type Shop = Awaited<ReturnType<typeof openShop>>;
type Customer = Awaited<ReturnType<Shop['givenCustomer']>>;

export async function openLinkingPlatform(capabilities: string[], version = '2026-08-25') {
  const server = createServer((req, res) => {
    const origin = `http://${req.headers.host}`;
    const entry = [{ version, spec: 'https://ucp.dev/', schema: 'https://ucp.dev/' }];
    const declared = Object.fromEntries(capabilities.map((name) => [name, entry]));
    const profile = { ucp: { version, services: {}, payment_handlers: {}, capabilities: declared } };
    const client = { client_id: `${origin}/oauth/client.json`, client_name: 'Platform', redirect_uris: [REDIRECT_URI] };
    res.setHeader('Cache-Control', 'public, max-age=600');
    res.end(JSON.stringify(req.url === '/oauth/client.json' ? client : profile));
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    host,
    url: `http://${host}/.well-known/ucp`,
    client_id: `http://${host}/oauth/client.json`,
    async close() {
      server.closeAllConnections();
      await new Promise((closed) => server.close(closed));
    },
  };
}

export const optionsFor = ({ baseUrl }: Pick<Shop, 'baseUrl'>) => ({
  [oauth.customFetch]: localFetch(baseUrl),
  [oauth.allowInsecureRequests]: true,
});

export async function serverOf(shop: Shop, issuer: string): Promise<oauth.AuthorizationServer> {
  const at = new URL(issuer);
  return oauth.processDiscoveryResponse(
    at,
    await oauth.discoveryRequest(at, { ...optionsFor(shop), algorithm: 'oauth2' }),
  );
}

export interface Linking {
  client_id: string;
  scope: string;
  redirect_uri?: string;
  resource?: string;
  /** Fields of the consent form that the customer changes. */
  entries?: Record<string, string>;
}

/**
 * Guides a customer's browser through the shop's consent page. Returns the URL to which the browser was redirected, and
 * the values that are needed to complete the flow.
 */
export async function askForIdentity(shop: Shop, customer: Customer, issuer: string, linking: Linking) {
  const { client_id, scope, redirect_uri = REDIRECT_URI, resource, entries } = linking;
  const server = await serverOf(shop, issuer);
  const [verifier, state] = [oauth.generateRandomCodeVerifier(), oauth.generateRandomState()];
  const address = new URL(server.authorization_endpoint ?? '');
  const challenge = await oauth.calculatePKCECodeChallenge(verifier);
  const fields = { response_type: 'code', client_id, redirect_uri, scope, state, ...(resource && { resource }) };
  for (const [name, value] of Object.entries({ ...fields, code_challenge: challenge, code_challenge_method: 'S256' })) {
    address.searchParams.set(name, value);
  }
  const { browser, page } = await atConsent(shop, customer, address);
  const back = leadsTo(await browser.press(page, 'approve', entries));
  return { server, back, page, verifier, state, redirect_uri };
}

/**
 * Links the identity of a customer as the specification of the capability describes it. Returns the response of the
 * token endpoint.
 */
export async function linkIdentity(shop: Shop, customer: Customer, issuer: string, linking: Linking) {
  const asked = await askForIdentity(shop, customer, issuer, linking);
  const { server, back, verifier, state, redirect_uri, page } = asked;
  if (!back) throw new Error('The page does not lead back.');
  const client: oauth.Client = { client_id: linking.client_id };
  const returned = oauth.validateAuthResponse(server, client, back, state);
  const answer = await oauth.authorizationCodeGrantRequest(
    server,
    client,
    oauth.None(),
    returned,
    redirect_uri,
    verifier,
    optionsFor(shop),
  );
  return { ...(await oauth.processAuthorizationCodeResponse(server, client, answer)), page: page.html };
}
