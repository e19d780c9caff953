/**
 * Public products as the JSON of a response. The catalogue's version changes with all of this data except the stock.
 */

import sql, { type Sql } from 'sql-template-tag';
import type { Shop } from '../shop.ts';
import { type Shown, writeProducts } from './shown-fields.ts';
import { fill, ShownText } from './shown-text.ts';

/** A response with products, and the stock that was read with them. */
export class ShownJson<Body> {
  /** The ids of the products, in order. */
  readonly productIds: string[] = [];
  /** The stock of the products' variants when they were read, as a PostgreSQL array. */
  readonly stock: string;
  /** The catalogue's version when the products were read. */
  readonly version: string;
  readonly texts: string[];
  readonly slots: string[];
  /** The contents of the slots. */
  readonly filled: string[];

  /** `parts` contains JSON texts and lists of products, in the order of the response. */
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
 * SQL for the stock of the products' variants, in the order of `ShownJson.stock`. Evaluating the expression `site` must
 * set `app.site_id` first, because row-level security hides the stock without it.
 */
export function stockOfProducts(productIds: string[], site: Sql): Sql {
  return sql`array(
    select v.on_hand - v.reserved
    from unnest((select ${productIds}::uuid[])) with ordinality as shown (id, place)
    join variants v on v.site_id = ${site} and v.product_id = shown.id order by shown.place, v.position, v.id)::text`;
}

/** Like `stockOfProducts`, for several lists of products. The results are joined by `;`. */
export function stockOfLists(lists: string[][], site: Sql): Sql {
  const texts = lists.map((ids) => `{${ids.join()}}`);
  return sql`(select string_agg(array(
      select v.on_hand - v.reserved
      from unnest(list.ids::uuid[]) with ordinality as shown (id, place)
      join variants v on v.site_id = ${site} and v.product_id = shown.id order by shown.place, v.position, v.id
    )::text, ';' order by list.place)
    from unnest((select ${texts}::text[])) with ordinality as list (ids, place))`;
}
