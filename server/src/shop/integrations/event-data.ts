import type { EventPayload, EventType } from '@commerce-backend/spec';
import sql from 'sql-template-tag';
import * as agentTokens from '../agent-limits/tokens.ts';
import * as catalog from '../catalog/catalog.ts';
import * as customers from '../customers/customers.ts';
import { ShopError } from '../errors.ts';
import * as orders from '../orders/orders.ts';
import * as products from '../products/products.ts';
import type { Shop } from '../shop.ts';
import { shownQuantity } from '../shown-quantity.ts';
import * as inventory from '../stock/inventory.ts';
import type { Due } from '../webhooks/attempts.ts';
import { keepPayload } from '../webhooks/kept-payloads.ts';

/**
 * Bodies of events. The trigger that writes an event in the transaction of its change records only ids and changes. The
 * delivery job reads the whole object before the first attempt and stores the body with the delivery, so that each
 * attempt and replay sends the same body. Webhooks of staff get the dashboard's view. Webhooks of integrations get the
 * storefront's view of products and stock, and the recorded data of other events, which earlier versions let them
 * choose.
 */
const LIMIT_BYTES = 64 * 1024;
const MOST_VARIANTS = 50;

type Data = Record<string, unknown>;

/** The body of a delivery. It is created at the first attempt. */
export async function payloadOf(shop: Shop, due: Due): Promise<string> {
  if (due.kept || due.attempts_count > 0) return due.payload;
  const noted = JSON.parse(due.payload) as EventPayload & { test?: true };
  await holdPerson(shop, noted.type as EventType, noted.data);
  const made = await wholePayload(shop, noted, due.by_integration);
  return made === noted ? due.payload : keepPayload(shop, due.id, JSON.stringify(made));
}

/**
 * Locks the order or customer of an event: an erasure then either happens before the body is read, or waits until it is
 * stored and erases it.
 */
async function holdPerson(shop: Shop, type: EventType, { id }: Data): Promise<void> {
  if (type.startsWith('order.')) {
    await shop.run(sql`select from orders where site_id = ${shop.siteId} and id = ${String(id)} for key share`);
  }
  if (type.startsWith('customer.')) {
    await shop.run(sql`select from customers where site_id = ${shop.siteId} and id = ${String(id)} for key share`);
  }
}

/** The current body of an event, or the recorded data if there is nothing to add. */
export async function wholePayload<Noted extends EventPayload & { test?: true }>(
  shop: Shop,
  noted: Noted,
  by_integration = false,
): Promise<Noted> {
  if (noted.test) return noted;
  const whole = await wholeOf(shop, noted.type as EventType, noted.data, by_integration);
  return whole ? { ...noted, data: fitted({ ...noted.data, ...whole }, noted.data) } : noted;
}

/** The whole object of an event; undefined if the recorded data is complete. */
async function wholeOf(shop: Shop, type: EventType, noted: Data, by_integration: boolean): Promise<Data | undefined> {
  const read = by_integration ? STOREFRONT[type] : DASHBOARD[type];
  if (!read) return undefined;
  try {
    return await read(shop, noted);
  } catch (error) {
    // Deleted meanwhile, or hidden from the storefront.
    if (error instanceof ShopError && error.code === 'not_found')
      return by_integration ? hiddenOf(shop, type, noted) : undefined;
    throw error;
  }
}

type Read = (shop: Shop, noted: Data) => Promise<Data>;

const order: Read = async (shop, { id }) => ({ ...(await orders.get(shop, String(id))) });
const product: Read = async (shop, { id }) => cutVariants({ ...(await products.get(shop, String(id))) });
const shownProduct: Read = async (shop, { id }) => cutVariants({ ...(await catalog.get(shop, String(id))).body() });
/**
 * Stock with the recorded quantities instead of the current ones, because those before and after the change belong
 * together.
 */
const stock: Read = async (shop, noted) => ({ ...(await inventory.get(shop, String(noted.variant_id))), ...noted });
const customer: Read = async (shop, { id }) => ({ ...(await customers.get(shop, String(id))) });
const agentToken: Read = async (shop, { id }) => ({ ...(await agentTokens.get(shop, String(id))) });

/** A variant as the storefront shows it, with as much of the quantities as the shop shows. */
const shownVariant: Read = async (shop, noted) => {
  const { variants } = (await catalog.get(shop, String(noted.product_id))).body();
  const found = variants.find(({ id }) => id === noted.variant_id);
  return { ...found, ...noted, ...shownStock(shop, noted, found?.low_stock_threshold ?? 0) };
};

function shownStock({ showStock }: Shop, { inventory_quantity, previous_quantity }: Data, threshold: number): Data {
  const shown = (quantity: unknown) => shownQuantity(showStock, Number(quantity), threshold);
  return { inventory_quantity: shown(inventory_quantity), previous_quantity: shown(previous_quantity) };
}

/** The data of an event whose variant the storefront hides: its quantities are hidden too. */
function hiddenOf(shop: Shop, type: EventType, noted: Data): Data | undefined {
  return type === 'inventory.changed' ? shownStock(shop, noted, 0) : undefined;
}

/** Readers by event type. A deleted product has none. */
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

/** Reduces data to 64 KB by halving the longest list or text. The recorded data stays unchanged. */
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
