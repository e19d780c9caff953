import pg from 'pg';
import type { Database } from '../database.ts';
import { createSite, type OwnedSite, type Running, stop } from '../processes.ts';
import { addShops } from '../scale/copies.ts';
import { openShop } from '../scale/shops.ts';
import { SMALL } from '../scale/sizes.ts';
import { fillTemplate, keepTemplate } from '../scale/template.ts';

/** The number of orders in the template: one for each product. */
const ORDERS = SMALL;

/** Opens a shop with this many products and as many orders, made from copies as in the scenario `scale`. */
export async function openLargeShop(
  database: Database,
  products: number,
  start: () => Promise<Running>,
): Promise<OwnedSite> {
  const db = new pg.Client({ connectionString: database.bareUrl });
  await db.connect();
  try {
    const template = await createSite(database.url, database.dataDir, 'EUR');
    const server = await start();
    await fillTemplate(db, server, template, { orders: ORDERS }).finally(() => stop(server));
    await keepTemplate(db, template);
    const [site_id = ''] = await addShops(db, template, [products], { orders: ORDERS });
    await age(db, site_id);
    // Moves the owner's membership to the copied shop, so that the owner logs in to that shop only.
    await db.query('update commerce.staff_memberships set site_id = $1 where site_id = $2', [
      site_id,
      template.site_id,
    ]);
    const { site } = await openShop(db, template, site_id, products);
    await db.query('drop schema scale cascade');
    await db.query('vacuum analyze');
    return { ...template, ...site };
  } finally {
    await db.end();
  }
}

/**
 * Spreads the copied orders over a year of sales. All but the most recent are paid and sent. One variant in a hundred
 * is low in stock or sold out.
 */
async function age(db: pg.Client, site_id: string): Promise<void> {
  // Updates the statistics first. Without them, the planner expects few copies and compares each order with all other
  // orders.
  await db.query('analyze');
  await db.query('set session_replication_role = replica');
  await db.query(ORDERS_OF_A_YEAR, [site_id]);
  await db.query(FEW_LEFT, [site_id]);
  await db.query('reset session_replication_role');
}

const ORDERS_OF_A_YEAR = `
  with aged as (
    select id, now() - (row_number() over (order by order_number::int desc)) * interval '365 days' / count(*) over () as at
    from commerce.orders where site_id = $1
  )
  update commerce.orders o set created_at = aged.at, updated_at = aged.at, payment_due_at = aged.at + interval '7 days',
    (status, payment_status, fulfillment_status, payment_confirmed_at, shipped_at, delivered_at) = (
      select case when days < 2 then 'pending' when days < 4 then 'confirmed' else 'completed' end,
        case when days < 2 then 'awaiting_payment' else 'paid' end,
        case when days < 4 then 'unfulfilled' else 'delivered' end,
        case when days >= 2 then aged.at end, case when days >= 4 then aged.at end, case when days >= 4 then aged.at end
      from (select extract(epoch from now() - aged.at) / 86400 as days) as age)
  from aged where o.site_id = $1 and o.id = aged.id`;

const FEW_LEFT = `
  update commerce.variants set on_hand = reserved + abs(hashtext(id::text)) % 3
  where site_id = $1 and abs(hashtext(id::text)) % 100 = 0`;
