import { expect, test } from 'vitest';
import { workJobs } from '../../test/jobs.ts';
import { openReceiver } from '../../test/receiver.ts';
import { openShop } from '../../test/shop.ts';

test('the second attempt is made when its time has come, 5 s after the first, a tenth earlier or later', async () => {
  const jobs = await workJobs();
  const shop = await openShop();
  const moments: number[] = [];
  const receiver = await openReceiver(() => {
    moments.push(performance.now());
    return moments.length === 1 ? 500 : 200;
  });
  await shop.dashboard.POST('/api/dashboard/webhooks', { body: { url: receiver.url, events: ['customer.created'] } });
  await shop.dashboard.POST('/api/dashboard/customers', { body: { email: 'june@example.com' } });

  await expect.poll(() => moments.length, { timeout: 20_000 }).toBe(2);
  const [first = 0, second = 0] = moments;
  expect(second - first).toBeGreaterThan(4_400);
  // A busy machine is late itself.
  expect(second - first).toBeLessThan(7_500);
  await jobs.stop();
  await receiver.close();
}, 30_000);
