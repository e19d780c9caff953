import type { Knex } from 'knex';

/**
 * Stores who configured a webhook: a staff member or an API key. The webhook gets only events that its author may read.
 * For existing webhooks the author is taken from the audit log. It stays null if it is unknown, and for webhooks of
 * integrations, which have a sync key instead.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    alter table commerce.webhooks add column made_by uuid;

    alter table commerce.webhooks no force row level security;
    alter table commerce.audit_events no force row level security;
    update commerce.webhooks w set made_by = e.actor_id
    from commerce.audit_events e
    where e.site_id = w.site_id and e.action = 'dashboard.createWebhook' and e.status = 201
      and e.actor_type in ('staff', 'api_key') and w.id = any(e.targets);
    alter table commerce.audit_events force row level security;
    alter table commerce.webhooks force row level security;
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('alter table commerce.webhooks drop column made_by;');
}
