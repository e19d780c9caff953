import { expect, test } from 'vitest';
import { described, faultsOf, followed } from '../../test/contract-check.ts';
import { operations } from './contract.ts';
import { createMockFetch } from './fetch.ts';
import { createMockShop } from './index.ts';

type Json = Record<string, unknown>;

test('the mocks have a handler for every operation of the contract', () => {
  const { handlers, shop } = createMockShop();
  const wanted = [...described.values()].map(({ method, path }) => {
    return `${method.toUpperCase()} ${shop.baseUrl}${path.replaceAll(/\{(\w+)\}/g, ':$1')}`;
  });
  const given = handlers.map(({ info }) => info.header);
  expect(wanted.filter((one) => !given.includes(one))).toEqual([]);
  expect(operations.map(({ id }) => id).sort()).toEqual([...described.keys()].sort());
});

const ID = '0192f3a0-ffff-7000-8000-000000000001';

/** The contract's example of a parameter, otherwise a value of its type. */
function exampleOf(parameter: Json): unknown {
  const schema = followed(parameter.schema as Json) ?? {};
  const examples = Object.values((parameter.examples ?? {}) as Record<string, Json>);
  return (
    parameter.example ?? followed(examples[0])?.value ?? schema.example ?? (schema.examples as unknown[])?.[0] ?? ID
  );
}

/** A request made of the contract's examples. */
function requestFor(id: string, baseUrl: string, credentials: Record<string, string>): Request {
  const { operation, path, method, shared } = described.get(id) ?? {};
  const parameters: Json[] = [...(shared ?? []), ...(operation?.parameters ?? [])].flatMap((one): Json[] => {
    const found = followed(one);
    return found ? [found] : [];
  });
  const named = (place: string) => parameters.filter((one) => one.in === place && one.required === true);
  const address = named('path').reduce(
    (text, one) => text.replace(`{${one.name}}`, encodeURIComponent(String(exampleOf(one)))),
    `${baseUrl}${path}`,
  );
  const query = new URLSearchParams(named('query').map((one) => [String(one.name), String(exampleOf(one))]));
  const json = (followed(operation?.requestBody)?.content as Record<string, Json> | undefined)?.['application/json'];
  const body = json?.example ?? followed(Object.values((json?.examples ?? {}) as Record<string, Json>)[0])?.value;
  return new Request(`${address}?${query}`, {
    method: method?.toUpperCase() ?? 'GET',
    headers: {
      ...Object.fromEntries(named('header').map((one) => [String(one.name), String(exampleOf(one))])),
      ...credentials,
      ...(method !== 'get' && { 'Idempotency-Key': crypto.randomUUID() }),
      ...(body !== undefined && { 'Content-Type': 'application/json' }),
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
}

test('the mocks accept the example of every request in the contract, and return valid responses', async () => {
  const { fetch, shop } = createMockFetch();
  const pair = { 'X-Site-ID': shop.siteId, 'X-Service-Token': shop.storefrontToken };
  /** Logs in for each call, because some calls revoke the token. */
  async function loggedIn(): Promise<string> {
    const login = new Request(`${shop.baseUrl}/api/storefront/customer/login`, {
      method: 'POST',
      headers: { ...pair, 'Idempotency-Key': crypto.randomUUID(), 'Content-Type': 'application/json' },
      body: JSON.stringify({ email: shop.customers[0]?.email, password: shop.customers[0]?.password }),
    });
    return ((await (await fetch(login)).json()) as { access_token: string }).access_token;
  }
  const answered: Record<number, number> = {};
  for (const { id, security } of operations) {
    const schemes = security.flat();
    const bearer = schemes.includes('StaffSession')
      ? shop.staffToken
      : schemes.includes('CustomerToken')
        ? await loggedIn()
        : schemes.includes('AgentToken') && !schemes.includes('StorefrontToken')
          ? shop.issueAgentToken({ budget_cents: 10_000 })
          : undefined;
    const credentials = {
      ...(schemes.includes('SiteId') && { 'X-Site-ID': shop.siteId }),
      ...(schemes.includes('StorefrontToken') && { 'X-Service-Token': shop.storefrontToken }),
      ...(schemes.includes('SyncSecret') && { 'X-Sync-Secret': shop.syncSecret }),
      ...(id === 'agent.requestConsent' && { 'X-Site-ID': shop.siteId }),
      ...(bearer && { Authorization: `Bearer ${bearer}` }),
    };
    const request = requestFor(id, shop.baseUrl, credentials);
    const response = await fetch(request.clone());
    expect(await faultsOf(request, response), id).toEqual([]);
    // The example's customer does not exist in the mock shop.
    if (id === 'storefront.loginCustomer') continue;
    expect([401, 405, 415, 422, 500], `${id}: ${await response.clone().text()}`).not.toContain(response.status);
    answered[response.status] = (answered[response.status] ?? 0) + 1;
  }
  expect(answered[200]).toBeGreaterThan(130);
}, 120_000);
