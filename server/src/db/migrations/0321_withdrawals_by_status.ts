import type { Knex } from 'knex';

/** Indexes for the lists of open returns and withdrawals, and for the job that deletes old statements. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    create index withdrawals_by_status on commerce.withdrawals (site_id, status, id desc);
    create index withdrawal_statements_age on commerce.withdrawal_statements (site_id, created_at);
    create index returns_by_status on commerce.returns (site_id, status, id desc);
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    drop index commerce.returns_by_status;
    drop index commerce.withdrawal_statements_age;
    drop index commerce.withdrawals_by_status;
  `);
}
