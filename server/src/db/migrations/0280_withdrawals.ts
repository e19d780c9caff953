import type { Knex } from 'knex';

/**
 * Adds statements by which consumers withdraw from contracts. A statement is evidence: the server's login can insert
 * and read statements, but not change or delete them. Status, order and return are in `withdrawals`.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    create table commerce.withdrawal_statements (
      site_id uuid not null,
      id uuid not null,
      name text not null,
      email text not null,
      -- The e-mail address in lower case, by which its mails are counted: row-level security keeps lower() from an index.
      recipient text not null,
      -- The order number or a description of the contract, as entered.
      contract text not null,
      -- The goods, as entered; null for the whole contract.
      items text,
      locale text not null,
      -- The order of a login or a checked link, and the pieces chosen there. Null lines: all of it.
      order_id uuid,
      lines jsonb,
      -- HMAC of the client's network, to count its mails.
      client_hash bytea not null,
      created_at timestamptz not null default now(),
      -- When the mail that acknowledges it may be sent.
      acknowledge_at timestamptz not null,
      primary key (site_id, id),
      foreign key (site_id) references commerce.sites (site_id),
      foreign key (site_id, order_id) references commerce.orders (site_id, id)
    );
    create index withdrawal_statements_of_recipient on commerce.withdrawal_statements (site_id, recipient, acknowledge_at desc);
    create index withdrawal_statements_of_client on commerce.withdrawal_statements (site_id, client_hash, acknowledge_at desc);
    call commerce.protect('commerce.withdrawal_statements');
    revoke update, delete on commerce.withdrawal_statements from commerce_app;
    alter table commerce.site_settings
      -- Null: on if the shop sells to the EU.
      add column withdrawal_page boolean;
    -- Cached responses name the page, which depends on the countries of delivery.
    create constraint trigger bump_catalog after insert or update or delete on commerce.shipping_options
      deferrable initially deferred for each row execute function commerce.bump_catalog();
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    drop trigger bump_catalog on commerce.shipping_options;
    alter table commerce.site_settings drop column withdrawal_page;
    drop table commerce.withdrawal_statements;
  `);
}
