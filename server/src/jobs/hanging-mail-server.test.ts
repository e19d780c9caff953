import { randomUUID } from 'node:crypto';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { workJobs } from '../../test/jobs.ts';
import { openShop } from '../../test/shop.ts';
import { databaseUrl } from '../../test/worker-database.ts';
import { examine } from '../commands/doctor.ts';

type TestShop = Awaited<ReturnType<typeof openShop>>;

const MAILS = 2_000;
/** Time limit for the greeting of the mail server: shorter than by default, to shorten the test. */
const GREETING_MS = 1_000;
/**
 * Mails that remain in the queue when the mail server recovers. The test deletes the others, because each mail takes
 * milliseconds.
 */
const SENT = 100;
/** Jobs that must not wait for mails. */
const MONEY_JOBS = ['overdue', 'move_money', 'seal_audit', 'sweep'];
/**
 * The test waits this long for those jobs. `overdue` also works for shops of other tests, and waits up to 30 s for
 * their payment providers. If these jobs had to wait for the mails, they would take half an hour.
 */
const JOBS_MS = 60_000;

/** A mail server that accepts connections and does not answer until it is switched on. */
async function startHangingServer() {
  const sockets = new Set<Socket>();
  let works = false;
  const received: string[] = [];
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined).on('close', () => sockets.delete(socket));
    if (!works) return;
    let inMessage = false;
    socket.write('220 test\r\n');
    socket.on('data', (chunk) => {
      for (const line of chunk.toString().split('\r\n')) {
        if (line.startsWith('RCPT')) received.push(line);
        if (inMessage && line !== '.') continue;
        if (line === '.') inMessage = false;
        if (line === 'DATA') inMessage = true;
        if (line !== '') socket.write(inMessage ? '354 go on\r\n' : '250 ok\r\n');
      }
    });
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return {
    url: `smtp://127.0.0.1:${(server.address() as AddressInfo).port}?greetingTimeout=${GREETING_MS}`,
    connections: () => sockets.size,
    received,
    work() {
      works = true;
      for (const socket of sockets) socket.destroy();
    },
  };
}

/** Queues mails of the shop that have been due for some minutes, before every other job. */
async function queueMails({ owner, site_id }: TestShop, order_id: string): Promise<void> {
  await owner.query(
    `select graphile_worker.add_job('send_mail', payload => j.payload, run_at => now() - interval '10 minutes', max_attempts => 12)
      from generate_series(1, ${MAILS}), (
        select j.payload from graphile_worker._private_jobs j
        where j.payload->>'site_id' = $1 and j.payload->'about'->>'order_id' = $2 limit 1) as j`,
    [site_id, order_id],
  );
}

async function mailsOf({ owner, site_id }: TestShop) {
  const { rows } = await owner.query<{ left: number; attempts: number; running: number }>(
    `select count(*)::int as left, coalesce(sum(j.attempts), 0)::int as attempts,
        count(*) filter (where j.locked_at is not null)::int as running
      from graphile_worker._private_jobs j join graphile_worker._private_tasks t on t.id = j.task_id
      where t.identifier = 'send_mail' and j.payload->>'site_id' = $1`,
    [site_id],
  );
  return rows[0] ?? { left: 0, attempts: 0, running: 0 };
}

/** The stored status: the API shows an overdue order as expired before the job has recorded it. */
async function statusOf({ owner }: TestShop, order_id: string): Promise<string | undefined> {
  const { rows } = await owner.query<{ payment_status: string }>(
    'select payment_status from commerce.orders where id = $1',
    [order_id],
  );
  return rows[0]?.payment_status;
}

test('a hanging mail server delays no order expiry, at most five mails lose an attempt, and the others are sent after it recovers', async () => {
  const shop = await openShop();
  const order = await shop.givenOrder({ email: `${randomUUID()}@example.com` });
  // No more mails about placing the order are sent once the order has expired.
  const other = await shop.givenOrder({ email: `${randomUUID()}@example.com` });
  await queueMails(shop, other.id);
  const { left: queued } = await mailsOf(shop);
  expect(queued).toBeGreaterThan(MAILS);
  const mailServer = await startHangingServer();
  const jobs = await workJobs({ smtpUrl: mailServer.url });
  onTestFinished(() => jobs.stop());
  await expect.poll(mailServer.connections).toBeGreaterThan(0);

  await shop.owner.query('update commerce.orders set payment_due_at = now() where id = $1', [order.id]);
  await shop.owner.query(`select graphile_worker.add_job('overdue', queue_name => 'overdue', job_key => 'overdue')`);
  await expect.poll(() => statusOf(shop, order.id), { timeout: JOBS_MS }).toBe('expired');

  // graphile-worker deletes the rows of finished jobs.
  await shop.owner.query(
    `select graphile_worker.add_job(name, payload => '{}', job_key => 'test_' || name) from unnest($1::text[]) as name`,
    [MONEY_JOBS],
  );
  const waiting = async () => {
    const { rows } = await shop.owner.query<{ key: string }>(
      `select key from graphile_worker._private_jobs where key like 'test\\_%' and attempts = 0`,
    );
    return rows;
  };
  await expect.poll(waiting, { timeout: JOBS_MS }).toEqual([]);

  // The first mails wait for the greeting until the time limit; after that no mail is started.
  await expect.poll(async () => (await mailsOf(shop)).running, { timeout: 20_000 }).toBe(0);
  const { attempts } = await mailsOf(shop);
  expect(attempts).toBeLessThanOrEqual(5);
  await new Promise((done) => setTimeout(done, 2 * GREETING_MS));
  expect(await mailsOf(shop)).toMatchObject({ attempts, running: 0 });

  const ready = (await (await fetch(`${shop.baseUrl}/readyz`)).json()) as { queue: { job: string; waiting: number }[] };
  const due = ready.queue.find(({ job }) => job === 'send_mail');
  expect(due).toMatchObject({ waiting: expect.any(Number), oldest_seconds: expect.any(Number) });
  expect(due?.waiting).toBeGreaterThanOrEqual(MAILS - 5);
  const metrics = await (await fetch(`${shop.baseUrl}/metrics`)).text();
  expect(Number(/^jobs_due\{job="send_mail"\} (\d+)$/m.exec(metrics)?.[1])).toBeGreaterThanOrEqual(MAILS - 5);
  expect(Number(/^jobs_oldest_due_seconds\{job="send_mail"\} (\d+)$/m.exec(metrics)?.[1])).toBeGreaterThanOrEqual(600);
  const found = (await examine({ DATABASE_URL: databaseUrl(), DATA_DIR: '/tmp/no-such-data' })).filter(
    ({ check }) => check === 'queue',
  );
  expect(found).toMatchObject([{ state: 'warning', found: expect.stringContaining('send_mail') }]);

  await shop.owner.query(
    `delete from graphile_worker._private_jobs where locked_at is null and attempts = 0 and id in (
      select j.id from graphile_worker._private_jobs j join graphile_worker._private_tasks t on t.id = j.task_id
        where t.identifier = 'send_mail' and j.payload->>'site_id' = $1 offset $2)`,
    [shop.site_id, SENT],
  );
  mailServer.work();

  // Mails that were attempted wait for their next attempt.
  await expect.poll(async () => (await mailsOf(shop)).left, { timeout: 30_000 }).toBeLessThanOrEqual(5);
  expect(mailServer.received.length).toBeGreaterThanOrEqual(SENT - 5);
}, 240_000);
