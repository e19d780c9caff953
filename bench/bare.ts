/**
 * A server that an experienced developer would write in an hour for one shop: Express and pg, one SQL query per
 * response, JSON.stringify. No credentials, no validation, no log, no limits. Its responses have the same fields and
 * values as those of the commerce server.
 */

import express from 'express';
import pg from 'pg';
import { announce } from './processes.ts';

const [url = '', siteId = ''] = process.argv.slice(2);
const pool = new pg.Pool({
  connectionString: url,
  max: 10,
  options: `-c search_path=commerce -c timezone=UTC -c app.site_id=${siteId}`,
});
pg.types.setTypeParser(pg.types.builtins.INT8, Number);

const PRODUCT = `
  p.id, s.merchant_id, p.name, p.slug, p.description, p.vendor, p.product_type, p.tags, p.price, p.compare_at_price,
  null as cost_per_item, s.currency, p.has_variants, p.track_inventory, p.status, p.metadata, p.published_at, p.created_at,
  p.updated_at,
  (select coalesce(json_agg(json_build_object('id', i.id, 'url', i.url, 'alt', i.alt, 'position', i.position,
      'width', i.width, 'height', i.height) order by i.position), '[]')
    from product_images i where i.site_id = p.site_id and i.product_id = p.id) as images,
  (select coalesce(json_agg(json_build_object('id', o.id, 'name', o.name, 'position', o.position, 'values', o.values)
      order by o.position), '[]')
    from product_options o where o.site_id = p.site_id and o.product_id = p.id) as options,
  (select json_agg(json_build_object('id', v.id, 'product_id', v.product_id, 'sku', v.sku, 'barcode', v.barcode,
      'option1', v.option1, 'option2', v.option2, 'option3', v.option3, 'price', v.price::text,
      'compare_at_price', v.compare_at_price::text, 'cost_per_item', null,
      'inventory_quantity', v.on_hand - v.reserved, 'inventory_policy', v.inventory_policy,
      'low_stock_threshold', v.low_stock_threshold, 'weight', v.weight::text, 'weight_unit', v.weight_unit,
      'requires_shipping', v.requires_shipping, 'image_url', v.image_url,
      'available', not v.track_inventory or v.inventory_policy = 'continue' or v.on_hand > v.reserved,
      'is_low_stock', v.track_inventory and v.on_hand - v.reserved between 1 and v.low_stock_threshold,
      'is_out_of_stock', v.track_inventory and v.on_hand <= v.reserved,
      'created_at', v.created_at, 'updated_at', v.updated_at) order by v.position)
    from variants v where v.site_id = p.site_id and v.product_id = p.id) as variants,
  (select sum(v.on_hand - v.reserved) from variants v
    where v.site_id = p.site_id and v.product_id = p.id) as total_inventory,
  exists (select from variants v where v.site_id = p.site_id and v.product_id = p.id
    and (not v.track_inventory or v.inventory_policy = 'continue' or v.on_hand > v.reserved)) as in_stock`;

const VISIBLE = `p.site_id = $1 and p.status = 'active' and p.published_at <= now()`;
const MATCHING = `(p.name ilike $4 or p.vendor ilike $4 or p.product_type ilike $4 or p.description ilike $4)`;

const app = express();

app.get('/api/storefront/products', async (req, res) => {
  const page = Number(req.query.page ?? 1);
  const limit = Number(req.query.limit ?? 20);
  const q = req.query.q as string | undefined;
  const where = q === undefined ? VISIBLE : `${VISIBLE} and ${MATCHING}`;
  const { rows } = await pool.query(
    `select (select count(*) from products p where ${where}) as total, ${PRODUCT}
      from products p join sites s using (site_id) where ${where}
      order by p.published_at desc, p.id limit $2 offset $3`,
    [siteId, limit, (page - 1) * limit, ...(q === undefined ? [] : [`%${q}%`])],
  );
  const total = rows[0]?.total ?? 0;
  const products = rows.map(({ total: _, ...product }) => product);
  res.json({ products, total, page, limit, pages: Math.ceil(total / limit) });
});

app.get('/api/storefront/products/:slug', async (req, res) => {
  const { rows } = await pool.query(
    `select ${PRODUCT} from products p join sites s using (site_id) where ${VISIBLE} and p.slug = $2`,
    [siteId, req.params.slug],
  );
  if (rows[0]) res.json(rows[0]);
  else res.status(404).json({ error: 'not_found' });
});

announce(app.listen(0, '127.0.0.1'));
