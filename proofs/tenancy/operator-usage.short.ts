import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { freePort } from '../../server/src/db/free-port.ts';
import { RATE_LIMITS } from '../../server/src/shop/rate-limits.ts';
import { findTool, skippedWithout } from '../../server/test/tools.ts';
import { databaseUrl, superuserUrl } from '../../server/test/worker-database.ts';
import { type BareListener, openListener } from '../testing/operators.ts';
import { REDIS, Redis } from '../testing/redis.ts';
import { ServerProcess } from '../testing/server-process.ts';
import { openTenant } from '../testing/site.ts';

const program = findTool(REDIS);
if (!program) process.stderr.write(`${skippedWithout(REDIS)}\n`);

/** A server with a listener for operators. All of them share a database and a Redis. */
interface Process {
  server: ServerProcess;
  operators: string;
}

const directory = mkdtempSync(join(tmpdir(), 'commerce-usage-'));
const processes: Process[] = [];
let redis: Redis | undefined;
let keys: BareListener | undefined;

beforeAll(async () => {
  if (!program) return;
  redis = await Redis.start(program, directory);
  keys = await openListener(superuserUrl(), { causes: new Map() });
  await Promise.all([start(), start()]);
}, 600_000);

afterAll(async () => {
  await Promise.all(processes.map(({ server }) => server.end('SIGKILL')));
  await redis?.end();
  await keys?.close();
  rmSync(directory, { recursive: true, force: true });
});

async function start(): Promise<Process> {
  const port = await freePort();
  const server = new ServerProcess(await freePort(), {
    ...{ DATABASE_URL: databaseUrl(), DATA_DIR: directory, LOG_LEVEL: 'warn', ROLE: 'api', REDIS_URL: redis?.url },
    OPERATOR_PORT: String(port),
  });
  const started = { server, operators: `http://127.0.0.1:${port}/api/operator/sites` };
  processes.push(started);
  await server.readyAtLast();
  return started;
}

async function mintKey(): Promise<string> {
  return (await keys?.mint('proof'))?.secret ?? '';
}

function askAsOperator(url: string, key: string): Promise<Response> {
  return fetch(url, { headers: { Authorization: `Bearer ${key}` } });
}

test.skipIf(!program)(
  'all processes share the rate limit of an operator key, and another key has its own limit',
  async () => {
    const { points } = RATE_LIMITS.operator;
    const [key, other] = [await mintKey(), await mintKey()];
    const leftAfter = async (n: number, secret: string) => {
      const { status, headers } = await askAsOperator(`${processes[n % 2]?.operators}/${randomUUID()}`, secret);
      expect(status).toBe(404);
      return Number(/r=(\d+)/.exec(headers.get('RateLimit') ?? '')?.[1]);
    };
    const left: number[] = [];
    for (let n = 0; n < 20; n += 1) left.push(await leftAfter(n, key));

    // A rate limit window may end once in between.
    const isStep = left.map((one, n) => n === 0 || one === (left[n - 1] ?? 0) - 1 || one === points - 1);
    expect(isStep).toEqual(left.map(() => true));
    expect(left.filter((one) => one === points - 1).length).toBeLessThanOrEqual(2);
    expect(await leftAfter(1, other)).toBe(points - 1);
  },
);

test.skipIf(!program)(
  'the usage counts each call once; a stopped process saves its counts, and a killed one loses only the latest',
  async () => {
    const { site_id, api_key } = await openTenant(superuserUrl());
    const key = await mintKey();
    const [one, two] = processes as [Process, Process];
    const call = async ({ server }: Process) => {
      const answer = await fetch(`${server.baseUrl}/api/dashboard/settings`, { headers: { 'X-API-Key': api_key } });
      await answer.arrayBuffer();
      expect(answer.status).toBe(200);
    };
    const counted = async () => {
      const answer = await askAsOperator(`${one.operators}/${site_id}/usage?months=1`, key);
      return ((await answer.json()) as { usage: { calls: number }[] }).usage[0]?.calls ?? 0;
    };
    for (let n = 0; n < 30; n += 1) await Promise.all([call(one), call(two)]);
    await expect.poll(counted, { interval: 500 }).toBe(60);

    for (let n = 0; n < 7; n += 1) await call(two);
    expect(await two.server.end('SIGTERM')).toMatchObject({ code: 0 });
    expect(await counted()).toBe(67);

    const three = await start();
    for (let n = 0; n < 5; n += 1) await call(three);
    await three.server.end('SIGKILL');
    const calls = await counted();
    expect(calls).toBeGreaterThanOrEqual(67);
    expect(calls).toBeLessThanOrEqual(72);
  },
);
