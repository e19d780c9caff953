/** Products for the proofs' test server, and a shopper's steps to a complete checkout. */

import { randomUUID } from 'node:crypto';
import type { Call, Reply } from '../../server/src/http/pipeline/handler.ts';
import type { OpenShop, Premises } from './test-server.ts';

type ProductInput = Call<'dashboard.createProduct'>['body'];
export type Product = Reply<'dashboard.createProduct'>;
export type Checkout = Reply<'storefront.updateCheckout'>;
export type Address = NonNullable<Checkout['shipping_address']>;
export type Order = Reply<'storefront.completeCheckout'>['order'];

export interface Pieces {
  variant_id: string;
  quantity: number;
}

/** Creates an active product. Unless `input` has variants, its price is 10 by default, and it needs no shipping. */
export function putOnSale(shop: OpenShop, input: Partial<ProductInput> = {}): Promise<Product> {
  const own = input.variants ? {} : { price: '10', requires_shipping: false };
  return shop.must('dashboard.createProduct', { body: { name: 'Mug', status: 'active', ...own, ...input } });
}

export function onlyVariantOf({ variants }: Product): string {
  const [variant] = variants;
  if (!variant) throw new Error('A product without a variant.');
  return variant.id;
}

const BANK_DETAILS = { account_holder: 'Alder & Finch GmbH', iban: 'DE89370400440532013000' };

/** Enters bank details, so that the shop accepts bank transfers. */
export async function takeTransfers(shop: OpenShop): Promise<void> {
  await shop.must('dashboard.updateSettings', { body: { bank_details: BANK_DETAILS } });
}

export type Delivery = Pick<
  NonNullable<Call<'storefront.updateCheckout'>['body']>,
  'shipping_address' | 'shipping_option_id'
>;

/**
 * Creates a free shipping option. Returns the data that the checkout of a parcel needs. An order with a parcel can be
 * shipped and cancelled, whereas a paid order with nothing to ship is fulfilled immediately.
 */
export async function takeParcels(shop: OpenShop): Promise<Delivery> {
  const option = await shop.must('dashboard.createShippingOption', { body: { name: 'Parcel', price: '0' } });
  const address = {
    last_name: 'Okafor',
    address1: 'Lindenallee 7',
    city: 'Berlin',
    postal_code: '10115',
    country: 'DE',
  };
  return { shipping_address: address, shipping_option_id: option.id };
}

/** Inserts guests' carts directly into the database, because creating carts is not part of the proof. */
export async function putInCarts(
  { premises, site_id }: { premises: Pick<Premises, 'owner'>; site_id: string },
  contents: Pieces[][],
): Promise<string[]> {
  const carts = contents.map(() => randomUUID());
  const rows = contents.flatMap((pieces, i) => pieces.map((one) => ({ cart_id: carts[i], id: randomUUID(), ...one })));
  await premises.owner.query(
    `with made as (insert into commerce.carts (site_id, id) select $1, unnest($2::uuid[]) returning site_id)
     insert into commerce.cart_items (site_id, id, cart_id, variant_id, product_id, name, quantity, price_seen)
     select v.site_id, w.id, w.cart_id, v.id, v.product_id, p.name, w.quantity, v.price
     from jsonb_to_recordset($3::jsonb) as w (id uuid, cart_id uuid, variant_id uuid, quantity int)
     join commerce.variants v on v.site_id = $1 and v.id = w.variant_id
     join commerce.products p on p.site_id = v.site_id and p.id = v.product_id`,
    [site_id, carts, JSON.stringify(rows)],
  );
  return carts;
}

/** Returns the data that a checkout needs if its products need no shipping. */
export function answersOf(email = 'june@example.com') {
  return { email, payment_method: 'bank_transfer' } as const;
}

/** Creates a checkout for the cart that is ready to be completed. */
export async function checkOut(
  shop: OpenShop,
  cart_id: string,
  email?: string,
  delivery?: Delivery,
): Promise<Checkout> {
  const { id: checkout_id } = await shop.must('storefront.createCheckout', { body: { cart_id } });
  const body = { ...answersOf(email), ...delivery };
  return shop.must('storefront.updateCheckout', { path: { checkout_id }, body });
}

/** Places an order that awaits its bank transfer. */
export async function order(shop: OpenShop, pieces: Pieces[], delivery?: Delivery): Promise<Order> {
  const [cart_id = ''] = await putInCarts(shop, [pieces]);
  const { id: checkout_id } = await checkOut(shop, cart_id, undefined, delivery);
  const completed = await shop.must('storefront.completeCheckout', { path: { checkout_id }, body: {} });
  return completed.order;
}

export interface Stock {
  on_hand: number;
  reserved: number;
}

/** Reads the stock of variants from the database, in the given order. */
export async function stockOf({ premises, site_id }: OpenShop, variant_ids: string[]): Promise<Stock[]> {
  const { rows } = await premises.owner.query<Stock & { id: string }>(
    'select id, on_hand, reserved from commerce.variants where site_id = $1 and id = any($2)',
    [site_id, variant_ids],
  );
  return variant_ids.map((id) => {
    const found = rows.find((row) => row.id === id);
    if (!found) throw new Error(`Variant ${id} is gone.`);
    return { on_hand: Number(found.on_hand), reserved: Number(found.reserved) };
  });
}
