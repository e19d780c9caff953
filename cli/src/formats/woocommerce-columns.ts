/** The columns of WooCommerce's product CSV that are used here, in English as its exporter writes them. */
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
  saleStarts: ['Date sale price starts'],
  saleEnds: ['Date sale price ends'],
  categories: ['Categories'],
  tags: ['Tags'],
  brands: ['Brands'],
  images: ['Images'],
  parent: ['Parent'],
  kg: ['Weight (kg)'],
  g: ['Weight (g)'],
  lb: ['Weight (lbs)', 'Weight (lb)'],
  oz: ['Weight (oz)'],
} as const;

export type WooColumn = keyof typeof WOOCOMMERCE_COLUMNS;

/** The columns of one attribute, which are numbered. */
export interface AttributeColumns {
  name: number;
  values: number;
  /** The title of the column of the values. */
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

/** Columns whose loss changes nothing that is sold, or that say only what WooCommerce itself assumes. */
const DEFAULTS: [RegExp, RegExp][] = [
  [/^attribute \d+ global$/i, /.*/],
  [/^attribute \d+ visible$/i, /^1$/],
  [/^(?:is featured\?|sold individually\?|position)$/i, /^-?\d*$/],
  [/^allow customer reviews\?$/i, /.*/],
];

/** Columns that nothing here reads, each with whether a cell of it loses something. */
export function otherColumnsOf(header: string[], used: Set<number>) {
  return header.flatMap((cell, index) => {
    const title = cell.trim();
    const meta = /^meta: *(.+)$/i.exec(title)?.[1];
    return used.has(index) || title === '' ? [] : [{ index, header: title, meta }];
  });
}

export function losesNothing(header: string, cell: string): boolean {
  return cell === '' || DEFAULTS.some(([title, usual]) => title.test(header) && usual.test(cell));
}
