import type { Knex } from 'knex';

/**
 * Links to orders are swept once they are old and their order has not changed for long. And a link past the delay of a login says
 * at which site the account is.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    create index order_links_age on commerce.order_links (created_at);
    grant select, delete on commerce.order_links to commerce_sweep;
    -- What restores a backup of an older version makes the policies of this one before.
    drop policy if exists sweep on commerce.order_links;
    create policy sweep on commerce.order_links to commerce_sweep using (created_at <= now() - interval '180 days');
    grant select on commerce.order_events to commerce_sweep;
    drop policy if exists due on commerce.order_events;
    create policy due on commerce.order_events for select to commerce_sweep
      using (created_at > now() - interval '180 days');
    -- Null for staff, who work for several.
    alter table commerce.login_unlocks add column site_id uuid;
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    alter table commerce.login_unlocks drop column site_id;
    drop policy due on commerce.order_events;
    revoke select on commerce.order_events from commerce_sweep;
    drop policy sweep on commerce.order_links;
    revoke select, delete on commerce.order_links from commerce_sweep;
    drop index commerce.order_links_age;
  `);
}
