/**
 * Staff set a new password with the old one or with a mailed link. A new password ends every session and every
 * assistant.
 */

import type { Pool } from 'pg';
import sql from 'sql-template-tag';
import type { RowOf } from '../../db/row-of.ts';
import { queryAlone } from '../../db/transaction.ts';
import { foldEmail } from '../emails.ts';
import { ShopError } from '../errors.ts';
import { enqueueForPerson } from '../mail.ts';
import { refuseCommonPassword } from '../passwords/common.ts';
import { hashPassword } from '../passwords/passwords.ts';
import type { Shop } from '../shop.ts';
import { hashToken, isWellFormed, mintToken } from '../tokens.ts';
import { invalidCredentials } from './staff.ts';
import * as sessions from './staff-sessions.ts';

export const RESET_LIFE = '30 minutes';

/** Replaces a verified password. Throws `invalid_credentials` if it has changed since. */
export async function change(shop: Shop, staff_id: string, { from, to }: { from: string; to: string }): Promise<void> {
  const changed = await shop.one<RowOf<'staff', 'email'>>(
    sql`update staff set password_hash = ${to} where id = ${staff_id} and password_hash = ${from} returning email`,
  );
  if (!changed) throw invalidCredentials();
  await afterwards(shop, staff_id, changed.email);
}

/**
 * Mails a reset link if a staff member has this e-mail address. The job checks that, so the request takes the same time
 * for every address.
 */
export async function requestReset(shop: Shop, email: string): Promise<void> {
  await enqueueForPerson(shop, 'staff_password_reset', { email: foldEmail(email) });
}

/** Creates the token of a reset link, and invalidates the previous one. */
export async function mintReset(shop: Shop, staff_id: string): Promise<string> {
  const token = mintToken('reset');
  await shop.run(
    sql`insert into staff_resets (staff_id, token_hash, expires_at)
      values (${staff_id}, ${hashToken(token)}, now() + ${RESET_LIFE}::interval)
      on conflict (staff_id) do update set token_hash = excluded.token_hash, expires_at = excluded.expires_at`,
  );
  return token;
}

/**
 * Hashes the new password for a reset link. Throws `reset_token_invalid` before hashing, or a ValidationError. Takes
 * tens of milliseconds, so do not hold a database connection during the call.
 */
export async function prepareReset(
  db: Pool,
  { token, new_password }: { token: string; new_password: string },
): Promise<string> {
  const { rows } = isWellFormed('reset', token)
    ? await queryAlone(db, sql`select from staff_resets where token_hash = ${hashToken(token)} and expires_at > now()`)
    : { rows: [] };
  if (rows.length === 0) throw linkIsDead();
  await refuseCommonPassword(new_password, 'new_password');
  return hashPassword(new_password);
}

/**
 * Sets the new password by a reset link, which works once. Returns the staff id. Does not turn off the second factor.
 * Throws `reset_token_invalid`.
 */
export async function reset(shop: Shop, token: string, password_hash: string): Promise<string> {
  const person = await shop.one<RowOf<'staff', 'id' | 'email'>>(
    sql`with taken as (
        delete from staff_resets where token_hash = ${hashToken(token)} and expires_at > now() returning staff_id
      )
      update staff set password_hash = ${password_hash} from taken where staff.id = taken.staff_id
      returning staff.id, staff.email`,
  );
  if (!person) throw linkIsDead();
  await afterwards(shop, person.id, person.email);
  return person.id;
}

async function afterwards(shop: Shop, staff_id: string, email: string): Promise<void> {
  await sessions.endAll(shop, staff_id);
  await shop.run(sql`delete from assistants where staff_id = ${staff_id}`);
  await shop.run(sql`delete from staff_resets where staff_id = ${staff_id}`);
  await enqueueForPerson(shop, 'staff_account_changed', { email: foldEmail(email), change: 'password' });
}

function linkIsDead(): ShopError {
  return new ShopError('reset_token_invalid', 'This link is no longer valid. Request a new one.');
}
