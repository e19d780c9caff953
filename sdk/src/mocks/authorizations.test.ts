/** The authorization code flow from registration to revocation, against the mocks. */

import { setupServer } from 'msw/node';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createAgentClient } from '../agent.ts';
import { beginAuthorization, finishAuthorization, registerAgent } from '../authorization.ts';
import { unwrap } from '../errors.ts';
import { createMockShop } from './index.ts';

const { handlers, shop } = createMockShop({ baseUrl: 'https://shop.test' });
const network = setupServer(...handlers);
const redirectUri = 'https://agent.example/back';

beforeAll(() => network.listen());
afterAll(() => network.close());

/** Starts an authorization with a budget of 30.00. */
async function begun() {
  const clientId = await registerAgent({ ...shop, name: 'Gift finder', redirectUris: [redirectUri] });
  return beginAuthorization({ ...shop, clientId, redirectUri, scopes: ['catalog:read'], budgetCents: 3_000 });
}

const agentWith = (agentToken: string) => createAgentClient({ baseUrl: shop.baseUrl, agentToken });

test('exchanges an approved authorization code for a token, which works until it is revoked', async () => {
  const { url, pending } = await begun();
  const issued = await finishAuthorization(pending, shop.authorize(url, { budget_cents: 2_000 }));
  expect(issued).toMatchObject({ agent_name: 'Gift finder', budget_cents: 2_000, scope: 'catalog:read' });
  const agent = agentWith(issued.access_token);
  expect(await unwrap(agent.GET('/api/agent/token'))).toMatchObject({ budget_cents: 2_000, status: 'active' });

  const body = new URLSearchParams({ token: issued.access_token });
  const revoked = await fetch(pending.token_endpoint.replace(/token$/, 'revoke'), { method: 'POST', body });
  expect(revoked.status).toBe(200);
  await expect(unwrap(agent.GET('/api/agent/token'))).rejects.toMatchObject({ code: 'invalid_token' });
});

test('an authorization code of the mocks works once, and using it again revokes the access token', async () => {
  const { url, pending } = await begun();
  const back = shop.authorize(url);
  const { access_token } = await finishAuthorization(pending, back);
  await expect(finishAuthorization(pending, back)).rejects.toMatchObject({ code: 'invalid_grant' });
  await expect(unwrap(agentWith(access_token).GET('/api/agent/token'))).rejects.toMatchObject({
    code: 'invalid_token',
  });
});

test('the mocks issue no token after a denial, with another code verifier or for a larger budget than requested', async () => {
  const { url, pending } = await begun();
  await expect(finishAuthorization(pending, shop.authorize(url, 'deny'))).rejects.toMatchObject({
    code: 'access_denied',
  });
  const stolen = { ...pending, code_verifier: 'x'.repeat(43) };
  await expect(finishAuthorization(stolen, shop.authorize(url))).rejects.toMatchObject({ code: 'invalid_grant' });
  expect(() => shop.authorize(url, { budget_cents: 3_001 })).toThrow('does not match');
});

test('the mocks reject redirect URIs and authorization URLs that the server would reject', async () => {
  const { url } = await begun();
  const changed = (name: string, value: string) => {
    const other = new URL(url);
    other.searchParams.set(name, value);
    return () => shop.authorize(other.href);
  };
  expect(changed('client_id', 'unknown')).toThrow('client_id is not registered');
  expect(changed('redirect_uri', 'https://evil.example/')).toThrow('redirect_uri is not one');
  expect(changed('redirect_uri', `${redirectUri}2`)).toThrow('redirect_uri is not one');
  expect(changed('code_challenge_method', 'plain')).toThrow('S256');
  expect(() => shop.authorize('https://shop.test/elsewhere')).toThrow('no address of this shop');
});
