import type { AgentPolicy } from '@commerce-backend/spec';
import sql, { type Sql } from 'sql-template-tag';

type Stored = 'enabled' | 'max_budget_cents' | 'max_lifetime_days';

/** Defaults for fields that are missing in policies stored by older versions. */
const LATER: Omit<AgentPolicy, Stored> = { password_above_cents: null, public_tools: true };

export const agentPolicy: Sql = sql`${JSON.stringify(LATER)}::jsonb || t.agent_policy`;
