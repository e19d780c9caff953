/**
 * Invitations to the staff:
 * 1. A staff member invites an e-mail address, and a mail is queued.
 * 2. The job that writes the mail creates the token of its link and stores the hash.
 * 3. The recipient opens the link. The token identifies the site.
 * 4. A person with a login accepts while logged in. Another person sets name and password, which creates a login.
 * Only one of several concurrent calls accepts or withdraws an invitation.
 */

import type { Merchant, Staff, StaffInvitation, StaffRole } from '@commerce-backend/spec';
import type { Pool } from 'pg';
import sql, { type Sql } from 'sql-template-tag';
import { v7 as uuidv7 } from 'uuid';
import { jsonObject, selectList } from '../../db/fields.ts';
import type { RowOf } from '../../db/row-of.ts';
import { queryAlone } from '../../db/transaction.ts';
import { foldEmail } from '../emails.ts';
import { type Closed, notFound, ShopError, siteClosed } from '../errors.ts';
import * as mail from '../mail.ts';
import type { Shop } from '../shop.ts';
import { hashToken, isWellFormed, mintToken } from '../tokens.ts';
import { type Granter, MOST_MEMBERS, refuseBeyond, takeTurn } from './members.ts';
import { merchantFields } from './merchant-fields.ts';

const LIFE = '7 days';
const MOST_INVITATIONS = 100;

const INVITATION: Sql = selectList<StaffInvitation>({
  id: sql`v.id`,
  email: sql`v.email`,
  role: sql`v.role`,
  created_at: sql`v.created_at`,
  expires_at: sql`v.expires_at`,
  invited_by: sql`(select json_build_object('id', i.id, 'name', i.name) from staff i where i.id = v.invited_by)`,
});

/** Lists open invitations, newest first. */
export async function list(shop: Shop): Promise<StaffInvitation[]> {
  return shop.rows<StaffInvitation>(
    sql`select ${INVITATION} from staff_invitations v where v.site_id = ${shop.siteId} and v.ended_at is null
      order by v.created_at desc, v.id desc limit ${MOST_INVITATIONS}`,
  );
}

/**
 * Invites an e-mail address in the name of the calling staff member, and replaces an earlier invitation. Throws
 * `already_staff`, `limit_reached`, or `insufficient_scope` if the role of the new or the earlier invitation exceeds
 * the caller's.
 */
export async function create(
  shop: Shop,
  { email, role }: { email: string; role: StaffRole },
  granter: Granter,
): Promise<StaffInvitation> {
  refuseBeyond(role, granter);
  await takeTurn(shop);
  const address = foldEmail(email);
  const works = await shop.one(
    sql`select from staff_memberships m join staff s on s.id = m.staff_id
      where m.site_id = ${shop.siteId} and lower(s.email) = ${address}`,
  );
  if (works) throw new ShopError('already_staff', 'This address already belongs to the staff.');
  await refuseOpenBeyond(shop, sql`email = ${address}`, granter);
  const made = await shop.one<StaffInvitation>(
    sql`insert into staff_invitations as v (site_id, id, email, role, invited_by, expires_at)
      select ${shop.siteId}, ${uuidv7()}, ${address}, ${role}, ${shop.actorId}, now() + ${LIFE}::interval
      where (select count(*) from staff_invitations o
        where o.site_id = ${shop.siteId} and o.ended_at is null and o.email <> ${address}) < ${MOST_INVITATIONS}
      on conflict (site_id, lower(email)) where ended_at is null do update set role = excluded.role, token_hash = null,
        invited_by = excluded.invited_by, created_at = now(), expires_at = excluded.expires_at
      returning ${INVITATION}`,
  );
  if (!made) throw tooMany('invitations', MOST_INVITATIONS);
  await mail.enqueue(shop, 'staff_invited', { invitation_id: made.id });
  return made;
}

/** Throws `insufficient_scope` if an open invitation has a role that exceeds the caller's. The site must be locked. */
async function refuseOpenBeyond(shop: Shop, which: Sql, granter: Granter): Promise<void> {
  const open = await shop.one<RowOf<'staff_invitations', 'role'>>(
    sql`select role from staff_invitations where site_id = ${shop.siteId} and ended_at is null and ${which}`,
  );
  if (open) refuseBeyond(open.role, granter);
}

/** Withdraws an open invitation. Throws `not_found`, or `insufficient_scope` if its role exceeds the caller's. */
export async function withdraw(shop: Shop, id: string, granter: Granter): Promise<void> {
  await takeTurn(shop);
  await refuseOpenBeyond(shop, sql`id = ${id}`, granter);
  const ended = await shop.run(
    sql`update staff_invitations set ended_at = now()
      where site_id = ${shop.siteId} and id = ${id} and ended_at is null`,
  );
  if (ended === 0) throw notFound('invitation');
}

/** Creates a new token for an open invitation, and invalidates the previous one. */
export async function mintLink(shop: Shop, id: string): Promise<string | undefined> {
  const token = mintToken('invitation');
  const kept = await shop.run(
    sql`update staff_invitations set token_hash = ${hashToken(token)}
      where site_id = ${shop.siteId} and id = ${id} and ended_at is null and expires_at > now()`,
  );
  return kept === 0 ? undefined : token;
}

export interface ShownInvitation extends RowOf<'staff_invitations', 'email' | 'role' | 'expires_at'> {
  merchant: Merchant;
  has_account: boolean;
  invited_by: { id: string; name: string } | null;
}

const ALIVE = sql`v.ended_at is null and v.expires_at > now()`;

/** Returns the content of an invitation. Throws `invitation_token_invalid`, `site_suspended` or `site_moved`. */
export async function show(shop: Shop, token: string): Promise<ShownInvitation> {
  if (!isWellFormed('invitation', token)) throw invalid();
  const found = await shop.one<ShownInvitation & { closed: Closed | null }>(
    sql`select ${jsonObject(merchantFields)} as merchant,
        v.email, v.role, v.expires_at,
        exists (select from staff a where lower(a.email) = v.email) as has_account,
        (select json_build_object('id', i.id, 'name', i.name) from staff i where i.id = v.invited_by) as invited_by,
        s.closed
      from staff_invitations v join sites s on s.site_id = v.site_id
      where v.token_hash = ${hashToken(token)} and ${ALIVE}`,
  );
  if (!found) throw invalid();
  const { closed, ...shown } = found;
  if (closed) throw siteClosed(closed);
  return shown;
}

/**
 * Throws the errors of `show`, or `login_required` if the e-mail address has a login. Call it before hashing a
 * password.
 */
export async function refuseUnusable(db: Pool, token: string): Promise<void> {
  if (!isWellFormed('invitation', token)) throw invalid();
  const { rows } = await queryAlone<{ has_account: boolean; closed: Closed | null }>(
    db,
    sql`select exists (select from staff a where lower(a.email) = v.email) as has_account,
        s.closed
      from staff_invitations v join sites s on s.site_id = v.site_id where v.token_hash = ${hashToken(token)} and ${ALIVE}`,
  );
  if (!rows[0]) throw invalid();
  if (rows[0].closed) throw siteClosed(rows[0].closed);
  if (rows[0].has_account) throw loginRequired();
}

export interface NewPlace {
  staff: Staff;
  role: StaffRole;
  merchant: Merchant;
}

/**
 * Accepts an invitation for a person who is logged in. Throws the errors of `show`, `invitation_for_another`,
 * `already_staff` or `limit_reached`.
 */
export async function accept(shop: Shop, token: string, staff: Staff): Promise<NewPlace> {
  const { email, ...ended } = await take(shop, token);
  if (foldEmail(staff.email) !== email) {
    throw new ShopError('invitation_for_another', 'This invitation is for another address than that of your login.');
  }
  return join(shop, ended, staff);
}

/**
 * Accepts an invitation and creates a login for its e-mail address. Throws the errors of `show`, `limit_reached`, or
 * `login_required` if the address has a login.
 */
export async function register(
  shop: Shop,
  token: string,
  { name, password_hash }: { name: string; password_hash: string },
): Promise<NewPlace> {
  const { email, ...ended } = await take(shop, token);
  const staff = await shop.one<Staff>(
    sql`insert into staff (id, email, name, password_hash) values (${uuidv7()}, ${email}, ${name}, ${password_hash})
      on conflict (lower(email)) do nothing returning id, email, name`,
  );
  if (!staff) throw loginRequired();
  return join(shop, ended, staff);
}

function loginRequired(): ShopError {
  return new ShopError('login_required', 'This address already has a login. Log in to accept.');
}

type Ended = RowOf<'staff_invitations', 'site_id' | 'role' | 'invited_by'>;

/** Marks an invitation as used. Locks its site first, like every change of staff. */
async function take(shop: Shop, token: string): Promise<Ended & { email: string }> {
  if (!isWellFormed('invitation', token)) throw invalid();
  const token_hash = hashToken(token);
  const site = await shop.one<{ closed: Closed | null }>(
    sql`select closed from sites
      where site_id = (select site_id from staff_invitations where token_hash = ${token_hash}) for no key update`,
  );
  if (site?.closed) throw siteClosed(site.closed);
  const taken = await shop.one<Ended & RowOf<'staff_invitations', 'email'>>(
    sql`update staff_invitations v set ended_at = now() where v.token_hash = ${token_hash} and ${ALIVE}
      returning v.site_id, v.email, v.role, v.invited_by`,
  );
  if (!taken) throw invalid();
  return taken;
}

async function join(shop: Shop, { site_id, role, invited_by }: Ended, staff: Staff): Promise<NewPlace> {
  const joined = await shop.run(
    sql`insert into staff_memberships (staff_id, site_id, role, invited_by)
      select ${staff.id}, ${site_id}, ${role}, ${invited_by}
      where (select count(*) from staff_memberships where site_id = ${site_id}) < ${MOST_MEMBERS}
      on conflict (staff_id, site_id) do nothing`,
  );
  const merchant = await shop.one<Merchant & { works: boolean }>(
    sql`select ${selectList(merchantFields)},
        exists (select from staff_memberships m where m.site_id = ${site_id} and m.staff_id = ${staff.id}) as works
      from sites s where s.site_id = ${site_id}`,
  );
  if (!merchant) throw new Error(`Site ${site_id} was not found.`);
  const { works, ...told } = merchant;
  if (joined === 0 && !works) throw tooMany('members', MOST_MEMBERS);
  if (joined === 0) throw new ShopError('already_staff', 'You already belong to the staff.');
  return { staff, role, merchant: told };
}

function invalid(): ShopError {
  return new ShopError('invitation_token_invalid', 'This invitation is no longer valid. Ask for a new one.');
}

function tooMany(noun: string, limit: number): ShopError {
  return new ShopError('limit_reached', `The maximum of ${limit} ${noun} is reached.`, { limit });
}
