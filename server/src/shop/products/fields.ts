import type { Product, ProductInput, ProductPatch, ProductReplacement } from '@commerce-backend/spec';
import sql, { raw, type Sql } from 'sql-template-tag';
import type { Fields } from '../../db/fields.ts';

interface Column {
  type: Sql;
  /** Default for a new product. Without one, null is valid. */
  initial?: Sql;
  /**
   * Whether every list of products contains the field. Otherwise only the dashboard and the audiences in `UNLISTED` get
   * it.
   */
  listed?: true;
}

const text = sql`text`;

/** Fields of a ProductInput that are stored with its variants, or are lists. */
type FieldOfParts = 'price' | 'compare_at_price' | 'cost_per_item' | 'options' | 'variants' | 'images';

/**
 * Writable columns of `products`. A new field, such as `seo_title`, needs one line here. Inserts, updates, the
 * comparison of an import and the dashboard's responses use this list. The type check fails for a missing or unknown
 * field.
 */
const COLUMNS = {
  name: { type: text, initial: sql`''`, listed: true },
  slug: { type: text, initial: sql`''`, listed: true },
  description: { type: text, initial: sql`''`, listed: true },
  description_html: { type: text },
  seo_title: { type: text },
  seo_description: { type: text },
  vendor: { type: text, listed: true },
  product_type: { type: text, listed: true },
  tags: { type: sql`text[]`, initial: sql`'{}'`, listed: true },
  status: { type: text, initial: sql`'draft'`, listed: true },
  published_at: { type: sql`timestamptz`, listed: true },
  metadata: { type: sql`jsonb`, initial: sql`'{}'`, listed: true },
  tax_class: { type: text, initial: sql`'standard'`, listed: true },
  track_inventory: { type: sql`boolean`, initial: sql`true`, listed: true },
  returnable: { type: sql`boolean`, initial: sql`true` },
  withdrawal_exempt: { type: text, initial: sql`'none'` },
} satisfies Record<Exclude<keyof ProductInput & keyof Product, FieldOfParts>, Column> satisfies {
  [Field in keyof ProductInput & keyof ProductPatch & keyof ProductReplacement]?: Column;
};

export type WrittenField = keyof typeof COLUMNS;
/** Undefined leaves a field unchanged. */
export type Written = { [Field in WrittenField]: ProductInput[Field] };

export const WRITTEN_FIELDS = Object.keys(COLUMNS) as WrittenField[];

/** The fields without `listed` that an audience gets. */
export const UNLISTED = {
  dashboard: WRITTEN_FIELDS.filter((field) => !columnOf(field).listed),
  /** For a single product only. */
  storefront: ['description_html', 'seo_title', 'seo_description', 'returnable', 'withdrawal_exempt'],
  sync: ['description_html', 'seo_title', 'seo_description', 'returnable', 'withdrawal_exempt'],
  agent: [],
} satisfies Record<string, WrittenField[]>;

/** `raw` is safe, because the name is a key of COLUMNS. */
export function columnOf(field: WrittenField): Column & { name: Sql } {
  return { ...COLUMNS[field], name: raw(field) };
}

export function fieldsOf(fields: WrittenField[]): Partial<Fields<Product>> {
  return Object.fromEntries(fields.map((field) => [field, sql`p.${raw(field)}`]));
}

/** Picks the writable fields of an input. */
export function writtenOf(input: Partial<Written>): Written {
  return Object.fromEntries(WRITTEN_FIELDS.map((field) => [field, input[field]])) as unknown as Written;
}
