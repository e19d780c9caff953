import type { Merchant, Staff } from '@commerce-backend/spec';
import type { Pool } from 'pg';
import sql from 'sql-template-tag';
import { v7 as uuidv7 } from 'uuid';
import { queryAlone } from '../../db/transaction.ts';
import { foldEmail } from '../emails.ts';
import { notFound, ShopError } from '../errors.ts';
import { clearLoginFailures, takeLoginAttempt } from '../login-throttle.ts';
import { endUnlocks } from '../login-unlocks.ts';
import { fitsPassword } from '../passwords/passwords.ts';
import type { Shop } from '../shop.ts';
import { hashToken, mintToken } from '../tokens.ts';

/** People who work for merchants, and their sessions. These tables belong to no tenant: one person may serve several. */
const SESSION_LIFE = '12 hours';

/** A session as it is returned, once. */
export interface Session {
  access_token: string;
  token_type: 'Bearer';
  expires_at: string;
  staff: Staff;
  merchants: Merchant[];
}

/**
 * The member of staff whose e-mail and password these are. Throws `invalid_credentials` for a wrong password and an unknown
 * e-mail alike, after the same time, and `rate_limited` after repeated failures. Costs tens of milliseconds: hold no
 * connection meanwhile.
 */
export async function verifyLogin(db: Pool, email: string, password: string, unlocks: string[] = []): Promise<Staff> {
  const mail = { site_id: null, template: 'staff_login_delayed', about: { email: foldEmail(email) } } as const;
  const counter = await takeLoginAttempt(db, { account: email, mail, unlocks });
  const { rows } = await queryAlone<Staff & { password_hash: string }>(
    db,
    sql`select id, email, name, password_hash from staff where lower(email) = ${foldEmail(email)}`,
  );
  const [found] = rows;
  const fits = await fitsPassword(found?.password_hash, password);
  if (!found || !fits) throw new ShopError('invalid_credentials', 'The e-mail or the password is wrong.');
  await clearLoginFailures(db, counter);
  await endUnlocks(db, unlocks);
  return { id: found.id, email: found.email, name: found.name };
}

/** Opens a session of 12 hours for someone whose login was verified. */
export async function openSession(shop: Shop, staff: Staff): Promise<Session> {
  const access_token = mintToken('staff');
  const opened = await shop.one<{ expires_at: string }>(
    sql`insert into staff_sessions (id, staff_id, token_hash, expires_at)
      values (${uuidv7()}, ${staff.id}, ${hashToken(access_token)}, now() + ${SESSION_LIFE}::interval)
      returning expires_at`,
  );
  if (!opened) throw new Error('The session was not written.');
  return {
    access_token,
    token_type: 'Bearer',
    expires_at: opened.expires_at,
    staff,
    merchants: await merchantsOf(shop, staff.id),
  };
}

/** Ends a session: its next call fails in every process. */
export async function closeSession(shop: Shop, session_id: string): Promise<void> {
  await shop.run(sql`update staff_sessions set revoked_at = now() where id = ${session_id} and revoked_at is null`);
}

/** Who a member of staff is. */
export async function get(shop: Shop, staff_id: string): Promise<Staff> {
  const found = await shop.one<Staff>(sql`select id, email, name from staff where id = ${staff_id}`);
  if (!found) throw notFound('member of staff');
  return found;
}

/** The merchants that a member of staff may act for, by name. */
export async function merchantsOf(shop: Shop, staff_id: string): Promise<Merchant[]> {
  return shop.rows<Merchant>(
    sql`select s.merchant_id as id, s.site_id, s.merchant_name as name
      from staff_memberships m join sites s using (site_id)
      where m.staff_id = ${staff_id} order by s.merchant_name, s.merchant_id limit 100`,
  );
}

/** The merchant that a call is for; nothing when a session has chosen none. */
export async function merchantOf(shop: Shop): Promise<Merchant | undefined> {
  return shop.one<Merchant>(
    sql`select merchant_id as id, site_id, merchant_name as name from sites where site_id = ${shop.siteId}`,
  );
}
