import type { Knex } from 'knex';

/** Subscriptions to a family of events (`order.*`) or to all (`*`), bodies that name their shop, and what receivers answered. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    create function commerce.takes(events text[], event_type text) returns boolean language sql immutable parallel safe
      return events && array[event_type, split_part(event_type, '.', 1) || '.*', '*'];
    alter table commerce.webhook_attempts add column response_body text check (octet_length(response_body) <= 4096);
  `);
  const payload = `'{"type":%s,"timestamp":%s,"site_id":%s,"merchant_id":%s,"data":%s}', to_json(event_type),
            to_json(commerce.iso(now())), to_json(site),
            to_json((select merchant_id from commerce.sites where site_id = site)), event_data`;
  await emitting(knex, (events, type) => `commerce.takes(${events}, ${type})`, payload);
}

export async function down(knex: Knex): Promise<void> {
  const payload = `'{"type":%s,"timestamp":%s,"data":%s}', to_json(event_type), to_json(commerce.iso(now())), event_data`;
  await emitting(knex, (events, type) => `${type} = any(${events})`, payload);
  await knex.raw(`
    alter table commerce.webhook_attempts drop column response_body;
    drop function commerce.takes;
  `);
}

/** The functions that ask who subscribed to an event; `takes` is the condition that a list of events has a type. */
async function emitting(knex: Knex, takes: (events: string, type: string) => string, payload: string): Promise<void> {
  const isAwaited = (type: string) => `
        exists (select from commerce.webhooks where site_id = site and ${takes('events', type)})
        or exists (select from commerce.event_listeners
          where site_id = site and expires_at > now() and ${takes('events', type)})`;
  await knex.raw(`
    create or replace function commerce.emit(site uuid, event_type text, subject uuid, event_data jsonb) returns void
      language plpgsql as $$
    declare
      event_id uuid := commerce.uuid_v7();
    begin
      if not (${isAwaited('event_type')}) then
        return;
      end if;
      insert into commerce.events (site_id, id, type, subject_id, payload)
        values (site, event_id, event_type, subject, format(${payload}))
        on conflict (site_id, subject_id, type, made_in) do nothing;
      if found then perform commerce.fan_out(site, event_id, event_type); end if;
    end $$;

    create or replace function commerce.fan_out(site uuid, of_event uuid, event_type text) returns void language sql as $$
      with made as (
        insert into commerce.webhook_deliveries (site_id, id, webhook_id, event_id, type, status, next_attempt_at,
          completed_at)
        select site, commerce.uuid_v7(), w.id, of_event, event_type,
          case w.status when 'active' then 'pending' else 'failed' end,
          case w.status when 'active' then now() end, case w.status when 'disabled' then now() end
        from commerce.webhooks w where w.site_id = site and ${takes('w.events', 'event_type')}
        returning id, status
      )
      select commerce.enqueue_deliveries(site, array_agg(id), now()) from made where status = 'pending'
      having count(*) > 0;
    $$;

    create or replace function commerce.tell_product() returns trigger language plpgsql as $$
    declare
      site uuid := coalesce(new.site_id, old.site_id);
      told text := case tg_op when 'INSERT' then 'product.created' when 'UPDATE' then 'product.updated'
        else 'product.deleted' end;
      p commerce.products;
    begin
      if not (${isAwaited('told')}) then
        return null;
      end if;
      if tg_op = 'DELETE' then
        perform commerce.emit(site, told, old.id, jsonb_build_object('id', old.id, 'slug', old.slug,
          'deleted_at', commerce.iso(now())));
        return null;
      end if;
      select * into p from commerce.products where site_id = site and id = new.id;
      if not found then return null; end if;
      -- Made in this very transaction: product.created tells it all.
      if tg_op = 'UPDATE' and p.created_at = now() then return null; end if;
      perform commerce.emit_product(told, p);
      return null;
    end $$;
  `);
}
