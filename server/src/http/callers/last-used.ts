import type { Pool } from 'pg';
import sql from 'sql-template-tag';
import { queryAlone } from '../../db/transaction.ts';
import * as sessions from '../../shop/customers/sessions.ts';
import type { Caller } from './caller.ts';

interface UsedSession {
  token_id: string;
  ends_soon: boolean;
}

/**
 * Records the last use of credentials, and extends customers' sessions. Collects the uses in memory and writes them
 * together with `flush`, about once a minute and outside of requests. If a session expires soon, writes immediately.
 */
export interface LastUsed {
  note(caller: Caller): void;
  noteSession(site_id: string, session: UsedSession): void;
  flush(): Promise<void>;
}

export function createLastUsed(db: Pool): LastUsed {
  const tokens = new Map<string, { site_id: string; at: number }>();
  /** The site of each customer token, by token id. */
  const customers = new Map<string, string>();
  const staff = new Map<string, number>();
  const assistants = new Map<string, { site_id: string; at: number }>();

  async function flush() {
    const flushed = performance.now();
    const usesOf = (map: typeof tokens) =>
      [...map].map(([id, { site_id, at }]) => ({ id, site_id, ms_ago: flushed - at }));
    const used = usesOf(tokens);
    const ofAssistants = usesOf(assistants);
    const ofCustomers = [...customers].map(([id, site_id]) => ({ id, site_id }));
    const ofStaff = [...staff].map(([id, at]) => ({ id, ms_ago: flushed - at }));
    tokens.clear();
    customers.clear();
    staff.clear();
    assistants.clear();
    if (used.length > 0) {
      await queryAlone(
        db,
        sql`update tokens t
          set last_used_at = greatest(t.last_used_at, least(now() - u.ms_ago * interval '1 millisecond', t.revoked_at))
          from jsonb_to_recordset(${JSON.stringify(used)}::jsonb) as u(site_id uuid, id uuid, ms_ago float8)
          where t.site_id = u.site_id and t.id = u.id`,
      );
    }
    if (ofStaff.length > 0) {
      await queryAlone(
        db,
        sql`update staff_sessions s set last_used_at = greatest(s.last_used_at, now() - u.ms_ago * interval '1 millisecond')
          from jsonb_to_recordset(${JSON.stringify(ofStaff)}::jsonb) as u(id uuid, ms_ago float8)
          where s.id = u.id and s.revoked_at is null`,
      );
    }
    if (ofAssistants.length > 0) {
      await queryAlone(
        db,
        sql`update assistants a set last_used_at = greatest(a.last_used_at, now() - u.ms_ago * interval '1 millisecond')
          from jsonb_to_recordset(${JSON.stringify(ofAssistants)}::jsonb) as u(site_id uuid, id uuid, ms_ago float8)
          where a.site_id = u.site_id and a.id = u.id`,
      );
    }
    if (ofCustomers.length > 0) await sessions.extendPageSession(db, ofCustomers);
  }

  function noteSession(site_id: string, { token_id, ends_soon }: UsedSession) {
    customers.set(token_id, site_id);
    // If the write fails, the next use of the token repeats it.
    if (ends_soon) flush().catch(() => undefined);
  }

  return {
    flush,
    noteSession,
    note({ kind, credential_id, beside_id, tenant, session, assistant }) {
      const use = { site_id: tenant.site_id, at: performance.now() };
      if (assistant) assistants.set(credential_id, use);
      else if (kind === 'staff') staff.set(credential_id, use.at);
      else if (kind !== 'anonymous') tokens.set(credential_id, use);
      if (beside_id) tokens.set(beside_id, use);
      if (session) noteSession(tenant.site_id, session);
    },
  };
}
