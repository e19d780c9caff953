import type { StaffSession } from '@commerce-backend/spec';
import sql from 'sql-template-tag';
import { selectList } from '../../db/fields.ts';
import { notFound, ShopError } from '../errors.ts';
import type { Shop } from '../shop.ts';
import { deviceInWords } from './devices.ts';

/** The calling staff member and session. */
export interface Own {
  staff_id: string;
  current: string;
}

const ALIVE = sql`revoked_at is null and expires_at > now()`;
const LIST_LIMIT = 1_000;

type SessionRow = Omit<StaffSession, 'device' | 'current'> & { user_agent: string | null };

const COLUMNS = selectList<SessionRow>({
  id: sql`id`,
  ip: sql`ip`,
  user_agent: sql`user_agent`,
  created_at: sql`created_at`,
  last_used_at: sql`last_used_at`,
  expires_at: sql`expires_at`,
});

/** Lists active sessions, last used first. */
export async function list(shop: Shop, { staff_id, current }: Own): Promise<StaffSession[]> {
  const sessions = await shop.rows<SessionRow>(
    sql`select ${COLUMNS} from staff_sessions
      where staff_id = ${staff_id} and ${ALIVE} order by last_used_at desc, id desc limit ${LIST_LIMIT}`,
  );
  return sessions.map(({ user_agent, ...session }) => {
    return { ...session, current: session.id === current, device: deviceInWords(user_agent) };
  });
}

/** Ends a session. Throws `not_found`, even for another person's session. */
export async function end(shop: Shop, staff_id: string, session_id: string): Promise<void> {
  const ended = await shop.run(
    sql`update staff_sessions set revoked_at = now() where id = ${session_id} and staff_id = ${staff_id} and ${ALIVE}`,
  );
  if (ended === 0) throw notFound('session');
}

/** Ends all sessions except the calling one. */
export async function endOthers(shop: Shop, { staff_id, current }: Own): Promise<void> {
  await shop.run(
    sql`update staff_sessions set revoked_at = now() where staff_id = ${staff_id} and id <> ${current} and ${ALIVE}`,
  );
}

export async function endAll(shop: Shop, staff_id: string): Promise<void> {
  await shop.run(sql`update staff_sessions set revoked_at = now() where staff_id = ${staff_id} and ${ALIVE}`);
}

/**
 * Records that the session confirmed its password or a TOTP code. Returns the time until which the confirmation is
 * valid.
 */
export async function confirm(shop: Shop, session_id: string, by: 'password' | 'code'): Promise<string> {
  const confirmed = await shop.one<{ confirmed_until: string }>(
    sql`update staff_sessions set confirmed_at = now(),
        second_factor_at = case when ${by} = 'code' then now() else second_factor_at end
      where id = ${session_id} and ${ALIVE}
      returning confirmed_at + ${CONFIRMED_FOR}::interval as confirmed_until`,
  );
  if (!confirmed) throw notFound('session');
  return confirmed.confirmed_until;
}

/**
 * Throws `step_up_required` if the second factor is on and the session has not confirmed a code in the last 15 minutes.
 */
export async function requireSecondFactor(shop: Shop, { staff_id, current }: Own): Promise<void> {
  const missing = await shop.one(
    sql`select from staff_second_factors f join staff_sessions s on s.staff_id = f.staff_id
      where f.staff_id = ${staff_id} and f.turned_on_at is not null and s.id = ${current}
        and coalesce(s.second_factor_at <= now() - ${CONFIRMED_FOR}::interval, true)`,
  );
  if (!missing) return;
  const message = 'Confirm a code of the second factor first: POST /api/dashboard/auth/confirm with totp_code.';
  throw new ShopError('step_up_required', message, { second_factor: true });
}

export const CONFIRMED_FOR = '15 minutes';
