import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { freePort } from '../../server/src/db/free-port.ts';
import { RATE_LIMITS } from '../../server/src/shop/rate-limits.ts';
import { USAGE_ADDED_EVERY_SECONDS } from '../../server/src/shop/usage.ts';
import { findTool, skippedWithout } from '../../server/test/tools.ts';
import { databaseUrl } from '../../server/test/worker-database.ts';
import { REDIS, Redis } from '../testing/redis.ts';
import { runCommand, ServerProcess, withDirectory } from '../testing/server-process.ts';

/** One of two servers with a listener for operators. They share a database and a Redis, and count calls together. */
interface Process {
  server: ServerProcess;
  operators: string;
}

const program = findTool(REDIS);
if (!program) process.stderr.write(`${skippedWithout(REDIS)}\n`);

let env: Record<string, string> = {};
let processes: Process[] = [];
let redis: Redis | undefined;
let key = '';
let done: () => void = () => undefined;

beforeAll(async () => {
  if (!program) return;
  const directory = await new Promise<string>((given) => {
    void withDirectory((path) => {
      given(path);
      return new Promise<void>((over) => {
        done = over;
      });
    });
  });
  redis = await Redis.start(program, directory);
  env = { DATABASE_URL: databaseUrl(), DATA_DIR: directory, LOG_LEVEL: 'warn', ROLE: 'api', REDIS_URL: redis.url };
  key = (await json(['operator-keys', 'create', '--description', 'two processes'])).secret;
  processes = await Promise.all([start(), start()]);
});

afterAll(async () => {
  await Promise.all(processes.map(({ server }) => server.end('SIGKILL')));
  await redis?.end();
  done();
});

async function start(): Promise<Process> {
  const port = await freePort();
  const server = new ServerProcess(await freePort(), { ...env, OPERATOR_PORT: String(port) });
  return { server: await server.readyAtLast(), operators: `http://127.0.0.1:${port}/api/operator/sites` };
}

// biome-ignore lint/suspicious/noExplicitAny: the command's output has no declared type
async function json(args: string[]): Promise<any> {
  const { code, output } = await runCommand(args, env, 60_000);
  if (code !== 0) throw new Error(output);
  return JSON.parse(output.slice(output.search(/^[[{]/m)));
}

async function ask(path: string, secret = key) {
  const answer = await fetch(path, { headers: { Authorization: `Bearer ${secret}` } });
  await answer.arrayBuffer();
  return answer;
}

async function callsOf(site_id: string): Promise<number> {
  const answer = await fetch(`${processes[0]?.operators}/${site_id}/usage?months=1`, {
    headers: { Authorization: `Bearer ${key}` },
  });
  return ((await answer.json()) as { usage: { calls: number }[] }).usage[0]?.calls ?? Number.NaN;
}

const call = ({ server }: Process, api_key: string) =>
  fetch(`${server.baseUrl}/api/dashboard/settings`, { headers: { 'X-API-Key': api_key } }).then((answer) =>
    answer.arrayBuffer().then(() => answer.status),
  );

test.skipIf(!program)(
  'the usage counts each call once, whichever process serves the call, and a process saves its counts before it stops',
  async () => {
    const { site_id, api_key } = await json(['site', 'create', '--name', 'Counted', '--currency', 'EUR']);
    const [one, two] = processes;
    if (!one || !two) throw new Error('There are two processes.');
    const all = Array.from({ length: 60 }, (_, n) => call(n % 2 === 0 ? one : two, api_key));
    expect(new Set(await Promise.all(all))).toEqual(new Set([200]));
    await expect.poll(() => callsOf(site_id), { timeout: 30_000, interval: 500 }).toBe(60);

    for (let n = 0; n < 7; n += 1) await call(two, api_key);
    expect(await two.server.end('SIGTERM')).toMatchObject({ code: 0 });
    expect(await callsOf(site_id)).toBe(67);
    processes[1] = await start();
  },
);

test.skipIf(!program)('a killed process loses the counts of at most 15 seconds, and no call counts twice', async () => {
  const { site_id, api_key } = await json(['site', 'create', '--name', 'Killed', '--currency', 'EUR']);
  const two = processes[1];
  if (!two) throw new Error('There are two processes.');
  const made: number[] = [];
  const until = performance.now() + 2.5 * USAGE_ADDED_EVERY_SECONDS * 1_000;
  while (performance.now() < until) {
    await call(two, api_key);
    made.push(performance.now());
    await sleep(20);
  }
  const killed = performance.now();
  await two.server.end('SIGKILL');
  processes[1] = await start();
  await sleep(1_000);

  const counted = await callsOf(site_id);
  // On a busy machine, a process may save its counts less often than every ten seconds. Therefore only calls that were
  // made at least 15 s before the kill must be counted.
  const owed = made.filter((moment) => moment < killed - 1.5 * USAGE_ADDED_EVERY_SECONDS * 1_000).length;
  expect(counted).toBeLessThanOrEqual(made.length);
  expect(counted).toBeGreaterThanOrEqual(owed);
  expect(owed).toBeGreaterThan(0);
});

test.skipIf(!program)(
  'all processes share the rate limit of an operator key, and another key has its own limit',
  async () => {
    const { points } = RATE_LIMITS.operator;
    const fresh = (await json(['operator-keys', 'create', '--description', 'limited'])).secret as string;
    const leftAfter = async (n: number, secret: string) => {
      const { status, headers } = await ask(`${processes[n % 2]?.operators}/${randomUUID()}`, secret);
      expect(status).toBe(404);
      return Number(/r=(\d+)/.exec(headers.get('RateLimit') ?? '')?.[1]);
    };
    const left: number[] = [];
    for (let n = 0; n < 20; n += 1) left.push(await leftAfter(n, fresh));

    // A rate limit window may end once in between.
    const isStep = left.map((one, n) => n === 0 || one === (left[n - 1] ?? 0) - 1 || one === points - 1);
    expect(isStep).toEqual(left.map(() => true));
    expect(left.filter((one) => one === points - 1).length).toBeLessThanOrEqual(2);
    const other = (await json(['operator-keys', 'create', '--description', 'another'])).secret as string;
    expect(await leftAfter(1, other)).toBe(points - 1);
  },
);
