import { createHash, randomUUID } from 'node:crypto';
import { afterAll, expect, test } from 'vitest';
import { startServer, stopServer } from '../../test/server.ts';
import { openShop } from '../../test/shop.ts';
import { publishProfile, ucpClient } from '../../test/ucp.ts';
import { openPlatform, type Signing, type Unsigned } from '../../test/ucp-platform.ts';
import { databaseUrl } from '../../test/worker-database.ts';
import { CAPABILITIES } from './protocol.ts';

const capabilities = Object.keys(CAPABILITIES);
const [platform, other] = [await openPlatform({ capabilities }), await openPlatform({ capabilities })];
afterAll(() => Promise.all([platform.close(), other.close()]));

async function openUcp() {
  const shop = await openShop();
  const { variants } = await shop.givenProduct({ price: '14.00' });
  const issuer = `${shop.baseUrl}/sites/${shop.site_id}`;
  const agent = { 'UCP-Agent': `profile="${platform.url}"` };
  const request = (quantity = 1): Unsigned & { body: string } => ({
    method: 'POST',
    url: `${issuer}/ucp/v1/carts`,
    headers: { ...agent, 'Content-Type': 'application/json', 'Idempotency-Key': randomUUID() },
    body: JSON.stringify({ line_items: [{ item: { id: variants[0]?.id ?? '' }, quantity }] }),
  });
  return { ...shop, issuer, agent, request };
}

async function answerTo({ url, method, body }: Unsigned, headers: Record<string, string>) {
  const response = await fetch(url, { method, headers, ...(body !== undefined && { body }) });
  const { code, content, id } = (await response.json()) as { code?: string; content?: string; id?: string };
  return { status: response.status, code, content, id };
}

/** Sends a signed request, and returns its response. */
async function send(request: Unsigned, by: Signing = {}, signer = platform) {
  return answerTo(request, await signer.sign(request, by));
}

const seconds = () => Math.floor(Date.now() / 1_000);

test('accepts requests whose signature covers target, body and headers, with or without a creation time', async () => {
  const { issuer, agent, request } = await openUcp();

  const made = await send(request());
  expect(made).toMatchObject({ status: 201 });
  expect(await send(request(), { params: `;created=${seconds()};expires=${seconds() + 60}` })).toMatchObject({
    status: 201,
  });
  const read = { method: 'GET', url: `${issuer}/ucp/v1/carts/${made.id}?x=1`, headers: agent };
  expect(await send(read)).toMatchObject({ status: 200, id: made.id });
});

test('repeating a signed request returns the first response and creates no second cart', async () => {
  const { request, owner, site_id } = await openUcp();
  const one = request();
  const headers = await platform.sign(one);

  const [first, second] = [await answerTo(one, headers), await answerTo(one, headers)];

  expect(second).toEqual(first);
  const { rows } = await owner.query('select id from commerce.carts where site_id = $1', [site_id]);
  expect(rows).toEqual([{ id: first.id }]);
  const changed = { ...request(2), headers: one.headers };
  expect(await send(changed)).toMatchObject({ status: 409, code: 'idempotency_conflict' });
});

test('rejects a body that was changed after signing, whether or not the digest was updated', async () => {
  const { request } = await openUcp();
  const one = request();
  const headers = await platform.sign(one);
  const more = one.body.replace('"quantity":1', '"quantity":9');

  expect(await answerTo({ ...one, body: more }, headers)).toEqual({
    ...{ status: 400, code: 'digest_mismatch', id: undefined },
    content: expect.stringContaining('Send the digest of the exact bytes.'),
  });
  const digest = (await platform.sign({ ...one, body: more }))['Content-Digest'] ?? '';
  const both = await answerTo({ ...one, body: more }, { ...headers, 'Content-Digest': digest });
  expect(both).toMatchObject({ status: 401, code: 'signature_invalid' });
  const unsigned = { ...one.headers, 'Content-Digest': digest };
  expect(await answerTo(one, unsigned)).toMatchObject({ status: 400, code: 'digest_mismatch' });
});

test("rejects a signature made with the key of another platform, under this platform's key id or its own", async () => {
  const { request } = await openUcp();

  expect(await send(request(), { kid: platform.kid }, other)).toMatchObject({
    ...{ status: 401, code: 'signature_invalid' },
    content: expect.stringContaining('Sign the bytes and headers that you send.'),
  });
  expect(await send(request(), {}, other)).toMatchObject({
    ...{ status: 401, code: 'key_not_found' },
    content: expect.stringContaining('Publish it in keys'),
  });
});

test.each([
  ['is older than five minutes', () => `;created=${seconds() - 301}`, 'is older than 300 seconds'],
  ['has expired', () => `;created=${seconds()};expires=${seconds() - 1}`, 'has expired'],
  ['is from the future', () => `;created=${seconds() + 120}`, 'is from the future'],
  ['has the tag of another purpose', () => ';tag="payments"', 'The tag payments'],
])('rejects a signature that %s', async (_, params, content) => {
  const { request } = await openUcp();

  expect(await send(request(), { params: params() })).toMatchObject({
    ...{ status: 401, code: 'signature_invalid' },
    content: expect.stringContaining(content),
  });
});

test.each(['@method', '@authority', '@path', 'content-digest', 'content-type', 'idempotency-key', 'ucp-agent'])(
  'rejects a signature that does not cover %s',
  async (name) => {
    const { request } = await openUcp();

    expect(await send(request(), { without: [name] })).toMatchObject({
      ...{ status: 401, code: 'signature_invalid' },
      content: `The signature must also cover ${name}.`,
    });
  },
);

test('rejects a signature over only one algorithm of the digest, because the body could be replaced', async () => {
  const { request } = await openUcp();
  const one = request();
  const sum = (name: string, text: string) =>
    `${name.replace('sha', 'sha-')}=:${createHash(name).update(text).digest('base64')}:`;
  const digest = `${sum('sha512', one.body)}, ${sum('sha256', one.body)}`;
  const headers = await platform.sign(one, { digest, part: 'sha-512' });
  const more = one.body.replace('"quantity":1', '"quantity":9');
  const replaced = `${sum('sha512', one.body)}, ${sum('sha256', more)}`;

  expect(await answerTo({ ...one, body: more }, { ...headers, 'Content-Digest': replaced })).toMatchObject({
    ...{ status: 401, code: 'signature_invalid' },
    content: 'The signature must also cover content-digest.',
  });
  expect(await send(one, { digest })).toMatchObject({ status: 201 });
});

test.each([
  ['an id that PostgreSQL cannot store', { kid: 'a\u0000b', kty: 'EC', crv: 'P-256' }],
  ['an unpaired surrogate', { kid: 'strange', kty: 'EC', crv: '\ud800' }],
  ['an object as a coordinate', { kid: 'strange', kty: 'EC', crv: 'P-256', x: { a: '\u0000' } }],
  ['a hundred kilobytes', { kid: 'strange', kty: 'EC', crv: 'P-256', x: 'x'.repeat(100_000) }],
])('accepts a platform that publishes a key with %s, and does not store that key', async (_, key) => {
  const strange = await openPlatform({ capabilities });
  strange.publishKeys([...strange.keys(), key]);
  const { request, owner, site_id } = await openUcp();
  const one = request();

  const named = { ...one, headers: { ...one.headers, 'UCP-Agent': `profile="${strange.url}"` } };
  expect(await send(named, {}, strange)).toMatchObject({ status: 201 });
  const { rows } = await owner.query(
    'select length(keys::text) as kept from commerce.agent_profiles where site_id = $1',
    [site_id],
  );
  expect(rows[0].kept).toBeLessThan(500);
  await strange.close();
});

test('a profile whose version is an array nested 50,000 times is treated as declaring no version', async () => {
  const { issuer } = await openUcp();
  const nested = `${'['.repeat(50_000)}${']'.repeat(50_000)}`;
  const agent = await publishProfile(
    `{"ucp":{"version":"2026-08-25","services":{},"payment_handlers":{},"capabilities":{"dev.ucp.shopping.cart":[{"version":${nested}}]}}}`,
  );

  const answer = await ucpClient({ issuer, profile: agent.url }).send('get_cart', randomUUID());
  expect([answer.status, await answer.text()]).toEqual([200, expect.stringContaining('capabilities_incompatible')]);
  await agent.close();
});

test('an error response at the URL of the shop profile is not cacheable (no-store)', async () => {
  const { issuer, owner, site_id } = await openUcp();
  await owner.query('begin');
  // The first request creates the signing key of the shop, and waits for this lock until it times out.
  await owner.query('select from commerce.sites where site_id = $1 for update', [site_id]);
  const failed = await fetch(`${issuer}/.well-known/ucp`);
  await owner.query('rollback');

  expect([failed.status, failed.headers.get('cache-control')]).toEqual([503, 'no-store']);
  expect((await fetch(`${issuer}/.well-known/ucp`)).headers.get('cache-control')).toBe('public, max-age=300');
});

test('concurrent first requests for the profile of a shop all get the same signing key', async () => {
  const { issuer, owner, site_id } = await openUcp();
  const kids = await Promise.all(
    Array.from({ length: 12 }, async () => {
      const { keys } = (await (await fetch(`${issuer}/.well-known/ucp`)).json()) as { keys: { kid: string }[] };
      return keys.map(({ kid }) => kid);
    }),
  );

  const { rows } = await owner.query('select kid from commerce.signing_keys where site_id = $1', [site_id]);
  expect(rows).toHaveLength(1);
  expect(kids).toEqual(kids.map(() => [rows[0].kid]));
});

test('rejects a signature made for another path or host, or without the query of the request', async () => {
  const { issuer, agent, request } = await openUcp();
  const { id } = await send(request());
  const read = { method: 'GET', url: `${issuer}/ucp/v1/carts/${id}`, headers: agent };
  const headers = await platform.sign({ ...read, url: `${issuer}/ucp/v1/carts/${randomUUID()}` });
  expect(await answerTo(read, headers)).toMatchObject({ status: 401, code: 'signature_invalid' });
  const elsewhere = await platform.sign({ ...read, url: read.url.replace(/127\.0\.0\.1|localhost/, 'shop.example') });
  expect(await answerTo(read, elsewhere)).toMatchObject({ status: 401, code: 'signature_invalid' });
  const queried = { ...read, url: `${read.url}?a=1` };
  const plain = await platform.sign(read);
  expect(await answerTo(queried, plain)).toMatchObject({ content: 'The signature must also cover @query.' });
});

test('rejects more than 60 invalid signatures a minute (429), and still accepts a valid one', async () => {
  const { site_id, request } = await openUcp();
  const limited = await startServer(databaseUrl(), { rateLimits: true });
  const there = () => ({ ...request(), url: `${limited.baseUrl}/sites/${site_id}/ucp/v1/carts` });
  const refusals = [];
  for (let sent = 0; sent < 61; sent += 1) refusals.push(await send(there(), { without: ['@path'] }));
  const made = await send(there());
  await stopServer(limited);

  expect(refusals.map(({ status }) => status)).toEqual([...Array(60).fill(401), 429]);
  expect(refusals.at(-1)).toMatchObject({ code: 'rate_limited', content: expect.stringContaining('Try again in') });
  expect(made).toMatchObject({ status: 201 });
});

test('rejects a Signature-Input without a Signature, and malformed signature headers (401)', async () => {
  const { request } = await openUcp();
  const one = request();
  const { Signature: _, ...half } = await platform.sign(one);
  expect(await answerTo(one, half)).toMatchObject({ status: 401, code: 'signature_missing' });
  for (const input of ['nonsense', 'sig1=("@method"', 'other=("@method");keyid="a"']) {
    const headers = { ...(await platform.sign(one)), 'Signature-Input': input };
    expect(await answerTo(one, headers)).toMatchObject({ status: 401, code: 'signature_invalid' });
  }
});

test('looks for a new key of a platform at most once a minute, and rejects a key of an unknown type (400)', async () => {
  const rotating = await openPlatform({ capabilities });
  const { request, owner, site_id } = await openUcp();
  const mine = () => {
    const one = request();
    return { ...one, headers: { ...one.headers, 'UCP-Agent': `profile="${rotating.url}"` } };
  };
  const published = rotating.keys();
  rotating.publishKeys([{ kid: 'strange', kty: 'PQ', crv: 'Kyber' }]);
  expect(await send(mine(), {}, rotating)).toMatchObject({ status: 401, code: 'key_not_found' });
  expect(await send(mine(), { kid: 'strange' }, rotating)).toMatchObject({
    status: 400,
    code: 'algorithm_unsupported',
  });
  rotating.publishKeys(published);
  expect(await send(mine(), {}, rotating)).toMatchObject({ status: 401, code: 'key_not_found' });
  expect(rotating.fetched()).toBe(1);
  await owner.query(`update commerce.agent_profiles set fetched_at = now() - interval '2 minutes' where site_id = $1`, [
    site_id,
  ]);
  expect(await send(mine(), {}, rotating)).toMatchObject({ status: 201 });
  expect(await send(mine(), {}, rotating)).toMatchObject({ status: 201 });
  expect(rotating.fetched()).toBe(2);
  await rotating.close();
});

test('a shop that requires signatures rejects unsigned requests over REST and MCP (401 signature_missing)', async () => {
  const { dashboard, issuer, request } = await openUcp();
  const { error } = await dashboard.PATCH('/api/dashboard/settings', { body: { require_ucp_signatures: true } });
  expect(error).toBeUndefined();

  const one = request();
  expect(await answerTo(one, one.headers)).toMatchObject({
    ...{ status: 401, code: 'signature_missing' },
    content: 'Send Signature-Input and Signature (RFC 9421), made with a key in your profile.',
  });
  expect(await send(request())).toMatchObject({ status: 201 });
  const tool = (args: object) => ({
    method: 'POST',
    url: `${issuer}/ucp/mcp`,
    headers: {
      'Content-Type': 'application/json',
      Accept: 'application/json, text/event-stream',
      'MCP-Protocol-Version': '2025-11-25',
    },
    body: JSON.stringify({
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: { name: 'search_catalog', arguments: args },
    }),
  });
  const call = tool({ meta: { 'ucp-agent': { profile: platform.url } }, catalog: {} });
  const unsigned = await fetch(call.url, call);
  expect([unsigned.status, await unsigned.text()]).toEqual([200, expect.stringContaining('"signature_missing"')]);
  const signed = await fetch(call.url, { ...call, headers: await platform.sign(call) });
  expect([signed.status, await signed.text()]).toEqual([200, expect.stringContaining('structuredContent')]);
  const headers = await platform.sign(call);
  const altered = await fetch(call.url, {
    ...call,
    headers,
    body: call.body.replace('"catalog":{}', '"catalog":{"query":"x"}'),
  });
  expect(await altered.text()).toContain('"digest_mismatch"');
  expect((await fetch(`${issuer}/.well-known/ucp`)).status).toBe(200);
});
