import type { Pool } from 'pg';
import sql from 'sql-template-tag';
import { v7 as uuidv7 } from 'uuid';
import { agentPolicy } from '../agent-limits/policy.ts';
import { ShopError } from '../errors.ts';
import { inShop } from '../in-shop.ts';
import { SYSTEM, type Tenant } from '../shop.ts';

/** A call at the MCP endpoint without a token. */
export interface PublicCall {
  address: string | null;
  /** Null for an unknown tool, because the name is text from the caller. */
  tool: string | null;
  /** `done`, or the error code. */
  outcome: string;
}

/** Records a call. Throws `agents_not_allowed`, and records nothing, if the shop has switched these tools off. */
export async function recordPublicCall(
  db: Pool,
  tenant: Tenant,
  { address, tool, outcome }: PublicCall,
): Promise<void> {
  const recorded = await inShop(db, tenant, SYSTEM, (shop) =>
    shop.run(
      sql`insert into public_tool_calls (site_id, id, address, tool, outcome)
        select ${shop.siteId}, ${uuidv7()}, ${address}, ${tool}, ${outcome} from site_settings t
        where t.site_id = ${shop.siteId} and (${agentPolicy} ->> 'public_tools')::boolean`,
    ),
  );
  if (recorded > 0) return;
  const next =
    'Tell the customer that this shop has no tools without a token. With their consent, use the endpoint without /public.';
  throw new ShopError('agents_not_allowed', 'This shop has switched off its tools without a token.', { next });
}
