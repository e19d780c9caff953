/**
 * Runs the conformance suite of the protocol's project for the requirements of each version. Most scenarios call tools
 * of a test server, or request resources and prompts, so they are expected to fail; mcp-conformance/ gives the reason
 * for each. The test fails if any other scenario fails, or if an expected failure passes.
 */

import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import { afterAll, expect, test } from 'vitest';
import { freePort } from '../../server/src/db/free-port.ts';
import { givenAgent } from '../../server/test/agents.ts';
import { atConsent, leadsTo, registeredClient } from '../../server/test/oauth.ts';
import { startServer, stopServer } from '../../server/test/server.ts';
import { openShop } from '../../server/test/shop.ts';
import { databaseUrl } from '../../server/test/worker-database.ts';

const SUITE = join(import.meta.dirname, '../../node_modules/@modelcontextprotocol/conformance/dist/index.js');
const EXPECTED = join(import.meta.dirname, 'mcp-conformance');

const closing: (() => Promise<unknown> | unknown)[] = [];
afterAll(() => Promise.all(closing.map((close) => close())));

const VERSIONS = ['2025-11-25', '2026-07-28'];

test.each(VERSIONS)('the MCP endpoint fails only expected conformance scenarios of version %s', async (version) => {
  const shop = await openShop();
  const { access_token } = await givenAgent(shop, await shop.givenCustomer());
  const url = `${await serverWith(access_token)}/sites/${shop.site_id}/mcp`;

  expect(await judge(url, version)).toBe('passed');
});

test.each(VERSIONS)('without a token, MCP fails only expected conformance scenarios of version %s', async (version) => {
  const shop = await openShop();
  const port = await freePort();
  const baseUrl = `http://localhost:${port}`;
  const server = await startServer(databaseUrl(), { baseUrl }, undefined, port);
  closing.push(() => stopServer(server));

  expect(await judge(`${baseUrl}/sites/${shop.site_id}/mcp/public`, version)).toBe('passed');
});

/** Returns `passed`, or the end of the suite's output. */
async function judge(url: string, version: string): Promise<string> {
  const expected = join(EXPECTED, `${version}.yml`);
  const judged = await promisify(execFile)(
    process.execPath,
    [SUITE, 'server', '--url', url, '--requirements', version, '--expected-failures', expected],
    { maxBuffer: 64 * 1024 * 1024 },
  ).catch((error: { stdout: string; stderr: string }) => ({ ...error, failed: true }));
  return 'failed' in judged ? judged.stdout.slice(-8_000) + judged.stderr.slice(-4_000) : 'passed';
}

/** No scenario is expected to fail here. The test acts as the person who decides on the consent page. */
test.each(VERSIONS)('the authorization server passes the conformance suite of version %s', async (version) => {
  const port = await freePort();
  const baseUrl = `http://localhost:${port}`;
  const server = await startServer(databaseUrl(), { baseUrl }, undefined, port);
  closing.push(() => stopServer(server));
  const shop = await openShop();
  const customer = await shop.givenCustomer();
  const back = await freePort();
  const { client_id } = (await registeredClient(shop, [`http://127.0.0.1:${back}/callback`])).clientMetadata();
  const issuer = `${baseUrl}/sites/${shop.site_id}`;

  const named = ['--url', issuer, '--resource', `${issuer}/mcp`, '--client-id', client_id, '--port', String(back)];
  const suite = spawn(process.execPath, [SUITE, 'authorization', ...named, '--spec-version', version]);
  const ended = once(suite, 'exit');
  const lines: string[] = [];
  for await (const line of createInterface(suite.stdout)) {
    lines.push(line);
    if (!line.startsWith(`${issuer}/oauth/authorize?`)) continue;
    const { browser, page } = await atConsent({ ...shop, baseUrl }, customer, new URL(line));
    const led = await browser.press(page, 'approve', { budget: '20.00' });
    await fetch(leadsTo(led) ?? 'http://127.0.0.1:9/');
  }

  const output = lines.join('\n');
  expect([await ended, output]).toEqual([[0, null], expect.stringContaining('Total: 3 passed, 0 failed')]);
  expect(output).not.toMatch(/skipped|warning/i);
});

/** Starts a proxy that adds the token to each request, because the suite cannot send one. Returns the proxy's URL. */
async function serverWith(token: string): Promise<string> {
  const forwarder = createServer((incoming, outgoing) => {
    const { method, url: path, headers } = incoming;
    const passed = request(
      { hostname: '127.0.0.1', port, method, path, headers: { ...headers, authorization: `Bearer ${token}` } },
      (answer) => {
        outgoing.writeHead(answer.statusCode ?? 500, answer.headers);
        answer.pipe(outgoing);
      },
    );
    passed.on('error', () => outgoing.destroy());
    incoming.pipe(passed);
  });
  await new Promise<void>((listening) => forwarder.listen(0, 'localhost', listening));
  const baseUrl = `http://localhost:${(forwarder.address() as AddressInfo).port}`;
  const server = await startServer(databaseUrl(), { baseUrl });
  const { port } = new URL(server.baseUrl);
  closing.push(
    () => forwarder.close(),
    () => stopServer(server),
  );
  return baseUrl;
}
