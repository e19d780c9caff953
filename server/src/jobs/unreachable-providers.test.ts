import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { pino } from 'pino';
import { expect, test } from 'vitest';
import { SECRET_KEY } from '../../test/server.ts';
import { openShop } from '../../test/shop.ts';
import { databaseUrl } from '../../test/worker-database.ts';
import { ignoreLostConnections } from '../db/connect.ts';
import { pay } from '../shop/checkout/pay.ts';
import { settlePayments } from '../shop/checkout/settle-all.ts';
import { findTenant } from '../shop/in-shop.ts';
import { withoutHosts } from '../shop/links.ts';
import type { PaymentAccounts } from '../shop/payments/accounts/providers.ts';
import type { PaymentProvider } from '../shop/payments/provider.ts';
import { createTestProvider } from '../shop/payments/test-provider.ts';
import { expireOverdue } from './buying.ts';

type OpenShop = Awaited<ReturnType<typeof openShop>>;

const checkoutPath = '/api/storefront/checkout/{checkout_id}';
const JOB_MS = 300;

/** No site has its own payment account, and calls to providers time out quickly. */
const IMPATIENT: PaymentAccounts = {
  deadlines: { request: JOB_MS, returning: JOB_MS, job: JOB_MS },
  providerOf: async () => undefined,
  refuseWrongKey: async () => ({ isOtherAccount: false }),
  moveWebhook: async () => false,
};

async function expire({ db }: OpenShop, card: PaymentProvider, providersMs?: number) {
  const pool = ignoreLostConnections(new pg.Pool({ connectionString: databaseUrl(), max: 1 }));
  const client = await pool.connect();
  try {
    const deps = {
      db,
      card,
      accounts: IMPATIENT,
      secretKey: SECRET_KEY,
      logger: pino({ level: 'silent' }),
      ...(providersMs && { providersMs }),
    };
    return await expireOverdue(client, deps).catch(() => undefined);
  } finally {
    client.release();
    await pool.end();
  }
}

async function settle({ db, site_id }: OpenShop, card: PaymentProvider | undefined): Promise<void> {
  const tenant = await findTenant(db, site_id);
  if (tenant) await settlePayments(db, tenant, { card, secretKey: SECRET_KEY });
}

/** Begins a payment that waits for the shopper. */
async function givenOpenPayment(shop: OpenShop) {
  const product = await shop.givenProduct();
  const content = [{ variant_id: product.variants[0]?.id ?? '', quantity: 4 }];
  const { id: checkout_id } = await shop.givenCheckout({ content, payment_method: 'card' });
  const { error } = await shop.storefront.POST(`${checkoutPath}/complete`, {
    params: { path: { checkout_id } },
    body: { payment: { card_token: 'tok_3ds' } },
  });
  expect(error).toMatchObject({ error: 'payment_action_required' });
  const reserved = async () => {
    const query = { product_id: product.id };
    const { data } = await shop.dashboard.GET('/api/dashboard/inventory', { params: { query } });
    return data?.inventory[0]?.reserved;
  };
  return { checkout_id, reserved };
}

/** Confirms the payment as the shopper does. */
async function approve({ owner, site_id }: OpenShop): Promise<void> {
  await owner.query(
    `update commerce.test_payments set status = 'succeeded', captured = amount
      where site_id = $1 and status = 'requires_action'`,
    [site_id],
  );
}

async function anHourLater({ owner, site_id }: OpenShop): Promise<void> {
  await owner.query(
    `update commerce.payments set unreachable_since = unreachable_since - interval '61 minutes' where site_id = $1`,
    [site_id],
  );
}

test('keeps stock reserved for an hour after a payment provider is removed, and refunds the payment when the provider returns', async () => {
  const shop = await openShop();
  const { checkout_id, reserved } = await givenOpenPayment(shop);
  await approve(shop);

  await settle(shop, undefined);
  expect(await reserved()).toBe(4);
  await anHourLater(shop);
  await settle(shop, undefined);
  expect(await reserved()).toBe(0);
  const { data } = await shop.storefront.GET(checkoutPath, { params: { path: { checkout_id } } });
  expect(data).toMatchObject({ status: 'ready', payment: null });

  await settle(shop, createTestProvider({ db: shop.db, baseUrl: 'http://localhost' }));
  const { rows } = await shop.owner.query(
    'select captured::text, refunds from commerce.test_payments where site_id = $1',
    [shop.site_id],
  );
  expect(Object.values(rows[0]?.refunds ?? {})).toEqual([Number(rows[0]?.captured)]);
  const payments = await shop.owner.query('select status from commerce.payments where site_id = $1', [shop.site_id]);
  expect(payments.rows).toEqual([{ status: 'refunded' }]);
});

test('charges another card only if there is enough time to receive the result (otherwise 503 unavailable)', async () => {
  const shop = await openShop();
  const { checkout_id } = await givenOpenPayment(shop);
  await shop.owner.query(`update commerce.test_payments set status = 'failed' where site_id = $1`, [shop.site_id]);
  const card = createTestProvider({ db: shop.db, baseUrl: 'http://localhost' });
  const slow: PaymentProvider = {
    ...card,
    outcomeOf: async (payment) => {
      const outcome = await card.outcomeOf(payment);
      await sleep(JOB_MS * 0.85);
      return outcome;
    },
  };
  const payWith = async (provider: PaymentProvider, accounts?: PaymentAccounts) => {
    const tenant = await findTenant(shop.db, shop.site_id);
    if (!tenant) throw new Error('The shop is gone.');
    const actor = { type: 'storefront', id: checkout_id, customer_id: null } as const;
    const hosts = withoutHosts('http://localhost');
    const checkoutDeps = { baseUrl: 'http://localhost', hosts, secretKey: SECRET_KEY, card: provider, accounts };
    const completion = { expected_total: undefined, payment: { card_token: 'tok_success' } };
    return pay(shop.db, tenant, actor, { checkoutDeps, checkout_id, completion });
  };
  const begun = async () => {
    const { rows } = await shop.owner.query('select from commerce.payments where site_id = $1', [shop.site_id]);
    return rows.length;
  };

  await expect(payWith(slow, IMPATIENT)).rejects.toMatchObject({ code: 'unavailable' });
  expect(await begun()).toBe(1);
  expect(await payWith(card)).toMatchObject({ status: 'succeeded' });
  expect(await begun()).toBe(2);
});

test('a payment provider that hangs for one shop does not delay other shops', async () => {
  const [hung, other] = [await openShop(), await openShop()];
  for (let i = 0; i < 7; i += 1) await givenOpenPayment(hung);
  const { checkout_id } = await givenOpenPayment(other);
  await approve(other);
  const { id: expiring } = await hung.givenCheckout();
  await hung.owner.query('update commerce.checkouts set reserved_until = now() where id = $1', [expiring]);
  const card = createTestProvider({ db: other.db, baseUrl: 'http://localhost' });
  const asked: string[] = [];
  const hangs: PaymentProvider = {
    ...card,
    outcomeOf(payment) {
      if (payment.site_id !== hung.site_id) return card.outcomeOf(payment);
      asked.push(payment.id);
      return new Promise(() => undefined);
    },
  };

  // A run starts no call after its deadline. It makes at most five calls concurrently, and the next run handles the
  // rest.
  await expire(other, hangs, JOB_MS / 2);
  expect(asked.length).toBeLessThanOrEqual(5);
  await expire(other, hangs);

  const order = await other.storefront.GET(checkoutPath, { params: { path: { checkout_id } } });
  expect(order.data?.status).toBe('completed');
  expect(new Set(asked).size).toBe(7);
  const { rows } = await hung.owner.query('select reserved_until from commerce.checkouts where id = $1', [expiring]);
  expect(rows).toEqual([{ reserved_until: null }]);
  const open = await hung.owner.query(
    `select count(*)::int as count from commerce.payments
      where site_id = $1 and status = 'requires_action' and unreachable_since is not null`,
    [hung.site_id],
  );
  expect(open.rows).toEqual([{ count: 7 }]);
});
