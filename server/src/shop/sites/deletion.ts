import type pg from 'pg';
import sql from 'sql-template-tag';
import type { RowOf } from '../../db/row-of.ts';
import type { FileStore } from '../../files/store.ts';
import { NotFound, ShopError } from '../errors.ts';
import { isAwaited } from '../orders/overdue.ts';
import { isOwed } from '../orders/owed.ts';
import { amountKept, amountReceived } from '../orders/received.ts';
import { emptyInSteps, type Step } from './deletion-steps.ts';
import { inSite } from './in-site.ts';
import { beginDeletion, type Owner, planDeletion, type SiteState, stateOf } from './state.ts';
import { tablesOfSites } from './tables.ts';

export const BACKUPS_REMAIN = 'Earlier backups still contain the site. Delete them if necessary.';

/** A scheduled deletion can be cancelled for this many days. */
export const DELETION_WAITS_DAYS = 30;

const NO_SITE = '00000000-0000-0000-0000-000000000000';

export interface DeletionOptions {
  /** Skips the waiting period. */
  now: boolean;
  /** Ignores pending payments, expected bank transfers and due refunds. */
  force: boolean;
  /** Called at each step of an immediate deletion. */
  onStep?: (step: Step) => void;
}

export interface Removed {
  rows: number;
  jobs: number;
  /** The number of deleted logins of people who worked for no other site. */
  logins: number;
  /** The number of rows and jobs of the site after the commit. Must be 0. */
  left_over: number;
}

/**
 * Deletes a site immediately, or suspends it and schedules its deletion in 30 days. The deletion runs in steps that do
 * not block other sites; the next call or the job continues an interrupted one. Throws `not_found`. Without `force`,
 * throws `conflict` if payments are pending, bank transfers are expected or refunds are due.
 */
export async function deleteSite(
  owner: pg.ClientBase,
  files: FileStore,
  site_id: string,
  { now, force, onStep }: DeletionOptions,
): Promise<{ planned: SiteState } | { removed: Removed }> {
  if (!now) return { planned: await inSite(owner, site_id, () => plan(owner, site_id, force)) };
  // If the file store failed after the rows were deleted, files remain. Repeating the command deletes them.
  await inSite(owner, site_id, () => begin(owner, site_id, force)).catch(async (error: unknown) => {
    if (error instanceof NotFound) await files.removeAll(site_id);
    throw error;
  });
  const emptied = await emptyInSteps(owner, site_id, { onStep });
  const removed = await inSite(owner, site_id, () => removeRows(owner, site_id));
  // Files are deleted after the commit, so that no row refers to a missing file.
  await files.removeAll(site_id);
  return { removed: { ...removed, rows: removed.rows + emptied, left_over: await countLeft(owner, site_id) } };
}

/**
 * Deletes the sites whose scheduled deletion is due. Returns the deleted sites, and the sites that were kept because of
 * open obligations.
 */
export async function deleteDueSites(
  owner: pg.ClientBase,
  files: FileStore,
): Promise<{ deleted: string[]; owing: string[] }> {
  const { rows } = await owner.query<RowOf<'sites', 'site_id' | 'delete_forced'>>(
    'select site_id, delete_forced from commerce.sites where delete_at <= now() order by delete_at',
  );
  const done = { deleted: [] as string[], owing: [] as string[] };
  for (const { site_id, delete_forced } of rows) {
    try {
      await deleteSite(owner, files, site_id, { now: true, force: delete_forced });
      done.deleted.push(site_id);
    } catch (error) {
      if (!(error instanceof ShopError) || error.code !== 'conflict') throw error;
      done.owing.push(site_id);
    }
  }
  return done;
}

function plan(owner: Owner, site_id: string, force: boolean): Promise<SiteState> {
  return planIn(owner, site_id, { days: DELETION_WAITS_DAYS, force });
}

async function planIn(owner: Owner, site_id: string, { days, force }: { days: number; force: boolean }) {
  if (!force) await refuseOwing(owner, site_id);
  return planDeletion(owner, site_id, days, force);
}

/**
 * Schedules a deletion, or enqueues an immediate one. Must run in a transaction with the site as tenant. Throws the
 * errors of `deleteSite`.
 */
export async function requestDeletion(
  owner: Owner,
  site_id: string,
  { now, force }: DeletionOptions,
): Promise<SiteState> {
  const state = await planIn(owner, site_id, { days: now ? 0 : DELETION_WAITS_DAYS, force });
  if (now)
    await owner.query(`select graphile_worker.add_job('delete_sites', job_key => 'delete_sites', max_attempts => 1)`);
  return state;
}

/** Closes the site for good; it cannot be resumed. Does nothing if the deletion has already begun. */
async function begin(owner: pg.ClientBase, site_id: string, force: boolean): Promise<void> {
  // The lock waits for running requests. Later requests are rejected.
  const { rows } = await owner.query<{ begun: boolean }>(
    sql`select delete_begun_at is not null as begun from commerce.sites where site_id = ${site_id}::uuid for update`,
  );
  if (!force && !rows[0]?.begun) await refuseOwing(owner, site_id);
  await beginDeletion(owner, site_id);
}

export interface Owed {
  open_payments: number;
  /** Orders with an amount to refund: cancelled after the payment, or overpaid. */
  refunds_due: number;
  /** Orders that await a bank transfer, or are on payment terms and not fully paid. */
  awaited_transfers: number;
}

/** Counts the open obligations of a site to its customers. */
export async function owed(client: Owner, site_id: string): Promise<Owed> {
  const { rows } = await client.query<Owed>(
    sql`select (
        select count(*) from commerce.payments p where p.site_id = ${site_id}::uuid and (
          p.status in ('started', 'requires_action', 'pending', 'authorized', 'abandoned')
          or (p.status = 'succeeded' and p.order_id is null)))::int + (
        select count(*) from commerce.payment_moves m where m.site_id = ${site_id}::uuid and m.status = 'pending')::int
        as open_payments,
      (select count(*) from commerce.orders o where o.site_id = ${site_id}::uuid
        and ${amountReceived} - o.disputed - ${amountKept} > (
          -- Other refunds of an order have lowered its price.
          select coalesce(sum(case when o.status = 'cancelled' then r.amount else r.overpaid end), 0)
          from commerce.refunds r
          left join commerce.payment_moves m on m.site_id = r.site_id and m.id = r.id
          where r.site_id = o.site_id and r.order_id = o.id and coalesce(m.status, 'succeeded') = 'succeeded')
        )::int as refunds_due,
      (select count(*) from commerce.orders o where o.site_id = ${site_id}::uuid
        and (${isAwaited} or ${isOwed}))::int as awaited_transfers`,
  );
  return rows[0] ?? { open_payments: 0, refunds_due: 0, awaited_transfers: 0 };
}

/** Throws `conflict` for a site with open obligations. A moved site has none here. */
async function refuseOwing(owner: Owner, site_id: string): Promise<void> {
  // The server that imported the site now has its obligations.
  if ((await stateOf(owner, site_id))?.moved_at) return;
  const owing = await owed(owner, site_id);
  const { open_payments, refunds_due, awaited_transfers } = owing;
  if (open_payments + refunds_due + awaited_transfers === 0) return;
  throw new ShopError(
    'conflict',
    `The site has ${open_payments} open payments, awaits a bank transfer for ${awaited_transfers} orders and owes refunds for ${refunds_due} orders. Settle them, or force the deletion.`,
    { ...owing },
  );
}

/**
 * Deletes all rows of the site, its jobs, and the logins that only it uses. One statement deletes from all tables;
 * foreign keys are checked at its end, so the order does not matter. The statement is repeated for rows that triggers
 * have written, such as product changes.
 */
async function removeRows(owner: pg.ClientBase, site_id: string): Promise<Omit<Removed, 'left_over'>> {
  const tables = (await tablesOfSites(owner)).filter((table) => table !== 'commerce.sites');
  const { rows: staff } = await owner.query<RowOf<'staff_memberships', 'staff_id'>>(
    sql`select staff_id from commerce.staff_memberships where site_id = ${site_id}::uuid`,
  );
  // Runs deferred triggers now, because at COMMIT they would write after the last repetition.
  await owner.query('set constraints all immediate');
  let rows = 0;
  for (;;) {
    const deleted = await deleteFrom(owner, tables, site_id);
    rows += deleted;
    if (deleted === 0) break;
  }
  const { rowCount } = await owner.query(sql`delete from commerce.sites where site_id = ${site_id}::uuid`);
  const logins = await removeLogins(
    owner,
    staff.map(({ staff_id }) => staff_id),
  );
  const jobs = await owner.query(
    sql`delete from graphile_worker._private_jobs where payload->>'site_id' = ${site_id.toLowerCase()}`,
  );
  return { rows: rows + (rowCount ?? 0), jobs: jobs.rowCount ?? 0, logins };
}

/** Counts the remaining rows and jobs as the site's tenant, because row-level security hides all others. */
async function countLeft(owner: pg.ClientBase, site_id: string): Promise<number> {
  await owner.query('begin');
  try {
    await owner.query(sql`select set_config('app.site_id', ${site_id}::uuid::text, true)`);
    const tables = await tablesOfSites(owner);
    const counts = tables.map((table) => `(select count(*) from ${table} where site_id = $1::uuid)`);
    const jobs = `(select count(*) from graphile_worker._private_jobs where payload->>'site_id' = lower($1::text))`;
    const { rows } = await owner.query<{ left_over: number }>(`select ${[...counts, jobs].join(' + ')} as left_over`, [
      site_id,
    ]);
    return rows[0]?.left_over ?? 0;
  } finally {
    await owner.query('rollback');
  }
}

async function deleteFrom(owner: pg.ClientBase, tables: string[], site_id: string): Promise<number> {
  const parts = tables.map((table, i) => `d${i} as (delete from ${table} where site_id = $1::uuid returning 1)`);
  const counts = tables.map((_, i) => `(select count(*) from d${i})`);
  const { rows } = await owner.query<{ deleted: number }>(
    `with ${parts.join(', ')} select ${counts.join(' + ')} as deleted`,
    [site_id],
  );
  return rows[0]?.deleted ?? 0;
}

/** Deletes the logins of people who neither work for another site nor invited somebody there. */
async function removeLogins(owner: pg.ClientBase, staff_ids: string[]): Promise<number> {
  const { rows } = await owner.query<RowOf<'staff', 'id'>>(
    sql`select s.id from commerce.staff s where s.id = any(${staff_ids}::uuid[])
        and not exists (select from commerce.staff_memberships m where m.staff_id = s.id or m.invited_by = s.id)
        and not exists (select from commerce.staff_invitations v where v.invited_by = s.id)`,
  );
  const ids = rows.map(({ id }) => id);
  for (const table of ['staff_sessions', 'staff_resets', 'staff_second_factors']) {
    await owner.query(`delete from commerce.${table} where staff_id = any($1::uuid[])`, [ids]);
  }
  // Idempotency keys of logins belong to no site.
  await owner.query(sql`select set_config('app.site_id', ${NO_SITE}, true)`);
  await owner.query(
    sql`delete from commerce.idempotency_keys where site_id = ${NO_SITE}::uuid and principal_id = any(${ids}::uuid[])`,
  );
  // Mails about logins belong to no site.
  await owner.query(
    sql`delete from graphile_worker._private_jobs where payload->>'site_id' is null and payload->'about'->>'email' in (
        select email from commerce.staff where id = any(${ids}::uuid[]))`,
  );
  await owner.query(sql`delete from commerce.staff where id = any(${ids}::uuid[])`);
  return ids.length;
}
