/** Checks the spans that a server sends to a collector: requests, statements, jobs and webhooks. */

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { createDashboardClient, createStorefrontClient, unwrap } from '@commerce-backend/sdk';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openReceiver } from '../../test/receiver.ts';
import { SECRET_KEY } from '../../test/server.ts';
import { openShop } from '../../test/shop.ts';
import { databaseUrl } from '../../test/worker-database.ts';
import { freePort } from '../db/free-port.ts';
import { summaryOf } from '../db/statement-summary.ts';

const TRACE_ID = '0af7651916cd43dd8448eb211c80319c';
const OTHER_TRACE_ID = '1af7651916cd43dd8448eb211c80319d';
const PARENT_ID = 'b7ad6b7169203331';
const KIND = { server: 2, client: 3, consumer: 5 };

interface Span {
  name: string;
  kind: number;
  traceId: string;
  spanId: string;
  parentSpanId?: string;
  links?: { traceId: string }[];
  attributes: Record<string, unknown>;
  failed: boolean;
}

/** Spans in OTLP's JSON format. */
interface Exported {
  resourceSpans: {
    scopeSpans: { spans: (Omit<Span, 'attributes'> & { attributes: Given[]; status?: { code: number } })[] }[];
  }[];
}
type Given = { key: string; value: Record<string, unknown> };

/** Starts a local collector. Keeps the received data as text and as spans. */
async function openCollector() {
  const texts: string[] = [];
  const collector = createServer(async (req, res) => {
    expect(req.url).toBe('/otlp/v1/traces');
    texts.push((await req.toArray()).join(''));
    res.writeHead(200, { 'Content-Type': 'application/json' }).end('{}');
  });
  await new Promise<void>((listening) => collector.listen(0, '127.0.0.1', listening));
  return {
    endpoint: `http://127.0.0.1:${(collector.address() as AddressInfo).port}/otlp`,
    text: () => texts.join('\n'),
    spans: () => texts.flatMap((text) => spansIn(JSON.parse(text))),
    close: () => collector.close(),
  };
}

function spansIn({ resourceSpans }: Exported): Span[] {
  return resourceSpans.flatMap(({ scopeSpans }) =>
    scopeSpans.flatMap(({ spans }) =>
      spans.map((span) => ({
        ...span,
        attributes: Object.fromEntries(span.attributes.map(({ key, value }) => [key, Object.values(value)[0]])),
        failed: span.status?.code === 2,
      })),
    ),
  );
}

let collector: Awaited<ReturnType<typeof openCollector>>;
let baseUrl: string;
let shop: Awaited<ReturnType<typeof openShop>>;
let spans: Span[];
let traceparent: string | undefined;
const secrets: string[] = [];

beforeAll(async () => {
  shop = await openShop();
  collector = await openCollector();
  spans = await tracedBy({}, callAll);
}, 90_000);

/** Runs a server with tracing and these settings. Returns the collected spans after the server has stopped. */
async function tracedBy(settings: NodeJS.ProcessEnv, work: () => Promise<void>): Promise<Span[]> {
  const dataDir = await mkdtemp(join(tmpdir(), 'commerce-traced-'));
  const port = await freePort();
  baseUrl = `http://127.0.0.1:${port}`;
  const before = collector.spans().length;
  const { PATH, NODE_COMPILE_CACHE } = process.env;
  const server = spawn(process.execPath, [join(import.meta.dirname, '../main.ts'), 'start'], {
    env: {
      ...{ PATH, NODE_COMPILE_CACHE, DATABASE_URL: databaseUrl(), DATA_DIR: dataDir, PORT: String(port), SECRET_KEY },
      ...{ OTEL_EXPORTER_OTLP_ENDPOINT: collector.endpoint, LOG_LEVEL: 'error', ...settings },
    },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const ended = once(server, 'exit');
  try {
    while (!(await fetch(`${baseUrl}/readyz`).catch(() => undefined))?.ok) await sleep(20);
    await work();
  } finally {
    // Its jobs would otherwise take the mails and webhooks of the files that use the same database later.
    server.kill('SIGTERM');
    await ended;
    await rm(dataDir, { recursive: true, force: true });
  }
  return collector.spans().slice(before);
}

afterAll(() => collector.close());

/**
 * Sends a read with a traceparent, a customer registration, a rejected call, a call to an unknown path, and an event
 * that triggers a webhook.
 */
async function callAll(): Promise<void> {
  const { api_key: apiKey, site_id: siteId, storefront_token: storefrontToken } = shop.credentials;
  const headers = { 'X-Site-ID': siteId, 'X-Service-Token': storefrontToken };
  const search = () =>
    fetch(`${baseUrl}/api/storefront/products?q=secret-word`, {
      headers: { ...headers, traceparent: `00-${TRACE_ID}-${PARENT_ID}-01` },
    });
  while (!(await search()).ok) await sleep(50);
  // A server that has just started on a busy machine may refuse several requests in a row.
  const maxAttempts = 10;
  const storefront = createStorefrontClient({ baseUrl, siteId, storefrontToken, maxAttempts });
  const dashboard = createDashboardClient({ baseUrl, apiKey, maxAttempts });
  const account = { email: 'juniper.traced@example.com', password: 'a long secret passphrase' };
  const body = { ...account, first_name: 'Juniper' };
  await unwrap(storefront.POST('/api/storefront/customer/register', { body }));
  await fetch(`${baseUrl}/checkout/chk_${'x'.repeat(38)}`);
  const receiver = await openReceiver();
  const url = `${receiver.url}?token=receivers-secret`;
  await unwrap(dashboard.POST('/api/dashboard/webhooks', { body: { url, events: ['order.paid', 'product.created'] } }));
  await unwrap(dashboard.POST('/api/dashboard/events/trigger', { body: { type: 'order.paid' } }));
  const [received] = await receiver.until(1);
  const product = { name: 'Traced', price: '1.00' };
  const traced = { traceparent: `00-${OTHER_TRACE_ID}-${PARENT_ID}-01` };
  await unwrap(dashboard.POST('/api/dashboard/products', { body: product, headers: traced }));
  await receiver.until(2);
  traceparent = received?.headers.traceparent as string | undefined;
  secrets.push(apiKey, storefrontToken, ...Object.values(account), 'Juniper', 'secret-word', 'receivers-secret');
  await receiver.close();
}

const named = (name: string) => spans.filter((span) => span.name === name);
const status = ({ attributes }: Span) => Number(attributes['http.response.status_code']);
/**
 * Finds the span of a successful request. On a busy machine a request may be rejected first, and the SDK retries it.
 */
const succeeded = (name: string) => named(name).find((span) => status(span) < 300);

test('traces a request as a span named after its operation, in the trace of a trusted caller', () => {
  const span = succeeded('GET /api/storefront/products');
  expect(span).toMatchObject({ traceId: TRACE_ID, parentSpanId: PARENT_ID, kind: KIND.server, failed: false });
  expect(span?.attributes).toMatchObject({
    'http.request.method': 'GET',
    'http.route': '/api/storefront/products',
    'commerce.operation_id': 'storefront.listProducts',
    'commerce.site_id': shop.credentials.site_id,
  });
});

test('an untrusted traceparent sets neither the trace id nor the sampling decision, and the new trace only links to it', async () => {
  const ask = (sampled: string) =>
    fetch(`${baseUrl}/healthz`, { headers: { traceparent: `00-${TRACE_ID}-${PARENT_ID}-${sampled}` } });
  const linked = (found: Span[]) => found.filter(({ links }) => links?.some(({ traceId }) => traceId === TRACE_ID));

  const all = await tracedBy(
    { TRUST_TRACEPARENT: 'off' },
    async () => void (await Promise.all([ask('00'), ask('01')])),
  );
  const none = await tracedBy(
    { TRUST_TRACEPARENT: 'off', OTEL_TRACES_SAMPLER_ARG: '0' },
    async () => void (await ask('01')),
  );

  expect(linked(all)).toHaveLength(2);
  for (const span of linked(all)) expect([span.traceId === TRACE_ID, span.parentSpanId]).toEqual([false, undefined]);
  expect(none).toEqual([]);
}, 60_000);

test("SQL statements of a request are spans within the request's span, named after their SQL command", () => {
  const request = succeeded('POST /api/storefront/customer/register');
  // The other spans within the trace are jobs that the request added.
  const statements = spans.filter(({ parentSpanId, kind }) => parentSpanId === request?.spanId && kind === KIND.client);
  expect(statements.length).toBeGreaterThan(2);
  expect(statements.every(({ traceId }) => traceId === request?.traceId)).toBe(true);
  expect(statements.map(({ name }) => name)).toEqual(expect.arrayContaining(['begin', 'commit']));
  expect(statements.some(({ name }) => /^(insert|with|select) \w+/.test(name))).toBe(true);
});

test('uses only the method as the name of the span of a request that matches no operation', () => {
  expect(named('GET').length).toBeGreaterThan(0);
  for (const { attributes } of named('GET')) expect(attributes).not.toHaveProperty('url.path');
});

test('a job is a span with its shop, and the webhook that it sends continues its trace', () => {
  const [job] = named('job deliver_webhook').filter(
    ({ attributes }) => attributes['commerce.site_id'] === shop.credentials.site_id,
  );
  const [post] = named('POST webhook').filter(({ traceId }) => traceId === job?.traceId);
  expect(job?.kind).toBe(KIND.consumer);
  expect(post).toMatchObject({ parentSpanId: job?.spanId, kind: KIND.client });
  expect(post?.attributes).toMatchObject({ 'commerce.outcome': 'succeeded' });
  expect(traceparent).toBe(`00-${job?.traceId}-${post?.spanId}-01`);
});

test('a webhook belongs to the trace of the request that caused its event, even if the event is created at the commit', () => {
  const triggering = succeeded('POST /api/dashboard/events/trigger');
  const jobs = named('job deliver_webhook');
  expect(jobs.find(({ parentSpanId }) => parentSpanId === triggering?.spanId)?.traceId).toBe(triggering?.traceId);

  const creating = named('POST /api/dashboard/products').find(({ traceId }) => traceId === OTHER_TRACE_ID);
  const job = jobs.find(({ traceId }) => traceId === OTHER_TRACE_ID);
  const post = named('POST webhook').find(({ traceId }) => traceId === OTHER_TRACE_ID);
  expect(job?.parentSpanId).toBe(creating?.spanId);
  expect(post?.parentSpanId).toBe(job?.spanId);
});

test('no span contains a secret, search term, address or name', () => {
  expect(collector.text().length).toBeGreaterThan(1_000);
  for (const secret of secrets) expect(collector.text()).not.toContain(secret);
  expect(collector.text()).not.toMatch(/\b(stk|key|cust|whsec|chk)_/);
});

test('sends no spans and no trace headers without a collector', async () => {
  const { traced, traceHeaders } = await import('./span.ts');
  expect(traceHeaders()).toEqual({});
  const start = () => expect.unreachable();
  expect(await traced(start, async (span) => span)).toBeUndefined();
});

test.each([
  ['select id from products where name = $1', 'select products'],
  ['\n  INSERT into commerce.orders (id) values ($1)', 'insert commerce.orders'],
  ["update sites set name = 'x'", 'update sites'],
  ['with a as (select 1 from carts) select 2', 'with carts'],
  ['commit', 'commit'],
  ['(select 1)', 'statement'],
])('the span of the SQL statement %j is named %s', (text, summary) => {
  expect(summaryOf(text)).toBe(summary);
});
