import type { StaffSession } from '@commerce-backend/spec';
import sql from 'sql-template-tag';
import { notFound } from '../errors.ts';
import type { Shop } from '../shop.ts';
import { deviceInWords } from './devices.ts';

/** The sessions of one member of staff. `current` is the one that asks. */
export interface Own {
  staff_id: string;
  current: string;
}

const ALIVE = sql`revoked_at is null and expires_at > now()`;
const LIST_LIMIT = 1_000;

/** Those alive, the one used last first. */
export async function list(shop: Shop, { staff_id, current }: Own): Promise<StaffSession[]> {
  const sessions = await shop.rows<Omit<StaffSession, 'device' | 'current'> & { user_agent: string | null }>(
    sql`select id, ip, user_agent, created_at, last_used_at, expires_at from staff_sessions
      where staff_id = ${staff_id} and ${ALIVE} order by last_used_at desc, id desc limit ${LIST_LIMIT}`,
  );
  return sessions.map(({ user_agent, ...session }) => {
    return { ...session, current: session.id === current, device: deviceInWords(user_agent) };
  });
}

/** Ends one: its next call fails in every process. One of somebody else is `not_found`. */
export async function end(shop: Shop, staff_id: string, session_id: string): Promise<void> {
  const ended = await shop.run(
    sql`update staff_sessions set revoked_at = now() where id = ${session_id} and staff_id = ${staff_id} and ${ALIVE}`,
  );
  if (ended === 0) throw notFound('session');
}

/** Ends all but the one that asks. */
export async function endOthers(shop: Shop, { staff_id, current }: Own): Promise<void> {
  await shop.run(
    sql`update staff_sessions set revoked_at = now() where staff_id = ${staff_id} and id <> ${current} and ${ALIVE}`,
  );
}

/** Ends all of them. */
export async function endAll(shop: Shop, staff_id: string): Promise<void> {
  await shop.run(sql`update staff_sessions set revoked_at = now() where staff_id = ${staff_id} and ${ALIVE}`);
}

/** Notes that the password or a code was given in a session now; answers until when that counts. */
export async function confirm(shop: Shop, session_id: string): Promise<string> {
  const confirmed = await shop.one<{ confirmed_until: string }>(
    sql`update staff_sessions set confirmed_at = now() where id = ${session_id} and ${ALIVE}
      returning confirmed_at + ${CONFIRMED_FOR}::interval as confirmed_until`,
  );
  if (!confirmed) throw notFound('session');
  return confirmed.confirmed_until;
}

/** How long after that a session may do what needs it. */
export const CONFIRMED_FOR = '15 minutes';
