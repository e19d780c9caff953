import type { Knex } from 'knex';

/**
 * The audit tells what an agent's call was about, and shows when somebody who can write to the tables has changed it. A row has
 * an HMAC by a key of `audit_keys`, which is sealed under SECRET_KEY; a job adds committed rows to the chain of seals of their
 * site. Rows from before have no HMAC. `audit_keys` belongs to no tenant.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    -- First, for requests lock it before all other tables.
    lock table commerce.sites in access exclusive mode;

    create table commerce.audit_keys (
      id uuid primary key,
      sealed bytea not null,
      created_at timestamptz not null default now()
    );
    revoke delete on commerce.audit_keys from commerce_app;
    grant select on commerce.audit_keys to commerce_sweep;

    alter table commerce.audit_events
      -- For whom an agent acts: the details of the row are emptied when this customer is erased.
      add column customer_id uuid,
      -- JSON. The row's HMAC covers the salted hash, which stays.
      add column details text check (octet_length(details) <= 1024),
      add column details_salt bytea,
      add column details_hash bytea,
      add column key_id uuid,
      add column hmac bytea;
    -- The sealing job asks for the newest rows of all sites; rows are added in the order of time, so this costs them nothing.
    create index audit_events_by_time on commerce.audit_events using brin (created_at)
      with (pages_per_range = 32, autosummarize = on);

    create table commerce.audit_seals (
      site_id uuid not null references commerce.sites,
      seq integer not null check (seq > 0),
      first uuid not null,
      last uuid not null,
      count integer not null check (count = cardinality(ids)),
      -- The rows that it seals: one that commits late is in a later seal, though its id is lower.
      ids uuid[] not null,
      digest bytea not null,
      previous bytea check ((previous is null) = (seq = 1)),
      hmac bytea not null,
      key_id uuid not null,
      -- When the newest row was made that was sealed together with these, of whichever site.
      through timestamptz not null,
      sealed_at timestamptz not null default now(),
      primary key (site_id, seq)
    );
    create index audit_seals_through on commerce.audit_seals (through);
    call commerce.protect('commerce.audit_seals');
    revoke insert, update, delete on commerce.audit_seals from commerce_app;
    grant select, insert on commerce.audit_seals to commerce_sweep;
    create policy sweep on commerce.audit_seals to commerce_sweep using (true);
    grant select on commerce.audit_events to commerce_sweep;
    create policy due on commerce.audit_events for select to commerce_sweep using (true);

    -- Requests may not change rows of the audit, but for this.
    create function commerce.erase_audit_details(site uuid, actors uuid[]) returns void
      language sql security definer set search_path = pg_catalog, pg_temp as $$
      update commerce.audit_events set details = null, details_salt = null
        where site_id = site and actor_id = any(actors) and customer_id is not null and details is not null;
    $$;
    revoke all on function commerce.erase_audit_details from public;
    grant execute on function commerce.erase_audit_details to commerce_app;
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    lock table commerce.sites in access exclusive mode;
    drop function commerce.erase_audit_details;
    drop table commerce.audit_seals;
    drop index commerce.audit_events_by_time;
    drop policy due on commerce.audit_events;
    revoke select on commerce.audit_events from commerce_sweep;
    alter table commerce.audit_events drop column hmac, drop column key_id, drop column details_hash,
      drop column details_salt, drop column details, drop column customer_id;
    drop table commerce.audit_keys;
  `);
}
