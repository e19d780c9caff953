import type { AgentPolicy } from '@commerce-backend/spec';
import sql, { type Sql } from 'sql-template-tag';

type Stored = 'enabled' | 'max_budget_cents' | 'max_lifetime_days';

/** Values of fields that policies stored by older versions lack. */
const LATER: Omit<AgentPolicy, Stored> = { password_above_cents: null };

export const agentPolicy: Sql = sql`${JSON.stringify(LATER)}::jsonb || t.agent_policy`;
