import { createDashboardClient, unwrap } from '@commerce-backend/sdk';
import type pg from 'pg';
import type { Running } from '../processes.ts';
import type { MeasuredShop } from './shops.ts';

const SAMPLE = 5;

/**
 * Makes the server rewrite the search index of some copied products. Throws unless each rewritten row equals the copied
 * one. This changes the shop's catalogue version.
 */
export async function verifyIndex(db: pg.Client, { url }: Running, { site }: MeasuredShop): Promise<void> {
  const dashboard = createDashboardClient({ baseUrl: url, apiKey: site.api_key });
  const { rows: products } = await db.query<{ id: string; name: string }>(
    `select id, name from commerce.products where site_id = $1 order by right(slug, 7) desc limit ${SAMPLE}`,
    [site.site_id],
  );
  const ids = products.map(({ id }) => id);
  const before = await indexed(db, site.site_id, ids);
  for (const { id: product_id, name } of products) {
    const params = { path: { product_id } };
    // The first change writes different rows; the second must restore the previous ones.
    await unwrap(dashboard.PATCH('/api/dashboard/products/{product_id}', { params, body: { name: `${name} other` } }));
    await unwrap(dashboard.PATCH('/api/dashboard/products/{product_id}', { params, body: { name } }));
  }
  const after = await indexed(db, site.site_id, ids);
  if (before !== after) throw new Error(`The index of copies is not what the server writes:\n${before}\n${after}`);
}

async function indexed(db: pg.Client, site_id: string, product_ids: string[]): Promise<string> {
  const { rows } = await db.query(
    `select s.*, (select jsonb_agg(to_jsonb(p) order by p.term) from commerce.search_postings p
        where p.site_id = s.site_id and p.product_id = s.product_id) as postings
     from commerce.product_search s where s.site_id = $1 and s.product_id = any($2) order by s.product_id`,
    [site_id, product_ids],
  );
  if (rows.length !== product_ids.length) throw new Error('A copied product has no index.');
  return JSON.stringify(rows);
}
