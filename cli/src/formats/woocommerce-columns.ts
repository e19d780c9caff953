import type { RowReader } from './row-reader.ts';

/** The columns of WooCommerce's product CSV that the import uses, with their English names. */
export const WOOCOMMERCE_COLUMNS = {
  id: ['ID'],
  type: ['Type'],
  sku: ['SKU'],
  barcode: ['GTIN, UPC, EAN, or ISBN', 'GTIN'],
  name: ['Name'],
  published: ['Published'],
  visibility: ['Visibility in catalog'],
  shortDescription: ['Short description'],
  description: ['Description'],
  taxStatus: ['Tax status'],
  inStock: ['In stock?'],
  stock: ['Stock'],
  lowStock: ['Low stock amount'],
  backorders: ['Backorders allowed?'],
  salePrice: ['Sale price'],
  price: ['Regular price'],
  // The cost columns of WooCommerce and of older plugins. Costs never become metadata, because shoppers can read
  // metadata.
  cost: ['Cost of goods', 'Meta: _wc_cog_cost', 'Meta: _alg_wc_cog_cost'],
  saleStarts: ['Date sale price starts'],
  saleEnds: ['Date sale price ends'],
  categories: ['Categories'],
  tags: ['Tags'],
  brands: ['Brands'],
  images: ['Images'],
  parent: ['Parent'],
  position: ['Position'],
  kg: ['Weight (kg)'],
  g: ['Weight (g)'],
  lb: ['Weight (lbs)', 'Weight (lb)'],
  oz: ['Weight (oz)'],
} as const;

export type WooColumn = keyof typeof WOOCOMMERCE_COLUMNS;

export type WooRow = RowReader<WooColumn>;
export type WooWarn = (row: WooRow, message: string) => void;

/** The numbered columns of one attribute. */
export interface AttributeColumns {
  name: number;
  values: number;
  /** Title of the column with the values. */
  header: string;
}

export function attributeColumnsOf(header: string[]): AttributeColumns[] {
  const titles = header.map((cell) => cell.trim().toLowerCase());
  return titles.flatMap((title, name) => {
    const [, number] = /^attribute (\d+) name$/.exec(title) ?? [];
    const values = titles.indexOf(`attribute ${number} value(s)`);
    return number !== undefined && values >= 0 ? [{ name, values, header: (header[values] ?? '').trim() }] : [];
  });
}

/** Cells with WooCommerce's default values, and flags without an effect here. They are ignored. */
const DEFAULTS: [RegExp, RegExp][] = [
  [/^attribute \d+ global$/i, /.*/],
  [/^attribute \d+ visible$/i, /^1$/],
  [/^(?:is featured\?|sold individually\?|allow customer reviews\?)$/i, /^0$/],
];

/** A column without a field in the contract. `meta` is the name of a plugin's value. */
export interface OtherColumn {
  index: number;
  header: string;
  meta: string | undefined;
}

/** All cost columns. A file may have several; those that are not used do not become metadata. */
const COSTS: string[] = WOOCOMMERCE_COLUMNS.cost.map((title) => title.toLowerCase());

export function otherColumnsOf(header: string[], used: Set<number>): OtherColumn[] {
  return header.flatMap((cell, index) => {
    const title = cell.trim();
    const meta = COSTS.includes(title.toLowerCase()) ? undefined : /^meta: *(.+)$/i.exec(title)?.[1];
    return used.has(index) || title === '' ? [] : [{ index, header: title, meta }];
  });
}

export function losesNothing(header: string, cell: string): boolean {
  return cell === '' || DEFAULTS.some(([title, usual]) => title.test(header) && usual.test(cell));
}
