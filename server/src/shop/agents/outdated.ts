import sql, { type Sql } from 'sql-template-tag';

/**
 * Whether `agent_consents k` would replace a token that has been revoked in the meantime. Revoking a token must also
 * end its pending replacement.
 */
export const isOutdated: Sql = sql`exists (
    select from tokens o where o.site_id = k.site_id and o.id = k.replaces_token_id and o.revoked_at is not null)`;
