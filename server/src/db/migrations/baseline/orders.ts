import type { Knex } from 'knex';

/** Orders, fulfilments and refunds. */
export async function createOrders(knex: Knex): Promise<void> {
  await knex.raw(`
    create table commerce.order_numbers (
      site_id uuid primary key references commerce.sites,
      last_number bigint not null default 1000
    );
    call commerce.protect('commerce.order_numbers');

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
      -- If prices include tax, this is the included part.
      tax_included boolean not null default false,
      total numeric not null check (total >= 0),
      currency text not null,
      status text not null check (status in ('pending', 'confirmed', 'processing', 'completed', 'cancelled')),
      payment_status text not null check (payment_status in ('pending', 'awaiting_payment', 'authorized', 'paid',
        'partially_refunded', 'refunded', 'failed', 'expired', 'voided')),
      fulfillment_status text not null check (fulfillment_status in ('unfulfilled', 'partially_fulfilled', 'fulfilled',
        'delivered', 'returned')),
      payment_method text check (payment_method in ('bank_transfer', 'card', 'online', 'manual', 'free')),
      billing_address jsonb,
      shipping_address jsonb,
      shipping_method text,
      tracking_number text,
      tracking_url text,
      source text not null check (source in ('storefront', 'agent', 'ai_widget', 'dashboard', 'import')),
      external_reference text,
      discount_code text,
      -- The bank account that the customer was shown.
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
      agent_token_id uuid,
      -- The amount charged to the agent's budget: the total, or 0 after it was returned.
      agent_spent_cents bigint not null default 0,
      shipping_kind text check (shipping_kind in ('delivery', 'pickup')),
      -- The sum of refunds that have not failed.
      refunds_begun numeric not null default 0,
      -- The amount that the provider captured, if not the whole total.
      captured numeric,
      locale text not null default 'en',
      shipping_tax numeric,
      shipping_tax_rate numeric(6,4),
      attribution jsonb,
      -- The period of the agent's budget that paid for the order.
      agent_period_number integer not null default 0,
      primary key (site_id, id),
      unique (site_id, order_number),
      constraint one_order_per_checkout unique (site_id, checkout_id),
      constraint external_reference_taken unique (site_id, external_reference),
      constraint orders_check check (total = (subtotal - discount + shipping_cost + case when tax_included then 0 else tax end)),
      constraint orders_check1 check (agent_spent_cents >= 0 and (agent_spent_cents = 0 or agent_token_id is not null)),
      constraint refunds_within_payment check (refunds_begun >= 0 and refunds_begun <= coalesce(captured, total))
    );
    create index orders_newest on commerce.orders (site_id, created_at desc, id);
    create index orders_of_customer on commerce.orders (site_id, customer_id, created_at desc);
    create index orders_of_guests on commerce.orders (site_id, lower(email)) where customer_id is null;
    create index orders_of_agent on commerce.orders (site_id, agent_token_id) where agent_token_id is not null;
    create index orders_due on commerce.orders (payment_due_at, site_id) where payment_status = 'awaiting_payment';
    create index orders_to_remind on commerce.orders (payment_reminder_at, site_id)
      where payment_status = 'awaiting_payment' and payment_reminded_at is null;
    create index orders_open on commerce.orders (site_id, fulfillment_status, payment_status)
      where status in ('pending', 'confirmed', 'processing');
    create index orders_searched on commerce.orders using gin (site_id, commerce.order_search_text(
      order_number, email, tracking_number, external_reference, shipping_address, billing_address) gin_trgm_ops);
    call commerce.protect('commerce.orders');
    create policy due on commerce.orders for select to commerce_sweep
      using (payment_status = 'awaiting_payment'
        and (payment_due_at <= now() or (payment_reminded_at is null and payment_reminder_at <= now())));
    create policy search_reads on commerce.orders for select to commerce_search using (true);

    create table commerce.order_lines (
      site_id uuid not null,
      id uuid not null,
      order_id uuid not null,
      position integer not null,
      -- Integrations must send these four.
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
      -- Whether the order reduced the stock, so that cancelling restores it.
      stock_taken boolean not null default false,
      refunded_quantity integer not null default 0,
      restocked integer not null default 0,
      -- Null if the rate is unknown: for old orders, and for orders of integrations.
      tax_class text,
      tax_rate numeric(6,4),
      primary key (site_id, id),
      foreign key (site_id, order_id) references commerce.orders,
      constraint order_lines_check check (refunded_quantity >= 0 and refunded_quantity <= quantity),
      constraint order_lines_check1 check (restocked >= 0 and restocked <= quantity)
    );
    create index order_lines_of on commerce.order_lines (site_id, order_id, position);
    create index order_lines_searched on commerce.order_lines using gin (site_id, sku gin_trgm_ops) where sku is not null;
    call commerce.protect('commerce.order_lines');
    create policy search_reads on commerce.order_lines for select to commerce_search using (true);

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
    call commerce.protect('commerce.order_events');
    create policy due on commerce.order_events for select to commerce_sweep
      using (created_at > now() - interval '180 days');

    create table commerce.order_links (
      site_id uuid not null,
      token_hash bytea not null,
      order_id uuid not null,
      created_at timestamptz not null default now(),
      primary key (site_id, token_hash),
      foreign key (site_id, order_id) references commerce.orders
    );
    create index order_links_of on commerce.order_links (site_id, order_id);
    create index order_links_age on commerce.order_links (created_at);
    call commerce.protect('commerce.order_links');
    create policy sweep on commerce.order_links to commerce_sweep using (created_at <= now() - interval '180 days');

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
    create index fulfillments_searched on commerce.fulfillments using gin (site_id, tracking_number gin_trgm_ops)
      where tracking_number is not null;
    call commerce.protect('commerce.fulfillments');
    create policy search_reads on commerce.fulfillments for select to commerce_search using (true);

    create table commerce.fulfillment_items (
      site_id uuid not null,
      fulfillment_id uuid not null,
      line_id uuid not null,
      quantity integer not null check (quantity > 0),
      primary key (site_id, fulfillment_id, line_id),
      foreign key (site_id, fulfillment_id) references commerce.fulfillments,
      foreign key (site_id, line_id) references commerce.order_lines
    );
    call commerce.protect('commerce.fulfillment_items');

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
    call commerce.protect('commerce.refunds');

    create table commerce.refund_items (
      site_id uuid not null,
      refund_id uuid not null,
      line_id uuid not null,
      quantity integer not null check (quantity > 0),
      restock boolean not null,
      primary key (site_id, refund_id, line_id),
      foreign key (site_id, refund_id) references commerce.refunds,
      foreign key (site_id, line_id) references commerce.order_lines
    );
    call commerce.protect('commerce.refund_items');

    create table commerce.sync_orders (
      site_id uuid not null references commerce.sites,
      id uuid not null,
      reference text not null,
      payment text not null check (payment in ('bank_transfer', 'hosted_checkout')),
      -- Null only within the transaction that creates the order.
      checkout_id uuid,
      created_at timestamptz not null default now(),
      primary key (site_id, id),
      constraint reference_taken unique (site_id, reference),
      foreign key (site_id, checkout_id) references commerce.checkouts
    );
    create index sync_orders_of_checkout on commerce.sync_orders (site_id, checkout_id);
    call commerce.protect('commerce.sync_orders');
  `);
}
