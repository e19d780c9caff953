/**
 * The minimum cost of this stack: Express and pg, one statement for each step, written by hand. No credentials, no
 * validation, no tax, no idempotency, no audit, no log. This file imports nothing else, because its startup and memory
 * are measured too.
 */

import express from 'express';
import pg from 'pg';

const [url, port] = process.argv.slice(2);
const pool = new pg.Pool({ connectionString: url, max: 10 });
const app = express();
app.disable('x-powered-by');
app.disable('etag');
app.use(express.json());

/** PostgreSQL parses a named statement once per connection. */
function run(name: string, text: string, values: unknown[]) {
  return pool.query({ name, text, values });
}

const CARD = `p.id, p.slug, p.name, p.description,
  (select json_agg(json_build_object('id', v.id, 'sku', v.sku, 'title', v.title, 'cents', v.cents, 'currency', v.currency,
      'in_stock', v.stock > 0) order by v.id)
    from variant v where v.product_id = p.id) as variants`;

app.get('/readyz', async (_req, res) => {
  await pool.query('select 1');
  res.json({ ready: true });
});

app.get('/products', async (req, res) => {
  const { rows } = await run(
    'list',
    `select ${CARD}, (select count(*)::int from product) as total from product p order by p.id limit $1 offset $2`,
    [Number(req.query.limit ?? 20), Number(req.query.offset ?? 0)],
  );
  res.json({ products: rows });
});

app.get('/products/:slug', async (req, res) => {
  const { rows } = await run('detail', `select ${CARD} from product p where p.slug = $1`, [req.params.slug]);
  if (rows[0]) res.json(rows[0]);
  else res.status(404).json({ error: 'not_found' });
});

app.get('/search', async (req, res) => {
  const { rows } = await run(
    'search',
    `select ${CARD}, count(*) over ()::int as total from product p where p.tsv @@ plainto_tsquery('simple', $1)
      order by ts_rank(p.tsv, plainto_tsquery('simple', $1)) desc, p.id limit 20`,
    [req.query.q],
  );
  res.json({ products: rows });
});

app.post('/carts', async (_req, res) => {
  const { rows } = await run('cart', 'insert into cart default values returning id', []);
  res.status(201).json(rows[0]);
});

app.post('/carts/:id/items', async (req, res) => {
  const { variant_id, quantity } = req.body;
  const { rows } = await run(
    'item',
    `with item as (
      insert into cart_item (cart_id, variant_id, quantity, cents)
      select $1, v.id, $3, v.cents from variant v where v.id = $2 returning *)
    select i.cart_id, i.variant_id, i.quantity, i.cents, v.sku, p.name
    from item i join variant v on v.id = i.variant_id join product p on p.id = v.product_id`,
    [req.params.id, variant_id, quantity],
  );
  res.status(201).json({ items: rows });
});

app.post('/carts/:id', async (req, res) => {
  const { rows } = await run(
    'address',
    'update cart set email = $2, address = $3 where id = $1 returning id, email, address',
    [req.params.id, req.body.email, req.body.address],
  );
  res.json(rows[0]);
});

/** Reduces the stock if there is enough of it, and copies the cart to an order, in one transaction. */
app.post('/carts/:id/complete', async (req, res) => {
  const client = await pool.connect();
  try {
    await client.query('begin');
    const taken = await client.query({ name: 'take', text: TAKE, values: [req.params.id] });
    const ids = taken.rows.map(({ id }) => id);
    const order = await client.query({ name: 'order', text: ORDER, values: [req.params.id, ids] });
    await client.query(order.rowCount ? 'commit' : 'rollback');
    if (order.rows[0]) res.status(201).json(order.rows[0]);
    else res.status(409).json({ error: 'out_of_stock' });
  } catch (error) {
    await client.query('rollback');
    throw error;
  } finally {
    client.release();
  }
});

const TAKE = `update variant v set stock = v.stock - i.quantity from cart_item i
  where i.cart_id = $1 and v.id = i.variant_id and v.stock >= i.quantity
  returning v.id`;

const ORDER = `with o as (
    insert into orders (cart_id, email, address, cents)
    select c.id, c.email, c.address, (select sum(i.quantity * i.cents) from cart_item i where i.cart_id = c.id)
    from cart c where c.id = $1
      and exists (select from cart_item i where i.cart_id = c.id)
      and not exists (select from cart_item i where i.cart_id = c.id and not (i.variant_id = any ($2::int[])))
    returning *),
  lines as (
    insert into order_item (order_id, variant_id, quantity, cents)
    select o.id, i.variant_id, i.quantity, i.cents from o join cart_item i on i.cart_id = o.cart_id)
  select id, cents from o`;

app.listen(Number(port), '127.0.0.1');
// Exits normally on SIGTERM, because Node saves compiled code only at a normal exit.
process.once('SIGTERM', () => process.exit());
