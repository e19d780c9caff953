import type { Knex } from 'knex';

/** What the sync surface needs: the log of product changes, and the orders that integrations send. */
export async function up(knex: Knex): Promise<void> {
  await changeEras(knex);
  await productChanges(knex);
  await changeTriggers(knex);
  await knownProducts(knex);
  await syncOrders(knex);
}

/**
 * Changes are ordered by the transaction that made them, and transaction numbers mean something within one history of one
 * cluster alone: a restored dump begins with small numbers again, a restored backup goes a second time through some. So each
 * history is an era, and eras are counted. `begin_change_era` is called by every start of the server (db/migrate.ts).
 */
async function changeEras(knex: Knex): Promise<void> {
  await knex.raw(`
    create table commerce.change_eras (
      era integer primary key,
      history text not null,
      begun_at timestamptz not null default now()
    );
    revoke insert, update, delete on commerce.change_eras from commerce_app;
    create function commerce.change_era() returns integer language sql stable
      return (select max(era) from commerce.change_eras);

    create procedure commerce.begin_change_era() language plpgsql as $$
    declare
      present text := (select system_identifier from pg_control_system()) || '.' || (select timeline_id from pg_control_checkpoint());
    begin
      insert into commerce.change_eras (era, history)
      select coalesce(max(era), 0) + 1, present from commerce.change_eras
      having coalesce((array_agg(history order by era desc))[1], '') <> present;
    end $$;
    call commerce.begin_change_era();
  `);
}

/**
 * An entry for each product that a transaction changed. Nobody waits for another to write one, and none is ever updated by
 * another transaction. A reader takes the entries of those transactions that all have ended: below the oldest one that
 * still runs (pg_snapshot_xmin) nothing can be added any more, so that a cursor never passes by what commits late.
 */
async function productChanges(knex: Knex): Promise<void> {
  await knex.raw(`
    create table commerce.product_changes (
      site_id uuid not null references commerce.sites,
      era integer not null default commerce.change_era(),
      changed_in bigint not null default pg_current_xact_id()::text::bigint,
      product_id uuid not null,
      -- Customers saw the product before the change or after it: if it is gone, that is told.
      seen boolean not null,
      changed_at timestamptz not null default clock_timestamp(),
      primary key (site_id, era, changed_in, product_id)
    );
    create index product_changes_of on commerce.product_changes (site_id, product_id, era, changed_in);
    create index product_changes_age on commerce.product_changes (changed_at);
    call commerce.protect('commerce.product_changes');

    -- It holds ids and no more, so the role that takes superseded entries away may see all of it.
    grant select, delete on commerce.product_changes to commerce_sweep;
    grant select on commerce.change_eras to commerce_sweep;
    create policy sweep on commerce.product_changes to commerce_sweep using (true);
  `);
}

async function changeTriggers(knex: Knex): Promise<void> {
  await knex.raw(`
    create function commerce.is_visible(status text, published_at timestamptz) returns boolean language sql stable
      return coalesce(status = 'active' and published_at <= now(), false);

    create function commerce.note_products() returns trigger language plpgsql as $$
    begin
      if tg_op = 'INSERT' then
        insert into commerce.product_changes as c (site_id, product_id, seen)
        select n.site_id, n.id, commerce.is_visible(n.status, n.published_at) from new_rows n
        on conflict (site_id, era, changed_in, product_id) do update set seen = true where excluded.seen and not c.seen;
      elsif tg_op = 'UPDATE' then
        insert into commerce.product_changes as c (site_id, product_id, seen)
        select n.site_id, n.id, commerce.is_visible(n.status, n.published_at) or commerce.is_visible(o.status, o.published_at)
        from new_rows n join old_rows o on o.site_id = n.site_id and o.id = n.id
        on conflict (site_id, era, changed_in, product_id) do update set seen = true where excluded.seen and not c.seen;
      else
        insert into commerce.product_changes as c (site_id, product_id, seen)
        select o.site_id, o.id, commerce.is_visible(o.status, o.published_at) from old_rows o
        on conflict (site_id, era, changed_in, product_id) do update set seen = true where excluded.seen and not c.seen;
      end if;
      return null;
    end $$;

    create function commerce.note_product_parts() returns trigger language plpgsql as $$
    begin
      if tg_op = 'DELETE' then
        insert into commerce.product_changes as c (site_id, product_id, seen)
        select part.site_id, part.product_id, coalesce(bool_or(commerce.is_visible(p.status, p.published_at)), false)
        from old_rows part left join commerce.products p on p.site_id = part.site_id and p.id = part.product_id
        group by part.site_id, part.product_id
        on conflict (site_id, era, changed_in, product_id) do update set seen = true where excluded.seen and not c.seen;
      else
        insert into commerce.product_changes as c (site_id, product_id, seen)
        select part.site_id, part.product_id, coalesce(bool_or(commerce.is_visible(p.status, p.published_at)), false)
        from new_rows part left join commerce.products p on p.site_id = part.site_id and p.id = part.product_id
        group by part.site_id, part.product_id
        on conflict (site_id, era, changed_in, product_id) do update set seen = true where excluded.seen and not c.seen;
      end if;
      return null;
    end $$;

    -- What becomes visible by itself is noted by a job, at that moment.
    create function commerce.schedule_change() returns trigger language plpgsql as $$
    begin
      perform commerce.enqueue('note_publication', json_build_object('site_id', new.site_id, 'product_id', new.id),
        new.published_at);
      return null;
    end $$;
    create trigger schedule_change after insert or update of published_at on commerce.products
      for each row when (new.published_at > now()) execute function commerce.schedule_change();
  `);
  const noted = { products: 'note_products' };
  const parts = ['product_options', 'product_images', 'variants'];
  for (const [table, note] of [...Object.entries(noted), ...parts.map((part) => [part, 'note_product_parts'])]) {
    await knex.raw(`
      create trigger note_insert after insert on commerce.${table} referencing new table as new_rows
        for each statement execute function commerce.${note}();
      create trigger note_update after update on commerce.${table} referencing old table as old_rows new table as new_rows
        for each statement execute function commerce.${note}();
      create trigger note_delete after delete on commerce.${table} referencing old table as old_rows
        for each statement execute function commerce.${note}();
    `);
  }
}

/** The products that there are, and those that are gone. Row-level security binds the owner, who is no tenant, too. */
async function knownProducts(knex: Knex): Promise<void> {
  const tables = ['products', 'product_tombstones', 'product_changes'].map((name) => `commerce.${name}`);
  for (const table of tables) await knex.raw(`alter table ${table} no force row level security`);
  await knex.raw(`
    insert into commerce.product_changes (site_id, product_id, seen, changed_at)
    select p.site_id, p.id, commerce.is_visible(p.status, p.published_at), p.updated_at from commerce.products p
    union all select site_id, product_id, true, deleted_at from commerce.product_tombstones;
    select commerce.enqueue('note_publication', json_build_object('site_id', site_id, 'product_id', id), published_at)
    from commerce.products where published_at > now();
  `);
  for (const table of tables) await knex.raw(`alter table ${table} force row level security`);
}

async function syncOrders(knex: Knex): Promise<void> {
  await knex.raw(`
    create table commerce.sync_orders (
      site_id uuid not null references commerce.sites,
      id uuid not null,
      reference text not null,
      payment text not null check (payment in ('bank_transfer', 'hosted_checkout')),
      -- Null only within the transaction that makes the order.
      checkout_id uuid,
      created_at timestamptz not null default now(),
      primary key (site_id, id),
      constraint reference_taken unique (site_id, reference),
      foreign key (site_id, checkout_id) references commerce.checkouts
    );
    create index sync_orders_of_checkout on commerce.sync_orders (site_id, checkout_id);
    call commerce.protect('commerce.sync_orders');

    update commerce.tokens set scopes = '{read,write}' where kind = 'sync';
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    update commerce.tokens set scopes = '{}' where kind = 'sync';
    drop table commerce.sync_orders;
    drop trigger schedule_change on commerce.products;
  `);
  for (const table of ['products', 'product_options', 'product_images', 'variants']) {
    for (const name of ['note_insert', 'note_update', 'note_delete']) {
      await knex.raw(`drop trigger ${name} on commerce.${table}`);
    }
  }
  await knex.raw(`
    drop function commerce.schedule_change, commerce.note_product_parts, commerce.note_products, commerce.is_visible;
    drop table commerce.product_changes;
    drop procedure commerce.begin_change_era;
    drop function commerce.change_era;
    drop table commerce.change_eras;
  `);
}
