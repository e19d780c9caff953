import type { Sql } from 'sql-template-tag';

/** The search needs the tenant, and a connection for its statements. `Shop` has both. */
export interface SearchDb {
  readonly siteId: string;
  readonly currency: string;
  readonly currencyDigits: number;
  /** Changes with every committed change of the catalogue. */
  readonly catalogVersion: string;
  rows<Row extends object>(statement: Sql): Promise<Row[]>;
  one<Row extends object>(statement: Sql): Promise<Row | undefined>;
  run(statement: Sql): Promise<number>;
}

/** Conditions on `products p` that the shop defines and the search applies. */
export interface ProductFilters {
  /** The public may see the product. */
  visible: Sql;
  /** The opposite of `visible`, as alternatives that each have a partial index of their own. */
  hidden: Sql[];
  /** At least one variant can be bought. */
  inStock: Sql;
  /** The same, looked up product by product. */
  canBeBought: Sql;
}
