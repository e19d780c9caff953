/** Staff logins and their sessions. They belong to no tenant, because one person may work for several shops. */

import type { Merchant, OpenedSession, Staff } from '@commerce-backend/spec';
import type { Pool } from 'pg';
import sql from 'sql-template-tag';
import { v7 as uuidv7 } from 'uuid';
import { selectList } from '../../db/fields.ts';
import type { RowOf } from '../../db/row-of.ts';
import { queryAlone } from '../../db/transaction.ts';
import { foldEmail } from '../emails.ts';
import { notFound, ShopError } from '../errors.ts';
import { clearLoginFailures, takeLoginAttempt } from '../login-throttle.ts';
import { endUnlocks } from '../login-unlocks.ts';
import { fitsPassword } from '../passwords/passwords.ts';
import type { Shop } from '../shop.ts';
import { hashToken, mintToken } from '../tokens.ts';
import { merchantFields } from './merchant-fields.ts';
import * as secondFactor from './second-factor.ts';

const SESSION_LIFE = '12 hours';

export interface Login {
  email: string;
  password: string;
  totp_code?: string | undefined;
  /** Tokens from unlock links, which skip the login delay. */
  unlocks: string[];
}

/** A login whose password and second factor were verified. */
export interface VerifiedLogin {
  staff: Staff;
  /** The hash that the password matched. */
  password_hash: string;
  /** The second-factor code, which must be used up when the session is created. */
  code: secondFactor.RightCode | undefined;
}

/**
 * Verifies a staff password. Throws `invalid_credentials` after the same time for a wrong password and for an unknown
 * e-mail address, and `rate_limited` after repeated failures. Takes tens of milliseconds, so do not hold a database
 * connection during the call.
 */
export async function verifyPassword(
  db: Pool,
  { email, password, unlocks }: Pick<Login, 'email' | 'password' | 'unlocks'>,
): Promise<Staff & { password_hash: string }> {
  const mail = { site_id: null, template: 'staff_login_delayed', about: { email: foldEmail(email) } } as const;
  const counter = await takeLoginAttempt(db, { account: email, mail, unlocks });
  const { rows } = await queryAlone<Staff & RowOf<'staff', 'password_hash'>>(
    db,
    sql`select id, email, name, password_hash from staff where lower(email) = ${foldEmail(email)}`,
  );
  const [found] = rows;
  const fits = await fitsPassword(found?.password_hash, password);
  if (!found || !fits) throw invalidCredentials();
  await clearLoginFailures(db, counter);
  await endUnlocks(db, unlocks);
  return found;
}

/**
 * Verifies a staff password, and the second factor if it is on. Throws the errors of `verifyPassword`,
 * `second_factor_required` or `second_factor_invalid`.
 */
export async function verifyLogin(db: Pool, secretKey: string, login: Login): Promise<VerifiedLogin> {
  const { password_hash, ...found } = await verifyPassword(db, login);
  const staff = { id: found.id, email: found.email, name: found.name };
  if (!(await secondFactor.isOn(db, staff.id))) return { staff, password_hash, code: undefined };
  const { totp_code } = login;
  if (totp_code === undefined) {
    throw new ShopError('second_factor_required', 'Two-factor login is on. Send totp_code as well.');
  }
  return { staff, password_hash, code: await secondFactor.judge(db, secretKey, staff.id, totp_code) };
}

/** Verifies the password of the calling staff member. Throws the errors of `verifyPassword`. */
export async function verifyOwnPassword(
  db: Pool,
  staff_id: string,
  { password, unlocks }: Pick<Login, 'password' | 'unlocks'>,
) {
  const { rows } = await queryAlone<RowOf<'staff', 'email'>>(db, sql`select email from staff where id = ${staff_id}`);
  return verifyPassword(db, { email: rows[0]?.email ?? '', password, unlocks });
}

export function invalidCredentials(): ShopError {
  return new ShopError('invalid_credentials', 'The e-mail or the password is wrong.');
}

/** Creates a session of 12 hours for a verified login. Throws if the password has changed since. */
export async function openSession(
  shop: Shop,
  { staff, password_hash, code }: VerifiedLogin,
  { ip, user_agent }: { ip: string | null; user_agent: string | null },
): Promise<OpenedSession> {
  if (code) await secondFactor.use(shop, staff.id, code);
  const access_token = mintToken('staff');
  // A password change locks this row before it ends sessions. So a concurrent change either waits for this session and
  // ends it, or prevents this session.
  const opened = await shop.one<RowOf<'staff_sessions', 'expires_at'>>(
    sql`with unchanged as (
        select id from staff where id = ${staff.id} and password_hash = ${password_hash} for share
      )
      insert into staff_sessions (id, staff_id, token_hash, expires_at, ip, user_agent, second_factor_at)
      select ${uuidv7()}, id, ${hashToken(access_token)}, now() + ${SESSION_LIFE}::interval, ${ip}, ${user_agent},
        case when ${code !== undefined} then now() end
      from unchanged returning expires_at`,
  );
  if (!opened) throw invalidCredentials();
  return {
    access_token,
    token_type: 'Bearer',
    expires_at: opened.expires_at,
    staff,
    merchants: await merchantsOf(shop, staff.id),
  };
}

/** Ends a session immediately. */
export async function closeSession(shop: Shop, session_id: string): Promise<void> {
  await shop.run(sql`update staff_sessions set revoked_at = now() where id = ${session_id} and revoked_at is null`);
}

export async function get(shop: Shop, staff_id: string): Promise<Staff> {
  const found = await shop.one<Staff>(sql`select id, email, name from staff where id = ${staff_id}`);
  if (!found) throw notFound('staff member');
  return found;
}

/** Lists the shops of a staff member, sorted by name. */
export async function merchantsOf(shop: Shop, staff_id: string): Promise<Merchant[]> {
  return shop.rows<Merchant>(
    sql`select ${selectList(merchantFields)}
      from staff_memberships m join sites s using (site_id)
      where m.staff_id = ${staff_id} order by s.merchant_name, s.merchant_id limit 100`,
  );
}

/** Returns the shop for which the request acts; undefined if the session has not chosen one. */
export async function merchantOf(shop: Shop): Promise<Merchant | undefined> {
  return shop.one<Merchant>(sql`select ${selectList(merchantFields)} from sites s where s.site_id = ${shop.siteId}`);
}
