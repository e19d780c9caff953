import type { Pool } from 'pg';

/**
 * What must hold in the whole database at every moment, whatever tests, crashes or races came before. Each statement
 * finds the rows that break a rule; all must find none.
 */
export const INVARIANTS: Record<string, string> = {
  'stock is never oversold': `
    select id from commerce.variants where inventory_policy = 'deny' and track_inventory and on_hand < reserved`,
  'stock equals the sum of its movements': `
    select v.id, v.on_hand from commerce.variants v
    left join commerce.stock_movements m on m.site_id = v.site_id and m.variant_id = v.id and m.type in ('adjustment', 'sale', 'return', 'sync')
    group by v.site_id, v.id, v.on_hand having v.on_hand <> coalesce(sum(m.delta), 0)`,
  'every product has a variant': `
    select id from commerce.products p where not exists (
      select from commerce.variants v where v.site_id = p.site_id and v.product_id = p.id)`,
  'the price of a product is that of its cheapest variant': `
    select p.id from commerce.products p where p.price is distinct from (
      select min(v.price) from commerce.variants v where v.site_id = p.site_id and v.product_id = p.id)`,
  'amounts have exactly the digits of the currency': `
    select v.id from commerce.variants v join commerce.sites s using (site_id)
    where scale(v.price) <> s.currency_digits or scale(v.compare_at_price) <> s.currency_digits
      or scale(v.cost_per_item) <> s.currency_digits`,
  'a variant has a value for each option of its product and none beyond': `
    select v.id from commerce.variants v where num_nonnulls(v.option1, v.option2, v.option3) <> (
      select count(*) from commerce.product_options o where o.site_id = v.site_id and o.product_id = v.product_id)`,
  'each value of a variant is among those of its option': `
    select v.id from commerce.variants v
    join commerce.product_options o on o.site_id = v.site_id and o.product_id = v.product_id
    where not ((array[v.option1, v.option2, v.option3])[o.position] = any(o.values))`,
  'every product can be searched': `
    select p.id from commerce.products p where not exists (
      select from commerce.product_search s where s.site_id = p.site_id and s.product_id = p.id)`,
  'at most two sync keys of a site live': `
    select site_id from commerce.tokens where kind = 'sync' and revoked_at is null and (expires_at is null or expires_at > now())
    group by site_id having count(*) > 2`,
  'no idempotency key is left without its answer': `
    select key_hash from commerce.idempotency_keys where status is null`,
};

/** The broken rules with the rows that break them; empty when all is well. `db` must not be bound to one tenant. */
export async function brokenInvariants(db: Pool): Promise<{ rule: string; rows: unknown[] }[]> {
  const broken: { rule: string; rows: unknown[] }[] = [];
  for (const [rule, statement] of Object.entries(INVARIANTS)) {
    const { rows } = await db.query(`${statement} limit 5`);
    if (rows.length > 0) broken.push({ rule, rows });
  }
  return broken;
}
