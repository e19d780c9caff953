import type { Knex } from 'knex';

/**
 * Adds eras of the whole database, which replace the eras of the product log. `history` ends with the timeline as in
 * the names of WAL files, so that requests can compare it (db/era.ts). It is not read from `pg_control_checkpoint()`,
 * which shows the old timeline for minutes after a promotion. A failover may have lost orders, so a new era skips order
 * numbers of all shops.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    update commerce.change_eras
      set history = split_part(history, '.', 1) || '.' || lpad(upper(to_hex(split_part(history, '.', 2)::bigint)), 8, '0')
      where history ~ '^\\d+\\.\\d{1,9}$';

    -- By how much the order numbers of the shops advanced, which explains the gap.
    alter table commerce.change_eras add column skipped integer not null default 1;

    create procedure commerce.begin_era(skipped integer default 1000, forced boolean default false)
      language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
    declare
      present text;
      site_before text := coalesce(current_setting('app.site_id', true), '');
      site uuid;
    begin
      lock table commerce.change_eras in share row exclusive mode;
      present := (select system_identifier from pg_control_system()) || '.'
        || substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8);
      -- Seconds since 2020: the number is higher than the number of an era that was lost with its database.
      insert into commerce.change_eras (era, history, skipped)
        select greatest(coalesce(max(era), 0) + 1, (extract(epoch from now())::bigint - 1577836800)::integer), present, begin_era.skipped
        from commerce.change_eras
        having forced or present is distinct from (array_agg(history order by era desc))[1];
      if not found then return; end if;
      for site in select site_id from commerce.sites where delete_begun_at is null order by site_id loop
        perform set_config('app.site_id', site::text, true);
        insert into commerce.order_numbers as n (site_id, last_number) values (site, 1000 + skipped - 1)
          on conflict (site_id) do update set last_number = n.last_number + skipped - 1;
      end loop;
      perform set_config('app.site_id', site_before, true);
    end $$;
    revoke execute on procedure commerce.begin_era from public;
    grant execute on procedure commerce.begin_era to commerce_app;

    -- Processes of the previous release call it when they start.
    create or replace procedure commerce.begin_change_era() language plpgsql as $$
    begin
      call commerce.begin_era();
    end $$;

    create function commerce.refuse_history() returns integer language plpgsql volatile as $$
    begin
      if pg_is_in_recovery() then
        raise exception 'the database is a standby' using errcode = 'read_only_sql_transaction';
      end if;
      raise exception 'the database continues another history' using errcode = 'CE001';
    end $$;

    create or replace function commerce.catalog_version(site uuid) returns text language sql stable
      return (select max(era) from commerce.change_eras)
        || '.' || (select coalesce(sum(version), 0) from commerce.catalog_versions where site_id = site)
        || '.' || (select count(*) from commerce.catalog_schedule where site_id = site and publish_at > now());
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    create or replace function commerce.catalog_version(site uuid) returns text language sql stable
      return (select coalesce(sum(version), 0) from commerce.catalog_versions where site_id = site)
        || '.' || (select count(*) from commerce.catalog_schedule where site_id = site and publish_at > now());
    drop function commerce.refuse_history;
    drop procedure commerce.begin_era;
    create or replace procedure commerce.begin_change_era() language plpgsql as $$
    declare
      present text := (select system_identifier from pg_control_system()) || '.' || (select timeline_id from pg_control_checkpoint());
    begin
      insert into commerce.change_eras (era, history)
      select coalesce(max(era), 0) + 1, present from commerce.change_eras
      having coalesce((array_agg(history order by era desc))[1], '') <> present;
    end $$;
    alter table commerce.change_eras drop column skipped;
    update commerce.change_eras
      set history = split_part(history, '.', 1) || '.' || ('x' || split_part(history, '.', 2))::bit(32)::bigint
      where history ~ '^\\d+\\.[0-9A-F]{8}$';
  `);
}
