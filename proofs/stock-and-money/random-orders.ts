import { randomUUID } from 'node:crypto';
import { decimal } from '../../server/src/shop/money.ts';
import type { Chance } from '../testing/random.ts';
import type { OpenShop } from '../testing/test-server.ts';

/**
 * Orders with random amounts, inserted without a checkout. Their totals are computed from the generated parts, not by
 * the server.
 */

/** `terms` is an order on payment terms. */
export type Method = 'card' | 'bank_transfer' | 'manual' | 'terms';

export interface GeneratedLine {
  id: string;
  quantity: number;
  /** The line's total after discounts and with tax, in minor units. */
  charged: number;
  /** The parts of `charged`: the total before the discount, the discount, and the tax. */
  total: number;
  discount: number;
  tax: number;
}

export interface GeneratedOrder {
  id: string;
  payment_id: string;
  method: Method;
  total: number;
  included: boolean;
  lines: GeneratedLine[];
}

interface Part {
  id: string;
  quantity: number;
  price: number;
  total: number;
  discount: number;
  tax: number;
}

/** Inserts an order: paid by card, awaiting a bank transfer, or to be paid on delivery or on payment terms. */
export async function insertOrder(shop: OpenShop, chance: Chance, included: boolean): Promise<GeneratedOrder> {
  const { site_id, currency, currency_digits: digits } = shop.tenant;
  const below = (most: number) => Math.floor(chance.next() * most);
  const hasCode = below(2) === 0;
  const parts = Array.from({ length: 1 + below(3) }, (): Part => {
    const [quantity, price] = [1 + below(chance.of([3, 12])), 1 + below(chance.of([9, 2_000, 50_000_000]))];
    const total = quantity * price;
    const discount = hasCode ? below(Math.min(total, 1 + below(total))) : 0;
    const tax = Math.round((total - discount) * chance.of([0, 0.07, 0.19, 0.1234]));
    return { id: randomUUID(), quantity, price, total, discount, tax };
  });
  const sum = (field: 'total' | 'discount' | 'tax') => parts.reduce((all, part) => all + part[field], 0);
  const shipping = below(3) * below(900);
  const shipping_tax = Math.round(shipping * 0.19);
  const tax = sum('tax') + shipping_tax;
  const total = sum('total') - sum('discount') + shipping + (included ? 0 : tax);
  const method = chance.of<Method>(['card', 'card', 'card', 'bank_transfer', 'manual', 'terms', 'terms']);
  const [id, payment_id, cart_id, checkout_id] = Array.from({ length: 4 }, () => randomUUID()) as [
    string,
    string,
    string,
    string,
  ];
  const money = (minor: number) => decimal(minor, digits);
  const [status, payment_status] = STATES[method];
  await shop.premises.owner.query(
    `insert into commerce.orders (site_id, id, order_number, subtotal, discount, shipping_cost, tax, shipping_tax, tax_included, total,
        currency, status, payment_status, fulfillment_status, payment_method, payment_terms_days, source, payment_confirmed_at,
        payment_due_at)
      values ($1, $2::uuid, 'H-' || $2::uuid, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12::text, 'unfulfilled', $13, $14, 'storefront',
        case when $12::text = 'paid' then now() end, now() + $14::int * interval '1 day')`,
    [
      ...[site_id, id, money(sum('total')), money(sum('discount')), money(shipping), money(tax), money(shipping_tax)],
      ...[included, money(total), currency, status, payment_status],
      ...(method === 'terms' ? ['manual', 14] : [method, null]),
    ],
  );
  const rows = parts.map(({ id, quantity, ...amounts }, position) => ({
    ...{ id, quantity, position },
    ...Object.fromEntries(Object.entries(amounts).map(([name, minor]) => [name, money(minor)])),
  }));
  await shop.premises.owner.query(
    `insert into commerce.order_lines (site_id, id, order_id, position, name, quantity, price, total, discount, tax)
      select $1, l.id, $2, l.position, 'Mug', l.quantity, l.price, l.total, l.discount, l.tax
      from jsonb_to_recordset($3::jsonb)
        as l (id uuid, position int, quantity int, price numeric, total numeric, discount numeric, tax numeric)`,
    [site_id, id, JSON.stringify(rows)],
  );
  if (method === 'card') {
    await shop.premises.owner.query(
      `with cart as (insert into commerce.carts (site_id, id, status) values ($1, $2, 'expired')),
        checkout as (insert into commerce.checkouts (site_id, id, cart_id, status, expires_at) values ($1, $3, $2, 'expired', now()))
        insert into commerce.payments (site_id, id, checkout_id, order_id, provider, status, amount, captured_amount, card_hash)
        values ($1, $4, $3, $5, 'stripe', 'succeeded', $6, $6, '')`,
      [site_id, cart_id, checkout_id, payment_id, id, money(total)],
    );
  }
  const lines = parts.map(({ id, quantity, total, discount, tax }) => ({
    ...{ id, quantity, total, discount, tax },
    charged: total - discount + (included ? 0 : tax),
  }));
  return { id, payment_id, method, total, included, lines };
}

const STATES = {
  card: ['confirmed', 'paid'],
  bank_transfer: ['pending', 'awaiting_payment'],
  manual: ['confirmed', 'pending'],
  terms: ['confirmed', 'pending'],
} as const;
