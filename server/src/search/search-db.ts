import type { Sql } from 'sql-template-tag';

/** The properties of a shop that the search needs: the tenant, its currency, and functions that send statements. */
export interface SearchDb {
  readonly siteId: string;
  readonly currency: string;
  readonly currencyDigits: number;
  /** Changes with each committed change of the catalogue. Empty if the version is unknown. */
  readonly catalogVersion: string;
  rows<Row extends object>(statement: Sql): Promise<Row[]>;
  one<Row extends object>(statement: Sql): Promise<Row | undefined>;
  run(statement: Sql): Promise<number>;
}

/** Conditions on `products p` that the shop defines and the search applies. */
export interface ProductFilters {
  /** Whether the public may see the product. */
  visible: Sql;
  /** Alternative conditions that together are the opposite of `visible`. Each has its own partial index. */
  hidden: Sql[];
  /** Whether at least one variant can be bought. */
  inStock: Sql;
  /** The condition of `inStock` in a form that is evaluated product by product. */
  canBeBought: Sql;
}
