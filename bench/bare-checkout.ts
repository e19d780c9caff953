/** The checkout of the bare server: each step is one transaction. */

import { randomUUID } from 'node:crypto';
import type { Request } from 'express';
import { cents, decimal, first, LINES, type Query, type Row, subtotalOf } from './bare-rows.ts';

const MOVEMENT = `insert into stock_movements (site_id, id, variant_id, product_id, type, delta, on_hand_after, reserved_after,
    actor_id)
  values ($1, $2, $3, $4, $5, $6, $7, $8, $1)`;

export async function begin(query: Query, site: string, { body }: Request) {
  const id = randomUUID();
  first(await query('select id from carts where site_id = $1 and id = $2 for update', [site, body.cart_id]));
  const lines = await query(LINES, [site, body.cart_id]);
  const subtotal = decimal(subtotalOf(lines));
  const prices = Object.fromEntries(lines.map((line) => [line.id, line.price]));
  const checkout = first(
    await query(
      `insert into checkouts (site_id, id, cart_id, shown_total, shown_prices, reserved_until, expires_at)
          values ($1, $2, $3, $4, $5, now() + interval '15 minutes', now() + interval '60 minutes') returning *`,
      [site, id, body.cart_id, subtotal, prices],
    ),
  );
  const secret = Buffer.from(randomUUID());
  await query('insert into checkout_links (site_id, checkout_id, token_hash) values ($1, $2, $3)', [site, id, secret]);
  for (const line of lines) {
    const variant = first(
      await query(
        `update variants set reserved = reserved + $3 where site_id = $1 and id = $2 and on_hand - reserved >= $3
            returning on_hand, reserved`,
        [site, line.variant_id, line.quantity],
      ),
    );
    await query('insert into stock_reservations (site_id, checkout_id, variant_id, quantity) values ($1, $2, $3, $4)', [
      site,
      id,
      line.variant_id,
      line.quantity,
    ]);
    const moved = [line.variant_id, line.product_id, 'reservation', -line.quantity, variant.on_hand, variant.reserved];
    await query(MOVEMENT, [site, randomUUID(), ...moved]);
  }
  return { ...checkout, items: lines, subtotal, total: subtotal };
}

export async function fillIn(query: Query, site: string, { params: { id }, body }: Request) {
  const { cart_id } = first(
    await query('select cart_id from checkouts where site_id = $1 and id = $2 for update', [site, id]),
  );
  const lines = await query(LINES, [site, cart_id]);
  const option = first(
    await query('select id, name, price from shipping_options where site_id = $1 and id = $2 and active', [
      site,
      body.shipping_option_id,
    ]),
  );
  const subtotal = subtotalOf(lines);
  const total = decimal(subtotal + cents(option.price));
  const checkout = first(
    await query(
      `update checkouts set status = 'ready', email = $3, shipping_address = $4, shipping_option_id = $5,
            payment_method = $6, shown_total = $7, reserved_until = now() + interval '15 minutes',
            expires_at = now() + interval '60 minutes', updated_at = now()
          where site_id = $1 and id = $2 and status in ('open', 'ready') and expires_at > now() returning *`,
      [site, id, body.email, body.shipping_address, option.id, body.payment_method, total],
    ),
  );
  return { ...checkout, items: lines, subtotal: decimal(subtotal), shipping_cost: option.price, total };
}

export async function complete(query: Query, site: string, { params: { id }, body }: Request) {
  const checkout = first(
    await query(
      `select k.*, s.name as shipping_method, s.price as shipping_cost, t.bank_details, t.payment_deadline_hours
          from checkouts k join shipping_options s on s.site_id = k.site_id and s.id = k.shipping_option_id
          join site_settings t on t.site_id = k.site_id
          where k.site_id = $1 and k.id = $2 and k.status = 'ready' for update of k`,
      [site, id],
    ),
  );
  const lines = await query(LINES, [site, checkout.cart_id]);
  const subtotal = subtotalOf(lines);
  const total = decimal(subtotal + cents(checkout.shipping_cost));
  if (total !== body.expected_total) throw new Error('The total has changed.');
  await sell(query, site, id, lines);
  const order = await insertOrder(query, site, checkout, { subtotal: decimal(subtotal), total });
  await insertLines(query, site, order.id, lines);
  for (const line of lines) {
    await query('insert into product_sales (site_id, order_id, product_id, quantity) values ($1, $2, $3, $4)', [
      ...[site, order.id, line.product_id, line.quantity],
    ]);
  }
  await query(`update carts set status = 'converted', updated_at = now() where site_id = $1 and id = $2`, [
    site,
    checkout.cart_id,
  ]);
  await query(
    `update checkouts set status = 'completed', order_id = $3, reserved_until = null, updated_at = now()
        where site_id = $1 and id = $2`,
    [site, id, order.id],
  );
  await query(
    `insert into order_events (site_id, id, order_id, type, message, context, actor_type)
        values ($1, $2, $3, 'created', 'Ordered on the storefront.', $4, 'guest')`,
    [site, randomUUID(), order.id, { total }],
  );
  const mail = { site_id: site, template: 'order_placed', about: { order_id: order.id } };
  await query(`select enqueue('send_mail', $1::json, now())`, [JSON.stringify(mail)]);
  const payment = { method: order.payment_method, amount: total, currency: 'EUR', due_at: order.payment_due_at };
  return { order: { ...order, line_items: lines }, payment };
}

async function sell(query: Query, site: string, checkout_id: unknown, lines: Row[]): Promise<void> {
  await query('delete from stock_reservations where site_id = $1 and checkout_id = $2', [site, checkout_id]);
  for (const line of lines) {
    const variant = first(
      await query(
        `update variants set on_hand = on_hand - $3, reserved = reserved - $3
            where site_id = $1 and id = $2 returning on_hand, reserved`,
        [site, line.variant_id, line.quantity],
      ),
    );
    const moved = [line.variant_id, line.product_id, 'sale', -line.quantity, variant.on_hand, variant.reserved];
    await query(MOVEMENT, [site, randomUUID(), ...moved]);
  }
}

async function insertOrder(
  query: Query,
  site: string,
  checkout: Row,
  { subtotal, total }: { subtotal: string; total: string },
) {
  const { last_number } = first(
    await query(
      `insert into order_numbers as n (site_id, last_number) values ($1, 1001)
          on conflict (site_id) do update set last_number = n.last_number + 1 returning last_number`,
      [site],
    ),
  );
  return first(
    await query(
      `insert into orders (site_id, id, order_number, checkout_id, email, subtotal, shipping_cost, tax, total, currency,
            status, payment_status, fulfillment_status, payment_method, shipping_address, shipping_method, source,
            bank_details, payment_due_at, payment_reminder_at)
          values ($1, $2, $3, $4, $5, $6, $7, 0, $8, 'EUR', 'pending', 'awaiting_payment', 'unfulfilled', $9, $10, $11,
            'storefront', $12, now() + $13 * interval '1 hour', now() + $13 * interval '30 minutes') returning *`,
      [
        ...[site, randomUUID(), String(last_number), checkout.id, checkout.email, subtotal, checkout.shipping_cost],
        ...[total, checkout.payment_method, checkout.shipping_address, checkout.shipping_method],
        ...[checkout.bank_details, checkout.payment_deadline_hours],
      ],
    ),
  );
}

async function insertLines(query: Query, site: string, order_id: unknown, lines: Row[]): Promise<void> {
  for (const [i, line] of lines.entries()) {
    await query(
      `insert into order_lines (site_id, id, order_id, position, name, quantity, price, total, variant_id, product_id,
            sku, option1, option2, option3, variant_name, image_url, stock_taken)
          values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, true)`,
      [
        ...[site, line.id, order_id, i + 1, line.name, line.quantity, line.price, line.total, line.variant_id],
        ...[line.product_id, line.sku, line.option1, line.option2, line.option3, line.variant_name, line.image_url],
      ],
    );
  }
}
