import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { openOtherServer } from '../../test/other-server.ts';
import { SECRET_KEY } from '../../test/server.ts';
import { openShop } from '../../test/shop.ts';
import { spawnServer } from '../../test/spawned-server.ts';
import { findTool, skippedWithout } from '../../test/tools.ts';
import { databaseUrl } from '../../test/worker-database.ts';
import { readConfig } from '../config.ts';
import { freePort } from '../db/free-port.ts';
import { examine } from './doctor.ts';
import { CONNECTIONS } from './doctor-connections.ts';
import { refuseMany } from './start-many.ts';

const REDIS = { names: ['redis-server'], debianPackage: 'redis-server' };
const redisServer = findTool(REDIS);
if (!redisServer) console.warn(skippedWithout(REDIS));

const NO_DATA = '/tmp/no-such-data';

test.each([
  ['REDIS_URL', { REDIS_URL: '' }],
  ['DATABASE_URL', { DATABASE_URL: '' }],
  ['ROLE=api or all', { ROLE: 'worker' }],
  ['METRICS_PORT', { METRICS_TOKEN: 'a-token-of-the-scraper' }],
])('start --processes 4 fails if %s is missing, and names the missing setting', (named, env) => {
  const config = readConfig({ DATABASE_URL: databaseUrl(), REDIS_URL: 'redis://127.0.0.1:1', SECRET_KEY, ...env });

  expect(() => refuseMany(4, config)).toThrow(`start --processes 4 needs ${named}`);
});

test.each([
  ['4', 'start --processes 4 needs REDIS_URL'],
  ['0', 'whole number from 1 to 99'],
])('the command start --processes %s fails with %s', async (processes, reason) => {
  const server = await spawnServer({ DATABASE_URL: databaseUrl() }, { args: ['--processes', processes] });

  expect(await server.ended).toBe(1);
  expect(server.output()).toContain(reason);
});

const JOBS = 'jobs_total{job="index_products",result="done"}';
const ADD_JOB = `select graphile_worker.add_job('index_products', '{}')`;

test.skipIf(!redisServer)(
  'processes share the port, merge their metrics and run jobs, and a process that dies is replaced',
  async () => {
    const redisPort = await freePort();
    const redis = spawn(redisServer ?? '', ['--port', String(redisPort), '--save', ''], { stdio: 'ignore' });
    onTestFinished(() => {
      redis.kill('SIGKILL');
    });
    const other = await openOtherServer();
    onTestFinished(() => other.close());
    const { databaseUrl: DATABASE_URL = '', secretKey } = other.config;
    const [metricsPort, operatorPort] = [await freePort(), await freePort()];
    const env = {
      ...{ DATABASE_URL, SECRET_KEY: secretKey, REDIS_URL: `redis://127.0.0.1:${redisPort}`, LOG_LEVEL: 'info' },
      ...{ METRICS_PORT: String(metricsPort), OPERATOR_PORT: String(operatorPort) },
    };
    const server = await spawnServer(env, { args: ['--processes', '2'] });
    const metrics = () => fetch(`http://127.0.0.1:${metricsPort}/metrics`).then((response) => response.text());
    const metric = async (series: string) => {
      const text = await metrics().catch(() => '');
      const line = text.split('\n').find((one) => one.startsWith(`${series} `));
      return line && Number(line.split(' ')[1]);
    };
    await expect.poll(() => metric('server_processes'), { timeout: 60_000 }).toBe(2);

    const shop = await openShop({ on: { ...other, baseUrl: server.baseUrl } });
    const pids = async () => {
      const { rows } = await other.owner.query<{ port: number }>(
        `select distinct client_port as port from pg_stat_activity where datname = current_database() and application_name = 'commerce'`,
      );
      return rows.length;
    };
    // Opens a new connection for each request, so that every process gets some of the requests.
    const read = () => shop.storefront.GET('/api/storefront/products', { headers: { Connection: 'close' } });
    const answers = await Promise.all(Array.from({ length: 60 }, read));
    expect(answers.map(({ response }) => response.status)).toEqual(answers.map(() => 200));
    expect(await pids()).toBeGreaterThanOrEqual(2);
    const reads = 'http_request_duration_seconds_count{operation="storefront.listProducts",status="200"}';
    expect(await metric(reads)).toBe(60);
    expect(await metric('redis_up')).toBe(1);
    expect((await fetch(`${server.baseUrl}/metrics`)).status).toBe(404);
    expect((await fetch(`http://127.0.0.1:${operatorPort}/api/operator/sites`)).status).toBe(401);
    await other.owner.query(ADD_JOB);
    await expect.poll(() => metric(JOBS), { timeout: 30_000 }).toBeGreaterThan(0);

    const [child] = readFileSync(`/proc/${server.process.pid}/task/${server.process.pid}/children`, 'utf8')
      .trim()
      .split(' ');
    process.kill(Number(child), 'SIGKILL');
    await expect.poll(server.output, { timeout: 30_000 }).toContain('a process of the server has ended');
    await expect.poll(() => metric('server_processes'), { timeout: 30_000 }).toBe(2);
    await expect.poll(() => read().then(({ response }) => response.status), { timeout: 30_000 }).toBe(200);
    // The counts of the new process start at 0. Once it has run a job, it has started completely.
    await other.owner.query(ADD_JOB);
    await expect.poll(() => metric(JOBS), { timeout: 30_000 }).toBeGreaterThan(0);

    expect(await server.stop(), server.output()).toBe(0);
    await sleep(500);
    await expect(fetch(`${server.baseUrl}/healthz`)).rejects.toThrow();
  },
  120_000,
);

test('doctor counts the connections of all processes with the formula in docs/scaling.md', async () => {
  const page = readFileSync(new URL('../../../docs/scaling.md', import.meta.url), 'utf8');
  const found = async (processes: number) =>
    (await examine({ DATABASE_URL: databaseUrl(), DATA_DIR: NO_DATA }, processes)).find(
      ({ check }) => check === 'connections',
    );

  expect(await found(4)).toMatchObject({ found: expect.stringContaining('4 × 11 for requests + 13 for jobs = 57 of') });
  expect(await found(99)).toMatchObject({ state: 'warning', mend: expect.stringContaining('DATABASE_POOL_MAX') });
  expect(page).toContain(`${4} × 11 + ${CONNECTIONS.jobs} = 57`);
  expect(page).toContain(`listener for operators ${CONNECTIONS.operators}`);
  expect(page).toContain(`Leave ${CONNECTIONS.spare} of`);
}, 60_000);
