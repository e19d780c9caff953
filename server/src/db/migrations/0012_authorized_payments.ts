import type { Knex } from 'knex';

/** Authorized payments are asked about until the money is taken, so the jobs must see in which shops there are any. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    drop policy due on commerce.payments;
    create policy due on commerce.payments for select to commerce_sweep
      using (status in ('pending', 'authorized', 'abandoned')
        or (order_id is null and status in ('started', 'succeeded')));
    drop index commerce.payments_to_settle;
    create index payments_to_settle on commerce.payments (updated_at)
      where status in ('pending', 'authorized', 'abandoned')
        or (order_id is null and status in ('started', 'succeeded'));
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    drop policy due on commerce.payments;
    create policy due on commerce.payments for select to commerce_sweep
      using (status in ('pending', 'abandoned')
        or (order_id is null and status in ('started', 'authorized', 'succeeded')));
    drop index commerce.payments_to_settle;
    create index payments_to_settle on commerce.payments (updated_at)
      where status in ('pending', 'abandoned') or (order_id is null and status in ('started', 'authorized', 'succeeded'));
  `);
}
