import { expect, test } from 'vitest';
import { createShare, type Share, WAITING_JOBS } from './fair-share.ts';

const never = () => new Promise<never>(() => undefined);

/** Starts calls to unresponsive webhooks of a tenant, 5 per webhook. */
function hang(share: Share, site_id: string, webhooks: number): { under_way: number; held: number } {
  const calls = { under_way: 0, held: webhooks * 5 };
  for (let call = 0; call < webhooks * 5; call += 1) {
    const keys = { site_id, webhook_id: `${site_id} ${call % webhooks}` };
    const taken = share.take(keys, () => {
      calls.under_way += 1;
      return never();
    });
    void taken.then(() => {
      calls.held -= 1;
    });
  }
  return calls;
}

async function call(share: Share, site_id: string): Promise<boolean> {
  return 'done' in (await share.take({ site_id, webhook_id: `${site_id}'s` }, async () => undefined));
}

test('keeps webhook delivery slots for an eleventh tenant while ten tenants have unresponsive receivers', async () => {
  const share = createShare(200);
  const hanging = Array.from({ length: 10 }, (_, tenant) => hang(share, `tenant ${tenant}`, 4));
  expect(await Promise.all(Array.from({ length: 5 }, () => call(share, 'another')))).toEqual(Array(5).fill(true));
  expect(Math.min(...hanging.map(({ under_way }) => under_way))).toBeGreaterThanOrEqual(9);
});

test('limits the number of running and of waiting webhook deliveries', async () => {
  const share = createShare(200);
  const hanging = Array.from({ length: 10 }, (_, tenant) => hang(share, `tenant ${tenant}`, 8));
  await new Promise((done) => setImmediate(done));
  const under_way = hanging.reduce((sum, calls) => sum + calls.under_way, 0);
  const waiting = hanging.reduce((sum, calls) => sum + calls.held, 0) - under_way;
  expect(under_way).toBeLessThan(190);
  expect(waiting).toBeLessThanOrEqual(WAITING_JOBS);
});

test('limits a tenant to 20 concurrent deliveries and 5 per webhook, and returns when to retry further deliveries', async () => {
  const share = createShare(200);
  expect(hang(share, 'one webhook', 1).under_way).toBe(5);
  expect(hang(share, 'many webhooks', 10).under_way).toBe(20);
  const late = await share.take({ site_id: 'many webhooks', webhook_id: 'another' }, never);
  expect(late).toMatchObject({ retry_in_seconds: expect.any(Number) });
});
