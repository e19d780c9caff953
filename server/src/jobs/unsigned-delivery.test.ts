import { expect, test } from 'vitest';
import { workJobs } from '../../test/jobs.ts';
import { openReceiver } from '../../test/receiver.ts';
import { openShop } from '../../test/shop.ts';

test('a delivery whose webhook secret cannot be decrypted counts as failed and is retried', async () => {
  const shop = await openShop();
  const receiver = await openReceiver();
  const { data } = await shop.dashboard.POST('/api/dashboard/webhooks', {
    body: { url: receiver.url, events: ['customer.created'] },
  });
  await shop.owner.query(
    'update commerce.webhooks set secret = set_byte(secret, 20, 255 - get_byte(secret, 20)) where id = $1',
    [data?.id],
  );
  await shop.dashboard.POST('/api/dashboard/customers', { body: { email: 'june@example.com' } });

  const jobs = await workJobs();
  const first = async () => {
    const { data: page } = await shop.dashboard.GET('/api/dashboard/webhook-deliveries');
    const path = { delivery_id: page?.deliveries[0]?.id ?? '' };
    const one = await shop.dashboard.GET('/api/dashboard/webhook-deliveries/{delivery_id}', { params: { path } });
    return one.data;
  };
  await expect.poll(async () => (await first())?.attempts_count, { timeout: 20_000 }).toBeGreaterThan(0);
  expect(await first()).toMatchObject({
    status: 'pending',
    response_status: null,
    next_attempt_at: expect.any(String),
    attempts: expect.arrayContaining([expect.objectContaining({ outcome: 'not_signed', response_status: null })]),
  });
  expect(receiver.received).toEqual([]);
  await jobs.stop();
  await receiver.close();
}, 30_000);
