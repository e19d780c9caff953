import type { Knex } from 'knex';

/** Products, variants, collections, files and stock. */
export async function createProducts(knex: Knex): Promise<void> {
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
      -- The price of the cheapest variant; products.summarize updates it with each change.
      price numeric not null check (price >= 0 and price < 1e12),
      price_max numeric not null,
      compare_at_price numeric,
      cost_per_item numeric,
      sales_count bigint not null default 0,
      created_at timestamptz not null default now(),
      updated_at timestamptz not null default now(),
      tax_class text not null default 'standard' check (tax_class ~ '^[a-z0-9][a-z0-9_-]{0,31}$'),
      description_html text,
      seo_title text,
      seo_description text,
      primary key (site_id, id),
      constraint slug_taken unique (site_id, slug)
    ) with (autovacuum_analyze_scale_factor = 0.5);
    create index products_newest on commerce.products (site_id, published_at desc, id) where status = 'active';
    create index products_by_price on commerce.products (site_id, price, id) where status = 'active';
    create index products_by_created on commerce.products (site_id, created_at desc, id);
    -- A search reads this for all matches, and rows only for the best ones.
    create index products_visible on commerce.products (site_id, id) include (published_at, price, price_max)
      where status = 'active';
    create index products_hidden on commerce.products (site_id, id) where status <> 'active' or published_at is null;
    create index products_by_change on commerce.products (site_id, greatest(updated_at, published_at))
      where status = 'active';
    create index products_by_name on commerce.products (site_id, name, id);
    create index products_searched on commerce.products using gin (site_id, name gin_trgm_ops);
    call commerce.protect('commerce.products');
    create policy search_reads on commerce.products for select to commerce_search using (true);

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
    ) with (autovacuum_analyze_scale_factor = 0.5);
    create unique index option_name_taken on commerce.product_options (site_id, product_id, lower(name));
    call commerce.protect('commerce.product_options');

    create table commerce.product_images (
      site_id uuid not null,
      id uuid not null,
      product_id uuid not null,
      url text not null,
      alt text,
      position integer not null,
      width integer,
      height integer,
      file_id uuid,
      sources jsonb,
      primary key (site_id, id),
      foreign key (site_id, product_id) references commerce.products on delete cascade
    ) with (autovacuum_analyze_scale_factor = 0.5);
    create index product_images_by_product on commerce.product_images (site_id, product_id, position);
    create index product_images_of_file on commerce.product_images (site_id, file_id) where file_id is not null;
    call commerce.protect('commerce.product_images');

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
      compare_at_price numeric,
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
      stock_changed_in xid8,
      quantity_before integer,
      available_before boolean,
      sku_twin boolean not null default false,
      primary key (site_id, id),
      constraint variant_options_taken unique nulls not distinct (site_id, product_id, option1, option2, option3) deferrable,
      foreign key (site_id, product_id) references commerce.products on delete cascade,
      constraint variants_check check (compare_at_price > price and compare_at_price < 1e12),
      constraint insufficient_stock check (inventory_policy = 'continue' or not track_inventory or on_hand >= reserved)
    ) with (autovacuum_analyze_scale_factor = 0.5);
    create unique index sku_taken on commerce.variants (site_id, sku) where sku is not null;
    create index variants_by_product on commerce.variants (site_id, product_id, position);
    create unique index sku_taken_in_any_case on commerce.variants (site_id, lower(sku)) where sku is not null and not sku_twin;
    create index variants_with_picture on commerce.variants (site_id, product_id) where image_url is not null;
    create index variants_searched on commerce.variants
      using gin (site_id, sku gin_trgm_ops, barcode gin_trgm_ops) where sku is not null or barcode is not null;
    create index variants_reduced on commerce.variants (site_id, product_id) where compare_at_price > price;
    call commerce.protect('commerce.variants');
    create policy search_reads on commerce.variants for select to commerce_search using (true);

    -- Deleted products, for the sync API.
    create table commerce.product_tombstones (
      site_id uuid not null references commerce.sites,
      product_id uuid not null,
      slug text not null,
      deleted_at timestamptz not null default now(),
      primary key (site_id, product_id)
    );
    call commerce.protect('commerce.product_tombstones');

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
      constraint collections_check check ((type = 'automatic') = (rules is not null))
    );
    call commerce.protect('commerce.collections');

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
    call commerce.protect('commerce.collection_products');

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
    create index catalog_schedule_age on commerce.catalog_schedule (publish_at);

    create table commerce.files (
      site_id uuid not null references commerce.sites,
      id uuid not null,
      filename text not null,
      content_type text not null check (content_type in ('image/jpeg', 'image/png', 'image/webp')),
      bytes integer not null check (bytes > 0),
      sha256 text not null,
      status text not null default 'awaiting_upload' check (status in ('awaiting_upload', 'processing', 'ready', 'failed')),
      failure text check (failure in ('unreadable', 'wrong_type', 'too_large', 'no_room', 'not_processed')),
      -- Bytes that count against the limit of the site.
      held_bytes integer not null,
      -- The unguessable part of its URLs.
      name text not null check (name ~ '^[0-9a-f]{32}$'),
      token_hash bytea not null,
      expires_at timestamptz not null,
      url text,
      width integer,
      height integer,
      sources jsonb not null default '[]',
      created_at timestamptz not null default now(),
      -- When it was uploaded, became ready, or failed.
      changed_at timestamptz not null default now(),
      -- Since when the file is unused, according to the sweep.
      unused_since timestamptz,
      in_orders boolean not null default false,
      primary key (site_id, id),
      constraint file_upload unique (site_id, token_hash)
    );
    create index files_by_url on commerce.files (site_id, url) where url is not null;
    create index files_under_way on commerce.files (site_id) where status = 'processing';
    call commerce.protect('commerce.files');
    create policy due on commerce.files for select to commerce_sweep using (true);

    create table commerce.file_usage (
      site_id uuid primary key references commerce.sites,
      bytes bigint not null default 0,
      limit_bytes bigint not null default 5368709120,
      constraint file_room check (bytes <= limit_bytes)
    );
    call commerce.protect('commerce.file_usage');

    create table commerce.pending_images (
      site_id uuid not null,
      id uuid not null,
      product_id uuid not null,
      file_id uuid not null,
      alt text,
      position integer not null,
      created_at timestamptz not null default now(),
      primary key (site_id, id),
      foreign key (site_id, product_id) references commerce.products on delete cascade,
      foreign key (site_id, file_id) references commerce.files on delete cascade
    );
    create index pending_images_of_product on commerce.pending_images (site_id, product_id);
    create index pending_images_of_file on commerce.pending_images (site_id, file_id);
    call commerce.protect('commerce.pending_images');

    create table commerce.stock_movements (
      site_id uuid not null,
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
      reference_id uuid,
      reference_type text check (reference_type in ('checkout', 'order', 'refund', 'import')),
      primary key (site_id, id)
    ) with (autovacuum_analyze_scale_factor = 0.5);
    create index stock_movements_by_variant on commerce.stock_movements (site_id, variant_id, id desc);
    call commerce.protect('commerce.stock_movements');

    create table commerce.low_stock_notices (
      site_id uuid not null,
      variant_id uuid not null,
      made_in xid8 not null default pg_current_xact_id(),
      primary key (site_id, variant_id),
      foreign key (site_id, variant_id) references commerce.variants on delete cascade
    );
    call commerce.protect('commerce.low_stock_notices');

    create table commerce.product_sales (
      site_id uuid not null,
      order_id uuid not null,
      product_id uuid not null,
      quantity bigint not null,
      primary key (site_id, order_id, product_id)
    );
    call commerce.protect('commerce.product_sales');
    create policy due on commerce.product_sales for select to commerce_sweep using (true);
  `);
}
