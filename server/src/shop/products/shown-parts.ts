/**
 * Images, options and variants of a product, as PostgreSQL sends them: all in one text, unsorted. A sorted aggregate
 * for each kind would take longer than reading the content.
 */

import sql, { raw, type Sql } from 'sql-template-tag';
import { available } from './rows.ts';

// No value contains these characters: JSON escapes control characters, and all other values are ids, numbers, booleans,
// times or codes.
export const BETWEEN_FIELDS = '\u0003';
const BETWEEN_ROWS = '\u0004';
const betweenRows = sql`E'\\x04'`;

/** The first value of a part. It is followed by the position and the fields, beginning with the id. */
const KIND = { image: 'i', option: 'o', variant: 'v', variantThatCanBeBought: 'b' } as const;

/** The number of values before the fields: the kind and the position. */
export const BEFORE_FIELDS = 2;

/** The values of each part, sorted by position. */
export interface Parts {
  images: string[][];
  options: string[][];
  variants: string[][];
}

/** Builds the text of a part. `before` contains the values before its fields. */
type ValuesOf = (before: Sql[]) => Sql;

const kindOfVariant = sql`case when ${available} then ${literal(KIND.variantThatCanBeBought)} else ${literal(KIND.variant)} end`;

export function partsColumn(image: ValuesOf, option: ValuesOf, variant: ValuesOf): Sql {
  return sql`(select string_agg(part, ${betweenRows}) from (
      select ${image([literal(KIND.image), sql`i.position`])} as part from product_images i
      where i.site_id = p.site_id and i.product_id = p.id
      union all
      select ${option([literal(KIND.option), sql`o.position`])} from product_options o
      where o.site_id = p.site_id and o.product_id = p.id
      union all
      select ${variant([kindOfVariant, sql`v.position`])} from variants v
      where v.site_id = p.site_id and v.product_id = p.id) as each_part)`;
}

export function partsOf(text: string | null): Parts {
  const parts: Parts = { images: [], options: [], variants: [] };
  for (const row of text?.split(BETWEEN_ROWS) ?? []) {
    const values = row.split(BETWEEN_FIELDS);
    const [kind] = values;
    const list = kind === KIND.image ? parts.images : kind === KIND.option ? parts.options : parts.variants;
    list.push(values);
  }
  for (const list of Object.values(parts) as string[][][]) if (!isInOrder(list)) list.sort(byPosition);
  return parts;
}

/** Whether the parts are in order. Usually they are, because an index returns them in order. */
function isInOrder(list: string[][]): boolean {
  return list.every((values, i) => i === 0 || byPosition(list[i - 1] ?? [], values) < 0);
}

function byPosition([, a, aId = '']: string[], [, b, bId = '']: string[]): number {
  return Number(a) - Number(b) || (aId < bId ? -1 : 1);
}

export function canBeBought([kind]: string[]): boolean {
  return kind === KIND.variantThatCanBeBought;
}

const BUYABLE = new RegExp(`(?:^|${BETWEEN_ROWS})${KIND.variantThatCanBeBought}${BETWEEN_FIELDS}`);

export function hasBuyableVariant(text: string | null): boolean {
  return text !== null && BUYABLE.test(text);
}

/** `raw` is safe, because the kinds are constants. */
function literal(kind: (typeof KIND)[keyof typeof KIND]): Sql {
  return raw(`'${kind}'`);
}
