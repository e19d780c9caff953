import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { pino } from 'pino';
import { afterAll, expect, test } from 'vitest';
import { printedBy } from '../../test/printed.ts';
import { SECRET_KEY, startServer, stopServer } from '../../test/server.ts';
import { openStripe, type StripeShop } from '../../test/stripe/shop.ts';
import { databaseUrl } from '../../test/worker-database.ts';
import { readConfig } from '../config.ts';
import { lost } from './lost.ts';

const stripe = await openStripe();
const folder = mkdtempSync(join(tmpdir(), 'commerce-lost-'));
afterAll(async () => {
  rmSync(folder, { recursive: true });
  await stripe.close();
});

/** Runs the command with these lines as the log. */
async function compare(site: string, lines: string[]) {
  const file = join(folder, 'server.log');
  writeFileSync(file, `${lines.join('\n')}\n`);
  const config = readConfig({
    ...{ DATABASE_URL: databaseUrl(), SECRET_KEY, DATA_DIR: folder, STRIPE_API_URL: stripe.standIn.url },
  });
  let complete: boolean | undefined;
  const text = await printedBy(async () => {
    complete = await lost(config, { log: file, site });
  });
  return { complete, text };
}

test('`lost` lists confirmed orders and payments that are in the log but not in the database', async () => {
  const shop = await stripe.givenShop();
  const begun = JSON.stringify({ time: new Date(Date.now() - 60_000).toISOString(), msg: 'request' });
  const log = new PassThrough();
  const lines = [begun, 'a line of the supervisor'];
  log.on('data', (chunk: Buffer) => lines.push(...chunk.toString().trim().split('\n')));
  const logger = pino({ level: 'info', timestamp: pino.stdTimeFunctions.isoTime }, log);
  const server = await startServer(databaseUrl(), { logger, stripeApiUrl: stripe.standIn.url });
  const order = async () => {
    const { id } = await shop.givenCheckout();
    const path = `/api/storefront/checkout/${id}/complete`;
    const headers = {
      'Content-Type': 'application/json',
      'X-Site-ID': shop.site_id,
      'X-Service-Token': shop.credentials.storefront_token,
      'Idempotency-Key': crypto.randomUUID(),
    };
    const body = JSON.stringify({ payment: { confirmation_token: shop.givenToken() } });
    const answer = await fetch(`${server.baseUrl}${path}`, { method: 'POST', headers, body });
    return (await answer.json()) as { order: { id: string; order_number: string } };
  };
  const [kept, gone] = [await order(), await order()];
  await stopServer(server);
  expect(await compare(shop.site_id, lines)).toMatchObject({ complete: true });

  // A failover may leave a payment without its order's id, and a checkout without an order.
  const [payment] = await replace(
    shop,
    'update commerce.payments set order_id = null where order_id = $1 returning id',
    gone.order.id,
  );
  const [checkout] = await replace(
    shop,
    `update commerce.orders o set checkout_id = null from commerce.orders before
      where o.id = $1 and before.id = o.id and before.site_id = o.site_id returning before.checkout_id as id`,
    gone.order.id,
  );
  const { complete, text } = await compare(shop.site_id, lines);
  await replace(shop, 'update commerce.payments set order_id = $1 where id = $2', gone.order.id, payment?.id);
  await replace(shop, 'update commerce.orders set checkout_id = $2 where id = $1', gone.order.id, checkout?.id);

  expect(complete).toBe(false);
  expect(text).toContain(`order ${gone.order.order_number}: site ${shop.site_id}`);
  expect(text).toMatch(new RegExp(`money 14.90 EUR: site ${shop.site_id}, payment \\S+, stripe pi_`));
  expect(text).toContain('2 missing; 2 confirmed orders');
  expect(text).not.toContain(`order ${kept.order.order_number}`);
});

/** Runs a statement without triggers. */
async function replace({ owner }: StripeShop, text: string, ...values: unknown[]): Promise<{ id: string }[]> {
  const client = await owner.connect();
  try {
    await client.query('set session_replication_role = replica');
    return (await client.query<{ id: string }>(text, values)).rows;
  } finally {
    client.release(true);
  }
}
