import type { Product, ProductInput } from '@commerce-backend/spec';
import sql, { raw, type Sql } from 'sql-template-tag';
import type { Fields } from '../../db/fields.ts';

/** A column of `products` that merchants write. */
interface Column {
  type: Sql;
  /** What a new product has where none is given. Without it, null is a value like others. */
  initial?: Sql;
  /** Only the dashboard and the audiences that name it below see it. */
  unlisted?: true;
}

const NULLABLE_TEXT: Column = { type: sql`text` };
const UNLISTED_TEXT: Column = { type: sql`text`, unlisted: true };

/**
 * What merchants write of a product itself. A new field is one line here: the plan of an input, the statements that insert and
 * change products, the comparison of an import and the dashboard's answers follow from it.
 */
const COLUMNS = {
  name: { type: sql`text`, initial: sql`''` },
  slug: { type: sql`text`, initial: sql`''` },
  description: { type: sql`text`, initial: sql`''` },
  description_html: UNLISTED_TEXT,
  seo_title: UNLISTED_TEXT,
  seo_description: UNLISTED_TEXT,
  vendor: NULLABLE_TEXT,
  product_type: NULLABLE_TEXT,
  tags: { type: sql`text[]`, initial: sql`'{}'` },
  status: { type: sql`text`, initial: sql`'draft'` },
  published_at: { type: sql`timestamptz` },
  metadata: { type: sql`jsonb`, initial: sql`'{}'` },
  tax_class: { type: sql`text`, initial: sql`'standard'` },
  track_inventory: { type: sql`boolean`, initial: sql`true` },
} satisfies Partial<Record<keyof ProductInput & keyof Product, Column>>;

export type WrittenField = keyof typeof COLUMNS;
/** All of them; what is undefined is left as it is. */
export type Written = { [Field in WrittenField]: ProductInput[Field] };

export const WRITTEN_FIELDS = Object.keys(COLUMNS) as WrittenField[];

/** Which of the unlisted fields an audience sees. */
export const UNLISTED = {
  dashboard: WRITTEN_FIELDS.filter((field) => columnOf(field).unlisted),
  /** The page of one product. */
  storefront: ['description_html', 'seo_title', 'seo_description'],
  sync: ['description_html', 'seo_title', 'seo_description'],
  agent: [],
} satisfies Record<string, WrittenField[]>;

/** `name` is safe in a statement: it is a key of COLUMNS. */
export function columnOf(field: WrittenField): Column & { name: Sql } {
  return { ...COLUMNS[field], name: raw(field) };
}

/** These fields of `products p`. */
export function fieldsOf(fields: WrittenField[]): Partial<Fields<Product>> {
  return Object.fromEntries(fields.map((field) => [field, sql`p.${raw(field)}`]));
}

/** What an input says of them. */
export function writtenOf(input: Partial<Written>): Written {
  return Object.fromEntries(WRITTEN_FIELDS.map((field) => [field, input[field]])) as unknown as Written;
}
