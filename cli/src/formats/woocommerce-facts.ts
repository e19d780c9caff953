import { type Fact, metadataFrom } from './facts.ts';
import { decodeEntities, textOfHtml } from './html-text.ts';
import { quoted } from './row-reader.ts';
import type { AttributeColumns, OtherColumn, WooColumn, WooRow, WooWarn } from './woocommerce-columns.ts';
import { listOf } from './woocommerce-variations.ts';

/** Columns of a file without a field in the contract. */
export interface FactColumns {
  attributes: AttributeColumns[];
  others: OtherColumn[];
}

/** By WordPress convention, names with an underscore are hidden. */
const HIDDEN = /^_/;

/**
 * Metadata of a product: categories, attributes that are not options, and `Meta:` columns, hidden ones last. Variants
 * have no metadata: values that the product lacks come from its first variation, and other variations' different values
 * cause a warning.
 */
export function metadataOf(
  row: WooRow,
  variations: WooRow[],
  options: string[],
  { attributes, others }: FactColumns,
  warn: WooWarn,
): Record<string, string> {
  const categories = listOf(row.text('categories'));
  const all = categories.length > 1 ? categories.join(', ') : '';
  const short = row.text('description') ? textOfHtml(row.text('shortDescription')) : '';
  const metas = others.flatMap(({ meta, index, header }) => (meta ? [{ key: meta, index, column: header }] : []));
  const inOrder = [...metas.filter(({ key }) => !HIDDEN.test(key)), ...metas.filter(({ key }) => HIDDEN.test(key))];
  const facts: (Fact & { row: WooRow })[] = [
    { key: 'category', value: categories[0] ?? '', column: row.header('categories'), row },
    { key: 'categories', value: all, column: row.header('categories'), row },
    { key: 'short_description', value: short, column: row.header('shortDescription'), row },
    { key: 'parent_sku', value: variations.length > 0 ? row.text('sku') : '', column: row.header('sku'), row },
    ...attributes
      .map(({ name, values, header }) => ({ key: row.cell(name), value: row.cell(values), column: header, row }))
      .filter(({ key }) => key !== '' && !options.includes(key)),
    ...inOrder.flatMap(({ key, index, column }) => {
      const said = [row, ...variations].filter((each) => each.cell(index) !== '');
      const [first] = said;
      for (const each of said) {
        if (each.cell(index) === first?.cell(index)) continue;
        warn(each, `${column}: metadata belongs to the whole product here; this value differs and is left out.`);
      }
      return first ? [{ key, value: first.cell(index), column, row: first }] : [];
    }),
  ];
  return metadataFrom(facts, (message, fact) => warn(fact.row, message));
}

/** Columns that have no meaning for a product whose variations have their own values. */
const OF_VARIANTS = ['barcode', 'stock', 'lowStock', 'price', 'salePrice', 'saleStarts', 'saleEnds'] as const;
/** Cells of a variation that belong to the product in the contract. */
const OF_PRODUCTS = ['shortDescription', 'description', 'categories', 'tags', 'brands', 'visibility'] as const;

/** Warns about cells in the wrong row, such as a variation's description, or the price of a product with variations. */
export function warnOfMisplaced(row: WooRow, variations: WooRow[], warn: WooWarn): void {
  if (variations.length === 0) return;
  for (const column of OF_VARIANTS) {
    if (row.text(column) === '') continue;
    const words = 'belongs to the product as a whole; only the values of its variations are kept.';
    warn(row, `${row.header(column)} ${quoted(row.text(column))} ${words}`);
  }
  if (/^(?:1|yes|notify)$/i.test(row.text('backorders'))) {
    warn(row, `${row.header('backorders')}: only the values of the variations are kept.`);
  }
  for (const column of OF_PRODUCTS) warnOfOwn(column, row, variations, warn);
  const odd = variations.find(
    (each) => !decodeEntities(each.text('name')).startsWith(decodeEntities(row.text('name'))),
  );
  if (odd && odd.text('name') !== '') {
    warn(
      odd,
      `${odd.header('name')} ${quoted(odd.text('name'))}: a variant has no name of its own here; its options name it.`,
    );
  }
}

function warnOfOwn(column: WooColumn, row: WooRow, variations: WooRow[], warn: WooWarn): void {
  const own = variations.filter((each) => !['', 'visible', row.text(column)].includes(each.text(column)));
  const [first] = own;
  if (!first) return;
  const words = `${own.length} of ${variations.length} variations have their own; it is one of the whole product here, and theirs are left out.`;
  warn(first, `${first.header(column)}: ${words}`);
}

/** The variations that are enabled in the old shop, or all if none is or if the product itself is not enabled. */
export function enabledOf(row: WooRow, variations: WooRow[], warn: WooWarn): WooRow[] {
  const enabled = variations.filter((each) => each.text('published') !== '0');
  if (enabled.length === 0 || row.text('published') === '0') return variations;
  for (const each of variations) {
    if (!enabled.includes(each)) warn(each, `${each.header('published')}: the variation is switched off and left out.`);
  }
  return enabled;
}
