import type { Pool, PoolClient } from 'pg';
import type { Logger } from 'pino';
import sql from 'sql-template-tag';
import { ERA } from '../db/era.ts';
import { expireDue } from '../shop/carts/expiry.ts';
import { expireCheckouts } from '../shop/checkout/expiry.ts';
import { finishMoves } from '../shop/checkout/moving.ts';
import { settlePayments } from '../shop/checkout/settle-all.ts';
import { inShop } from '../shop/in-shop.ts';
import { expireUnpaid, remindUnpaid } from '../shop/orders/expiry.ts';
import { isOverdue } from '../shop/orders/overdue.ts';
import type { PaymentAccounts } from '../shop/payments/accounts/providers.ts';
import type { PaymentProvider } from '../shop/payments/provider.ts';
import { countSales } from '../shop/products/sales.ts';
import { SYSTEM, type Tenant } from '../shop/shop.ts';
import { asSweeper } from './as-sweeper.ts';

/** Number of overdue rows that were handled, by kind, in all shops. */
export interface Overdue {
  carts: number;
  codes: number;
  checkouts: number;
  orders: number;
  reminders: number;
  payments: number;
  moves: number;
  sales: number;
}

export interface ExpiryDeps {
  db: Pool;
  /** The provider of card payments, if any. */
  card: PaymentProvider | undefined;
  accounts?: PaymentAccounts;
  secretKey: string;
  logger: Logger;
  /** Time limit for calling providers in one run. Shorter in tests. */
  providersMs?: number;
}

type Step = (tenant: Tenant, deps: ExpiryDeps & { until?: number }) => Promise<Partial<Overdue>>;

const STEPS: Step[] = [
  (tenant, { db }) => inShop(db, tenant, SYSTEM, (shop) => expireDue(shop)),
  async (tenant, { db }) => ({ checkouts: await expireCheckouts(db, tenant) }),
  async (tenant, { db }) => ({ orders: await expireUnpaid(db, tenant) }),
  async (tenant, { db }) => ({ reminders: await remindUnpaid(db, tenant) }),
  async (tenant, { db }) => ({ sales: await countAllSales(db, tenant) }),
];

/** Steps that wait for providers, which may hang. The other steps of all shops run before them. */
const PROVIDER_STEPS: Step[] = [
  async (tenant, deps) => ({ payments: await settlePayments(deps.db, tenant, deps) }),
  async (tenant, deps) => ({ moves: await finishMoves(deps.db, tenant, deps) }),
];
const SHOPS_SIDE_BY_SIDE = 4;
/**
 * No provider is called after this time, and `ProviderDeadlines.job` limits the last call, so a run ends within the
 * minute. The next run handles the rest, with the shops in another order.
 */
const PROVIDERS_MS = 30_000;

/**
 * Adds a shop's new sales to its products, in separate transactions so that no product is locked for long. Returns the
 * number of counted sales.
 */
async function countAllSales(db: Pool, tenant: Tenant): Promise<number> {
  let all = 0;
  for (;;) {
    const counted = await inShop(db, tenant, SYSTEM, countSales);
    all += counted;
    if (counted === 0) return all;
  }
}

/**
 * Handles overdue carts, checkouts, orders and payments: expires them, or sends reminders. First finds the shops with
 * due rows, and then works shop by shop under row-level security. Repeated and concurrent runs are harmless. A failure
 * in one shop is logged and does not stop the others; an error is thrown at the end.
 */
export async function expireOverdue(client: PoolClient, deps: ExpiryDeps): Promise<Overdue> {
  const sum: Overdue = { carts: 0, codes: 0, checkouts: 0, orders: 0, reminders: 0, payments: 0, moves: 0, sales: 0 };
  const failed = new Set<string>();
  const doSteps = async (tenant: Tenant, steps: Step[], until?: number) => {
    for (const step of steps) {
      try {
        add(sum, await step(tenant, { ...deps, ...(until !== undefined && { until }) }));
      } catch (error) {
        failed.add(tenant.site_id);
        deps.logger.error({ job: 'overdue', site_id: tenant.site_id, err: error }, 'failed in a shop');
      }
    }
  };
  const tenants = await tenantsWithOverdueRows(client);
  for (const tenant of tenants) await doSteps(tenant, STEPS);
  const until = Date.now() + (deps.providersMs ?? PROVIDERS_MS);
  const work = async () => {
    for (let next = tenants.pop(); next && Date.now() < until; next = tenants.pop())
      await doSteps(next, PROVIDER_STEPS, until);
  };
  await Promise.all(Array.from({ length: SHOPS_SIDE_BY_SIDE }, work));
  if (failed.size > 0) throw new Error(`Overdue work failed in ${failed.size} shops.`);
  return sum;
}

function add(sum: Overdue, done: Partial<Overdue>): void {
  for (const kind of Object.keys(done) as (keyof Overdue)[]) sum[kind] += done[kind] ?? 0;
}

/** The shops with due rows. They are read as commerce_sweep, whose policies cover all shops. */
async function tenantsWithOverdueRows(client: PoolClient): Promise<Tenant[]> {
  const { rows } = await asSweeper(client, () =>
    client.query<Tenant>(
      sql`select site_id, merchant_id, currency, currency_digits, show_stock, '' as catalog_version, ${ERA} as era from commerce.sites
        where moved_at is null and site_id in (
          select site_id from commerce.carts where status = 'active' and expires_at <= now()
          union select site_id from commerce.discount_redemptions where status = 'reserved' and expires_at <= now()
          union select site_id from commerce.checkouts where reserved_until <= now() and payment_id is null
          union select site_id from commerce.checkouts
            where payment_id is null and status in ('open', 'ready', 'requires_escalation') and expires_at <= now()
          union select site_id from commerce.orders o where ${isOverdue}
          union select site_id from commerce.orders
            where payment_status = 'awaiting_payment' and payment_reminded_at is null and payment_reminder_at <= now()
          union select site_id from commerce.orders
            where payment_terms_days is not null and payment_status = 'pending' and payment_reminded_at is null
              and payment_reminder_at <= now()
          union select site_id from commerce.payments
            where status in ('pending', 'authorized', 'abandoned')
              or (order_id is null and status in ('started', 'requires_action', 'succeeded'))
              or (purpose = 'amount_due' and status in ('started', 'requires_action'))
          union select site_id from commerce.payment_moves where status = 'pending'
          union select site_id from commerce.product_sales)
        order by random()`,
    ),
  );
  return rows;
}
