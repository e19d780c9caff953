import sql, { join, raw, type Sql } from 'sql-template-tag';
import type { Shop } from '../shop.ts';
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

/**
 * The fields of a product as the public sees it. PostgreSQL sends only the values, joined as text: names, quotes and commas are
 * more than half of the JSON, and PostgreSQL would take longer to add them than this code. Each field says what is read and how
 * it is written.
 */
export interface Shown {
  id: string;
  /** Whether it has the fields of WHOLE_PRODUCT. */
  is_whole: boolean;
  /** The values of PRODUCT. */
  fields: string;
  /** Those of each IMAGE, OPTION and VARIANT (shown-parts.ts). */
  parts: string | null;
}

/** What a field may use besides its own value. */
interface Written {
  shop: Pick<Shop, 'merchantId' | 'currency' | 'showStock'>;
  product: Shown;
  parts: Parts;
  /** Of the variant. */
  threshold: string;
  canBeBought: boolean;
  /** When the product was created, and the variant. */
  created: string;
  variantCreated: string;
  /** Whether a variant that has been written can be bought. */
  inStock: boolean;
}

interface Field {
  /** Nothing is read when absent. Never null: what may be null is read as an empty text. */
  column?: Sql;
  write(to: ShownText, value: string, of: Written): void;
}

const betweenFields = sql`E'\\x03'`;

/** JSON that is passed on as it is. */
function json(name: string, column: Sql): Field {
  return { column, write: (to, value) => to.add(`,"${name}":${value}`) };
}

function text(name: string, column: Sql): Field {
  return json(name, sql`to_json(${column})`);
}

function textOrNull(name: string, column: Sql): Field {
  return jsonOrNull(name, sql`to_json(${column})`);
}

function jsonOrNull(name: string, column: Sql): Field {
  return {
    column: sql`coalesce(${column}::text, '')`,
    write: (to, value) => to.add(`,"${name}":${value || 'null'}`),
  };
}

/** What needs no escape in JSON. */
function plain(name: string, column: Sql): Field {
  return { column, write: (to, value) => to.add(`,"${name}":"${value}"`) };
}

function decimalOrNull(name: string, column: Sql): Field {
  const write: Field['write'] = (to, value) => to.add(value ? `,"${name}":"${value}"` : `,"${name}":null`);
  return { column: sql`coalesce(${column}::text, '')`, write };
}

function flag(name: string, column: Sql): Field {
  return { column, write: (to, value) => to.add(value === 't' ? `,"${name}":true` : `,"${name}":false`) };
}

/** Often the same time as another, for which nothing is read: PostgreSQL writes times slowly. */
function moment(name: string, column: Sql, other: Sql, otherOf: (of: Written) => string): Field {
  const write: Field['write'] = (to, value, of) => to.add(`,"${name}":"${value ? momentOf(value) : otherOf(of)}"`);
  return { column: textUnless(column, other), write };
}

/** A field that is not read, but computed. */
function written(name: string, json: (of: Written) => string): Field {
  return { write: (to, _value, of) => to.add(`,"${name}":${json(of)}`) };
}

/** JSON that is left out where there is none. */
function optional(name: string, column: Sql): Field {
  const write: Field['write'] = (to, value) => {
    if (value) to.add(`,"${name}":${value}`);
  };
  return { column: sql`coalesce(${column}::text, '')`, write };
}

function rows(name: keyof Parts, fields: Field[]): Field {
  return {
    write(to, _value, of) {
      to.add(`,"${name}":[`);
      of.parts[name].forEach((values, i) => {
        if (i > 0) to.add(',');
        of.canBeBought = canBeBought(values);
        writeObject(to, fields, values, BEFORE_FIELDS, of);
      });
      to.add(']');
    },
  };
}

function writeObject(to: ShownText, fields: Field[], values: string[], from: number, of: Written): void {
  let at = from;
  to.open();
  for (const { column, write } of fields) write(to, column ? (values[at++] ?? '') : '', of);
  to.add('}');
}

const IMAGE = [
  plain('id', sql`i.id`),
  text('url', sql`i.url`),
  textOrNull('alt', sql`i.alt`),
  json('position', sql`i.position`),
  jsonOrNull('width', sql`i.width`),
  jsonOrNull('height', sql`i.height`),
  json('variant_ids', variantIdsOfImage),
  optional('sources', sql`i.sources`),
];

const OPTION = [
  plain('id', sql`o.id`),
  text('name', sql`o.name`),
  json('position', sql`o.position`),
  text('values', sql`o.values`),
];

const nothing = written('cost_per_item', () => 'null');

const threshold: Field = {
  column: sql`v.low_stock_threshold`,
  write(to, value, of) {
    of.threshold = value;
    to.add(`,"low_stock_threshold":${value}`);
  },
};

const availability: Field = {
  write(to, _value, of) {
    if (of.canBeBought) of.inStock = true;
    to.add(of.canBeBought ? ',"available":true' : ',"available":false');
  },
};

/** What depends on stock is left open: it is filled in with the current stock. */
const stock: Field[] = [
  {
    column: sql`v.track_inventory`,
    write(to, value, { shop, threshold }) {
      to.add(',');
      to.leaveOpen(`${letterOf(shop.showStock)}${threshold}${value === 't' ? '' : 'u'}`);
    },
  },
  { column: sql`v.on_hand - v.reserved`, write: (to, value) => to.stock.push(value) },
];

const VARIANT: Field[] = [
  plain('id', sql`v.id`),
  written('product_id', ({ product }) => `"${product.id}"`),
  textOrNull('sku', sql`v.sku`),
  textOrNull('barcode', sql`v.barcode`),
  textOrNull('option1', sql`v.option1`),
  textOrNull('option2', sql`v.option2`),
  textOrNull('option3', sql`v.option3`),
  plain('price', sql`v.price`),
  decimalOrNull('compare_at_price', sql`v.compare_at_price`),
  nothing,
  plain('inventory_policy', sql`v.inventory_policy`),
  threshold,
  decimalOrNull('weight', sql`v.weight`),
  plain('weight_unit', sql`v.weight_unit`),
  flag('requires_shipping', sql`v.requires_shipping`),
  textOrNull('image_url', sql`v.image_url`),
  availability,
  ...stock,
  {
    column: textUnless(sql`v.created_at`, sql`p.created_at`),
    write(to, value, of) {
      of.variantCreated = value ? momentOf(value) : of.created;
      to.add(`,"created_at":"${of.variantCreated}"`);
    },
  },
  moment('updated_at', sql`v.updated_at`, sql`v.created_at`, (of) => of.variantCreated),
];

const NEVER = '-';

/** Null where it is in no list yet. */
const publication: Field = {
  column: sql`case when p.published_at = p.created_at then '' else coalesce(p.published_at::text, ${raw(`'${NEVER}'`)}) end`,
  write(to, value, { created }) {
    if (value === NEVER) to.add(',"published_at":null');
    else to.add(`,"published_at":"${value ? momentOf(value) : created}"`);
  },
};

const PRODUCT: Field[] = [
  {
    column: sql`p.created_at`,
    write(_to, value, of) {
      of.created = momentOf(value);
    },
  },
  written('id', ({ product }) => `"${product.id}"`),
  written('merchant_id', ({ shop }) => `"${shop.merchantId}"`),
  text('name', sql`p.name`),
  text('slug', sql`p.slug`),
  text('description', sql`p.description`),
  textOrNull('vendor', sql`p.vendor`),
  textOrNull('product_type', sql`p.product_type`),
  text('tags', sql`p.tags`),
  plain('price', sql`p.price`),
  decimalOrNull('compare_at_price', sql`p.compare_at_price`),
  nothing,
  written('currency', ({ shop }) => `"${shop.currency}"`),
  rows('images', IMAGE),
  flag('has_variants', sql`p.has_variants`),
  rows('options', OPTION),
  rows('variants', VARIANT),
  flag('track_inventory', sql`p.track_inventory`),
  {
    write(to: ShownText) {
      to.add(',"total_inventory":');
      to.leaveOpen(TOTAL);
    },
  },
  written('in_stock', ({ inStock }) => String(inStock)),
  plain('status', sql`p.status`),
  json('metadata', sql`p.metadata`),
  plain('tax_class', sql`p.tax_class`),
  publication,
  written('created_at', ({ created }) => `"${created}"`),
  moment('updated_at', sql`p.updated_at`, sql`p.created_at`, ({ created }) => created),
];

/** Of a product that is shown by itself. */
const WHOLE_PRODUCT = [
  ...PRODUCT,
  textOrNull('description_html', sql`p.description_html`),
  textOrNull('seo_title', sql`p.seo_title`),
  textOrNull('seo_description', sql`p.seo_description`),
];

/** Writes products with commas between them. */
export function writeProducts(to: ShownText, products: Shown[], shop: Written['shop']): void {
  products.forEach((product, i) => {
    if (i > 0) to.add(',');
    const fields = product.is_whole ? WHOLE_PRODUCT : PRODUCT;
    writeObject(to, fields, product.fields.split(BETWEEN_FIELDS), 0, {
      ...{ shop, product, parts: partsOf(product.parts) },
      ...{ threshold: '', canBeBought: false, created: '', variantCreated: '', inStock: false },
    });
  });
}

/** Whether one of its variants can be bought. */
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

/** The columns of `Shown`, of `products p`, as lists show them. Made once: they have no values of their own. */
export const shownColumns = sql`p.id, false as is_whole, ${valuesOf(PRODUCT)} as fields, ${parts} as parts`;

/** The same of a product that is shown by itself. */
export const wholeColumns = sql`p.id, true as is_whole, ${valuesOf(WHOLE_PRODUCT)} as fields, ${parts} as parts`;
