import type { Pool } from 'pg';
import sql from 'sql-template-tag';
import { query } from '../db/connect.ts';
import type { Caller } from './callers.ts';

/** Writes when a credential was last used, at most once a minute and outside the requests, in one statement for all. */
export interface LastUsed {
  note(caller: Caller): void;
  flush(): Promise<void>;
}

export function createLastUsed(db: Pool): LastUsed {
  const used = new Map<string, string>();
  return {
    note(caller) {
      if (caller.kind !== 'anonymous' && caller.kind !== 'staff') used.set(caller.credential_id, caller.tenant.site_id);
    },
    async flush() {
      const ids = [...used.keys()];
      const sites = [...used.values()];
      used.clear();
      if (ids.length === 0) return;
      await query(
        db,
        sql`update tokens t set last_used_at = now() from unnest(${sites}::uuid[], ${ids}::uuid[]) as u (site_id, id)
          where t.site_id = u.site_id and t.id = u.id`,
      );
    },
  };
}
