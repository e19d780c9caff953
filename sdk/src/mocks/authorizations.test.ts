import { setupServer } from 'msw/node';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createAgentClient } from '../agent.ts';
import { beginAuthorization, finishAuthorization, registerAgent } from '../authorization.ts';
import { unwrap } from '../errors.ts';
import { createMockShop } from './index.ts';

/** The authorization code flow, from registration to revocation, with the mocks in place of the server. */

const { handlers, shop } = createMockShop({ baseUrl: 'https://shop.test' });
const network = setupServer(...handlers);
const redirectUri = 'https://agent.example/back';

beforeAll(() => network.listen());
afterAll(() => network.close());

/** Asks for a budget of 30.00 to spend on what the customer likes. */
async function begun() {
  const clientId = await registerAgent({ ...shop, name: 'Gift finder', redirectUris: [redirectUri] });
  return beginAuthorization({ ...shop, clientId, redirectUri, scopes: ['catalog:read'], budgetCents: 3_000 });
}

const agentWith = (agentToken: string) => createAgentClient({ baseUrl: shop.baseUrl, agentToken });

test('a customer allows an agent at its address, and it calls with the token of the code until it is revoked', async () => {
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

test('a code counts once: whoever brings it again ends its token', async () => {
  const { url, pending } = await begun();
  const back = shop.authorize(url);
  const { access_token } = await finishAuthorization(pending, back);
  await expect(finishAuthorization(pending, back)).rejects.toMatchObject({ code: 'invalid_grant' });
  await expect(unwrap(agentWith(access_token).GET('/api/agent/token'))).rejects.toMatchObject({
    code: 'invalid_token',
  });
});

test('a customer who denies it, another verifier and more than was asked for give no token', async () => {
  const { url, pending } = await begun();
  await expect(finishAuthorization(pending, shop.authorize(url, 'deny'))).rejects.toMatchObject({
    code: 'access_denied',
  });
  const stolen = { ...pending, code_verifier: 'x'.repeat(43) };
  await expect(finishAuthorization(stolen, shop.authorize(url))).rejects.toMatchObject({ code: 'invalid_grant' });
  expect(() => shop.authorize(url, { budget_cents: 3_001 })).toThrow('does not match');
});

test('an address that the server would refuse is said to the developer', async () => {
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
