import type { Knex } from 'knex';

/**
 * Details of audit events may contain the values of changed fields, up to 4 KB. The longer limit needs no check of
 * existing rows. The index finds the changes of staff between the calls of agents and guests, which are far more.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    alter table commerce.audit_events drop constraint audit_events_details_check,
      add constraint audit_events_details_check check (octet_length(details) <= 4096) not valid;
    create index audit_events_by_staff on commerce.audit_events (site_id, id desc)
      where actor_type in ('staff', 'api_key');
  `);
}

/** Longer details that were stored since then stay. */
export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    drop index commerce.audit_events_by_staff;
    alter table commerce.audit_events drop constraint audit_events_details_check,
      add constraint audit_events_details_check check (octet_length(details) <= 1024) not valid;
  `);
}
