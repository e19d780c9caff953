import type { Knex } from 'knex';

/** The reason why a product may be excluded from the right of withdrawal (Article 16 of Directive 2011/83/EU). */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    alter table commerce.products add column withdrawal_exempt text not null default 'none'
      check (withdrawal_exempt in ('none', 'custom_made', 'perishable', 'sealed_hygiene', 'digital'));
    do $$ begin
      execute replace(replace(pg_get_functiondef('commerce.note_products'::regproc),
        '(o.id,', '(o.id,o.withdrawal_exempt,'), '(n.id,', '(n.id,n.withdrawal_exempt,');
    end $$;
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    do $$ begin
      execute replace(replace(pg_get_functiondef('commerce.note_products'::regproc),
        '(o.id,o.withdrawal_exempt,', '(o.id,'), '(n.id,n.withdrawal_exempt,', '(n.id,');
    end $$;
    alter table commerce.products drop column withdrawal_exempt;
  `);
}
