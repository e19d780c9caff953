import { execFile } from 'node:child_process';
import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, expect, test } from 'vitest';
import { givenAgent } from '../server/test/agents.ts';
import { startServer, stopServer } from '../server/test/server.ts';
import { openShop } from '../server/test/shop.ts';
import { databaseUrl } from '../server/test/worker-database.ts';

/**
 * The judge of the protocol's own project, for what each version requires of a server. Most scenarios call tools of a fixture, or
 * ask for resources and prompts: they are expected to fail, each with its reason, in mcp-conformance/. What fails beside them, and
 * what is listed but holds, fails the test.
 */
const JUDGE = join(import.meta.dirname, '../node_modules/@modelcontextprotocol/conformance/dist/index.js');
const EXPECTED = join(import.meta.dirname, 'mcp-conformance');

const closing: (() => Promise<unknown> | unknown)[] = [];
afterAll(() => Promise.all(closing.map((close) => close())));

test.each(['2025-11-25', '2026-07-28'])('the MCP endpoint holds what version %s requires of it', async (version) => {
  const shop = await openShop();
  const { access_token } = await givenAgent(shop, await shop.givenCustomer());
  const url = `${await serverWith(access_token)}/sites/${shop.site_id}/mcp`;

  const judged = await promisify(execFile)(
    process.execPath,
    [JUDGE, 'server', '--url', url, '--requirements', version, '--expected-failures', join(EXPECTED, `${version}.yml`)],
    { maxBuffer: 64 * 1024 * 1024 },
  ).catch((error: { stdout: string; stderr: string }) => ({ ...error, failed: true }));

  expect('failed' in judged ? judged.stdout.slice(-8_000) + judged.stderr.slice(-4_000) : 'held').toBe('held');
});

/** The address of a server. The judge has no token to send: this adds it to each request, and changes nothing else. */
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
