import sql, { type Sql } from 'sql-template-tag';
import type { Shop } from '../shop.ts';
import { type Shown, writeProducts } from './shown-fields.ts';
import { fill, ShownText } from './shown-text.ts';

/**
 * Public products as the JSON of a response. Whenever any of it except the stock changes, the catalogue's version
 * changes.
 */

/** A response with whole products and the stock that was read with them. */
export class ShownJson<Body> {
  /** The ids of the products, in order. */
  readonly productIds: string[] = [];
  /** The stock of the products' variants when they were read, as a PostgreSQL array. */
  readonly stock: string;
  /** The catalogue's version when the products were read. */
  readonly version: string;
  /** The texts around the slots, and the slots. */
  readonly texts: string[];
  readonly slots: string[];
  /** The contents of the slots. */
  readonly filled: string[];

  /** `parts` are texts of JSON, and products as they were read. */
  constructor(shop: Shop, version: string, parts: (string | Shown[])[]) {
    const to = new ShownText();
    for (const part of parts) {
      if (typeof part === 'string') {
        to.add(part);
      } else {
        writeProducts(to, part, shop);
        this.productIds.push(...part.map(({ id }) => id));
      }
    }
    to.end();
    this.texts = to.texts;
    this.slots = to.slots;
    this.stock = `{${to.stock.join()}}`;
    this.filled = fill(to.slots, this.stock);
    this.version = version;
  }

  text(): string {
    return this.texts.map((text, i) => text + (this.filled[i] ?? '')).join('');
  }

  body(): Body {
    return JSON.parse(this.text()) as Body;
  }
}

/**
 * An expression for the stock of the products' variants, in the order of `ShownJson.stock`. `site` must be an
 * expression for the tenant that is valid once `app.site_id` is set.
 */
export function stockOfProducts(productIds: string[], site: Sql): Sql {
  return sql`array(
    select v.on_hand - v.reserved
    from unnest((select ${productIds}::uuid[])) with ordinality as shown (id, place)
    join variants v on v.site_id = ${site} and v.product_id = shown.id order by shown.place, v.position, v.id)::text`;
}

/** An expression for the stock of several lists of products, separated by `;`. See `stockOfProducts`. */
export function stockOfLists(lists: string[][], site: Sql): Sql {
  const texts = lists.map((ids) => `{${ids.join()}}`);
  return sql`(select string_agg(array(
      select v.on_hand - v.reserved
      from unnest(list.ids::uuid[]) with ordinality as shown (id, place)
      join variants v on v.site_id = ${site} and v.product_id = shown.id order by shown.place, v.position, v.id
    )::text, ';' order by list.place)
    from unnest((select ${texts}::text[])) with ordinality as list (ids, place))`;
}
