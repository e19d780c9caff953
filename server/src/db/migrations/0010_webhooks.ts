import type { Knex } from 'knex';

/**
 * Webhooks: who is told of what, the events, their deliveries with each attempt, and listeners that fetch instead.
 * Events are made by deferred triggers, so that no change can be committed without its event, by whatever statement it is
 * made, and what they tell is how things stand at the commit.
 */
export async function up(knex: Knex): Promise<void> {
  await tables(knex);
  await emitting(knex);
  await triggers(knex);
  await rights(knex);
}

async function tables(knex: Knex): Promise<void> {
  await knex.raw(`
    create table commerce.webhooks (
      site_id uuid not null references commerce.sites,
      id uuid not null,
      url text not null,
      events text[] not null,
      description text,
      status text not null default 'active' check (status in ('active', 'disabled')),
      disabled_reason text check (disabled_reason in ('staff', 'gone', 'failing')),
      disabled_at timestamptz,
      failing_since timestamptz,
      last_success_at timestamptz,
      -- Sealed with the server's secret key: they must be had in clear to sign. The hashes say whether one was replaced.
      secret bytea not null,
      secret_hash bytea not null,
      previous_secret bytea,
      previous_secret_expires_at timestamptz,
      created_at timestamptz not null default now(),
      updated_at timestamptz not null default now(),
      primary key (site_id, id),
      check ((status = 'disabled') = (disabled_reason is not null)),
      check ((previous_secret is null) = (previous_secret_expires_at is null))
    );

    create table commerce.event_listeners (
      site_id uuid not null references commerce.sites,
      id uuid not null,
      events text[] not null,
      secret_hash bytea not null,
      created_at timestamptz not null default now(),
      expires_at timestamptz not null,
      primary key (site_id, id)
    );

    create table commerce.events (
      site_id uuid not null references commerce.sites,
      id uuid not null,
      type text not null,
      subject_id uuid,
      -- The body as it is sent and signed, byte for byte.
      payload text not null check (octet_length(payload) < 20480),
      made_in xid8 not null default pg_current_xact_id(),
      created_at timestamptz not null default now(),
      primary key (site_id, id)
    );
    -- What happens to one thing in one transaction is told once.
    create unique index one_event_per_change on commerce.events (site_id, subject_id, type, made_in);
    create index events_in_order on commerce.events (site_id, made_in, id);
    create index events_by_age on commerce.events (created_at);

    create table commerce.webhook_deliveries (
      site_id uuid not null,
      id uuid not null,
      webhook_id uuid not null,
      event_id uuid not null,
      type text not null,
      status text not null default 'pending' check (status in ('pending', 'succeeded', 'failed')),
      attempts_count integer not null default 0,
      -- Attempts since the delivery began or was replayed last: where on the schedule it is.
      tries integer not null default 0,
      next_attempt_at timestamptz default now(),
      response_status integer,
      created_at timestamptz not null default now(),
      completed_at timestamptz,
      primary key (site_id, id),
      unique (site_id, event_id, webhook_id),
      foreign key (site_id, webhook_id) references commerce.webhooks on delete cascade,
      foreign key (site_id, event_id) references commerce.events on delete cascade,
      check ((status = 'pending') = (completed_at is null)),
      check ((status = 'pending') = (next_attempt_at is not null))
    );
    create index webhook_deliveries_of on commerce.webhook_deliveries (site_id, webhook_id, id desc);
    create index webhook_deliveries_failed on commerce.webhook_deliveries (site_id, completed_at) where status = 'failed';
    create index webhook_deliveries_due on commerce.webhook_deliveries (next_attempt_at) where status = 'pending';

    create table commerce.webhook_attempts (
      site_id uuid not null,
      delivery_id uuid not null,
      number integer not null,
      attempted_at timestamptz not null,
      duration_ms integer not null,
      outcome text not null,
      response_status integer,
      primary key (site_id, delivery_id, number),
      foreign key (site_id, delivery_id) references commerce.webhook_deliveries on delete cascade
    );

    call commerce.protect('commerce.webhooks');
    call commerce.protect('commerce.event_listeners');
    call commerce.protect('commerce.events');
    call commerce.protect('commerce.webhook_deliveries');
    call commerce.protect('commerce.webhook_attempts');
  `);
}

/** One delivery is one job of graphile-worker, added in the transaction of the change: that is the outbox. */
async function emitting(knex: Knex): Promise<void> {
  await knex.raw(`
    create function commerce.enqueue_delivery(site uuid, delivery uuid, run_at timestamptz) returns void
      language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
    begin
      perform graphile_worker.add_job('deliver_webhook', json_build_object('site_id', site, 'delivery_id', delivery),
        run_at => run_at, max_attempts => 100);
    end $$;

    -- Tells an event to those who asked for it. Where nobody did, it costs two look-ups and leaves nothing.
    create function commerce.emit(site uuid, event_type text, subject uuid, event_data jsonb) returns void
      language plpgsql as $$
    declare
      event_id uuid := commerce.uuid_v7();
    begin
      if not exists (select from commerce.webhooks
          where site_id = site and status = 'active' and event_type = any(events))
        and not exists (select from commerce.event_listeners
          where site_id = site and expires_at > now() and event_type = any(events)) then
        return;
      end if;
      insert into commerce.events (site_id, id, type, subject_id, payload)
        values (site, event_id, event_type, subject, format('{"type":%s,"timestamp":%s,"data":%s}', to_json(event_type),
          to_json(commerce.iso(now())), event_data))
        on conflict (site_id, subject_id, type, made_in) do nothing;
      if found then perform commerce.fan_out(site, event_id, event_type); end if;
    end $$;

    create function commerce.fan_out(site uuid, of_event uuid, event_type text) returns void language sql as $$
      with due as (
        insert into commerce.webhook_deliveries (site_id, id, webhook_id, event_id, type)
        select site, commerce.uuid_v7(), w.id, of_event, event_type from commerce.webhooks w
        where w.site_id = site and w.status = 'active' and event_type = any(w.events)
        returning id
      )
      select commerce.enqueue_delivery(site, due.id, now()) from due;
    $$;
  `);
}

async function triggers(knex: Knex): Promise<void> {
  await knex.raw(`
    create function commerce.tell_product() returns trigger language plpgsql as $$
    declare
      p commerce.products;
    begin
      if tg_op = 'DELETE' then
        perform commerce.emit(old.site_id, 'product.deleted', old.id, jsonb_build_object('id', old.id, 'slug', old.slug,
          'deleted_at', commerce.iso(now())));
        return null;
      end if;
      select * into p from commerce.products where site_id = new.site_id and id = new.id;
      if not found then return null; end if;
      -- Made in this very transaction: product.created tells it all.
      if tg_op = 'UPDATE' and p.created_at = now() then return null; end if;
      perform commerce.emit(p.site_id, case tg_op when 'INSERT' then 'product.created' else 'product.updated' end, p.id,
        jsonb_build_object('id', p.id, 'slug', p.slug, 'name', p.name, 'status', p.status,
          'published_at', commerce.iso(p.published_at), 'updated_at', commerce.iso(p.updated_at)));
      return null;
    end $$;
    create constraint trigger tell_product after insert or update or delete on commerce.products
      deferrable initially deferred for each row execute function commerce.tell_product();

    -- Significant (decisions 5): it can be bought again or no longer, it crossed its threshold, or it changed by at least
    -- five pieces and a fifth.
    create function commerce.tell_inventory() returns trigger language plpgsql as $$
    declare
      v commerce.variants;
      before integer := old.on_hand - old.reserved;
      after integer;
      was_available boolean := not old.track_inventory or old.inventory_policy = 'continue' or before > 0;
      is_available boolean;
      reasons text[];
    begin
      select * into v from commerce.variants where site_id = new.site_id and id = new.id;
      if not found then return null; end if;
      after := v.on_hand - v.reserved;
      is_available := not v.track_inventory or v.inventory_policy = 'continue' or after > 0;
      reasons := array_remove(array[
        case when was_available <> is_available then 'availability' end,
        case when v.track_inventory
          and (before <= v.low_stock_threshold) <> (after <= v.low_stock_threshold) then 'low_stock' end,
        case when abs(after - before) >= greatest(5, 0.2 * abs(before)) then 'amount' end], null);
      if reasons <> '{}' then
        perform commerce.emit(v.site_id, 'inventory.changed', v.id, jsonb_build_object('variant_id', v.id,
          'product_id', v.product_id, 'sku', v.sku, 'inventory_quantity', after, 'previous_quantity', before,
          'available', is_available, 'reasons', reasons));
      end if;
      return null;
    end $$;
    create constraint trigger tell_inventory after update of on_hand, reserved, track_inventory, inventory_policy
      on commerce.variants deferrable initially deferred for each row
      when (old.on_hand - old.reserved <> new.on_hand - new.reserved or old.track_inventory <> new.track_inventory
        or old.inventory_policy <> new.inventory_policy)
      execute function commerce.tell_inventory();

    -- The timeline of an order has an entry for all that happens to it.
    create function commerce.tell_order() returns trigger language plpgsql as $$
    declare
      o commerce.orders;
    begin
      select * into o from commerce.orders where site_id = new.site_id and id = new.order_id;
      perform commerce.emit(o.site_id, case new.type when 'payment_confirmed' then 'order.paid'
          else 'order.' || new.type end, o.id,
        jsonb_build_object('id', o.id, 'order_number', o.order_number, 'status', o.status,
          'payment_status', o.payment_status, 'fulfillment_status', o.fulfillment_status, 'total', o.total::text,
          'currency', o.currency, 'source', o.source, 'reference', o.external_reference, 'customer_id', o.customer_id,
          'updated_at', commerce.iso(o.updated_at)));
      return null;
    end $$;
    create constraint trigger tell_order after insert on commerce.order_events
      deferrable initially deferred for each row
      when (new.type in ('created', 'payment_confirmed', 'payment_expired', 'fulfilled', 'delivered', 'cancelled', 'refunded'))
      execute function commerce.tell_order();

    create function commerce.tell_customer() returns trigger language plpgsql as $$
    begin
      perform commerce.emit(new.site_id, 'customer.created', new.id,
        jsonb_build_object('id', new.id, 'created_at', commerce.iso(new.created_at)));
      return null;
    end $$;
    create constraint trigger tell_customer after insert on commerce.customers
      deferrable initially deferred for each row execute function commerce.tell_customer();

    create function commerce.tell_agent_token() returns trigger language plpgsql as $$
    declare
      t commerce.tokens;
    begin
      select * into t from commerce.tokens where site_id = new.site_id and id = new.id;
      if not found or t.customer_id is null then return null; end if;
      perform commerce.emit(t.site_id, case when t.revoked_at is null then 'agent.token_issued'
          else 'agent.token_revoked' end, t.id,
        jsonb_build_object('id', t.id, 'customer_id', t.customer_id, 'agent_name', t.description,
          'expires_at', commerce.iso(t.expires_at), 'revoked_at', commerce.iso(t.revoked_at)));
      return null;
    end $$;
    create constraint trigger tell_agent_token after insert on commerce.tokens
      deferrable initially deferred for each row when (new.kind = 'agent') execute function commerce.tell_agent_token();
    create constraint trigger tell_agent_revocation after update of revoked_at on commerce.tokens
      deferrable initially deferred for each row
      when (new.kind = 'agent' and old.revoked_at is null and new.revoked_at is not null)
      execute function commerce.tell_agent_token();
  `);
}

/** What the sweeper may take away, and whom a job may ask for all tenants. */
async function rights(knex: Knex): Promise<void> {
  await knex.raw(`
    revoke execute on function commerce.enqueue_delivery from public;
    grant execute on function commerce.enqueue_delivery to commerce_app;
    grant select, delete on commerce.events, commerce.event_listeners, commerce.webhook_deliveries,
      commerce.webhook_attempts to commerce_sweep;
    create policy sweep on commerce.events to commerce_sweep using (created_at <= now() - interval '30 days');
    create policy sweep on commerce.event_listeners to commerce_sweep using (expires_at <= now() - interval '1 hour');
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    drop trigger tell_agent_revocation on commerce.tokens;
    drop trigger tell_agent_token on commerce.tokens;
    drop trigger tell_customer on commerce.customers;
    drop trigger tell_order on commerce.order_events;
    drop trigger tell_inventory on commerce.variants;
    drop trigger tell_product on commerce.products;
    drop function commerce.tell_agent_token, commerce.tell_customer, commerce.tell_order, commerce.tell_inventory, commerce.tell_product,
      commerce.fan_out, commerce.emit, commerce.enqueue_delivery;
    drop table commerce.webhook_attempts, commerce.webhook_deliveries, commerce.events, commerce.event_listeners,
      commerce.webhooks;
  `);
}
