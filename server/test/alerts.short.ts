/**
 * Tests which alerts of deploy/prometheus fire for the metrics of real servers with injected faults, and what doctor
 * reports.
 */

import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { type AddressInfo, createServer as createTcpServer, type Socket } from 'node:net';
import { join } from 'node:path';
import pg from 'pg';
import { expect, onTestFinished, test } from 'vitest';
import { examine } from '../src/commands/doctor.ts';
import { freePort } from '../src/db/free-port.ts';
import { openOtherServer } from './other-server.ts';
import { ScrapedSeries } from './scraped-series.ts';
import { openShop } from './shop.ts';
import { startSpawned } from './spawned-server.ts';
import { findTool, skippedWithout } from './tools.ts';

const RULES = join(import.meta.dirname, '../../deploy/prometheus/commerce.rules.yml');
const PROMTOOL = { names: ['promtool'], debianPackage: 'prometheus' };
const REDIS = { names: ['redis-server'], debianPackage: 'redis-server' };
const promtool = findTool(PROMTOOL) ?? '';
const redisServer = findTool(REDIS) ?? '';
if (!promtool) console.warn(skippedWithout(PROMTOOL));
if (!redisServer) console.warn(skippedWithout(REDIS));
const READS = 120;

/** Starts a mail server that accepts mails, rejects them, or never sends its greeting. */
async function givenMailServer() {
  const state = { mode: 'accept' as 'accept' | 'reject' | 'hang' };
  const sockets = new Set<Socket>();
  const server = createTcpServer((socket) => {
    let inMessage = false;
    sockets.add(socket);
    socket.on('error', () => undefined).on('close', () => sockets.delete(socket));
    if (state.mode === 'hang') return;
    socket.write('220 test\r\n');
    socket.on('data', (chunk) => {
      for (const line of `${chunk}`.split('\r\n')) {
        if (line === '' || (inMessage && line !== '.')) continue;
        inMessage = line === 'DATA';
        const rejected = state.mode === 'reject' && line.startsWith('RCPT');
        socket.write(rejected ? '550 no such mailbox\r\n' : inMessage ? '354 go on\r\n' : '250 ok\r\n');
      }
    });
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  onTestFinished(() => {
    server.close();
  });
  const setMode = (mode: typeof state.mode) => {
    state.mode = mode;
    for (const socket of sockets) socket.destroy();
  };
  return { setMode, url: `smtp://127.0.0.1:${(server.address() as AddressInfo).port}` };
}

/** Starts a server that responds to every call with 500, as Stripe or a receiver of webhooks may. */
async function givenFailingServer(): Promise<string> {
  const server = createServer((req, res) => req.resume().on('end', () => res.writeHead(500).end('{}')));
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

async function givenRedis() {
  const port = await freePort();
  const child = spawn(redisServer, ['--port', String(port), '--save', '', '--appendonly', 'no'], { stdio: 'ignore' });
  onTestFinished(() => {
    child.kill('SIGKILL');
  });
  return { url: `redis://127.0.0.1:${port}`, stop: () => child.kill('SIGKILL') };
}

type Action = (minute: number) => Promise<unknown>;

/** A shop, an API process, a worker, and the services on which they depend. */
async function givenInstallation() {
  const other = await openOtherServer();
  onTestFinished(() => other.close());
  const [mails, failing, redis] = [await givenMailServer(), await givenFailingServer(), await givenRedis()];
  const { databaseUrl: DATABASE_URL = '', secretKey: SECRET_KEY } = other.config;
  const settings = { SMTP_URL: mails.url, STRIPE_API_URL: failing, REDIS_URL: redis.url, LOG_LEVEL: 'silent' };
  const env = { ...settings, DATABASE_URL, SECRET_KEY, DEMO_SHOP: 'off', VALIDATE_RESPONSES: 'off' };
  const api = await startSpawned({ ...env, ROLE: 'api' });
  const worker = await startSpawned({ ...env, ROLE: 'worker' });
  const shop = await openShop({ on: { ...other, baseUrl: api.baseUrl } });
  const admin = new pg.Client(other.owner.options.connectionString);
  await admin.connect();
  onTestFinished(() => admin.end());
  const instances = { 'a:9100': api.baseUrl, 'w:9101': worker.baseUrl };
  const read = async (count: number) => {
    for (let i = 0; i < count; i += 1) await shop.storefront.GET('/api/storefront/products');
  };
  /**
   * Simulates minutes: in each, scrapes the servers, then runs the action. Scrapes again at the end, and returns the
   * alerts that fire then.
   */
  const alertsAfter = async (minutes: number, action: Action) => {
    const series = new ScrapedSeries();
    for (let minute = 0; minute < minutes; minute += 1) {
      await series.scrape(instances);
      await action(minute);
    }
    await series.scrape(instances);
    return series.firing(promtool, RULES);
  };
  /** Adds a job with an empty payload to the queue. */
  const addJob = (name: string, options = '') =>
    admin.query(`select graphile_worker.add_job('${name}', '{}'${options})`);
  /** The names of the doctor's checks that report a problem. */
  const doctor = async () => {
    const findings = await examine({ ...settings, DATABASE_URL, SECRET_KEY, DATA_DIR: other.dataDir });
    // Omits the finding that the tests' database is not durable: durability is off for speed.
    return findings.filter(({ check, state }) => state !== 'ok' && check !== 'durability').map(({ check }) => check);
  };
  /** Checks the alerts after these minutes with the action, then the findings of the doctor. */
  const check = async (fault: string, minutes: number, action: Action, alerts: string[], findings: string[] = []) => {
    expect(await alertsAfter(minutes, action), fault).toEqual(alerts);
    // Polled, because on a busy machine a service may miss the deadline of a finding.
    await expect.poll(doctor, { timeout: 60_000, message: `doctor: ${fault}` }).toEqual(findings);
  };
  return { shop, admin, mails, failing, redis, worker, read, alertsAfter, check, addJob, doctor };
}

function failInserts(admin: pg.Client, table: string, sqlstate: string) {
  return admin.query(`
    create function public.fail_${table}() returns trigger language plpgsql as
      $$ begin raise exception 'injected' using errcode = '${sqlstate}'; end $$;
    create trigger injected before insert on commerce.${table} execute function public.fail_${table}()`);
}

test('docs/alerts.md explains exactly the existing alerts', () => {
  const page = readFileSync(join(import.meta.dirname, '../../docs/alerts.md'), 'utf8');
  const explained = [...page.matchAll(/^\| `(\w+)` \((page|warn)\)/gm)].map(
    ([, name, severity]) => `${name} ${severity}`,
  );
  const rules = readFileSync(RULES, 'utf8').matchAll(/- alert: (\w+)[\s\S]*?severity: (\w+)/g);
  expect(explained.toSorted()).toEqual([...rules].map(([, name, severity]) => `${name} ${severity}`).toSorted());
});

test.skipIf(!promtool || !redisServer)(
  'each injected fault raises its alerts and doctor findings, and a healthy installation raises none',
  async () => {
    const installation = await givenInstallation();
    const { shop, admin, mails, failing, redis, worker, read, alertsAfter, check, addJob, doctor } = installation;
    const indexProducts = () => addJob('index_products');
    const readAndIndex = (reads: number) => read(reads).then(indexProducts);
    await check('none', 16, () => readAndIndex(20), []);

    const { id: checkout_id } = await shop.givenCheckout();
    const params = { path: { checkout_id } };
    const complete = () =>
      shop.storefront.POST('/api/storefront/checkout/{checkout_id}/complete', { params, body: {} });
    const failToComplete = () => readAndIndex(READS).then(complete);
    const failingCheckouts = ['CommerceCheckoutFails', 'CommerceOperationFails'];
    await failInserts(admin, 'orders', 'XX000');
    await check('no order can be stored', 10, failToComplete, failingCheckouts);
    await admin.query('drop trigger injected on commerce.orders');

    await admin.query('begin');
    await admin.query('lock table commerce.checkouts');
    const blocked = await alertsAfter(10, failToComplete);
    expect(blocked, 'an open transaction blocks checkouts').toEqual(failingCheckouts);
    const waiting: Promise<unknown>[] = [];
    const findings = async () => {
      waiting.push(complete());
      await new Promise((done) => setTimeout(done, 1_300));
      return doctor();
    };
    const untilSeen = { timeout: 60_000, message: 'doctor: an open transaction blocks checkouts' };
    await expect.poll(findings, untilSeen).toEqual(['locks']);
    await admin.query('rollback');
    await Promise.all(waiting);

    const { id: order_id } = await shop.givenOrder();
    const queueMails = (count: number, age: string) =>
      admin.query(`select graphile_worker.add_job('send_mail', payload => json_build_object('site_id', '${shop.site_id}',
        'template', 'order_placed', 'about', json_build_object('order_id', '${order_id}')),
        run_at => now() - interval '${age}', max_attempts => 12) from generate_series(1, ${count})`);
    mails.setMode('reject');
    const sendMail = async () => {
      await read(5);
      await queueMails(1, '0');
      await new Promise((done) => setTimeout(done, 100));
    };
    await check('the mail server rejects mails', 16, sendMail, ['CommerceMailsFail']);

    mails.setMode('hang');
    await queueMails(50, '20 minutes');
    // Longer than the 5 s for which the worker waits for a mail server's greeting, so its attempt has failed.
    await new Promise((done) => setTimeout(done, 6_000));
    await check('the mail server hangs', 16, indexProducts, ['CommerceMailsWait'], ['queue', 'mails']);
    await admin.query(
      `delete from graphile_worker._private_jobs where task_id = (select id from graphile_worker._private_tasks where identifier = 'send_mail')`,
    );

    const changeAccount = async () => {
      await indexProducts();
      const body = { secret_key: `sk_test_${'a'.repeat(24)}` };
      await shop.dashboard.PATCH('/api/dashboard/payment-account', { body });
    };
    await check('the payment provider fails', 16, changeAccount, ['CommercePaymentProviderFails'], ['mails']);

    await shop.dashboard.POST('/api/dashboard/webhooks', { body: { url: failing, events: ['product.updated'] } });
    const { id: product_id } = await shop.givenProduct();
    const rename = async (minute: number) => {
      for (let i = 0; i < 3; i += 1) {
        const body = { name: `Mug ${minute}-${i}` };
        await shop.dashboard.PATCH('/api/dashboard/products/{product_id}', { params: { path: { product_id } }, body });
      }
      await new Promise((done) => setTimeout(done, 200));
    };
    await check('receivers of webhooks fail', 16, rename, ['CommerceWebhooksFail'], ['mails']);

    redis.stop();
    await check('Redis is down', 16, indexProducts, ['CommerceRedisDown'], ['redis', 'mails']);

    await failInserts(admin, 'carts', '53100');
    const fillDisk = async (minute: number) => {
      await readAndIndex(20);
      if (minute === 0) await shop.storefront.POST('/api/storefront/cart');
    };
    const full = ['CommerceDatabaseFull', 'CommerceRedisDown'];
    await check('the disk of the database is full', 16, fillDisk, full, ['redis', 'mails']);

    await worker.stop();
    await addJob('move_money', `, run_at => now() - interval '10 minutes'`);
    const stopped = [
      'CommerceDatabaseFull',
      'CommerceDown',
      'CommerceMoneyWaits',
      'CommerceNoJobs',
      'CommerceRedisDown',
    ];
    await check('the worker is stopped', 60, async () => undefined, stopped, ['queue', 'redis', 'mails']);

    const name = new URL(shop.db.options.connectionString ?? '').pathname.slice(1);
    await admin.query(`alter database ${name} set default_transaction_read_only = on`);
    await admin.query(
      'select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()',
    );
    await shop.storefront.POST('/api/storefront/cart');
    const readOnly = await alertsAfter(16, () => read(10));
    expect(readOnly, 'the database is read-only').toEqual(
      expect.arrayContaining(['CommerceDatabaseReadOnly', 'CommerceServerErrors', 'CommerceOperationFails']),
    );
    const message = 'doctor: the database is read-only';
    await expect.poll(doctor, { timeout: 60_000, message }).toEqual(expect.arrayContaining(['requests']));
  },
);
