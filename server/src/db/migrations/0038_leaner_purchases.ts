import type { Knex } from 'knex';

/**
 * What a purchase writes costs less. A statement that changes a table parses the conditions of all triggers on it that may fire,
 * so the long one, which compares all that a variant shows, is kept from statements that set the stock alone.
 *
 * And the rows that nearly every request adds lock the row of their site no longer, which each foreign key to it did, and which
 * many requests at once share by way of a list of lockers. Row-level security lets a request write for the site of its credential
 * alone, which refers to it; a checkout refers to its cart; and no site is ever deleted.
 */
export async function up(knex: Knex): Promise<void> {
  await lockSites(knex);
  for (const table of WITHOUT_SITE) {
    await knex.raw(`alter table commerce.${table} drop constraint ${table}_site_id_fkey`);
  }
  await knex.raw(`
    drop trigger bump_catalog_by_change on commerce.variants;
    create constraint trigger bump_catalog_by_content after update of ${CONTENT} on commerce.variants
      deferrable initially deferred for each row when (${contentDiffers})
      execute function commerce.bump_catalog();
    create constraint trigger bump_catalog_by_stock
      after update of on_hand, reserved, track_inventory, inventory_policy on commerce.variants
      deferrable initially deferred for each row when (${availabilityDiffers})
      execute function commerce.bump_catalog();
  `);
}

/** First, for requests lock it before all other tables. */
async function lockSites(knex: Knex): Promise<void> {
  await knex.raw('lock table commerce.sites in access exclusive mode');
}

const WITHOUT_SITE = ['audit_events', 'checkouts', 'product_changes', 'product_sales', 'stock_movements'];

/** All that a variant shows but its stock. */
const CONTENT = `id, product_id, position, sku, barcode, option1, option2, option3, price, compare_at_price, cost_per_item,
  track_inventory, inventory_policy, low_stock_threshold, weight, weight_unit, requires_shipping, image_url, created_at,
  updated_at`;

const contentDiffers = `(${contentOf('old')}) is distinct from (${contentOf('new')})`;

const availabilityDiffers = `${available('old')} <> ${available('new')}`;

function contentOf(row: string): string {
  return CONTENT.split(/,\s*/)
    .map((column) => `${row}.${column}`)
    .join(', ');
}

function available(row: string): string {
  return `(not ${row}.track_inventory or ${row}.inventory_policy = 'continue' or ${row}.on_hand > ${row}.reserved)`;
}

export async function down(knex: Knex): Promise<void> {
  await lockSites(knex);
  for (const table of WITHOUT_SITE) {
    // The rows that are there are checked by its owner, who must see them all.
    await knex.raw(`
      alter table commerce.${table} no force row level security;
      alter table commerce.${table} add constraint ${table}_site_id_fkey foreign key (site_id) references commerce.sites;
      alter table commerce.${table} force row level security;
    `);
  }
  await knex.raw(`
    drop trigger bump_catalog_by_stock on commerce.variants;
    drop trigger bump_catalog_by_content on commerce.variants;
    create constraint trigger bump_catalog_by_change after update on commerce.variants
      deferrable initially deferred for each row when (${contentDiffers} or ${availabilityDiffers})
      execute function commerce.bump_catalog();
  `);
}
