import type { Knex } from 'knex';

/**
 * What checkouts hold is deleted again soon, so vacuum keeps finding this table empty. Cut down to no pages, it looks free to read
 * as a whole, and the plans that a connection keeps from such a moment then read all dead rows of the next minutes, as often as a
 * cart is read. With its pages kept, the index is cheaper; and cutting them takes a lock that checkouts wait for.
 *
 * And the mails of an order are queued by one call, which writes and announces their jobs together.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    alter table commerce.stock_reservations set (vacuum_truncate = off);
    create function commerce.enqueue_all(task text, payloads json[], run_at timestamptz) returns void
      language sql security definer set search_path = pg_catalog, pg_temp as $$
      select commerce.add_jobs(task, payloads, run_at, 12, array_fill(0::smallint, array[cardinality(payloads)]))
        where cardinality(payloads) > 0;
    $$;
    revoke execute on function commerce.enqueue_all from public;
    grant execute on function commerce.enqueue_all to commerce_app;
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    drop function commerce.enqueue_all;
    alter table commerce.stock_reservations reset (vacuum_truncate);
  `);
}
