/**
 * Payloads of events. The trigger that writes an event stores only ids and changes. The delivery job reads the whole
 * object before the first attempt and stores it, so that attempts and replays send the same payload. Webhooks of staff
 * get the object as the dashboard API returns it. Webhooks of integrations get products and stock as the storefront API
 * returns them, and only the stored data of other events.
 */

import type { EventPayload, EventType } from '@commerce-backend/spec';
import sql from 'sql-template-tag';
import * as agentTokens from '../agent-limits/tokens.ts';
import * as catalog from '../catalog/catalog.ts';
import * as customers from '../customers/customers.ts';
import { ShopError } from '../errors.ts';
import * as documents from '../invoices/documents.ts';
import * as orders from '../orders/orders.ts';
import * as products from '../products/products.ts';
import * as returns from '../returns/rows.ts';
import type { Shop } from '../shop.ts';
import { shownQuantity } from '../shown-quantity.ts';
import * as inventory from '../stock/inventory.ts';
import type { Due } from '../webhooks/attempts.ts';
import { keepPayload } from '../webhooks/kept-payloads.ts';

const LIMIT_BYTES = 64 * 1024;
const MOST_VARIANTS = 50;

type Data = Record<string, unknown>;

/** Returns the payload of a delivery. The first attempt creates it. */
export async function payloadOf(shop: Shop, due: Due): Promise<string> {
  if (due.kept || due.attempts_count > 0) return due.payload;
  const noted = JSON.parse(due.payload) as EventPayload & { test?: true };
  await holdPerson(shop, noted.type as EventType, noted.data);
  const made = await wholePayload(shop, noted, due.by_integration);
  return made === noted ? due.payload : keepPayload(shop, due.id, JSON.stringify(made));
}

/**
 * Locks the order or customer of an event. A concurrent erasure then either commits before the object is read, or waits
 * and erases the stored payload.
 */
async function holdPerson(shop: Shop, type: EventType, { id, order_id }: Data): Promise<void> {
  if (type.startsWith('order.')) {
    await shop.run(sql`select from orders where site_id = ${shop.siteId} and id = ${String(id)} for key share`);
  }
  if (type.startsWith('return.') || type.startsWith('document.')) {
    await shop.run(sql`select from orders where site_id = ${shop.siteId} and id = ${String(order_id)} for key share`);
  }
  if (type.startsWith('customer.')) {
    await shop.run(sql`select from customers where site_id = ${shop.siteId} and id = ${String(id)} for key share`);
  }
}

/** Returns the current payload of an event, or the stored data if there is no object to add. */
export async function wholePayload<Noted extends EventPayload & { test?: true }>(
  shop: Shop,
  noted: Noted,
  by_integration = false,
): Promise<Noted> {
  if (noted.test) return noted;
  const whole = await wholeOf(shop, noted.type as EventType, noted.data, by_integration);
  return whole ? { ...noted, data: fitted({ ...noted.data, ...whole }, noted.data) } : noted;
}

/** Reads the object of an event; undefined if the event consists only of its stored data. */
async function wholeOf(shop: Shop, type: EventType, noted: Data, by_integration: boolean): Promise<Data | undefined> {
  const read = by_integration ? STOREFRONT[type] : DASHBOARD[type];
  if (!read) return undefined;
  try {
    return await read(shop, noted);
  } catch (error) {
    // The object was deleted, or hidden from the storefront.
    if (error instanceof ShopError && error.code === 'not_found')
      return by_integration ? hiddenOf(shop, type, noted) : undefined;
    throw error;
  }
}

type Read = (shop: Shop, noted: Data) => Promise<Data>;

const order: Read = async (shop, { id }) => ({ ...(await orders.get(shop, String(id))) });
const returned: Read = async (shop, { id }) => ({ ...(await returns.get(shop, String(id))) });
/** Documents keep the buyer's name after the erasure of the customer, but stored bodies must not. */
const document: Read = async (shop, { id }) => {
  const found = await documents.get(shop, String(id));
  const erased = await shop.one(
    sql`select from orders o join customers c on c.site_id = o.site_id and c.id = o.customer_id
      where o.site_id = ${shop.siteId} and o.id = ${found.order_id} and c.anonymized_at is not null`,
  );
  return erased ? { ...found, buyer_name: null } : { ...found };
};
const product: Read = async (shop, { id }) => cutVariants({ ...(await products.get(shop, String(id))) });
const shownProduct: Read = async (shop, { id }) => cutVariants({ ...(await catalog.get(shop, String(id))).body() });
/**
 * Reads the stock, but keeps the quantities stored in the event, because the quantities before and after the change
 * belong together.
 */
const stock: Read = async (shop, noted) => ({ ...(await inventory.get(shop, String(noted.variant_id))), ...noted });
const customer: Read = async (shop, { id }) => ({ ...(await customers.get(shop, String(id))) });
const agentToken: Read = async (shop, { id }) => ({ ...(await agentTokens.get(shop, String(id))) });

/** A variant as the storefront API returns it, with quantities in the detail that the shop shows to shoppers. */
const shownVariant: Read = async (shop, noted) => {
  const { variants } = (await catalog.get(shop, String(noted.product_id))).body();
  const found = variants.find(({ id }) => id === noted.variant_id);
  return { ...found, ...noted, ...shownStock(shop, noted, found?.low_stock_threshold ?? 0) };
};

function shownStock({ showStock }: Shop, { inventory_quantity, previous_quantity }: Data, threshold: number): Data {
  const shown = (quantity: unknown) => shownQuantity(showStock, Number(quantity), threshold);
  return { inventory_quantity: shown(inventory_quantity), previous_quantity: shown(previous_quantity) };
}

/** The quantities of a variant that is hidden from the storefront, in the detail that the shop shows to shoppers. */
function hiddenOf(shop: Shop, type: EventType, noted: Data): Data | undefined {
  return type === 'inventory.changed' ? shownStock(shop, noted, 0) : undefined;
}

/** Deleted products have no entry, because there is no object to read. */
const DASHBOARD: Partial<Record<EventType, Read>> = {
  'product.created': product,
  'product.updated': product,
  'inventory.changed': stock,
  'order.created': order,
  'order.paid': order,
  'order.payment_expired': order,
  'order.fulfilled': order,
  'order.delivered': order,
  'order.cancelled': order,
  'order.refunded': order,
  'order.updated': order,
  'return.requested': returned,
  'return.approved': returned,
  'return.declined': returned,
  'return.received': returned,
  'return.closed': returned,
  'return.cancelled': returned,
  'document.issued': document,
  'customer.created': customer,
  'customer.updated': customer,
  'agent.token_issued': agentToken,
  'agent.token_revoked': agentToken,
};

const STOREFRONT: Partial<Record<EventType, Read>> = {
  'product.created': shownProduct,
  'product.updated': shownProduct,
  'inventory.changed': shownVariant,
};

function cutVariants(whole: Data): Data {
  const { variants } = whole;
  if (!Array.isArray(variants) || variants.length <= MOST_VARIANTS) return whole;
  return { ...whole, variants: variants.slice(0, MOST_VARIANTS), truncated: true };
}

/**
 * Halves the longest list, text or object until the data fits into 64 KB. Never shortens the data stored with the
 * event.
 */
export function fitted(whole: Data, noted: Data): Data {
  let data = whole;
  while (Buffer.byteLength(JSON.stringify(data)) > LIMIT_BYTES) {
    const [longest] = Object.entries(data)
      .filter(([name, value]) => !(name in noted) && isLong(value))
      .map(([name, value]) => ({ name, value, length: JSON.stringify(value).length }))
      .sort((a, b) => b.length - a.length);
    if (!longest) return { ...noted, truncated: true };
    data = { ...data, [longest.name]: halved(longest.value), truncated: true };
  }
  return data;
}

function isLong(value: unknown): value is string | unknown[] | Data {
  if (typeof value === 'string') return value.length > 1;
  return typeof value === 'object' && value !== null && Object.keys(value).length > 0;
}

function halved(value: unknown): unknown {
  if (typeof value === 'string') return value.slice(0, value.length >> 1).toWellFormed();
  if (Array.isArray(value)) return value.slice(0, value.length >> 1);
  const entries = Object.entries(value as Data);
  return Object.fromEntries(entries.slice(0, entries.length >> 1));
}
