import type { Knex } from 'knex';

/**
 * Draft orders. A draft is a cart and a checkout that staff filled in, so the hosted checkout, stock and taxes work as
 * for any other. The cart has `is_draft`, which no shopper can change, and lines with `fixed_price`. The status follows
 * from the checkout and `sent_at`. A draft is deleted with its checkout.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    alter table commerce.carts add column is_draft boolean not null default false;
    alter table commerce.checkouts
      drop constraint checkouts_source_check,
      add constraint checkouts_source_check check (source in ('storefront', 'agent', 'ai_widget', 'dashboard'));
    alter table commerce.cart_items add column fixed_price numeric check (fixed_price >= 0);
    create table commerce.draft_orders (
      site_id uuid not null,
      id uuid not null,
      cart_id uuid not null,
      checkout_id uuid not null,
      discount_type text check (discount_type in ('percentage', 'fixed_amount')),
      discount_value numeric check (discount_value > 0),
      discount_reason text,
      -- Whether the stock is reserved from the time when the draft is sent.
      reserve boolean not null default false,
      sent_at timestamptz,
      actor_id uuid not null,
      created_at timestamptz not null default now(),
      primary key (site_id, id),
      constraint one_draft_per_cart unique (site_id, cart_id),
      constraint one_draft_per_checkout unique (site_id, checkout_id),
      constraint draft_discount check ((discount_type is null) = (discount_value is null)),
      foreign key (site_id, cart_id) references commerce.carts (site_id, id) on delete cascade,
      foreign key (site_id, checkout_id) references commerce.checkouts (site_id, id) on delete cascade
    );
    call commerce.protect('commerce.draft_orders');
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    drop table commerce.draft_orders;
    -- A migration changes rows of all tenants.
    alter table commerce.checkouts no force row level security;
    update commerce.checkouts set source = 'storefront' where source = 'dashboard';
    alter table commerce.checkouts force row level security;
    alter table commerce.checkouts
      drop constraint checkouts_source_check,
      add constraint checkouts_source_check check (source in ('storefront', 'agent', 'ai_widget'));
    alter table commerce.cart_items drop column fixed_price;
    alter table commerce.carts drop column is_draft;
  `);
}
