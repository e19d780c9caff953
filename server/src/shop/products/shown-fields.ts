/**
 * The fields of a public product. PostgreSQL sends only their values, joined to one text, and this code adds names,
 * quotes and commas. These are more than half of the JSON, and PostgreSQL would take longer to add them.
 */

import type { Image, Option, Product, Variant } from '@commerce-backend/spec';
import sql, { join, raw, type Sql } from 'sql-template-tag';
import type { Shop } from '../shop.ts';
import { fieldsOf, UNLISTED } from './fields.ts';
import { variantIdsOfImage } from './rows.ts';
import {
  BEFORE_FIELDS,
  BETWEEN_FIELDS,
  canBeBought,
  hasBuyableVariant,
  type Parts,
  partsColumn,
  partsOf,
} from './shown-parts.ts';
import { letterOf, type ShownText, TOTAL } from './shown-text.ts';
import { momentOf, textUnless } from './shown-times.ts';

export interface Shown {
  id: string;
  /** Whether `fields` contains the fields of WHOLE_PRODUCT. */
  is_whole: boolean;
  /** The values of the fields in LISTED_PRODUCT or WHOLE_PRODUCT. */
  fields: string;
  /** The values of each IMAGE, OPTION and VARIANT (shown-parts.ts). */
  parts: string | null;
}

/** The data that a field needs when it is written. */
interface Written {
  shop: Pick<Shop, 'merchantId' | 'currency' | 'showStock'>;
  product: Shown;
  parts: Parts;
  /** The variant's low-stock threshold. */
  threshold: string;
  canBeBought: boolean;
  /** The creation time of the product. */
  created: string;
  variantCreated: string;
  /** Whether any of the variants written so far can be bought. */
  inStock: boolean;
}

interface Field {
  /** Missing for a computed field. Never null: null is read as empty text. */
  column?: Sql;
  /** `key` is the JSON text before the value: the comma, the name and the colon. */
  write(to: ShownText, value: string, of: Written, key: string): void;
}

/** The fields of an API object in order. A missing required field is a type error. */
type FieldsOf<T> = { [Name in keyof T]: Field };

interface Listed extends Field {
  key: string;
}

function listOf<T extends object>(fields: FieldsOf<T>): Listed[] {
  return Object.entries<Field>(fields).map(([name, field]) => ({ ...field, key: `,"${name}":` }));
}

const betweenFields = sql`E'\\x03'`;

/** The column contains JSON, which is written unchanged. */
function json(column: Sql): Field {
  return { column, write: (to, value, _of, key) => to.add(key + value) };
}

function text(column: Sql): Field {
  return json(sql`to_json(${column})`);
}

function textOrNull(column: Sql): Field {
  return jsonOrNull(sql`to_json(${column})`);
}

function jsonOrNull(column: Sql): Field {
  return {
    column: sql`coalesce(${column}::text, '')`,
    write: (to, value, _of, key) => to.add(key + (value || 'null')),
  };
}

/** A text that needs no JSON escapes. */
function plain(column: Sql): Field {
  return { column, write: (to, value, _of, key) => to.add(`${key}"${value}"`) };
}

function decimalOrNull(column: Sql): Field {
  const write: Field['write'] = (to, value, _of, key) => to.add(value ? `${key}"${value}"` : `${key}null`);
  return { column: sql`coalesce(${column}::text, '')`, write };
}

function flag(column: Sql): Field {
  return { column, write: (to, value, _of, key) => to.add(value === 't' ? `${key}true` : `${key}false`) };
}

/** A time field. The time is sent only if it differs from `other`, because PostgreSQL formats times slowly. */
function moment(column: Sql, other: Sql, otherOf: (of: Written) => string): Field {
  const write: Field['write'] = (to, value, of, key) => to.add(`${key}"${value ? momentOf(value) : otherOf(of)}"`);
  return { column: textUnless(column, other), write };
}

function written(json: (of: Written) => string): Field {
  return { write: (to, _value, of, key) => to.add(key + json(of)) };
}

/** A field that is omitted if it is empty. The column contains JSON. */
function optional(column: Sql): Field {
  const write: Field['write'] = (to, value, _of, key) => {
    if (value) to.add(key + value);
  };
  return { column: sql`coalesce(${column}::text, '')`, write };
}

function rows(name: keyof Parts, fields: Listed[]): Field {
  return {
    write(to, _value, of, key) {
      to.add(`${key}[`);
      of.parts[name].forEach((values, i) => {
        if (i > 0) to.add(',');
        of.canBeBought = canBeBought(values);
        writeObject(to, fields, values, BEFORE_FIELDS, of);
      });
      to.add(']');
    },
  };
}

function writeObject(to: ShownText, fields: Listed[], values: string[], from: number, of: Written): void {
  let at = from;
  to.open();
  for (const { key, column, write } of fields) write(to, column ? (values[at++] ?? '') : '', of, key);
  to.add('}');
}

const IMAGE = listOf<Image>({
  id: plain(sql`i.id`),
  url: text(sql`i.url`),
  alt: textOrNull(sql`i.alt`),
  position: json(sql`i.position`),
  width: jsonOrNull(sql`i.width`),
  height: jsonOrNull(sql`i.height`),
  variant_ids: json(variantIdsOfImage),
  sources: optional(sql`i.sources`),
});

const OPTION = listOf<Option>({
  id: plain(sql`o.id`),
  name: text(sql`o.name`),
  position: json(sql`o.position`),
  values: text(sql`o.values`),
});

const nothing = written(() => 'null');

const threshold: Field = {
  column: sql`v.low_stock_threshold`,
  write(to, value, of, key) {
    of.threshold = value;
    to.add(key + value);
  },
};

const availability: Field = {
  write(to, _value, of, key) {
    if (of.canBeBought) of.inStock = true;
    to.add(of.canBeBought ? `${key}true` : `${key}false`);
  },
};

/** A variant's quantity. It leaves a slot in the text for the stock and the fields derived from it (shown-text.ts). */
const quantity: Field = {
  column: sql`v.track_inventory`,
  write(to, value, { shop, threshold }) {
    to.add(',');
    to.leaveOpen(`${letterOf(shop.showStock)}${threshold}${value === 't' ? '' : 'u'}`);
  },
};
const lowStock: Field = { column: sql`v.on_hand - v.reserved`, write: (to, value) => to.stock.push(value) };
const outOfStock: Field = { write() {} };

const VARIANT = listOf<Variant>({
  id: plain(sql`v.id`),
  product_id: written(({ product }) => `"${product.id}"`),
  sku: textOrNull(sql`v.sku`),
  barcode: textOrNull(sql`v.barcode`),
  option1: textOrNull(sql`v.option1`),
  option2: textOrNull(sql`v.option2`),
  option3: textOrNull(sql`v.option3`),
  price: plain(sql`v.price`),
  compare_at_price: decimalOrNull(sql`v.compare_at_price`),
  cost_per_item: nothing,
  inventory_policy: plain(sql`v.inventory_policy`),
  low_stock_threshold: threshold,
  weight: decimalOrNull(sql`v.weight`),
  weight_unit: plain(sql`v.weight_unit`),
  requires_shipping: flag(sql`v.requires_shipping`),
  image_url: textOrNull(sql`v.image_url`),
  available: availability,
  inventory_quantity: quantity,
  is_low_stock: lowStock,
  is_out_of_stock: outOfStock,
  created_at: {
    column: textUnless(sql`v.created_at`, sql`p.created_at`),
    write(to, value, of, key) {
      of.variantCreated = value ? momentOf(value) : of.created;
      to.add(`${key}"${of.variantCreated}"`);
    },
  },
  updated_at: moment(sql`v.updated_at`, sql`v.created_at`, (of) => of.variantCreated),
});

const NEVER = '-';

/** Null for a product that was never published. */
const publication: Field = {
  column: sql`case when p.published_at = p.created_at then '' else coalesce(p.published_at::text, ${raw(`'${NEVER}'`)}) end`,
  write(to, value, { created }, key) {
    if (value === NEVER) to.add(`${key}null`);
    else to.add(`${key}"${value ? momentOf(value) : created}"`);
  },
};

const PRODUCT: FieldsOf<Product> = {
  id: {
    // Other time fields are sent only if they differ from this one.
    column: sql`p.created_at`,
    write(to, value, of, key) {
      of.created = momentOf(value);
      to.add(`${key}"${of.product.id}"`);
    },
  },
  merchant_id: written(({ shop }) => `"${shop.merchantId}"`),
  name: text(sql`p.name`),
  slug: text(sql`p.slug`),
  description: text(sql`p.description`),
  vendor: textOrNull(sql`p.vendor`),
  product_type: textOrNull(sql`p.product_type`),
  tags: text(sql`p.tags`),
  price: plain(sql`p.price`),
  compare_at_price: decimalOrNull(sql`p.compare_at_price`),
  cost_per_item: nothing,
  currency: written(({ shop }) => `"${shop.currency}"`),
  images: rows('images', IMAGE),
  has_variants: flag(sql`p.has_variants`),
  options: rows('options', OPTION),
  variants: rows('variants', VARIANT),
  track_inventory: flag(sql`p.track_inventory`),
  total_inventory: {
    write(to, _value, _of, key) {
      to.add(key);
      to.leaveOpen(TOTAL);
    },
  },
  in_stock: written(({ inStock }) => String(inStock)),
  status: plain(sql`p.status`),
  metadata: json(sql`p.metadata`),
  tax_class: plain(sql`p.tax_class`),
  published_at: publication,
  created_at: written(({ created }) => `"${created}"`),
  updated_at: moment(sql`p.updated_at`, sql`p.created_at`, ({ created }) => created),
};

const LISTED_PRODUCT = listOf(PRODUCT);

const WHOLE_PRODUCT = listOf<Product>({
  ...PRODUCT,
  ...Object.fromEntries(
    Object.entries(fieldsOf(UNLISTED.storefront)).map(([name, column]) => [name, textOrNull(column)]),
  ),
});

export function writeProducts(to: ShownText, products: Shown[], shop: Written['shop']): void {
  products.forEach((product, i) => {
    if (i > 0) to.add(',');
    const fields = product.is_whole ? WHOLE_PRODUCT : LISTED_PRODUCT;
    writeObject(to, fields, product.fields.split(BETWEEN_FIELDS), 0, {
      ...{ shop, product, parts: partsOf(product.parts) },
      ...{ threshold: '', canBeBought: false, created: '', variantCreated: '', inStock: false },
    });
  });
}

export function isBuyable({ parts }: Shown): boolean {
  return hasBuyableVariant(parts);
}

function valuesOf(fields: Field[], before: Sql[] = []): Sql {
  return sql`concat_ws(${betweenFields}, ${join([...before, ...fields.flatMap(({ column }) => column ?? [])])})`;
}

const parts = partsColumn(
  (before) => valuesOf(IMAGE, before),
  (before) => valuesOf(OPTION, before),
  (before) => valuesOf(VARIANT, before),
);

/** The columns of a product in lists, from `products p`. Built once, because they have no parameters. */
export const shownColumns = sql`p.id, false as is_whole, ${valuesOf(LISTED_PRODUCT)} as fields, ${parts} as parts`;

/** The columns of a single product, from `products p`. */
export const wholeColumns = sql`p.id, true as is_whole, ${valuesOf(WHOLE_PRODUCT)} as fields, ${parts} as parts`;
