import { randomUUID } from 'node:crypto';
import { expect, onTestFinished, test } from 'vitest';
import { openReceiver } from '../../test/receiver.ts';
import { testServer } from '../../test/server.ts';
import { openShop } from '../../test/shop.ts';

/** A session that gets the same notifications as workers. */
async function listen(): Promise<number[]> {
  const { owner } = await testServer();
  const listener = await owner.connect();
  onTestFinished(() => listener.release(true));
  const heard: number[] = [];
  listener.on('notification', ({ payload = '' }) => heard.push((JSON.parse(payload) as { count: number }).count));
  await listener.query('listen "jobs:insert"');
  return heard;
}

test.for([
  ['send_mail', 12],
  ['deliver_webhook', 100],
])("adds the same job as graphile-worker's own function: %s", async ([task, attempts]) => {
  const { owner } = await testServer();
  const { rows } = await owner.query(
    `with theirs as (select (graphile_worker.add_job($1, '{"a":1}', max_attempts => $2)).id)
    select commerce.add_jobs($1, array['{"a":1}'::json], now(), $2, '{0}'), id from theirs`,
    [task, attempts],
  );
  const { rows: jobs } = await owner.query(
    `select to_jsonb(j) - '{id,created_at,updated_at}'::text[] as job from graphile_worker._private_jobs j
    where id >= $1 and task_id = (select id from graphile_worker._private_tasks where identifier = $2)
      and payload::text = '{"a":1}' order by id limit 2`,
    [rows[0].id, task],
  );
  await owner.query(`delete from graphile_worker._private_jobs where payload::text = '{"a":1}'`);

  expect(jobs).toHaveLength(2);
  expect(jobs[1].job).toEqual(jobs[0].job);
});

test('adds a job of a task that no worker has registered', async () => {
  const { owner } = await testServer();
  const task = `task ${randomUUID()}`;
  await owner.query(`select commerce.enqueue($1, '{}', now())`, [task]);

  const { rowCount } = await owner.query(
    'delete from graphile_worker._private_jobs where task_id = (select id from graphile_worker._private_tasks where identifier = $1)',
    [task],
  );
  expect(rowCount).toBe(1);
});

test('wakes workers when a transaction that adds jobs commits, but not when it is rolled back', async () => {
  const shop = await openShop();
  const receiver = await openReceiver(() => 200);
  onTestFinished(() => receiver.close());
  const events = ['customer.created' as const];
  await shop.dashboard.POST('/api/dashboard/webhooks', { body: { url: receiver.url, events } });
  const heard = await listen();

  const body = { email: 'june@example.com' };
  await shop.dashboard.POST('/api/dashboard/customers', { body });
  await expect.poll(() => heard).toEqual([1]);

  const { error } = await shop.dashboard.POST('/api/dashboard/customers', { body });
  expect(error?.error).toBeDefined();
  await shop.dashboard.POST('/api/dashboard/customers', { body: { email: 'july@example.com' } });
  await expect.poll(() => heard).toEqual([1, 1]);
});
