import type { AgentToken } from '@commerce-backend/spec';
import sql from 'sql-template-tag';
import { checkoutUrl, type LinkDeps } from '../links.ts';
import { tokenStatus } from '../mandates/tokens.ts';
import type { Shop } from '../shop.ts';

/** What the account page shows besides what the storefront's operations answer. */

/** A purchase that an agent prepared and that waits for its customer. */
export interface WaitingCheckout {
  id: string;
  agent_name: string;
  /** The agent's access may have ended since; its customer decides nevertheless. */
  agent_status: AgentToken['status'];
  revoked_by: AgentToken['revoked_by'];
  total: string;
  expires_at: string;
  /** The path of the page where it is confirmed: at the host where the customer is logged in. */
  path: string;
}

/** Those of the customer who is logged in, newest first; 50 at most. */
export async function waitingCheckouts(shop: Shop, deps: LinkDeps): Promise<WaitingCheckout[]> {
  const rows = await shop.rows<Omit<WaitingCheckout, 'path'>>(
    sql`select k.id, t.description as agent_name, ${tokenStatus} as agent_status, a.revoked_by, k.shown_total as total,
        k.expires_at
      from checkouts k join tokens t on t.site_id = k.site_id and t.id = k.agent_token_id
        join agent_tokens a on a.site_id = t.site_id and a.id = t.id
      where k.site_id = ${shop.siteId} and k.customer_id = ${shop.customerId} and k.status = 'requires_escalation'
        and k.expires_at > now()
      order by k.created_at desc, k.id limit 50`,
  );
  return rows.map((row) => ({ ...row, path: new URL(checkoutUrl(shop, deps, row.id)).pathname }));
}
