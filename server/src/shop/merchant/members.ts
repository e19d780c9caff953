/**
 * Staff of a shop and their roles. Changes of one shop's staff run one after another (`takeTurn`), so that two owners
 * cannot remove each other.
 */

import type { StaffMember, StaffRole } from '@commerce-backend/spec';
import sql, { type Sql } from 'sql-template-tag';
import { selectList } from '../../db/fields.ts';
import { notFound, ShopError } from '../errors.ts';
import type { Shop } from '../shop.ts';
import { keysOf, revokeKeys } from './member-keys.ts';

export const MOST_MEMBERS = 500;

/** The scopes of the caller, who may assign and remove only roles within them. */
export interface Granter {
  held: string[];
  /** For each role that exceeds the caller's, a scope that the caller lacks. */
  lacks: Partial<Record<StaffRole, string>>;
}

const MEMBER: Sql = selectList<StaffMember>({
  id: sql`s.id`,
  email: sql`s.email`,
  name: sql`s.name`,
  role: sql`m.role`,
  joined_at: sql`m.joined_at`,
  invited_by: sql`(select json_build_object('id', i.id, 'name', i.name) from staff i where i.id = m.invited_by)`,
});

/** Lists all staff by name. */
export async function list(shop: Shop): Promise<StaffMember[]> {
  return shop.rows<StaffMember>(
    sql`select ${MEMBER} from staff_memberships m join staff s on s.id = m.staff_id
      where m.site_id = ${shop.siteId} order by s.name, s.id limit ${MOST_MEMBERS}`,
  );
}

/**
 * Changes a staff member's role. Throws `not_found`, `insufficient_scope` if the old or the new role exceeds the
 * caller's, and `last_owner` if no owner would remain.
 */
export async function changeRole(
  shop: Shop,
  staff_id: string,
  role: StaffRole,
  granter: Granter,
): Promise<StaffMember> {
  await takeTurn(shop);
  refuseBeyond(role, granter);
  const changed = await shop.run(
    sql`update staff_memberships m set role = ${role}
      where ${mayChange(shop, staff_id, granter)} and (${role} = 'owner' or ${othersOwn(shop, staff_id)})`,
  );
  if (changed === 0) await explain(shop, staff_id, granter);
  if (role !== 'owner') await endInvitationsOf(shop, staff_id);
  return get(shop, staff_id);
}

export type KeysOfLeaver = 'ask' | 'keep' | 'revoke';

/**
 * Removes a staff member. Throws the errors of `changeRole`, and `member_has_keys` if `choice` is `ask` and the member
 * has keys.
 */
export async function remove(shop: Shop, staff_id: string, granter: Granter, choice: KeysOfLeaver): Promise<void> {
  await takeTurn(shop);
  const removed = await shop.run(
    sql`delete from staff_memberships m
      where ${mayChange(shop, staff_id, granter)} and ${othersOwn(shop, staff_id)}`,
  );
  if (removed === 0) await explain(shop, staff_id, granter);
  await endInvitationsOf(shop, staff_id);
  const keys = choice === 'keep' ? [] : await keysOf(shop, staff_id);
  if (keys.length === 0) return;
  if (choice === 'revoke') return revokeKeys(shop, keys);
  throw new ShopError('member_has_keys', 'This member created keys that still work. Revoke or keep them.', { keys });
}

/** Ends the open invitations sent by a member who was removed or got another role than owner. */
async function endInvitationsOf(shop: Shop, staff_id: string): Promise<void> {
  await shop.run(
    sql`update staff_invitations set ended_at = now()
      where site_id = ${shop.siteId} and invited_by = ${staff_id} and ended_at is null`,
  );
}

/** Serializes changes of one site's staff and keys until the transaction ends. */
export async function takeTurn(shop: Shop): Promise<void> {
  await shop.run(sql`select from sites where site_id = ${shop.siteId} for no key update`);
}

/** Throws `insufficient_scope` for a role that the caller may not assign. */
export function refuseBeyond(role: StaffRole, granter: Granter): void {
  const scope = granter.lacks[role];
  if (scope === undefined) return;
  const message =
    role === 'owner'
      ? 'Only an owner can add, change or remove an owner.'
      : `Your role has fewer permissions than ${role}, so you cannot assign, change or remove it.`;
  throw new ShopError('insufficient_scope', message, { scope, held: granter.held });
}

function mayChange({ siteId }: Shop, staff_id: string, { lacks }: Granter): Sql {
  return sql`m.site_id = ${siteId} and m.staff_id = ${staff_id} and m.role <> all(${Object.keys(lacks)}::text[])`;
}

/** Whether the site still has an owner if the staff member of membership `m` is removed or gets another role. */
function othersOwn({ siteId }: Shop, staff_id: string): Sql {
  return sql`(m.role <> 'owner' or exists (select from staff_memberships o
    where o.site_id = ${siteId} and o.role = 'owner' and o.staff_id <> ${staff_id}))`;
}

export async function get(shop: Shop, staff_id: string): Promise<StaffMember> {
  const found = await shop.one<StaffMember>(
    sql`select ${MEMBER} from staff_memberships m join staff s on s.id = m.staff_id
      where m.site_id = ${shop.siteId} and m.staff_id = ${staff_id}`,
  );
  if (!found) throw notFound('staff member');
  return found;
}

/** Throws the error that explains why a change of the staff member matched no row. */
async function explain(shop: Shop, staff_id: string, granter: Granter): Promise<never> {
  const { role } = await get(shop, staff_id);
  refuseBeyond(role, granter);
  throw new ShopError('last_owner', 'This is the only owner. Make another member an owner first.');
}
