import type { Knex } from 'knex';

/** Delivery options, carts, discounts and checkouts. */
export async function createCheckout(knex: Knex): Promise<void> {
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
      states text[] not null default '{}',
      postcode_prefixes text[] not null default '{}',
      minimum_weight_grams bigint check (minimum_weight_grams >= 0),
      maximum_weight_grams bigint check (maximum_weight_grams >= 0),
      estimated_days_min smallint check (estimated_days_min >= 0),
      estimated_days_max smallint,
      primary key (site_id, id),
      constraint shipping_options_check check (estimated_days_max >= estimated_days_min)
    );
    call commerce.protect('commerce.shipping_options');

    create table commerce.carts (
      site_id uuid not null references commerce.sites,
      id uuid not null,
      customer_id uuid,
      status text not null default 'active' check (status in ('active', 'converted', 'merged', 'expired')),
      merged_into uuid,
      expires_at timestamptz not null default now() + '30 days'::interval,
      created_at timestamptz not null default now(),
      updated_at timestamptz not null default now(),
      agent_token_id uuid,
      payment_id uuid,
      locale text,
      attribution jsonb,
      reorder_of uuid,
      primary key (site_id, id),
      foreign key (site_id, customer_id) references commerce.customers,
      foreign key (site_id, merged_into) references commerce.carts,
      constraint carts_check check ((status = 'merged') = (merged_into is not null))
    );
    create index carts_of_customer on commerce.carts (site_id, customer_id);
    create unique index one_active_cart_per_customer on commerce.carts (site_id, customer_id)
      where status = 'active' and agent_token_id is null;
    create index carts_to_expire on commerce.carts (expires_at, site_id) where status = 'active';
    create unique index one_cart_per_reorder on commerce.carts (site_id, reorder_of)
      where reorder_of is not null and status = 'active';
    create index carts_merged on commerce.carts (site_id, merged_into) where merged_into is not null;
    create index carts_being_paid on commerce.carts (site_id, payment_id) where payment_id is not null;
    call commerce.protect('commerce.carts');
    create policy due on commerce.carts for select to commerce_sweep
      using (status = 'active' and expires_at <= now());

    create table commerce.cart_items (
      site_id uuid not null,
      id uuid not null,
      cart_id uuid not null,
      variant_id uuid not null,
      -- A copy, for when the product has been deleted.
      product_id uuid not null,
      name text not null,
      variant_name text,
      quantity integer not null check (quantity between 1 and 999),
      -- The price last shown to the shopper, to report a change.
      price_seen numeric not null,
      created_at timestamptz not null default now(),
      primary key (site_id, id),
      constraint one_line_per_variant unique (site_id, cart_id, variant_id),
      foreign key (site_id, cart_id) references commerce.carts on delete cascade
    );
    call commerce.protect('commerce.cart_items');

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
      product_ids uuid[] not null default '{}'::uuid[],
      collection_ids uuid[] not null default '{}'::uuid[],
      usage_limit integer check (usage_limit >= 1),
      usage_limit_per_customer integer check (usage_limit_per_customer >= 1),
      -- Reserved and redeemed uses.
      usage_count integer not null default 0 check (usage_count >= 0),
      created_at timestamptz not null default now(),
      updated_at timestamptz not null default now(),
      primary key (site_id, id),
      constraint discount_usage_limit_reached check (usage_limit is null or usage_count <= usage_limit),
      constraint discounts_check check (kind <> 'percentage' or value <= 100)
    );
    create unique index discount_code_taken on commerce.discounts (site_id, lower(code));
    call commerce.protect('commerce.discounts');

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
    call commerce.protect('commerce.discount_redemptions');
    create policy due on commerce.discount_redemptions for select to commerce_sweep
      using (status = 'reserved' and expires_at <= now());

    create table commerce.checkouts (
      site_id uuid not null,
      id uuid not null,
      cart_id uuid not null,
      customer_id uuid,
      status text not null default 'open' check (status in ('open', 'ready', 'requires_escalation', 'completed', 'expired',
        'cancelled')),
      source text not null default 'storefront' check (source in ('storefront', 'agent', 'ai_widget')),
      email text,
      phone text,
      shipping_address jsonb,
      billing_address jsonb,
      shipping_option_id uuid,
      payment_method text check (payment_method in ('bank_transfer', 'card', 'manual', 'free')),
      note text,
      -- The prices last shown to the shopper, by line id. The order uses these prices, or the page asks
      -- again. told_prices are the new prices when the page last asked.
      shown_total numeric not null default 0,
      shown_prices jsonb not null default '{}',
      told_prices jsonb,
      -- Null when no stock is held.
      reserved_until timestamptz,
      expires_at timestamptz not null,
      order_id uuid,
      created_at timestamptz not null default now(),
      updated_at timestamptz not null default now(),
      agent_token_id uuid,
      payment_id uuid,
      -- Why the last payment failed, until the checkout changes.
      payment_failure text,
      locale text,
      return_url text,
      cancel_url text,
      marketing_opt_in boolean not null default false,
      marketing_wording text,
      attribution jsonb,
      primary key (site_id, id),
      foreign key (site_id, cart_id) references commerce.carts,
      constraint checkouts_check check ((status = 'completed') = (order_id is not null)),
      constraint checkouts_check1 check (agent_token_id is null or source = 'agent'),
      constraint nothing_to_pay_for check (payment_id is null or (status in ('open', 'ready', 'requires_escalation')))
    );
    create unique index one_checkout_per_cart on commerce.checkouts (site_id, cart_id)
      where status not in ('expired', 'cancelled');
    create index checkouts_to_expire on commerce.checkouts (expires_at) where status in ('open', 'ready', 'requires_escalation');
    create index checkouts_to_release on commerce.checkouts (reserved_until) where reserved_until is not null;
    create index checkouts_of_agent on commerce.checkouts (site_id, agent_token_id) where agent_token_id is not null;
    create index checkouts_of_customer on commerce.checkouts (site_id, customer_id)
      where status in ('open', 'ready', 'requires_escalation');
    create index checkouts_being_paid on commerce.checkouts (site_id, payment_id) where payment_id is not null;
    call commerce.protect('commerce.checkouts');
    create policy due on commerce.checkouts for select to commerce_sweep
      using (reserved_until <= now()
        or (status in ('open', 'ready', 'requires_escalation') and expires_at <= now()));

    -- No row-level security: looked up by the hash of the secret in the URL before the tenant is known.
    create table commerce.checkout_links (
      site_id uuid not null,
      checkout_id uuid not null,
      token_hash bytea not null unique,
      primary key (site_id, checkout_id, token_hash),
      foreign key (site_id, checkout_id) references commerce.checkouts
    );

    -- Stock reserved by checkouts. A sale or a release deletes the row.
    create table commerce.stock_reservations (
      site_id uuid not null,
      checkout_id uuid not null,
      variant_id uuid not null,
      quantity integer not null check (quantity > 0),
      primary key (site_id, checkout_id, variant_id),
      foreign key (site_id, checkout_id) references commerce.checkouts,
      foreign key (site_id, variant_id) references commerce.variants
    ) with (vacuum_truncate = off);
    create index stock_reservations_of on commerce.stock_reservations (site_id, variant_id);
    call commerce.protect('commerce.stock_reservations');
  `);
}
