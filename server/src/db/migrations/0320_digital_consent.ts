import type { Knex } from 'knex';

/**
 * The consent by which a buyer of digital content loses the right of withdrawal (Article 16 (m) of Directive
 * 2011/83/EU), in the words that they agreed to. Null without consent: then the right stays.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    alter table commerce.checkouts add column digital_consent_wording text;
    alter table commerce.orders add column digital_consent_wording text;
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    alter table commerce.orders drop column digital_consent_wording;
    alter table commerce.checkouts drop column digital_consent_wording;
  `);
}
