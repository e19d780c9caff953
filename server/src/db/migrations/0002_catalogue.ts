import type { Knex } from 'knex';

/**
 * Products with their options, variants and images; stock and its movements; collections.
 * Money is numeric holding exactly the currency's digits. Every key begins with site_id, so that the schema shards by it.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    create table commerce.products (
      site_id uuid not null references commerce.sites,
      id uuid not null,
      name text not null,
      slug text not null,
      description text not null default '',
      vendor text,
      product_type text,
      tags text[] not null default '{}',
      status text not null check (status in ('draft', 'active', 'archived')),
      published_at timestamptz,
      metadata jsonb not null default '{}',
      track_inventory boolean not null default true,
      has_variants boolean not null,
      -- Of the cheapest variant, kept by products.summarize in the transaction of each change.
      price numeric not null check (price >= 0 and price < 1e12),
      price_max numeric not null,
      compare_at_price numeric,
      cost_per_item numeric,
      sales_count bigint not null default 0,
      created_at timestamptz not null default now(),
      updated_at timestamptz not null default now(),
      primary key (site_id, id),
      constraint slug_taken unique (site_id, slug)
    );
    create index products_newest on commerce.products (site_id, published_at desc, id) where status = 'active';
    create index products_by_name on commerce.products (site_id, name, id) where status = 'active';
    create index products_by_price on commerce.products (site_id, price, id) where status = 'active';
    create index products_by_created on commerce.products (site_id, created_at desc, id);

    create table commerce.product_options (
      site_id uuid not null,
      id uuid not null,
      product_id uuid not null,
      name text not null,
      position smallint not null check (position between 1 and 3),
      values text[] not null,
      primary key (site_id, id),
      constraint option_position unique (site_id, product_id, position) deferrable initially deferred,
      foreign key (site_id, product_id) references commerce.products on delete cascade
    );
    create unique index option_name_taken on commerce.product_options (site_id, product_id, lower(name));

    create table commerce.product_images (
      site_id uuid not null,
      id uuid not null,
      product_id uuid not null,
      url text not null,
      alt text,
      position integer not null,
      width integer,
      height integer,
      primary key (site_id, id),
      foreign key (site_id, product_id) references commerce.products on delete cascade
    );
    create index product_images_by_product on commerce.product_images (site_id, product_id, position);

    create table commerce.variants (
      site_id uuid not null,
      id uuid not null,
      product_id uuid not null,
      position integer not null,
      sku text,
      barcode text,
      option1 text,
      option2 text,
      option3 text,
      price numeric not null check (price >= 0 and price < 1e12),
      compare_at_price numeric check (compare_at_price > price and compare_at_price < 1e12),
      cost_per_item numeric check (cost_per_item >= 0 and cost_per_item < 1e12),
      track_inventory boolean not null,
      inventory_policy text not null check (inventory_policy in ('deny', 'continue')),
      low_stock_threshold integer not null check (low_stock_threshold >= 0),
      weight numeric check (weight >= 0),
      weight_unit text not null check (weight_unit in ('kg', 'g', 'lb', 'oz')),
      requires_shipping boolean not null,
      image_url text,
      on_hand integer not null default 0,
      reserved integer not null default 0 check (reserved >= 0),
      created_at timestamptz not null default now(),
      updated_at timestamptz not null default now(),
      primary key (site_id, id),
      constraint variant_options_taken unique nulls not distinct (site_id, product_id, option1, option2, option3)
        deferrable initially immediate,
      -- Nobody sells what is not there: the last word against overselling is the database's.
      constraint insufficient_stock
        check (inventory_policy = 'continue' or not track_inventory or on_hand >= reserved),
      foreign key (site_id, product_id) references commerce.products on delete cascade
    );
    create unique index sku_taken on commerce.variants (site_id, sku) where sku is not null;
    create index variants_by_product on commerce.variants (site_id, product_id, position);

    create table commerce.stock_movements (
      site_id uuid not null references commerce.sites,
      id uuid not null,
      variant_id uuid not null,
      product_id uuid not null,
      type text not null check (type in ('adjustment', 'reservation', 'release', 'sale', 'return', 'sync')),
      reason text,
      delta integer not null,
      on_hand_after integer not null,
      reserved_after integer not null,
      note text,
      actor_id uuid not null,
      created_at timestamptz not null default now(),
      primary key (site_id, id)
    );
    create index stock_movements_by_variant on commerce.stock_movements (site_id, variant_id, id desc);
    revoke update, delete on commerce.stock_movements from commerce_app;

    create table commerce.collections (
      site_id uuid not null references commerce.sites,
      id uuid not null,
      title text not null,
      description text,
      handle text not null,
      type text not null check (type in ('manual', 'automatic')),
      rules jsonb,
      rules_match text check (rules_match in ('all', 'any')),
      image_url text,
      sort_order text not null,
      published boolean not null,
      published_at timestamptz,
      created_at timestamptz not null default now(),
      updated_at timestamptz not null default now(),
      primary key (site_id, id),
      constraint handle_taken unique (site_id, handle),
      check ((type = 'automatic') = (rules is not null))
    );

    create table commerce.collection_products (
      site_id uuid not null,
      collection_id uuid not null,
      product_id uuid not null,
      position integer not null,
      primary key (site_id, collection_id, product_id),
      foreign key (site_id, collection_id) references commerce.collections on delete cascade,
      foreign key (site_id, product_id) references commerce.products on delete cascade
    );
    create index collection_products_by_product on commerce.collection_products (site_id, product_id);

    -- What the sync surface tells of products that are gone.
    create table commerce.product_tombstones (
      site_id uuid not null references commerce.sites,
      product_id uuid not null,
      slug text not null,
      deleted_at timestamptz not null default now(),
      primary key (site_id, product_id)
    );

    call commerce.protect('commerce.products');
    call commerce.protect('commerce.product_options');
    call commerce.protect('commerce.product_images');
    call commerce.protect('commerce.variants');
    call commerce.protect('commerce.stock_movements');
    call commerce.protect('commerce.collections');
    call commerce.protect('commerce.collection_products');
    call commerce.protect('commerce.product_tombstones');
  `);

  await catalogVersions(knex);
}

/**
 * A number per site that changes with every committed change of its catalogue, so that a cached answer whose key holds it
 * cannot be stale. It is spread over 16 rows, or concurrent changes of one shop would queue for a single one; and it is
 * bumped at commit (deferred), as the last lock a transaction takes, so it never takes part in a deadlock.
 * catalog_schedule holds the moments at which something becomes visible by itself: how many are still ahead is part of
 * the version, too.
 */
async function catalogVersions(knex: Knex): Promise<void> {
  await knex.raw(`
    create table commerce.catalog_versions (
      site_id uuid not null references commerce.sites,
      stripe smallint not null,
      version bigint not null default 1,
      primary key (site_id, stripe)
    );
    create table commerce.catalog_schedule (
      site_id uuid not null references commerce.sites,
      publish_at timestamptz not null,
      primary key (site_id, publish_at)
    );

    create function commerce.catalog_version(site uuid) returns text language sql stable
      return (select coalesce(sum(version), 0) from commerce.catalog_versions where site_id = site)
        || '.' || (select count(*) from commerce.catalog_schedule where site_id = site and publish_at > now());

    create function commerce.bump_catalog() returns trigger language plpgsql as $$
    begin
      if current_setting('app.catalog_bumped', true) is distinct from pg_current_xact_id()::text then
        insert into commerce.catalog_versions as v (site_id, stripe)
          values (coalesce(new.site_id, old.site_id), pg_backend_pid() % 16)
          on conflict (site_id, stripe) do update set version = v.version + 1;
        perform set_config('app.catalog_bumped', pg_current_xact_id()::text, true);
      end if;
      return null;
    end $$;

    create function commerce.schedule_publication() returns trigger language plpgsql as $$
    begin
      insert into commerce.catalog_schedule (site_id, publish_at) values (new.site_id, new.published_at)
        on conflict do nothing;
      return null;
    end $$;

    create trigger schedule_publication after insert or update of published_at on commerce.products
      for each row when (new.published_at > now()) execute function commerce.schedule_publication();
    create trigger schedule_publication after insert or update of published_at on commerce.collections
      for each row when (new.published_at > now()) execute function commerce.schedule_publication();
  `);
  for (const table of [
    'site_settings',
    'products',
    'product_options',
    'product_images',
    'variants',
    'collections',
    'collection_products',
  ]) {
    await knex.raw(`create constraint trigger bump_catalog after insert or update or delete on commerce.${table}
      deferrable initially deferred for each row execute function commerce.bump_catalog()`);
  }
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    drop trigger bump_catalog on commerce.site_settings;
    drop function commerce.catalog_version;
    drop table commerce.catalog_schedule, commerce.catalog_versions, commerce.product_tombstones,
      commerce.collection_products, commerce.collections, commerce.stock_movements, commerce.variants,
      commerce.product_images, commerce.product_options, commerce.products;
    drop function commerce.bump_catalog, commerce.schedule_publication;
  `);
}
