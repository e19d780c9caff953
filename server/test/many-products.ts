import type { openShop } from './shop.ts';

/**
 * Creates many similar products with their search index entries, faster than an import: creates the first one by a
 * request, and the others by copying its rows.
 */
export async function givenMany(
  { owner, site_id, givenProduct }: Awaited<ReturnType<typeof openShop>>,
  count: number,
  input: Parameters<typeof givenProduct>[0],
): Promise<void> {
  const { id } = await givenProduct({ ...input, track_inventory: false, inventory_quantity: 0 });
  const connection = await owner.connect();
  try {
    await connection.query('begin');
    await connection.query(`select set_config('app.site_id', $1, true)`, [site_id]);
    await connection.query(COPIES, [site_id, id, count - 1]);
    await connection.query('commit');
  } finally {
    connection.release(true);
  }
}

const COPIES = `
  with copies as materialized (
    select n, gen_random_uuid() as id from generate_series(1, $3::int) n
  ), products as (
    insert into commerce.products
      select (jsonb_populate_record(p, jsonb_build_object('id', c.id, 'slug', p.slug || '-' || n))).*
      from commerce.products p, copies c where p.site_id = $1 and p.id = $2
  ), variants as (
    insert into commerce.variants
      select (jsonb_populate_record(v, jsonb_build_object('id', gen_random_uuid(), 'product_id', c.id))).*
      from commerce.variants v, copies c where v.site_id = $1 and v.product_id = $2
  ), search as (
    insert into commerce.product_search
      select (jsonb_populate_record(s, jsonb_build_object('product_id', c.id))).*
      from commerce.product_search s, copies c where s.site_id = $1 and s.product_id = $2
  )
  insert into commerce.search_postings
    select (jsonb_populate_record(s, jsonb_build_object('product_id', c.id))).*
    from commerce.search_postings s, copies c where s.site_id = $1 and s.product_id = $2`;
