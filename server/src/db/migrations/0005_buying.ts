import type { Knex } from 'knex';

/** Customers, carts, discounts, shipping, checkouts, orders and what follows them. Every key begins with site_id. */
export async function up(knex: Knex): Promise<void> {
  await customers(knex);
  await carts(knex);
  await orders(knex);
  await afterwards(knex);
  await background(knex);
  await dueForAll(knex);
}

async function customers(knex: Knex): Promise<void> {
  await knex.raw(`
    create table commerce.customers (
      site_id uuid not null references commerce.sites,
      id uuid not null,
      email text not null,
      password_hash text,
      first_name text,
      last_name text,
      phone text,
      marketing_opt_in boolean not null default false,
      email_verified_at timestamptz,
      metadata jsonb not null default '{}',
      note text,
      anonymized_at timestamptz,
      created_at timestamptz not null default now(),
      updated_at timestamptz not null default now(),
      primary key (site_id, id)
    );
    -- E-mails are folded by the shop (shop/emails.ts) before they come here.
    create unique index email_taken on commerce.customers (site_id, lower(email));

    create table commerce.customer_addresses (
      site_id uuid not null,
      id uuid not null,
      customer_id uuid not null,
      address jsonb not null,
      is_default boolean not null default false,
      created_at timestamptz not null default now(),
      updated_at timestamptz not null default now(),
      primary key (site_id, id),
      foreign key (site_id, customer_id) references commerce.customers
    );
    create index customer_addresses_of on commerce.customer_addresses (site_id, customer_id, created_at);
    create unique index one_default_address on commerce.customer_addresses (site_id, customer_id) where is_default;

    -- Found by the hash of their secret before a tenant is set, as tokens are; hence without row-level security. A session
    -- is the tokens of one login: each renewal gives it another, and the one before goes on for a moment.
    create table commerce.customer_tokens (
      site_id uuid not null,
      id uuid not null,
      session_id uuid not null,
      customer_id uuid not null,
      token_hash bytea not null unique,
      created_at timestamptz not null default now(),
      expires_at timestamptz not null,
      renewable_until timestamptz not null,
      replaced_at timestamptz,
      revoked_at timestamptz,
      primary key (site_id, id),
      foreign key (site_id, customer_id) references commerce.customers
    );
    create index customer_tokens_of on commerce.customer_tokens (site_id, customer_id);
    create index customer_tokens_age on commerce.customer_tokens (expires_at);

    -- Who asked for an account and has not proven the address yet. The newest request of an address counts.
    create table commerce.customer_registrations (
      site_id uuid not null references commerce.sites,
      email text not null,
      password_hash text not null,
      profile jsonb not null,
      created_at timestamptz not null default now(),
      primary key (site_id, email)
    );

    -- What the links in mails are good for, once. Without a customer: to register.
    create table commerce.customer_codes (
      site_id uuid not null,
      token_hash bytea not null,
      purpose text not null check (purpose in ('register', 'verify_email', 'reset_password')),
      customer_id uuid,
      email text not null,
      expires_at timestamptz not null,
      created_at timestamptz not null default now(),
      primary key (site_id, token_hash),
      foreign key (site_id, customer_id) references commerce.customers,
      check ((purpose = 'register') = (customer_id is null))
    );
    -- A newer link takes the place of the one before.
    create unique index one_code_per_purpose on commerce.customer_codes (site_id, purpose, coalesce(customer_id::text, email));

    -- How often those limits were drawn upon that must hold in every process and never give way.
    create table commerce.rate_counts (
      key_hash bytea primary key,
      points integer not null,
      expires_at timestamptz not null
    );
    create index rate_counts_age on commerce.rate_counts (expires_at);

    call commerce.protect('commerce.customers');
    call commerce.protect('commerce.customer_addresses');
    call commerce.protect('commerce.customer_registrations');
    call commerce.protect('commerce.customer_codes');
  `);
}

async function carts(knex: Knex): Promise<void> {
  await knex.raw(`
    create table commerce.shipping_options (
      site_id uuid not null references commerce.sites,
      id uuid not null,
      name text not null,
      description text,
      kind text not null check (kind in ('delivery', 'pickup')),
      price numeric not null check (price >= 0 and price < 1e12),
      countries text[] not null default '{}',
      minimum_subtotal numeric check (minimum_subtotal >= 0),
      maximum_subtotal numeric check (maximum_subtotal >= 0),
      position integer not null default 1,
      active boolean not null default true,
      created_at timestamptz not null default now(),
      updated_at timestamptz not null default now(),
      primary key (site_id, id)
    );

    create table commerce.carts (
      site_id uuid not null references commerce.sites,
      id uuid not null,
      customer_id uuid,
      status text not null default 'active' check (status in ('active', 'converted', 'merged', 'expired')),
      merged_into uuid,
      expires_at timestamptz not null default now() + interval '30 days',
      created_at timestamptz not null default now(),
      updated_at timestamptz not null default now(),
      primary key (site_id, id),
      foreign key (site_id, customer_id) references commerce.customers,
      foreign key (site_id, merged_into) references commerce.carts,
      check ((status = 'merged') = (merged_into is not null))
    );
    create unique index one_active_cart_per_customer on commerce.carts (site_id, customer_id) where status = 'active';
    create index carts_of_customer on commerce.carts (site_id, customer_id);
    create index carts_to_expire on commerce.carts (expires_at) where status = 'active';

    create table commerce.cart_items (
      site_id uuid not null,
      id uuid not null,
      cart_id uuid not null,
      variant_id uuid not null,
      -- Kept for the time when the product is gone.
      product_id uuid not null,
      name text not null,
      variant_name text,
      quantity integer not null check (quantity between 1 and 999),
      -- The price that the shopper saw last, so that a change can be told.
      price_seen numeric not null,
      created_at timestamptz not null default now(),
      primary key (site_id, id),
      constraint one_line_per_variant unique (site_id, cart_id, variant_id),
      foreign key (site_id, cart_id) references commerce.carts on delete cascade
    );

    create table commerce.discounts (
      site_id uuid not null references commerce.sites,
      id uuid not null,
      code text not null,
      kind text not null check (kind in ('percentage', 'fixed_amount', 'free_shipping')),
      value numeric not null check (value >= 0 and value < 1e12),
      description text,
      active boolean not null default true,
      starts_at timestamptz,
      ends_at timestamptz,
      minimum_subtotal numeric check (minimum_subtotal >= 0),
      minimum_quantity integer check (minimum_quantity >= 1),
      product_ids uuid[] not null default '{}',
      collection_ids uuid[] not null default '{}',
      usage_limit integer check (usage_limit >= 1),
      usage_limit_per_customer integer check (usage_limit_per_customer >= 1),
      -- Redemptions that are reserved or redeemed.
      usage_count integer not null default 0 check (usage_count >= 0),
      created_at timestamptz not null default now(),
      updated_at timestamptz not null default now(),
      primary key (site_id, id),
      constraint discount_usage_limit_reached check (usage_limit is null or usage_count <= usage_limit),
      check (kind <> 'percentage' or value <= 100)
    );
    create unique index discount_code_taken on commerce.discounts (site_id, lower(code));

    create table commerce.discount_redemptions (
      site_id uuid not null,
      id uuid not null,
      discount_id uuid not null,
      code text not null,
      cart_id uuid not null,
      order_id uuid,
      customer_id uuid,
      email text,
      status text not null check (status in ('reserved', 'redeemed', 'released')),
      amount_off numeric not null check (amount_off >= 0),
      expires_at timestamptz not null,
      created_at timestamptz not null default now(),
      updated_at timestamptz not null default now(),
      primary key (site_id, id),
      foreign key (site_id, discount_id) references commerce.discounts,
      foreign key (site_id, cart_id) references commerce.carts
    );
    create unique index one_code_per_cart on commerce.discount_redemptions (site_id, cart_id) where status <> 'released';
    create index redemptions_of_discount on commerce.discount_redemptions (site_id, discount_id, id desc);
    create index redemptions_of_customer on commerce.discount_redemptions (site_id, discount_id, customer_id)
      where status <> 'released';
    create index redemptions_of_email on commerce.discount_redemptions (site_id, discount_id, lower(email))
      where status <> 'released';
    create index redemptions_to_release on commerce.discount_redemptions (expires_at) where status = 'reserved';

    call commerce.protect('commerce.shipping_options');
    call commerce.protect('commerce.carts');
    call commerce.protect('commerce.cart_items');
    call commerce.protect('commerce.discounts');
    call commerce.protect('commerce.discount_redemptions');
  `);
}

async function orders(knex: Knex): Promise<void> {
  // A UUID of version 7 for rows that a statement makes by itself; PostgreSQL has one of its own only from 18 on.
  await knex.raw(`
    create function commerce.uuid_v7() returns uuid language sql volatile parallel safe
      return encode(set_bit(set_bit(overlay(uuid_send(gen_random_uuid())
        placing substring(int8send((extract(epoch from clock_timestamp()) * 1000)::bigint) from 3) from 1 for 6),
        52, 1), 53, 1), 'hex')::uuid;
  `);
  await knex.raw(`
    create table commerce.checkouts (
      site_id uuid not null references commerce.sites,
      id uuid not null,
      cart_id uuid not null,
      customer_id uuid,
      status text not null default 'open'
        check (status in ('open', 'ready', 'requires_escalation', 'completed', 'expired', 'cancelled')),
      source text not null default 'storefront' check (source in ('storefront', 'agent', 'ai_widget')),
      email text,
      phone text,
      shipping_address jsonb,
      billing_address jsonb,
      shipping_option_id uuid,
      payment_method text check (payment_method in ('bank_transfer', 'card', 'manual', 'free')),
      note text,
      -- What the human was shown last, the price of each line by its id: the order is written at these, or the page asks
      -- again. told_prices are those of the last refusal to do so.
      shown_total numeric not null default 0,
      shown_prices jsonb not null default '{}',
      told_prices jsonb,
      -- Null when no stock is held.
      reserved_until timestamptz,
      expires_at timestamptz not null,
      order_id uuid,
      created_at timestamptz not null default now(),
      updated_at timestamptz not null default now(),
      primary key (site_id, id),
      foreign key (site_id, cart_id) references commerce.carts,
      check ((status = 'completed') = (order_id is not null))
    );
    create unique index one_checkout_per_cart on commerce.checkouts (site_id, cart_id)
      where status not in ('expired', 'cancelled');
    create index checkouts_to_expire on commerce.checkouts (expires_at) where status in ('open', 'ready', 'requires_escalation');
    create index checkouts_to_release on commerce.checkouts (reserved_until) where reserved_until is not null;

    -- Found by the hash of the secret in its address before a tenant is set, as tokens are; hence without row-level security.
    create table commerce.checkout_links (
      site_id uuid not null,
      checkout_id uuid not null,
      token_hash bytea not null unique,
      primary key (site_id, checkout_id),
      foreign key (site_id, checkout_id) references commerce.checkouts
    );

    -- What a checkout holds of the stock. A row is taken away by whoever turns it into a sale or gives it back.
    create table commerce.stock_reservations (
      site_id uuid not null,
      checkout_id uuid not null,
      variant_id uuid not null,
      quantity integer not null check (quantity > 0),
      primary key (site_id, checkout_id, variant_id),
      foreign key (site_id, checkout_id) references commerce.checkouts,
      foreign key (site_id, variant_id) references commerce.variants
    );
    create index stock_reservations_of on commerce.stock_reservations (site_id, variant_id);

    create table commerce.order_numbers (
      site_id uuid primary key references commerce.sites,
      last_number bigint not null default 1000
    );

    create table commerce.orders (
      site_id uuid not null references commerce.sites,
      id uuid not null,
      order_number text not null,
      checkout_id uuid,
      customer_id uuid,
      email text,
      phone text,
      subtotal numeric not null check (subtotal >= 0),
      discount numeric not null default 0 check (discount >= 0),
      shipping_cost numeric not null default 0 check (shipping_cost >= 0),
      tax numeric not null default 0 check (tax >= 0),
      -- With prices that include it, the tax is the contained part and not added.
      tax_included boolean not null default false,
      total numeric not null check (total >= 0),
      currency text not null,
      status text not null check (status in ('pending', 'confirmed', 'processing', 'completed', 'cancelled')),
      payment_status text not null check (payment_status in ('pending', 'awaiting_payment', 'authorized', 'paid',
        'partially_refunded', 'refunded', 'failed', 'expired', 'voided')),
      fulfillment_status text not null check (fulfillment_status in ('unfulfilled', 'partially_fulfilled', 'fulfilled',
        'delivered', 'returned')),
      payment_method text check (payment_method in ('bank_transfer', 'card', 'manual', 'free')),
      billing_address jsonb,
      shipping_address jsonb,
      shipping_method text,
      tracking_number text,
      tracking_url text,
      source text not null check (source in ('storefront', 'agent', 'ai_widget', 'dashboard', 'import')),
      external_reference text,
      discount_code text,
      -- Where to transfer to, as it was told to the customer.
      bank_details jsonb,
      note text,
      staff_note text,
      metadata jsonb not null default '{}',
      cancel_reason text,
      payment_due_at timestamptz,
      payment_reminder_at timestamptz,
      payment_reminded_at timestamptz,
      payment_confirmed_at timestamptz,
      shipped_at timestamptz,
      delivered_at timestamptz,
      cancelled_at timestamptz,
      created_at timestamptz not null default now(),
      updated_at timestamptz not null default now(),
      primary key (site_id, id),
      unique (site_id, order_number),
      constraint one_order_per_checkout unique (site_id, checkout_id),
      constraint external_reference_taken unique (site_id, external_reference),
      check (total = subtotal - discount + shipping_cost + case when tax_included then 0 else tax end)
    );
    create index orders_newest on commerce.orders (site_id, created_at desc, id);
    create index orders_of_customer on commerce.orders (site_id, customer_id, created_at desc);
    create index orders_of_guests on commerce.orders (site_id, lower(email)) where customer_id is null;
    create index orders_due on commerce.orders (payment_due_at) where payment_status = 'awaiting_payment';
    create index orders_to_remind on commerce.orders (payment_reminder_at)
      where payment_status = 'awaiting_payment' and payment_reminded_at is null;

    create table commerce.order_lines (
      site_id uuid not null,
      id uuid not null,
      order_id uuid not null,
      position integer not null,
      -- Only these four are required of a producer (interface 2.2).
      name text not null,
      quantity integer not null check (quantity > 0),
      price numeric not null,
      total numeric not null,
      variant_id uuid,
      product_id uuid,
      sku text,
      option1 text,
      option2 text,
      option3 text,
      variant_name text,
      image_url text,
      discount numeric not null default 0,
      tax numeric not null default 0,
      -- Whether completing the order took the quantity from stock, and so cancelling gives it back.
      stock_taken boolean not null default false,
      primary key (site_id, id),
      foreign key (site_id, order_id) references commerce.orders
    );
    create index order_lines_of on commerce.order_lines (site_id, order_id, position);

    call commerce.protect('commerce.checkouts');
    call commerce.protect('commerce.stock_reservations');
    call commerce.protect('commerce.order_numbers');
    call commerce.protect('commerce.orders');
    call commerce.protect('commerce.order_lines');
  `);
}

async function afterwards(knex: Knex): Promise<void> {
  await knex.raw(`
    -- An attempt to be paid by a provider. It is written before the provider is called, so that money taken just before a
    -- crash is found and given back; its id is what the provider knows it by.
    create table commerce.payments (
      site_id uuid not null,
      id uuid not null,
      checkout_id uuid not null,
      -- Null until the order is made.
      order_id uuid,
      provider text not null,
      status text not null check (status in ('started', 'pending', 'authorized', 'succeeded', 'failed',
        'abandoned', 'cancelled')),
      amount numeric not null check (amount > 0),
      card_hash bytea not null,
      reference text,
      failure_reason text,
      created_at timestamptz not null default now(),
      updated_at timestamptz not null default now(),
      primary key (site_id, id),
      unique (site_id, provider, reference),
      foreign key (site_id, checkout_id) references commerce.checkouts,
      foreign key (site_id, order_id) references commerce.orders
    );
    create unique index one_payment_at_a_time on commerce.payments (site_id, checkout_id)
      where status in ('started', 'pending', 'authorized', 'succeeded');
    create index payments_of_order on commerce.payments (site_id, order_id);
    create index payments_to_settle on commerce.payments (updated_at)
      where status in ('pending', 'abandoned') or (order_id is null and status in ('started', 'authorized', 'succeeded'));
    -- An event that a provider sends twice finds itself here, and changes nothing.
    create table commerce.payment_events (
      site_id uuid not null references commerce.sites,
      provider text not null,
      event_id text not null,
      received_at timestamptz not null default now(),
      primary key (site_id, provider, event_id)
    );

    create table commerce.fulfillments (
      site_id uuid not null,
      id uuid not null,
      order_id uuid not null,
      carrier text,
      tracking_number text,
      tracking_url text,
      created_at timestamptz not null default now(),
      delivered_at timestamptz,
      primary key (site_id, id),
      foreign key (site_id, order_id) references commerce.orders
    );
    create index fulfillments_of on commerce.fulfillments (site_id, order_id, created_at);
    create table commerce.fulfillment_items (
      site_id uuid not null,
      fulfillment_id uuid not null,
      line_id uuid not null,
      quantity integer not null check (quantity > 0),
      primary key (site_id, fulfillment_id, line_id),
      foreign key (site_id, fulfillment_id) references commerce.fulfillments,
      foreign key (site_id, line_id) references commerce.order_lines
    );

    create table commerce.refunds (
      site_id uuid not null,
      id uuid not null,
      order_id uuid not null,
      amount numeric not null check (amount > 0),
      reason text,
      note text,
      actor_id uuid not null,
      created_at timestamptz not null default now(),
      primary key (site_id, id),
      foreign key (site_id, order_id) references commerce.orders
    );
    create index refunds_of on commerce.refunds (site_id, order_id, created_at);

    create table commerce.order_events (
      site_id uuid not null,
      id uuid not null,
      order_id uuid not null,
      type text not null,
      message text not null,
      context jsonb not null default '{}',
      actor_type text not null,
      actor_id uuid,
      created_at timestamptz not null default now(),
      primary key (site_id, id),
      foreign key (site_id, order_id) references commerce.orders
    );
    create index order_events_of on commerce.order_events (site_id, order_id, id);

    create table commerce.audit_events (
      site_id uuid not null references commerce.sites,
      id uuid not null,
      actor_type text not null,
      actor_id uuid not null,
      action text not null,
      status smallint not null,
      payload_hash bytea not null,
      ip text,
      user_agent text,
      correlation_id text not null,
      created_at timestamptz not null default now(),
      primary key (site_id, id)
    );
    create index audit_events_of on commerce.audit_events (site_id, actor_id, id desc);

    call commerce.protect('commerce.payments');
    call commerce.protect('commerce.payment_events');
    call commerce.protect('commerce.fulfillments');
    call commerce.protect('commerce.fulfillment_items');
    call commerce.protect('commerce.refunds');
    call commerce.protect('commerce.order_events');
    call commerce.protect('commerce.audit_events');
    revoke update, delete on commerce.order_events, commerce.audit_events, commerce.refunds, commerce.payment_events
      from commerce_app;
  `);
}

/**
 * What requests may ask of the job queue, and what the sweeper may take away. The queue's own tables stay closed to requests:
 * they add a job through a function that runs as its owner, in their own transaction.
 */
async function background(knex: Knex): Promise<void> {
  await knex.raw(`
    create function commerce.enqueue(task text, payload json, run_at timestamptz) returns void
      language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
    begin
      perform graphile_worker.add_job(task, payload, run_at => run_at, max_attempts => 12);
    end $$;
    revoke execute on function commerce.enqueue from public;
    grant execute on function commerce.enqueue to commerce_app;

    grant select, delete on commerce.customer_tokens, commerce.customer_codes, commerce.customer_registrations,
      commerce.rate_counts to commerce_sweep;
    create policy sweep on commerce.customer_codes to commerce_sweep using (expires_at <= now() - interval '1 day');
    create policy sweep on commerce.customer_registrations to commerce_sweep using (created_at <= now() - interval '7 days');
  `);
}

/**
 * Lets the jobs see in which shops something is past its time. commerce_sweep sees those rows alone; what is done about
 * them is done shop by shop, as commerce_app.
 */
async function dueForAll(knex: Knex): Promise<void> {
  await knex.raw(`
    grant select on commerce.sites, commerce.carts, commerce.discount_redemptions, commerce.checkouts, commerce.orders,
      commerce.payments to commerce_sweep;
    create policy due on commerce.carts for select to commerce_sweep
      using (status = 'active' and expires_at <= now());
    create policy due on commerce.discount_redemptions for select to commerce_sweep
      using (status = 'reserved' and expires_at <= now());
    create policy due on commerce.checkouts for select to commerce_sweep
      using (reserved_until <= now()
        or (status in ('open', 'ready', 'requires_escalation') and expires_at <= now()));
    create policy due on commerce.orders for select to commerce_sweep
      using (payment_status = 'awaiting_payment'
        and (payment_due_at <= now() or (payment_reminded_at is null and payment_reminder_at <= now())));
    create policy due on commerce.payments for select to commerce_sweep
      using (status in ('pending', 'abandoned')
        or (order_id is null and status in ('started', 'authorized', 'succeeded')));
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    drop function commerce.enqueue;
    drop table commerce.audit_events, commerce.order_events, commerce.refunds, commerce.fulfillment_items,
      commerce.fulfillments, commerce.payment_events, commerce.payments, commerce.order_lines, commerce.orders,
      commerce.order_numbers, commerce.stock_reservations, commerce.checkout_links, commerce.checkouts, commerce.discount_redemptions,
      commerce.discounts, commerce.cart_items, commerce.carts, commerce.shipping_options, commerce.rate_counts, commerce.customer_codes,
      commerce.customer_registrations, commerce.customer_tokens, commerce.customer_addresses, commerce.customers;
    drop function commerce.uuid_v7;
    revoke select on commerce.sites from commerce_sweep;
  `);
}
