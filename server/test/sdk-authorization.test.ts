/** Tests the SDK's authorization code flow with this server and a customer's browser. */

import {
  AuthorizationError,
  beginAuthorization,
  CommerceError,
  ConnectionError,
  createAgentClient,
  finishAuthorization,
  registerAgent,
} from '@commerce-backend/sdk';
import { beforeAll, expect, test } from 'vitest';
import { atConsent, leadsTo, localFetch, REDIRECT_URI } from './oauth.ts';
import { openShop } from './shop.ts';

let shop: Awaited<ReturnType<typeof openShop>>;
let customer: Awaited<ReturnType<typeof shop.givenCustomer>>;
let place: { baseUrl: string; siteId: string; fetch: (request: Request) => Promise<Response> };
let clientId: string;

beforeAll(async () => {
  shop = await openShop();
  customer = await shop.givenCustomer();
  const local = localFetch(shop.baseUrl);
  const fetch = async (request: Request) => {
    const { method, headers } = request;
    const body = method === 'GET' ? undefined : await request.text();
    return local(request.url, { method, headers, ...(body !== undefined && { body }) });
  };
  // The shop, under the base URL with which the server is configured.
  place = { baseUrl: 'http://localhost', siteId: shop.site_id, fetch };
  clientId = await registerAgent({ ...place, name: 'Gift finder', redirectUris: [REDIRECT_URI] });
});

/** Starts the flow, and lets the customer decide. Returns the URL of the redirect. */
async function decided(decision: 'approve' | 'deny') {
  const begun = await beginAuthorization({
    ...{ ...place, clientId, redirectUri: REDIRECT_URI, scopes: ['catalog:read', 'cart:write'] },
    budgetCents: 2_500,
  });
  const { browser, page } = await atConsent(shop, customer, new URL(begun.url));
  const led = await browser.press(page, decision, decision === 'approve' ? { budget: '20.00' } : {});
  return { ...begun, back: leadsTo(led) ?? new URL('http://localhost/nowhere') };
}

const codeOf = (error: unknown) => (error instanceof AuthorizationError ? error.code : error);

test('after a customer approves an agent in the browser, the SDK gets a token that works', async () => {
  const { pending, back } = await decided('approve');
  const kept = JSON.parse(JSON.stringify(pending));
  const issued = await finishAuthorization(kept, back, place);
  expect(issued).toMatchObject({ agent_name: 'Gift finder', budget_cents: 2_000, scope: 'catalog:read cart:write' });
  const agent = createAgentClient({ baseUrl: shop.baseUrl, agentToken: issued.access_token });
  expect((await agent.GET('/api/agent/shop')).response.status).toBe(200);

  const again = await finishAuthorization(pending, back, place).catch((error: unknown) => error);
  expect(again).toBeInstanceOf(CommerceError);
  expect(again).toMatchObject({ code: 'invalid_grant' });
});

test('a denied consent, a forged redirect or a stolen code returns no token, but an error with the reason', async () => {
  const denied = await decided('deny');
  await expect(finishAuthorization(denied.pending, denied.back, place)).rejects.toSatisfy(
    (error) => codeOf(error) === 'access_denied',
  );
  const { pending, back } = await decided('approve');
  const changed = (name: string, value: string | null) => {
    const url = new URL(back);
    if (value === null) url.searchParams.delete(name);
    else url.searchParams.set(name, value);
    return finishAuthorization(pending, url, place).catch(codeOf);
  };
  expect(await changed('state', 'another')).toBe('state_mismatch');
  expect(await changed('state', null)).toBe('state_mismatch');
  expect(await changed('iss', 'https://evil.example/sites/1')).toBe('issuer_mismatch');
  expect(await changed('iss', null)).toBe('issuer_mismatch');
  expect(await changed('code', null)).toBe('missing_code');
  // A stolen authorization code is useless without the verifier.
  const stolen = finishAuthorization({ ...pending, code_verifier: 'x'.repeat(43) }, back, place);
  await expect(stolen).rejects.toMatchObject({ code: 'invalid_grant' });
  expect(await finishAuthorization(pending, back, place)).toMatchObject({ token_type: 'Bearer' });
});

test('the SDK throws a specific error for a rejected redirect URI, a foreign issuer and an unknown shop', async () => {
  const redirectUris = ['http://elsewhere.example/back'];
  await expect(registerAgent({ ...place, name: 'A', redirectUris })).rejects.toMatchObject({
    code: 'invalid_redirect_uri',
  });
  const elsewhere = { ...place, baseUrl: shop.baseUrl, clientId, redirectUri: REDIRECT_URI };
  await expect(beginAuthorization(elsewhere)).rejects.toBeInstanceOf(ConnectionError);
  const nowhere = { ...elsewhere, siteId: shop.site_id.replace(/.$/, 'f').replace(/^./, 'f') };
  await expect(beginAuthorization(nowhere)).rejects.toMatchObject({ code: 'not_found' });
});
