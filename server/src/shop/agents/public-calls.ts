import type { Pool } from 'pg';
import sql from 'sql-template-tag';
import { v7 as uuidv7 } from 'uuid';
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

export async function recordPublicCall(
  db: Pool,
  tenant: Tenant,
  { address, tool, outcome }: PublicCall,
): Promise<void> {
  await inShop(db, tenant, SYSTEM, (shop) =>
    shop.run(
      sql`insert into public_tool_calls (site_id, id, address, tool, outcome)
        values (${shop.siteId}, ${uuidv7()}, ${address}, ${tool}, ${outcome})`,
    ),
  );
}
