import type { Pool } from 'pg';
import sql from 'sql-template-tag';
import { queryAlone } from '../../db/transaction.ts';
import * as sessions from '../../shop/customers/sessions.ts';
import type { Caller } from './caller.ts';

/**
 * Writes when a credential was last used, and moves on the end of customers' tokens: at most once a minute and outside the
 * requests, in one statement for all. A token that is about to end is seen to at once.
 */
export interface LastUsed {
  note(caller: Caller): void;
  flush(): Promise<void>;
}

export function createLastUsed(db: Pool): LastUsed {
  const tokens = new Map<string, string>();
  const customers = new Set<string>();

  async function flush() {
    const [ids, sites, ofCustomers] = [[...tokens.keys()], [...tokens.values()], [...customers]];
    tokens.clear();
    customers.clear();
    if (ids.length > 0) {
      await queryAlone(
        db,
        sql`update tokens t set last_used_at = now() from unnest(${sites}::uuid[], ${ids}::uuid[]) as u (site_id, id)
          where t.site_id = u.site_id and t.id = u.id`,
      );
    }
    if (ofCustomers.length > 0) await sessions.extendPageSession(db, ofCustomers);
  }

  return {
    flush,
    note({ kind, credential_id, beside_id, tenant, session }) {
      if (kind !== 'anonymous' && kind !== 'staff') tokens.set(credential_id, tenant.site_id);
      if (beside_id) tokens.set(beside_id, tenant.site_id);
      if (!session) return;
      customers.add(session.token_id);
      // What cannot be written now will be with the next use, or the customer logs in again.
      if (session.ends_soon) flush().catch(() => undefined);
    },
  };
}
