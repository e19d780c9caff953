import type { Knex } from 'knex';

/** Customers of another shop come in without an event each, and with the agreements to mails that they gave there. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    -- First, for requests lock it before all other tables.
    lock table commerce.sites in access exclusive mode;
    alter table commerce.customers add column imported_at timestamptz;
    drop trigger tell_customer on commerce.customers;
    create constraint trigger tell_customer after insert on commerce.customers deferrable initially deferred
      for each row when (new.imported_at is null) execute function commerce.tell_customer();
    alter table commerce.marketing_consents drop constraint marketing_consents_source_check,
      add constraint marketing_consents_source_check
        check (source in ('registration', 'checkout', 'account', 'dashboard', 'import'));
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    lock table commerce.sites in access exclusive mode;
    alter table commerce.marketing_consents drop constraint marketing_consents_source_check;
    alter table commerce.marketing_consents no force row level security;
    update commerce.marketing_consents set source = 'dashboard' where source = 'import';
    alter table commerce.marketing_consents force row level security;
    alter table commerce.marketing_consents add constraint marketing_consents_source_check
      check (source in ('registration', 'checkout', 'account', 'dashboard'));
    drop trigger tell_customer on commerce.customers;
    create constraint trigger tell_customer after insert on commerce.customers deferrable initially deferred
      for each row execute function commerce.tell_customer();
    alter table commerce.customers drop column imported_at;
  `);
}
