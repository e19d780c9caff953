import type { AgentPolicy } from '@commerce-backend/spec';
import sql, { type Sql } from 'sql-template-tag';

/** The fields that all stored policies have. */
type Stored = 'enabled' | 'max_budget_cents' | 'max_lifetime_days';

/** Defaults for fields that older stored policies lack. */
const LATER: Omit<AgentPolicy, Stored> = { password_above_cents: null };

/** The AgentPolicy of `site_settings t`. */
export const agentPolicy: Sql = sql`${JSON.stringify(LATER)}::jsonb || t.agent_policy`;
