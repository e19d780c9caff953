import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import type { Request } from 'express';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Operation, operationTable } from '../../http/contract/contract.ts';
import { route } from '../../http/contract/route.ts';
import { contractMistakes } from '../../http/contract/validate.ts';
import { samplesOf } from './samples.ts';

/** A request recorded by the test server, against which all code samples run. */
interface Seen {
  operation: Operation;
  mistakes: unknown[];
  headers: IncomingMessage['headers'];
}

const run = promisify(execFile);
const LONG_ENOUGH_MS = 180_000;
// A folder inside the package, so that the samples resolve the SDK as users' programs do.
const folder = mkdtempSync(join(import.meta.dirname, '.samples-'));
const TSC = join(import.meta.dirname, '../../../../node_modules/.bin/tsc');
const seen: Seen[] = [];
let baseUrl = '';

const server = createServer(async (req, res) => {
  const body = await text(req);
  const { operation, path } = route(req.method ?? '', req.url ?? '');
  const { searchParams } = new URL(req.url ?? '', 'http://x');
  const query = Object.fromEntries([...searchParams].map(([name, value]) => [name, value]));
  const judged = {
    headers: req.headers,
    query,
    params: path,
    originalUrl: req.url,
    body: body ? JSON.parse(body) : undefined,
  };
  const request = Object.assign(judged, { get: (name: string) => req.headers[name.toLowerCase()] });
  const mistakes = contractMistakes(operation, request as unknown as Request);
  seen.push({ operation, mistakes, headers: req.headers });
  if (operation.status === 204) res.writeHead(204).end();
  else res.writeHead(operation.status, { 'Content-Type': 'application/json' }).end('{}');
});

const CREDENTIALS = {
  ...{ SITE_ID: '0192f3a0-3333-7000-8000-000000000001', STOREFRONT_TOKEN: 'stk_1', CUSTOMER_TOKEN: 'cust_1' },
  ...{ API_KEY: 'key_1', SESSION_TOKEN: 'mch_1', SYNC_SECRET: 'syk_1', AGENT_TOKEN: 'agt_1' },
};
const OPTIONS = {
  ...{ siteId: CREDENTIALS.SITE_ID, storefrontToken: 'stk_1', customerToken: 'cust_1' },
  ...{ apiKey: 'key_1', sessionToken: 'mch_1', syncSecret: 'syk_1', agentToken: 'agt_1' },
};

beforeAll(async () => {
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});

afterAll(async () => {
  rmSync(folder, { recursive: true });
  server.closeAllConnections();
  await new Promise((closed) => server.close(closed));
});

const sourceOf = (operation: Operation, label: string) =>
  samplesOf(operation).find((sample) => sample.label === label)?.source ?? '';

/** Expects that each operation was called once, with a valid request and the required credentials. */
function expectEveryOperationAskedWell(): void {
  const calls = seen.splice(0);
  expect(calls.filter(({ mistakes }) => mistakes.length > 0)).toEqual([]);
  expect(calls.map(({ operation }) => operation.id).sort()).toEqual(operationTable.map(({ id }) => id).sort());
  for (const { operation, headers } of calls) {
    const given = ['x-site-id', 'x-service-token', 'authorization', 'x-api-key', 'x-sync-secret'].filter(
      (name) => headers[name],
    );
    const least = Math.min(...operation.security.map((schemes) => schemes.length), 9);
    expect([operation.id, given.length]).toEqual([operation.id, least === 9 ? 0 : least]);
  }
}

test('each curl sample sends a request that the contract allows', { timeout: LONG_ENOUGH_MS }, async () => {
  // Replaces `node`, which would take 50 ms for each UUID, by a shell function. curl is started only once for all
  // samples.
  const head = `set -e\nnode() { echo 7f3c1f60-2a55-4d0e-9b9e-0d7a5e2a4c11; }\ncalls=()\ncurl() { calls+=(-sS -o /dev/null "$@" --next); }\n`;
  const samples = operationTable.map((operation) => sourceOf(operation, 'curl'));
  const script = `${head}${samples.join('\n')}\nunset 'calls[-1]'\ncommand curl --fail-early "\${calls[@]}"\n`;
  await run('bash', ['-c', script], { env: { PATH: process.env.PATH, BASE_URL: baseUrl, ...CREDENTIALS } });

  expectEveryOperationAskedWell();
});

test('each SDK sample compiles and sends a request that the contract allows', {
  timeout: LONG_ENOUGH_MS,
}, async () => {
  const options = Object.entries({ baseUrl, ...OPTIONS }).map(([name, value]) => `const ${name} = '${value}';`);
  for (const operation of operationTable) {
    const source = sourceOf(operation, 'SDK');
    const used = options.filter((line) => new RegExp(`\\b${line.split(' ')[1]}\\b`).test(source));
    writeFileSync(join(folder, `${operation.id}.ts`), `${used.join('\n')}\n${source}\nexport { answer };\n`);
  }
  const compilerOptions = { noEmit: true, rewriteRelativeImportExtensions: false };
  const extended = { extends: '../../../../../tsconfig.base.json', compilerOptions, include: ['*.ts'] };
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(extended));
  const compiled = await run(TSC, ['-p', folder]).catch((error: { stdout: string }) => error);
  expect(compiled.stdout).toBe('');
  for (const { id } of operationTable) await import(pathToFileURL(join(folder, `${id}.ts`)).href);

  expectEveryOperationAskedWell();
});
