import sql, { type Sql } from 'sql-template-tag';

/**
 * Whether `agent_consents k` is to take the place of a token that was revoked since: whoever ended that access did not mean it to
 * go on under other terms.
 */
export const isOutdated: Sql = sql`exists (
    select from tokens o where o.site_id = k.site_id and o.id = k.replaces_token_id and o.revoked_at is not null)`;
