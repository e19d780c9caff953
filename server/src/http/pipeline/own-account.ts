import sql from 'sql-template-tag';
import { type Connection, query, together } from '../../db/connect.ts';
import type { RowOf } from '../../db/row-of.ts';
import type { Caller } from '../callers/caller.ts';
import { NOBODY } from '../callers/open-callers.ts';
import type { Operation } from '../contract/contract.ts';
import { type AuditedCall, auditEventOfPerson } from './audit.ts';

/**
 * The staff login that a call without a shop concerns. The call is audited in the person's shops, or in the shop that
 * they join.
 */
export interface OwnAccount {
  staff_id: string;
  site_id?: string;
}

/** The staff login that a call changes: the login of the caller, if no merchant is chosen. */
export function ownAccountOf({ kind, principal_id, tenant }: Caller, { safe }: Operation): OwnAccount | undefined {
  return kind === 'staff' && tenant.site_id === NOBODY && !safe ? { staff_id: principal_id } : undefined;
}

/**
 * Audits a call about a staff login in each of the person's shops, in the transaction of the call. Sets each shop as
 * tenant in turn, and afterwards none.
 */
export async function auditOwnAccount(
  connection: Connection,
  { staff_id, site_id }: OwnAccount,
  act: Omit<AuditedCall, 'caller'>,
): Promise<void> {
  const sites = site_id ? [site_id] : await sitesOf(connection, staff_id);
  const writes = sites.flatMap((site) => [
    setTenant(connection, site),
    query(connection, auditEventOfPerson(site, staff_id, act)),
  ]);
  await together(...writes, setTenant(connection, NOBODY));
}

async function sitesOf(connection: Connection, staff_id: string): Promise<string[]> {
  const { rows } = await query<RowOf<'staff_memberships', 'site_id'>>(
    connection,
    sql`select site_id from staff_memberships where staff_id = ${staff_id} order by site_id`,
  );
  return rows.map(({ site_id }) => site_id);
}

function setTenant(connection: Connection, site_id: string) {
  return query(connection, sql`select set_config('app.site_id', ${site_id}, true)`);
}
