/**
 * The purchase as an experienced developer would write it in a day for one shop: Express and pg, one transaction for
 * each step, and the same rows as the commerce server writes. No credentials, no validation, no idempotency, no audit,
 * no log, no limits; every error is a 500.
 */

import { randomUUID } from 'node:crypto';
import express, { type Request, type Response } from 'express';
import pg from 'pg';
import { begin, complete, fillIn } from './bare-checkout.ts';
import { decimal, first, LINES, type Query, subtotalOf } from './bare-rows.ts';
import { announce } from './processes.ts';

const [url = '', site = ''] = process.argv.slice(2);
const pool = new pg.Pool({
  connectionString: url,
  max: 10,
  options: `-c search_path=commerce -c timezone=UTC -c app.site_id=${site}`,
});
pg.types.setTypeParser(pg.types.builtins.INT8, Number);

const app = express();
app.use(express.json());

/** Runs `work` in a transaction, and responds with its return value after the commit. */
function step(status: number, work: (query: Query, req: Request) => Promise<unknown>) {
  return async (req: Request, res: Response) => {
    const client = await pool.connect();
    try {
      await client.query('begin');
      const answer = await work(async (text, values) => (await client.query(text, values)).rows, req);
      await client.query('commit');
      res.status(status).json(answer);
    } catch (error) {
      await client.query('rollback');
      throw error;
    } finally {
      client.release();
    }
  };
}

async function cartOf(query: Query, id: unknown) {
  const cart = first(await query('select * from carts where site_id = $1 and id = $2', [site, id]));
  const items = await query(LINES, [site, id]);
  const subtotal = decimal(subtotalOf(items));
  return { ...cart, items, subtotal, total: subtotal };
}

app.post(
  '/api/storefront/cart',
  step(201, async (query) => {
    const values = [site, randomUUID()];
    const cart = first(await query('insert into carts (site_id, id) values ($1, $2) returning *', values));
    return { ...cart, items: [], subtotal: '0.00', total: '0.00' };
  }),
);

const TOUCH = `update carts set expires_at = now() + interval '30 days', updated_at = now()
  where site_id = $1 and id = $2 and status = 'active' and expires_at > now() returning id`;

app.post(
  '/api/storefront/cart/:id/items',
  step(200, async (query, { params: { id }, body }) => {
    first(await query(TOUCH, [site, id]));
    const variant = first(
      await query(
        `select v.product_id, p.name, v.price, v.on_hand - v.reserved as free from variants v
          join products p on p.site_id = v.site_id and p.id = v.product_id
          where v.site_id = $1 and v.id = $2 and p.status = 'active' and p.published_at <= now()`,
        [site, body.variant_id],
      ),
    );
    const line = first(
      await query(
        `insert into cart_items as i (site_id, id, cart_id, variant_id, product_id, name, quantity, price_seen)
          values ($1, $2, $3, $4, $5, $6, $7, $8)
          on conflict on constraint one_line_per_variant do update set quantity = i.quantity + excluded.quantity
          returning quantity`,
        [site, randomUUID(), id, body.variant_id, variant.product_id, variant.name, body.quantity, variant.price],
      ),
    );
    if (line.quantity > variant.free) throw new Error('Not enough in stock.');
    return cartOf(query, id);
  }),
);

app.post(
  '/api/storefront/cart/:id/discounts',
  step(200, async (query, { params: { id }, body }) => {
    first(await query(TOUCH, [site, id]));
    const lines = await query(LINES, [site, id]);
    // Locks both discount codes in the order of their ids. Otherwise two carts that swap their codes could deadlock.
    const discounts = await query(
      `select id, code, kind, value, lower(code) = lower($3) as wanted from discounts
        where site_id = $1 and active and (lower(code) = lower($3) or id in (
          select discount_id from discount_redemptions where site_id = $1 and cart_id = $2 and status = 'reserved'))
        order by id for update`,
      [site, id, body.code],
    );
    const discount = first(discounts.filter(({ wanted }) => wanted));
    const released = await query(
      `update discount_redemptions set status = 'released', updated_at = now()
        where site_id = $1 and cart_id = $2 and status = 'reserved' returning discount_id`,
      [site, id],
    );
    for (const { discount_id } of released) {
      await query('update discounts set usage_count = usage_count - 1 where site_id = $1 and id = $2', [
        site,
        discount_id,
      ]);
    }
    first(
      await query(
        `update discounts set usage_count = usage_count + 1
          where site_id = $1 and id = $2 and (usage_limit is null or usage_count < usage_limit) returning id`,
        [site, discount.id],
      ),
    );
    const amount_off = decimal(Math.floor((subtotalOf(lines) * Number(discount.value)) / 100));
    await query(
      `insert into discount_redemptions (site_id, id, discount_id, code, cart_id, status, amount_off, expires_at)
        values ($1, $2, $3, $4, $5, 'reserved', $6, now() + interval '24 hours')`,
      [site, randomUUID(), discount.id, discount.code, id, amount_off],
    );
    const allocations = lines.map((line) => ({ line_item_id: line.id, amount_off }));
    return { code: discount.code, kind: discount.kind, amount_off, currency: 'EUR', allocations };
  }),
);

app.post(
  '/api/storefront/checkout',
  step(201, (query, req) => begin(query, site, req)),
);
app.patch(
  '/api/storefront/checkout/:id',
  step(200, (query, req) => fillIn(query, site, req)),
);
app.post(
  '/api/storefront/checkout/:id/complete',
  step(200, (query, req) => complete(query, site, req)),
);

announce(app.listen(0, '127.0.0.1'));
