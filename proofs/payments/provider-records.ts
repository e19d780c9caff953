import { randomUUID } from 'node:crypto';
import type { Pool } from 'pg';
import { takeEvent } from '../../server/src/shop/checkout/settle.ts';
import { settlePayments } from '../../server/src/shop/checkout/settle-all.ts';
import { inShop } from '../../server/src/shop/in-shop.ts';
import type { PaymentProvider } from '../../server/src/shop/payments/provider.ts';
import { createTestProvider, TEST_PROVIDER } from '../../server/src/shop/payments/test-provider.ts';
import { SYSTEM, type Tenant } from '../../server/src/shop/shop.ts';

const SECRET_KEY = 'a secret of the proofs, long enough to be one';

/** A shop's payments in the provider's records, compared with its orders. */
export interface Books {
  /** The database as the server sees it. */
  db: Pool;
  /** Connections without row-level security. */
  owner: Pool;
  tenant: Tenant;
}

/**
 * Does the work of the payment job, which runs each minute. `provider` replaces the test provider. Errors are ignored,
 * because the job retries a minute later: another server may hold a lock.
 */
export async function settle({ db, tenant }: Books, provider?: PaymentProvider): Promise<void> {
  const card = provider ?? createTestProvider({ db, baseUrl: 'http://localhost' });
  await settlePayments(db, tenant, { card, secretKey: SECRET_KEY }).catch(() => undefined);
}

/** The shopper approves or declines the payment at the provider. */
export async function decide({ owner, tenant }: Books, checkout_id: string, approved: boolean): Promise<void> {
  await owner.query(
    `update commerce.test_payments t set status = case when $3 then 'succeeded' else 'failed' end,
        captured = case when $3 then t.amount else 0 end
      from commerce.payments p where p.site_id = t.site_id and p.id = t.id and p.checkout_id = $2 and t.site_id = $1
        and t.status = 'requires_action'`,
    [tenant.site_id, checkout_id, approved],
  );
}

/** The provider captures the money although it reported the payment as cancelled, and sends an event about it. */
export async function succeedLate({ db, owner, tenant }: Books, checkout_id: string): Promise<void> {
  const { rows } = await owner.query<{ id: string }>(
    `update commerce.test_payments t set status = 'succeeded', captured = t.amount from commerce.payments p
      where p.site_id = t.site_id and p.id = t.id and p.checkout_id = $2 and t.site_id = $1 and t.status = 'cancelled'
        and t.amount > 0 returning t.id`,
    [tenant.site_id, checkout_id],
  );
  for (const { id } of rows) {
    const key = { id, site_id: tenant.site_id, reference: null };
    const outcome = await createTestProvider({ db, baseUrl: 'http://localhost' }).outcomeOf(key);
    if (!outcome) throw new Error(`The provider has lost payment ${id}.`);
    const event = { provider: TEST_PROVIDER, event_id: randomUUID(), outcome };
    await inShop(db, tenant, SYSTEM, (shop) => takeEvent(shop, { secretKey: SECRET_KEY }, id, event));
  }
}

/** Moves the deadlines of all open payments into the past. */
export async function letTimePass({ owner, tenant }: Books): Promise<void> {
  await owner.query(
    `update commerce.payments set expires_at = least(expires_at, now()), created_at = created_at - interval '20 minutes',
        updated_at = updated_at - interval '20 minutes'
      where site_id = $1 and status in ('started', 'requires_action', 'pending', 'authorized', 'abandoned')`,
    [tenant.site_id],
  );
}

interface Account {
  /** The amount captured and not refunded, in minor units. */
  money: number;
  orders: number;
  /** The total of the paid orders. */
  paid: number;
  unsettled: number;
}

/**
 * Returns the figures if the money differs from the paid orders, if there are several orders, or if a payment is unsettled.
 * Returns undefined otherwise.
 */
export async function faultIn({ owner, tenant }: Books, checkout_id: string): Promise<string | undefined> {
  const { rows } = await owner.query<Account>(
    `select (
        select coalesce(sum(t.captured - (select coalesce(sum(value::int), 0) from jsonb_each_text(t.refunds))), 0)
        from commerce.payments p join commerce.test_payments t on t.site_id = p.site_id and t.id = p.id
        where p.site_id = $1 and p.checkout_id = $2)::int as money, (
        select count(*) from commerce.orders o where o.site_id = $1 and o.checkout_id = $2)::int as orders, (
        select coalesce(sum(o.total * 100), 0) from commerce.orders o
        where o.site_id = $1 and o.checkout_id = $2 and o.payment_status = 'paid')::int as paid, (
        select count(*) from commerce.payments p where p.site_id = $1 and p.checkout_id = $2
          and (p.status in ('started', 'requires_action', 'pending', 'authorized', 'abandoned')
            or (p.status = 'succeeded' and p.order_id is null)))::int as unsettled`,
    [tenant.site_id, checkout_id],
  );
  const account = rows[0];
  if (!account || (account.money === account.paid && account.orders <= 1 && account.unsettled === 0)) return undefined;
  return JSON.stringify(account);
}
