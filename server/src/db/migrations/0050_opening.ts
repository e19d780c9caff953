import type { Knex } from 'knex';

/**
 * What staff are told: an index counts the orders that nobody has finished; each member chooses their mails; and a variant that
 * falls to its low-stock threshold is noted, so that a job tells many at once. `mail_new_orders` is null for members who have not
 * chosen: they get these mails only where the shop has no address of its own that does.
 *
 * And webhooks get whole bodies, which the job builds at the first attempt and keeps with the delivery.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    -- First, for requests lock it before all other tables.
    lock table commerce.sites in access exclusive mode;
    create index orders_open on commerce.orders (site_id, fulfillment_status, payment_status)
      where status in ('pending', 'confirmed', 'processing');

    alter table commerce.staff_memberships add column mail_new_orders boolean,
      add column mail_low_stock boolean not null default true,
      add column mail_disabled_webhooks boolean not null default true;

    create table commerce.low_stock_notices (
      site_id uuid not null,
      variant_id uuid not null,
      made_in xid8 not null default pg_current_xact_id(),
      primary key (site_id, variant_id),
      foreign key (site_id, variant_id) references commerce.variants on delete cascade
    );
    call commerce.protect('commerce.low_stock_notices');

    create function commerce.note_low_stock() returns trigger language plpgsql as $$
    begin
      insert into commerce.low_stock_notices (site_id, variant_id) values (new.site_id, new.id) on conflict do nothing;
      -- The first of its transaction has all of them told.
      if found and not exists (
        select from commerce.low_stock_notices
        where site_id = new.site_id and variant_id <> new.id and made_in = pg_current_xact_id()
      ) then
        perform commerce.enqueue('tell_low_stock', json_build_object('site_id', new.site_id), now() + interval '15 minutes');
      end if;
      return null;
    end $$;
    create trigger note_low_stock after update of on_hand on commerce.variants for each row
      when (new.track_inventory and old.on_hand > old.low_stock_threshold and new.on_hand <= new.low_stock_threshold)
      execute function commerce.note_low_stock();

    alter table commerce.webhook_deliveries add column payload text check (octet_length(payload) <= 69632);
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    lock table commerce.sites in access exclusive mode;
    alter table commerce.webhook_deliveries drop column payload;
    drop trigger note_low_stock on commerce.variants;
    drop function commerce.note_low_stock;
    drop table commerce.low_stock_notices;
    alter table commerce.staff_memberships drop column mail_new_orders, drop column mail_low_stock,
      drop column mail_disabled_webhooks;
    drop index commerce.orders_open;
  `);
}
