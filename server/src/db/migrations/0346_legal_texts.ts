import type { Knex } from 'knex';

/**
 * Adds the shop's legal texts, by kind and language. A text counts in the report of a site's health like a link to one.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    alter table commerce.site_settings add column legal_texts jsonb not null default '{}'
      check (jsonb_typeof(legal_texts) = 'object');
    do $$ begin
      execute replace(pg_get_functiondef('commerce.site_health'::regproc), ' t.legal,', ' ${LEGAL},');
    end $$;
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    do $$ begin
      execute replace(pg_get_functiondef('commerce.site_health'::regproc), ' ${LEGAL},', ' t.legal,');
    end $$;
    alter table commerce.site_settings drop column legal_texts;
  `);
}

const LEGAL = `t.legal || (
            select coalesce(jsonb_object_agg(split_part(name, ''_'', 1) || ''_url'', true), ''{}'')
            from jsonb_object_keys(t.legal_texts) name)`;
