import { decodeEntities } from './html-text.ts';
import { splitUnescaped } from './split-unescaped.ts';
import type { AttributeColumns, WooRow } from './woocommerce-columns.ts';

/** A variation's row for one combination of option values. A row can cover several combinations. */
export interface Variation {
  row: WooRow;
  values: Map<string, string>;
  /** Whether the row covers several combinations. Unique values, such as the SKU, belong to the first one. */
  place: 'only' | 'first' | 'later';
}

/** Splits a cell at commas, except after a backslash. */
export function listOf(cell: string): string[] {
  return splitUnescaped(cell, ',')
    .map((part) => part.replaceAll('\\,', ',').trim())
    .filter(Boolean);
}

/** The attributes of a row that have both a name and a value. */
export function attributesOf(row: WooRow, attributes: AttributeColumns[]): Map<string, string> {
  const pairs = attributes.map(({ name, values }) => [row.cell(name), row.cell(values)] as const);
  return new Map(pairs.filter(([name, value]) => name !== '' && value !== ''));
}

/**
 * The attributes that distinguish variations: those that any variation names, first in the product's order, then those
 * that only variations have. At most 3.
 */
export function optionsOf(row: WooRow, variations: WooRow[], attributes: AttributeColumns[]): string[] {
  const ofProduct = [...attributesOf(row, attributes).keys()];
  const named = new Set(variations.flatMap((each) => attributes.map(({ name }) => each.cell(name))));
  const given = new Set(variations.flatMap((each) => [...attributesOf(each, attributes).keys()]));
  const own = [...given].filter((name) => !ofProduct.includes(name));
  const options = [...ofProduct.filter((name) => named.has(name)), ...own];
  if (options.length === 0) row.refuse('type', 'Its variations have no attribute that tells them apart.');
  if (options.length > 3) row.refuse('type', `Its variations have ${options.length} attributes; at most 3 are kept.`);
  return options.slice(0, 3);
}

/**
 * The variations with a value for each option. A variation without a value means any value, so it is repeated for each
 * of the product's values that no earlier variation has.
 */
export function variationsOf(
  parent: WooRow,
  rows: WooRow[],
  options: string[],
  attributes: AttributeColumns[],
): Variation[] {
  const taken = new Set<string>();
  const ofProduct = attributesOf(parent, attributes);
  return rows.flatMap((row) => {
    const own = attributesOf(row, attributes);
    let combinations: Map<string, string>[] = [new Map()];
    for (const name of options) {
      const value = own.get(name);
      const values = value === undefined ? listOf(ofProduct.get(name) ?? '') : [value.replaceAll('\\,', ',')];
      if (values.length === 0) row.refuse('type', `The variation is for any "${name}", and the product names none.`);
      combinations = combinations.flatMap((so) => values.map((each) => new Map([...so, [name, decodeEntities(each)]])));
    }
    const isOpen = options.some((name) => !own.has(name));
    const free = combinations.filter((values) => !isOpen || !taken.has(keyOf(values)));
    for (const values of free) taken.add(keyOf(values));
    return free.map((values, index) => ({
      ...{ row, values },
      place: free.length === 1 ? ('only' as const) : index === 0 ? ('first' as const) : ('later' as const),
    }));
  });
}

function keyOf(values: Map<string, string>): string {
  return JSON.stringify([...values.values()]);
}
