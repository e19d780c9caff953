/**
 * Versions of the resources that staff edit in the dashboard. A version is a hash of all editable fields. Stock, sales
 * figures and times of change are excluded, because a purchase must not block the edit of a description. A change with
 * If-Match locks the resource, like every change, then compares the version.
 */

import { createHash } from 'node:crypto';
import type {
  Collection,
  CustomerDetails,
  Discount,
  OrderDetails,
  PaymentAccount,
  Product,
  Settings,
  ShippingOption,
  Webhook,
} from '@commerce-backend/spec';
import sql from 'sql-template-tag';
import * as collections from '../catalog/collections.ts';
import * as customers from '../customers/customers.ts';
import * as discounts from '../discounts/codes.ts';
import * as settings from '../merchant/settings.ts';
import * as orders from '../orders/orders.ts';
import * as accounts from '../payments/accounts/accounts.ts';
import * as products from '../products/products.ts';
import * as shippingOptions from '../shipping/options.ts';
import type { Shop } from '../shop.ts';
import * as webhooks from '../webhooks/webhooks.ts';

export interface Versioned {
  /** Name of the path parameter with the id; undefined if a shop has only one such resource. */
  parameter: string | undefined;
  /** The schema in the contract with all fields of the resource. */
  schema: string;
  /** Takes the lock that changes of the resource take first. */
  lock(shop: Shop, id: string): Promise<unknown>;
  /** Throws `not_found`. */
  read(shop: Shop, id: string): Promise<object>;
  /** Picks the editable fields of a response. */
  edited(shown: never): object;
  /** Returns a hash of editable data that a response contains only in part. */
  beside?(shop: Shop, id: string): Promise<string>;
}

/** The versioned resources by their name in the path: `/api/dashboard/{noun}/…`. */
export const VERSIONED: Partial<Record<string, Versioned>> = {
  products: {
    parameter: 'product_id',
    schema: 'Product',
    lock: (shop, id) => shop.run(sql`select from products where site_id = ${shop.siteId} and id = ${id} for update`),
    read: (shop, id) => products.get(shop, id),
    edited: editedProduct,
    beside: waitingDigest,
  },
  collections: {
    parameter: 'collection_id',
    schema: 'Collection',
    lock: (shop, id) => shop.run(sql`select from collections where site_id = ${shop.siteId} and id = ${id} for update`),
    read: (shop, id) => collections.get(shop, id, { limit: 1 }),
    edited: editedCollection,
    beside: membersDigest,
  },
  discounts: {
    parameter: 'discount_id',
    schema: 'Discount',
    lock: (shop, id) => shop.run(sql`select from discounts where site_id = ${shop.siteId} and id = ${id} for update`),
    read: (shop, id) => discounts.get(shop, id),
    edited: ({ usage_count: _, status: _status, updated_at: _at, ...edited }: Discount) => edited,
  },
  customers: {
    parameter: 'customer_id',
    schema: 'CustomerDetails',
    lock: (shop, id) => shop.run(sql`select from customers where site_id = ${shop.siteId} and id = ${id} for update`),
    read: (shop, id) => customers.get(shop, id),
    edited: ({ orders_count: _, total_spent: _spent, updated_at: _at, ...edited }: CustomerDetails) => edited,
  },
  orders: {
    parameter: 'order_id',
    schema: 'OrderDetails',
    lock: (shop, id) => shop.run(sql`select from orders where site_id = ${shop.siteId} and id = ${id} for update`),
    read: (shop, id) => orders.get(shop, id),
    edited: ({ updated_at: _, ...edited }: OrderDetails) => edited,
  },
  settings: {
    parameter: undefined,
    schema: 'Settings',
    lock: (shop) => shop.run(sql`select from sites where site_id = ${shop.siteId} for no key update`),
    read: (shop) => settings.get(shop),
    edited: ({ updated_at: _, ...edited }: Settings) => edited,
  },
  'shipping-options': {
    parameter: 'shipping_option_id',
    schema: 'ShippingOption',
    lock: shippingOptions.lockAll,
    read: (shop, id) => shippingOptions.get(shop, id),
    edited: ({ updated_at: _, ...edited }: ShippingOption) => edited,
  },
  'payment-account': {
    parameter: undefined,
    schema: 'PaymentAccount',
    lock: accounts.lock,
    read: (shop) => accounts.get(shop),
    // Keeps the time of change, because a replaced key changes nothing else in the response.
    edited: ({ webhook_url: _, ...edited }: PaymentAccount) => edited,
  },
  webhooks: {
    parameter: 'webhook_id',
    schema: 'Webhook',
    lock: (shop, id) => shop.run(sql`select from webhooks where site_id = ${shop.siteId} and id = ${id} for update`),
    read: (shop, id) => webhooks.get(shop, id),
    edited: ({ url, events, description, status }: Webhook) => ({ url, events, description, status }),
  },
};

/** Omits the page of products, which depends on the request. `membersDigest` covers all products. */
function editedCollection({
  products: _,
  products_count: _count,
  page: _page,
  limit: _limit,
  pages: _pages,
  updated_at: _at,
  ...edited
}: Collection): object {
  return edited;
}

/** Omits images that wait for their file, because some responses lack them. `waitingDigest` covers them. */
function editedProduct({
  total_inventory: _,
  in_stock: _in,
  updated_at: _at,
  images,
  variants,
  ...edited
}: Product): object {
  return {
    ...edited,
    images: images.filter(({ status }) => status !== 'processing'),
    variants: variants.map(editedVariant),
  };
}

function editedVariant({
  inventory_quantity: _,
  available: _available,
  is_low_stock: _low,
  is_out_of_stock: _out,
  updated_at: _at,
  ...edited
}: Product['variants'][number]): object {
  return edited;
}

async function waitingDigest(shop: Shop, id: string): Promise<string> {
  const found = await shop.one<{ digest: string | null }>(
    sql`select md5(json_agg((id, alt, position) order by id)::text) as digest
      from pending_images where site_id = ${shop.siteId} and product_id = ${id}`,
  );
  return found?.digest ?? '';
}

/** A hash of all products in a collection, because a response contains only one page of them. */
async function membersDigest(shop: Shop, id: string): Promise<string> {
  const found = await shop.one<{ digest: string | null }>(
    sql`select md5(string_agg(product_id::text, ' ' order by position, product_id)) as digest
      from collection_products where site_id = ${shop.siteId} and collection_id = ${id}`,
  );
  return found?.digest ?? '';
}

/** Returns the version of a resource as an ETag. */
export function tagOf(resource: Versioned, shown: object, beside = ''): string {
  const text = JSON.stringify(resource.edited(shown as never)) + beside;
  return `"${createHash('sha256').update(text).digest('base64url').slice(0, TAG_CHARACTERS)}"`;
}

/** 132 bits of the hash in base64url. */
const TAG_CHARACTERS = 22;
