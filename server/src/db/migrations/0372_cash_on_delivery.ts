import type { Knex } from 'knex';

/**
 * Cash on delivery: a shipping option with a fee lets shoppers pay when they receive the goods. The shop's health
 * counts it like payment on pickup.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    alter table commerce.shipping_options
      add column cash_on_delivery_fee numeric,
      add constraint shipping_options_cash_on_delivery_fee_check
        check (cash_on_delivery_fee >= 0 and cash_on_delivery_fee < 1000000000000),
      add constraint cash_on_delivery_is_delivered check (cash_on_delivery_fee is null or kind = 'delivery');
    do $$ begin
      execute replace(pg_get_functiondef('commerce.site_health'::regproc), 'o.active and o.kind = ''pickup''',
        'o.active and (o.kind = ''pickup'' or o.cash_on_delivery_fee is not null)');
    end $$;
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    do $$ begin
      execute replace(pg_get_functiondef('commerce.site_health'::regproc),
        'o.active and (o.kind = ''pickup'' or o.cash_on_delivery_fee is not null)', 'o.active and o.kind = ''pickup''');
    end $$;
    alter table commerce.shipping_options drop column cash_on_delivery_fee;
  `);
}
