import type { Knex } from 'knex';

/**
 * While meanings are learnt, each batch of product vectors discarded the shop's cached answers, for minutes on end. What was
 * learnt is now shown once it is complete: answers that were cached before are in the former order until then.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    drop trigger bump_catalog on commerce.search_product_vectors;
    -- When every product last had its vector.
    alter table commerce.search_models add column completed_at timestamptz;
    create constraint trigger bump_catalog after update of completed_at on commerce.search_models
      deferrable initially deferred for each row execute function commerce.bump_catalog();
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    drop trigger bump_catalog on commerce.search_models;
    alter table commerce.search_models drop column completed_at;
    create constraint trigger bump_catalog after insert or update on commerce.search_product_vectors
      deferrable initially deferred for each row execute function commerce.bump_catalog();
  `);
}
