import type { Knex } from 'knex';

/**
 * Uploaded files. What a shop keeps is counted by `file_usage`, whose check refuses what is beyond its limit: of a file that is
 * still to be processed the announced bytes count, of a ready one those of its pictures. An image whose file is still processing
 * waits in `pending_images`, where nobody but the merchant sees it.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    -- First, for requests lock it before all other tables.
    lock table commerce.sites in access exclusive mode;

    create table commerce.file_usage (
      site_id uuid primary key references commerce.sites,
      bytes bigint not null default 0,
      limit_bytes bigint not null default 5368709120,
      constraint file_room check (bytes <= limit_bytes)
    );

    create table commerce.files (
      site_id uuid not null references commerce.sites,
      id uuid not null,
      filename text not null,
      content_type text not null check (content_type in ('image/jpeg', 'image/png', 'image/webp')),
      bytes integer not null check (bytes > 0),
      sha256 text not null,
      status text not null default 'awaiting_upload'
        check (status in ('awaiting_upload', 'processing', 'ready', 'failed')),
      failure text check (failure in ('unreadable', 'wrong_type', 'too_large', 'no_room', 'not_processed')),
      -- What it counts for.
      held_bytes integer not null,
      -- The part of its addresses that cannot be guessed.
      name text not null,
      token_hash bytea not null,
      expires_at timestamptz not null,
      url text,
      width integer,
      height integer,
      sources jsonb not null default '[]',
      created_at timestamptz not null default now(),
      -- When it was uploaded, became ready, or failed.
      changed_at timestamptz not null default now(),
      -- Since when nothing of the shop has used it, as far as the sweep has seen.
      unused_since timestamptz,
      primary key (site_id, id),
      constraint file_upload unique (site_id, token_hash)
    );
    create index files_by_url on commerce.files (site_id, url) where url is not null;

    create function commerce.count_files() returns trigger language plpgsql as $$
    declare
      site uuid := coalesce(new.site_id, old.site_id);
      added integer := coalesce(new.held_bytes, 0) - coalesce(old.held_bytes, 0);
    begin
      if added <> 0 then
        insert into commerce.file_usage as u (site_id, bytes) values (site, added)
          on conflict (site_id) do update set bytes = u.bytes + added;
      end if;
      return null;
    end $$;
    create trigger count_files after insert or delete or update of held_bytes on commerce.files
      for each row execute function commerce.count_files();

    -- A new foreign key looks at the rows of all shops.
    alter table commerce.product_images no force row level security;
    alter table commerce.product_images add column file_id uuid, add column sources jsonb,
      add foreign key (site_id, file_id) references commerce.files;
    alter table commerce.product_images force row level security;
    create index product_images_of_file on commerce.product_images (site_id, file_id) where file_id is not null;

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

    call commerce.protect('commerce.file_usage');
    call commerce.protect('commerce.files');
    call commerce.protect('commerce.pending_images');
    grant select, insert, update, delete on commerce.file_usage, commerce.files, commerce.pending_images to commerce_app;

    -- The sweep looks for the shops that have files.
    grant select on commerce.files to commerce_sweep;
    create policy due on commerce.files for select to commerce_sweep using (true);
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    lock table commerce.sites in access exclusive mode;
    drop table commerce.pending_images;
    alter table commerce.product_images drop column sources, drop column file_id;
    drop table commerce.files;
    drop function commerce.count_files;
    drop table commerce.file_usage;
  `);
}
