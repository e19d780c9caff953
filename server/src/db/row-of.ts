import type { Tables } from './tables.ts';

/** Columns of a table according to the migrated schema, as in `shop.one<RowOf<'products', 'id' | 'name'>>(…)`. */
export type RowOf<Table extends keyof Tables, Column extends keyof Tables[Table]> = Pick<Tables[Table], Column>;
