import { expect, test } from 'vitest';
import { workJobs } from '../../test/jobs.ts';
import { openReceiver, waitFor } from '../../test/receiver.ts';
import { openShop } from '../../test/shop.ts';

test('makes the second attempt of a webhook delivery some seconds after the first, not before it is due', async () => {
  const jobs = await workJobs();
  const shop = await openShop();
  const moments: number[] = [];
  const receiver = await openReceiver(() => {
    moments.push(Date.now());
    return moments.length === 1 ? 500 : 200;
  });
  await shop.dashboard.POST('/api/dashboard/webhooks', { body: { url: receiver.url, events: ['customer.created'] } });
  await shop.dashboard.POST('/api/dashboard/customers', { body: { email: 'june@example.com' } });

  /** The time of the second attempt, and its distance from the first in milliseconds. */
  const due = async () => {
    const { rows } = await shop.owner.query<{ at: number; wait: number }>(
      `select extract(epoch from d.next_attempt_at)::float8 * 1000 as at,
          extract(epoch from d.next_attempt_at - a.attempted_at)::float8 * 1000 - a.duration_ms as wait
        from commerce.webhook_deliveries d join commerce.webhook_attempts a on a.site_id = d.site_id and a.delivery_id = d.id
        where d.site_id = $1 and a.number = 1 and d.status = 'pending'`,
      [shop.site_id],
    );
    return rows[0];
  };
  await waitFor(async () => (await due()) !== undefined);
  const { at, wait } = (await due()) ?? { at: 0, wait: 0 };
  // 5 s ± 10 %, and the time until a busy machine has stored the result of the attempt.
  expect(wait).toBeGreaterThanOrEqual(4_500);
  expect(wait).toBeLessThanOrEqual(10_000);

  await expect.poll(() => moments.length, { timeout: 20_000 }).toBe(2);
  expect(moments[1]).toBeGreaterThanOrEqual(at);
  await jobs.stop();
  await receiver.close();
}, 30_000);
