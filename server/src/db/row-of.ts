import type { Tables } from './tables.ts';

/** Columns of a table's rows, as in `shop.one<RowOf<'products', 'id' | 'name'>>(…)`, from the migrated schema. */
export type RowOf<Table extends keyof Tables, Column extends keyof Tables[Table]> = Pick<Tables[Table], Column>;
