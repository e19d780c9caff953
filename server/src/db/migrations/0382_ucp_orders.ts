import type { Knex } from 'knex';

/**
 * Order events for UCP platforms. `checkouts.platform_id` is the profile that began a checkout over UCP. Each event of
 * the checkout's order is delivered to the `webhook_url` of that profile, in addition to the webhooks. These deliveries
 * have separate jobs, which processes of older releases ignore. `webhook_refused` is the reason why a profile's URL is
 * not used. `signing_keys` contains the keys with which a shop signs these requests; the private keys are encrypted
 * with SECRET_KEY.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    alter table commerce.agent_profiles add column webhook_url text, add column webhook_refused text;
    alter table commerce.checkouts add column platform_id uuid;

    create table commerce.signing_keys (
      site_id uuid not null references commerce.sites,
      kid text not null,
      public_key jsonb not null,
      sealed bytea not null,
      created_at timestamptz not null default now(),
      primary key (site_id, kid)
    );
    call commerce.protect('commerce.signing_keys');
    grant select, insert, update, delete on commerce.signing_keys to commerce_app;

    alter table commerce.webhook_deliveries
      alter column webhook_id drop not null,
      add column platform_id uuid,
      add constraint webhook_deliveries_platform_fkey foreign key (site_id, platform_id)
        references commerce.agent_profiles (site_id, id) on delete cascade,
      add constraint one_receiver check (num_nonnulls(webhook_id, platform_id) = 1),
      add constraint one_delivery_per_platform unique (site_id, event_id, platform_id);
    create index webhook_deliveries_of_platform on commerce.webhook_deliveries (site_id, platform_id)
      where platform_id is not null;

    create function commerce.platform_of(site uuid, event_type text, subject uuid) returns uuid language sql stable
      return (select p.id from commerce.orders o
        join commerce.checkouts k on k.site_id = o.site_id and k.id = o.checkout_id
        join commerce.agent_profiles p on p.site_id = k.site_id and p.id = k.platform_id
        where o.site_id = site and o.id = subject and event_type like 'order.%' and p.webhook_url is not null);

    do $$ begin
      ${REPLACEMENTS.map(([name, before, after]) => replacing(name, before, after)).join('\n      ')}
    end $$;
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    do $$ begin
      ${REPLACEMENTS.toReversed()
        .map(([name, before, after]) => replacing(name, after, before))
        .join('\n      ')}
    end $$;
    drop function commerce.platform_of;
    alter table commerce.webhook_deliveries no force row level security;
    delete from commerce.webhook_deliveries where platform_id is not null;
    alter table commerce.webhook_deliveries force row level security;
    alter table commerce.webhook_deliveries drop column platform_id, alter column webhook_id set not null;
    drop table commerce.signing_keys;
    alter table commerce.checkouts drop column platform_id;
    alter table commerce.agent_profiles drop column webhook_url, drop column webhook_refused;
  `);
}

const REPLACEMENTS: [name: string, before: string, after: string][] = [
  [
    'tell_order',
    'if not commerce.is_told(new.site_id) then return null; end if;',
    `if not commerce.is_told(new.site_id)
        and commerce.platform_of(new.site_id, 'order.' || new.type, new.order_id) is null then return null; end if;`,
  ],
  [
    'emit',
    'where site_id = site and expires_at > now() and commerce.takes(events, event_type))) then',
    `where site_id = site and expires_at > now() and commerce.takes(events, event_type))
        or commerce.platform_of(site, event_type, subject) is not null) then`,
  ],
  [
    'fan_out',
    `        returning id, status
      )`,
    `        returning id, status
      ), to_platform as (
        insert into commerce.webhook_deliveries (site_id, id, platform_id, event_id, type, status)
        select site, commerce.uuid_v7(), p.id, of_event, event_type, 'pending'
        from commerce.events e
        join commerce.agent_profiles p on p.site_id = e.site_id and p.id = commerce.platform_of(site, event_type, e.subject_id)
        where e.site_id = site and e.id = of_event
        returning id
      )`,
  ],
  [
    'fan_out',
    `having count(*) > 0;`,
    `having count(*) > 0
      union all
      select commerce.enqueue('deliver_to_platform', json_build_object('site_id', site, 'delivery_id', id), now()) from to_platform;`,
  ],
];

function replacing(name: string, before: string, after: string): string {
  return `execute replace(pg_get_functiondef('commerce.${name}'::regproc), ${literal(before)}, ${literal(after)});`;
}

function literal(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}
