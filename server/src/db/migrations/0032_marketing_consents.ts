import type { Knex } from 'knex';

/** Who agreed to be written to about offers, when, where and to what words, and who withdrew it: one row each time. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    create table commerce.marketing_consents (
      site_id uuid not null,
      id uuid not null,
      -- Null for guests, who agree while they order.
      customer_id uuid,
      email text not null check (email = lower(email)),
      granted boolean not null,
      source text not null check (source in ('registration', 'checkout', 'account', 'dashboard')),
      wording text,
      order_id uuid,
      recorded_at timestamptz not null default now(),
      primary key (site_id, id),
      foreign key (site_id, customer_id) references commerce.customers,
      foreign key (site_id, order_id) references commerce.orders
    );
    create index marketing_consents_of on commerce.marketing_consents (site_id, customer_id, recorded_at, id);
    create index marketing_consents_by_email on commerce.marketing_consents (site_id, email);
    create index marketing_consents_of_order on commerce.marketing_consents (site_id, order_id) where order_id is not null;
    call commerce.protect('commerce.marketing_consents');
    alter table commerce.checkouts add column marketing_opt_in boolean not null default false,
      add column marketing_wording text;
    alter table commerce.site_settings add column ask_for_marketing boolean not null default false;
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    alter table commerce.site_settings drop column ask_for_marketing;
    alter table commerce.checkouts drop column marketing_opt_in, drop column marketing_wording;
    drop table commerce.marketing_consents;
  `);
}
