import type { Knex } from 'knex';

/**
 * Pictures are made two at a time for all shops. The place of a file among those of its shop that wait is the priority of its job, so
 * that the first picture of one shop comes before the hundredth of another.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    create index files_under_way on commerce.files (site_id) where status = 'processing';

    create function commerce.enqueue_file(site uuid, file uuid) returns void
    language sql security definer set search_path = pg_catalog, pg_temp as $$
      select commerce.add_jobs('process_file', array[json_build_object('site_id', site, 'file_id', file)], now(), 12,
        array[(select count(*) from (
          select from commerce.files where site_id = site and status = 'processing' and id <> file limit 1000
        ) as others)::smallint]);
    $$;
    revoke all on function commerce.enqueue_file from public;
    grant execute on function commerce.enqueue_file to commerce_app;
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    drop function commerce.enqueue_file;
    drop index commerce.files_under_way;
  `);
}
