import type { PoolClient } from 'pg';
import type { Logger } from 'pino';
import sql, { type Sql } from 'sql-template-tag';
import type { RowOf } from '../db/row-of.ts';
import { Counter, processRegistry } from '../metrics/kinds.ts';
import { deleteOldSeals } from '../shop/audit/deletion.ts';
import type { AuditKey } from '../shop/audit/keys.ts';
import { inSite } from '../shop/sites/in-site.ts';
import { asSweeper } from './as-sweeper.ts';

/** Retention periods in days. */
export interface Retention {
  /**
   * For expired carts and checkouts, links to checkouts, the history of reserved stock, and ids of providers' events.
   */
  cartsDays: number;
  /** For personal data in expired checkouts. */
  addressesDays: number;
  /** For sealed audit rows and profiles of guest agents. */
  auditDays: number;
}

export interface RetentionDeps extends Retention {
  secretKey: string;
  auditKey: AuditKey;
  logger: Logger;
}

const deletedRows = new Counter({
  name: 'retention_rows_total',
  help: 'Rows that the job retention deleted or cleared, by kind',
  labelNames: ['kind'],
  registers: [processRegistry],
});

/**
 * Maximum number of rows per transaction, except for seals of the audit log. The number is small, so that a shopper
 * waits for one short transaction at most. Carts and checkouts that a request has locked are skipped.
 */
const BATCH = 500;
/** A run stops after this time to free its worker. The next run visits the sites in another order. */
const RUN_MS = 60_000;

/** Number of deleted rows by kind. */
export type Deleted = Record<string, number>;

/**
 * Deletes data whose retention period is over, site by site. Needs the login that owns the tables. Repeated and
 * concurrent runs are harmless.
 */
export async function deleteOldData(client: PoolClient, deps: RetentionDeps): Promise<Deleted> {
  const until = Date.now() + RUN_MS;
  const { rows: sites } = await asSweeper(client, () =>
    client.query<RowOf<'sites', 'site_id'>>(
      'select site_id from commerce.sites where moved_at is null and delete_begun_at is null order by random()',
    ),
  );
  const sum: Deleted = {};
  const add = (kind: string, count: number) => {
    if (count === 0) return;
    sum[kind] = (sum[kind] ?? 0) + count;
    deletedRows.inc({ kind }, count);
  };
  let failed = 0;
  for (const { site_id } of sites) {
    if (Date.now() > until) break;
    try {
      for (const [kind, statement] of Object.entries(statementsOf(site_id, deps))) {
        add(kind, await inBatches(client, site_id, statement, until));
      }
      add('audit_events', await deleteSeals(client, site_id, deps, until));
    } catch (error) {
      failed += 1;
      deps.logger.error({ job: 'retention', site_id, err: error }, 'failed in a shop');
    }
  }
  if (failed > 0) throw new Error(`Old data could not be deleted in ${failed} shops.`);
  return sum;
}

async function inBatches(client: PoolClient, site_id: string, statement: Sql, until: number): Promise<number> {
  for (let total = 0; ; ) {
    const { rowCount } = await inSite(client, site_id, () => client.query(statement));
    total += rowCount ?? 0;
    if ((rowCount ?? 0) < BATCH || Date.now() > until) return total;
  }
}

/**
 * Deletes old seals with their rows. Deletes none if a seal does not match its rows, which `audit verify` explains.
 * Returns the number of rows.
 */
async function deleteSeals(client: PoolClient, site_id: string, deps: RetentionDeps, until: number): Promise<number> {
  for (let total = 0; ; ) {
    const { rows, findings } = await inSite(client, site_id, () => deleteOldSeals(client, site_id, deps));
    if (findings.length > 0) {
      deps.logger.warn(
        { job: 'retention', site_id, finding: findings[0] },
        'old audit rows are kept: run audit verify',
      );
    }
    total += rows;
    if (rows === 0 || Date.now() > until) return total;
  }
}

/**
 * The payments of checkout `k` that moved or may still move money, so that the staff may have to contact the payer. A
 * failed payment moved money if the provider rejected its refund; it then has a captured amount.
 */
const MOVED_MONEY = sql`select from commerce.payments p where p.site_id = k.site_id and p.checkout_id = k.id
  and (p.order_id is not null or p.captured_amount is not null or p.status not in ('failed', 'cancelled'))`;

/** The statements for one site. Checkouts come before carts, because a checkout refers to its cart. */
function statementsOf(site_id: string, { cartsDays, addressesDays, auditDays }: Retention): Record<string, Sql> {
  const site = sql`site_id = ${site_id}::uuid`;
  const [carts, addresses, audit] = [cartsDays, addressesDays, auditDays].map(
    (days) => sql`now() - make_interval(days => ${days}::int)`,
  ) as [Sql, Sql, Sql];
  return {
    addresses: sql`update commerce.checkouts set cleared_at = now(), email = null, phone = null, shipping_address = null,
        billing_address = null, note = null
      where ${site} and id in (
        select id from commerce.checkouts k where ${site} and status in ('expired', 'cancelled') and cleared_at is null
          and expires_at <= ${addresses} and not exists (${MOVED_MONEY})
          order by expires_at limit ${BATCH} for update skip locked)`,
    checkouts: sql`with chosen as materialized (
        select id from commerce.checkouts k where ${site} and status in ('expired', 'cancelled') and expires_at <= ${carts}
          and not exists (${MOVED_MONEY})
          and not exists (select from commerce.orders o where o.site_id = k.site_id and o.checkout_id = k.id)
        order by expires_at limit ${BATCH} for update skip locked
      ), payments as (
        delete from commerce.payments where ${site} and checkout_id in (select id from chosen)
      ), synced as (
        delete from commerce.sync_orders where ${site} and checkout_id in (select id from chosen)
      ), links as (
        delete from commerce.checkout_links where ${site} and checkout_id in (select id from chosen)
      )
      delete from commerce.checkouts where ${site} and id in (select id from chosen)`,
    carts: sql`with chosen as materialized (
        select id from commerce.carts c where ${site} and status in ('expired', 'merged') and expires_at <= ${carts}
          and payment_id is null
          and not exists (select from commerce.checkouts k where k.site_id = c.site_id and k.cart_id = c.id)
          and not exists (select from commerce.carts m where m.site_id = c.site_id and m.merged_into = c.id)
          and not exists (
            select from commerce.discount_redemptions r where r.site_id = c.site_id and r.cart_id = c.id and r.status <> 'released')
        order by expires_at limit ${BATCH} for update skip locked
      ), codes as (
        delete from commerce.discount_redemptions where ${site} and cart_id in (select id from chosen)
      )
      delete from commerce.carts where ${site} and id in (select id from chosen)`,
    // Claims from a contract lapse three years after the end of the year (§§ 195, 199 BGB).
    withdrawal_statements: sql`with chosen as materialized (
        select w.id from commerce.withdrawals w join commerce.withdrawal_statements s using (site_id, id)
        where w.site_id = ${site_id}::uuid and w.status = 'closed' and s.created_at < date_trunc('year', now()) - interval '3 years'
        order by s.created_at limit ${BATCH} for update of w skip locked
      ), lines as (
        delete from commerce.withdrawal_lines where ${site} and withdrawal_id in (select id from chosen)
      ), decisions as (
        delete from commerce.withdrawals where ${site} and id in (select id from chosen)
      )
      delete from commerce.withdrawal_statements where ${site} and id in (select id from chosen)`,
    // Credit notes are deleted before their invoice, and the invoice of a remaining credit note is kept. Periods count
    // from the end of the year.
    documents: sql`delete from commerce.documents where ${site} and id in (
        select id from commerce.documents d where ${site} and issued_at < date_trunc('year', now()) - interval '8 years'
          and issued_at < date_trunc('year', now()) - make_interval(years => case d.content -> 'seller' ->> 'country'
            when 'DE' then 8 else 10 end)
          and not exists (
            select from commerce.documents c where c.site_id = d.site_id and c.order_id = d.order_id and c.invoice_id = d.id)
        order by issued_at limit ${BATCH})`,
    // Ids begin with the time of creation, so the primary key finds the old ones.
    checkout_links: sql`delete from commerce.checkout_links where ${site} and ctid = any(array(
        select ctid from commerce.checkout_links l where ${site} and checkout_id < ${oldestId(cartsDays)}::uuid
          and not exists (
            select from commerce.checkouts k where k.site_id = l.site_id and k.id = l.checkout_id
              and k.status in ('open', 'ready', 'requires_escalation'))
        limit ${BATCH}))`,
    stock_movements: sql`delete from commerce.stock_movements where ${site} and ctid = any(array(
        select ctid from commerce.stock_movements where ${site} and type in ('reservation', 'release')
          and created_at <= ${carts} limit ${BATCH}))`,
    payment_events: sql`delete from commerce.payment_events where ${site} and ctid = any(array(
        select ctid from commerce.payment_events where ${site} and received_at <= ${carts} limit ${BATCH}))`,
    public_tool_calls: sql`delete from commerce.public_tool_calls where ${site} and ctid = any(array(
        select ctid from commerce.public_tool_calls where ${site} and created_at <= now() - interval '30 days' limit ${BATCH}))`,
    agent_profiles: sql`delete from commerce.agent_profiles where ${site} and expires_at <= ${audit} and id in (
        select id from commerce.agent_profiles p where ${site} and expires_at <= ${audit} and not exists (
          select from commerce.audit_events e where e.site_id = p.site_id and e.actor_id = p.id)
        limit ${BATCH})`,
  };
}

/** The lowest id that a row of the last `days` days can have. */
function oldestId(days: number): string {
  const hex = (Date.now() - days * 86_400_000).toString(16).padStart(12, '0');
  return `${hex.slice(0, 8)}-${hex.slice(8)}-0000-0000-000000000000`;
}
