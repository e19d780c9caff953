import type { ShowStock } from '@commerce-backend/spec';
import sql, { type Sql } from 'sql-template-tag';
import { parseMoment } from '../../db/connect.ts';
import type { Shop } from '../shop.ts';
import { shownQuantity } from '../shown-quantity.ts';
import { available } from './rows.ts';

/**
 * Products as the public sees them, as the JSON of an answer. What stock alone changes is left open in it, so that an answer
 * that is kept can be completed with the stock of the moment (http/pipeline/cache.ts). Whether something can be bought is
 * written out: the catalogue's version moves with it.
 */
export interface Shown {
  id: string;
  /** JSON, with control characters, which JSON never holds, around what is left open. */
  content: string;
  /** How much of each variant is available, in the order of the variants, as PostgreSQL writes an array. */
  stock: string;
}

/**
 * Around the `low_stock_threshold` of a variant, and around TOTAL. Before the threshold stands a letter for what is told of the
 * stock, see SHOW_OF; behind it `u` where the stock is not tracked.
 */
const SLOT = '\u0001';
const TOTAL = 'total';
/** Around a time as PostgreSQL writes it. */
const MOMENT = '\u0002';

/** An answer with whole products in it, completed with the stock that was read with them. */
export class ShownJson<Body> {
  readonly #text: string;
  /** The products in it, in their order. */
  readonly productIds: string[];
  /** The stock of their variants at the time they were read, as `Shown.stock`. */
  readonly stock: string;
  /** The catalogue's version at that time. */
  readonly version: string;

  /** `parts` are the parts of the JSON text, in which products stand as they were read. */
  constructor(version: string, parts: (string | Shown[])[]) {
    const products = parts.flatMap((part) => (typeof part === 'string' ? [] : part));
    const contents = parts.map((part) => (typeof part === 'string' ? part : part.map((one) => one.content).join()));
    const pieces = contents.join('').split(MOMENT);
    this.#text = pieces.map((piece, i) => (i % 2 === 1 ? parseMoment(piece) : piece)).join('');
    this.productIds = products.map(({ id }) => id);
    this.stock = `{${products.map(({ stock }) => stock.slice(1, -1)).join()}}`;
    this.version = version;
  }

  /** The text between the slots, and the slots. */
  parts(): { texts: string[]; slots: string[] } {
    const parts = this.#text.split(SLOT);
    return { texts: parts.filter((_part, i) => i % 2 === 0), slots: parts.filter((_part, i) => i % 2 === 1) };
  }

  /** What stands in the slots. */
  filled(): string[] {
    return fill(this.parts().slots, this.stock);
  }

  text(): string {
    const { texts, slots } = this.parts();
    const filled = fill(slots, this.stock);
    return texts.map((text, i) => text + (filled[i] ?? '')).join('');
  }

  body(): Body {
    return JSON.parse(this.text()) as Body;
  }
}

/** How many variants a stock is of. */
export function sizeOf(stock: string): number {
  return stock === '{}' ? 0 : stock.split(',').length;
}

/** What stands in each slot, by a stock of as many variants. */
export function fill(slots: string[], stock: string): string[] {
  const amounts = stock.slice(1, -1).split(',');
  let at = 0;
  let total = 0;
  return slots.map((slot) => {
    if (slot === TOTAL) {
      const sum = String(total);
      total = 0;
      return sum;
    }
    const shown = shownStock(Number(amounts[at]), slot);
    at += 1;
    total += shown.quantity;
    return shown.text;
  });
}

function shownStock(amount: number, slot: string): { quantity: number; text: string } {
  const show = SHOW_OF[slot[0] ?? ''] ?? 'exact';
  const isTracked = !slot.endsWith('u');
  const threshold = Number.parseInt(slot.slice(1), 10);
  const quantity = shownQuantity(show, amount, threshold);
  const isLow = isTracked && show !== 'never' && amount >= 1 && amount <= threshold;
  const isOut = isTracked && amount <= 0;
  return { quantity, text: `"inventory_quantity":${quantity},"is_low_stock":${isLow},"is_out_of_stock":${isOut}` };
}

const SHOW_OF: Record<string, ShowStock> = { e: 'exact', l: 'low_only', n: 'never' };

const slot = sql`E'\\x01'`;

function moment(column: Sql): Sql {
  return sql`coalesce(E'"\\x02' || ${column}::text || E'\\x02"', 'null')`;
}

function text(column: Sql): Sql {
  return sql`coalesce(to_json(${column})::text, 'null')`;
}

function decimal(column: Sql): Sql {
  return sql`coalesce('"' || ${column} || '"', 'null')`;
}

const images = sql`(
  select string_agg(concat('{"id":"', i.id, '","url":', to_json(i.url), ',"alt":', ${text(sql`i.alt`)}, ',"position":',
    i.position, ',"width":', coalesce(i.width::text, 'null'), ',"height":', coalesce(i.height::text, 'null'), '}'), ','
    order by i.position, i.id)
  from product_images i where i.site_id = p.site_id and i.product_id = p.id)`;

const options = sql`(
  select string_agg(concat('{"id":"', o.id, '","name":', to_json(o.name), ',"position":', o.position, ',"values":',
    to_json(o.values), '}'), ',' order by o.position)
  from product_options o where o.site_id = p.site_id and o.product_id = p.id)`;

const variants = sql`
  select string_agg(concat('{"id":"', v.id, '","product_id":"', v.product_id, '","sku":', ${text(sql`v.sku`)},
    ',"barcode":', ${text(sql`v.barcode`)}, ',"option1":', ${text(sql`v.option1`)}, ',"option2":', ${text(sql`v.option2`)},
    ',"option3":', ${text(sql`v.option3`)}, ',"price":"', v.price, '","compare_at_price":',
    ${decimal(sql`v.compare_at_price`)}, ',"cost_per_item":null,"inventory_policy":"', v.inventory_policy,
    '","low_stock_threshold":', v.low_stock_threshold, ',"weight":', ${decimal(sql`v.weight`)}, ',"weight_unit":"',
    v.weight_unit, '","requires_shipping":', v.requires_shipping::text, ',"image_url":', ${text(sql`v.image_url`)},
    ',"available":', ${available}::text, ',', ${slot}, left(shop.show_stock, 1), v.low_stock_threshold,
    case when not v.track_inventory then 'u' end, ${slot},
    ',"created_at":', ${moment(sql`v.created_at`)}, ',"updated_at":', ${moment(sql`v.updated_at`)}, '}'), ','
    order by v.position, v.id) as content,
    coalesce(array_agg(v.on_hand - v.reserved order by v.position, v.id), '{}') as stock,
    coalesce(bool_or(${available}), false) as in_stock
  from variants v where v.site_id = p.site_id and v.product_id = p.id`;

// Joined as text, which takes half the time of PostgreSQL's JSON functions. Made once: it has no values of its own.
const content = sql`concat('{"id":"', p.id, '","merchant_id":"', shop.merchant_id, '","name":', to_json(p.name),
  ',"slug":', to_json(p.slug), ',"description":', to_json(p.description), ',"vendor":', ${text(sql`p.vendor`)},
  ',"product_type":', ${text(sql`p.product_type`)}, ',"tags":', to_json(p.tags), ',"price":"', p.price,
  '","compare_at_price":', ${decimal(sql`p.compare_at_price`)}, ',"cost_per_item":null,"currency":"', shop.currency,
  '","images":[', ${images}, '],"has_variants":', p.has_variants::text, ',"options":[', ${options}, '],"variants":[',
  v.content, '],"track_inventory":', p.track_inventory::text, ',"total_inventory":', ${slot}, 'total', ${slot},
  ',"in_stock":', v.in_stock::text, ',"status":"', p.status, '","metadata":', p.metadata, ',"tax_class":"',
  p.tax_class, '","published_at":',
  ${moment(sql`p.published_at`)}, ',"created_at":', ${moment(sql`p.created_at`)}, ',"updated_at":',
  ${moment(sql`p.updated_at`)}, '}')`;

/** Whole products by a query that offers their ids in order, as `chosen (id, place)`. */
export function shownFrom(shop: Shop, chosen: Sql): Sql {
  return sql`select p.id, ${content} as content, v.stock::text as stock
    from (select ${shop.merchantId}::text as merchant_id, ${shop.currency}::text as currency,
      ${shop.showStock}::text as show_stock) as shop, ${chosen}
    join products p on p.site_id = ${shop.siteId} and p.id = chosen.id
    cross join lateral (${variants}) as v
    order by chosen.place`;
}

/**
 * The stock of the variants of products, in the order of `Shown.stock`, as an expression. `site` must be an expression that
 * names the tenant once `app.site_id` is set to it.
 */
export function stockOfProducts(productIds: string[], site: Sql): Sql {
  return sql`array(
    select v.on_hand - v.reserved
    from unnest((select ${productIds}::uuid[])) with ordinality as shown (id, place)
    join variants v on v.site_id = ${site} and v.product_id = shown.id order by shown.place, v.position, v.id)::text`;
}
