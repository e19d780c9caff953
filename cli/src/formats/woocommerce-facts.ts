import { type Fact, metadataFrom } from './facts.ts';
import { decodeEntities, textOfHtml } from './html-text.ts';
import { quoted } from './row-reader.ts';
import type { AttributeColumns, OtherColumn, WooColumn, WooRow, WooWarn } from './woocommerce-columns.ts';
import { listOf } from './woocommerce-variations.ts';

/** The columns of a file that say more of a product than it has fields for. */
export interface FactColumns {
  attributes: AttributeColumns[];
  others: OtherColumn[];
}

/** A plugin's own name, by the custom of WordPress: it is not shown. */
const HIDDEN = /^_/;

/**
 * What a product says beyond its fields: categories, attributes that are no options, and the columns `Meta:`, hidden ones last. Variants
 * have no facts of their own: what the product leaves open its first variation says, and one that differs is told of.
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
        warn(each, `${column}: a fact is one of the whole product here; this value differs and is left out.`);
      }
      return first ? [{ key, value: first.cell(index), column, row: first }] : [];
    }),
  ];
  return metadataFrom(facts, (message, fact) => warn(fact.row, message));
}

/** Cells of a product whose variations have their own, and in which nothing but that says anything. */
const OF_VARIANTS = ['barcode', 'stock', 'lowStock', 'price', 'salePrice', 'saleStarts', 'saleEnds'] as const;
/** Cells of a variation that are those of the whole product here. */
const OF_PRODUCTS = ['shortDescription', 'description', 'categories', 'tags', 'brands', 'visibility'] as const;

/** Tells of what stands in a row that has no place for it: a variation's description, or a price of the product above its variations. */
export function warnOfMisplaced(row: WooRow, variations: WooRow[], warn: WooWarn): void {
  if (variations.length === 0) return;
  for (const column of OF_VARIANTS) {
    if (row.text(column) === '') continue;
    const words = 'is of the product as a whole; only what its variations say themselves is kept.';
    warn(row, `${row.header(column)} ${quoted(row.text(column))} ${words}`);
  }
  if (/^(?:1|yes|notify)$/i.test(row.text('backorders'))) {
    warn(row, `${row.header('backorders')}: only what the variations say themselves is kept.`);
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

/** The variations that can be bought: one that the old shop has switched off is not to be sold here. All, where none can be. */
export function enabledOf(row: WooRow, variations: WooRow[], warn: WooWarn): WooRow[] {
  const enabled = variations.filter((each) => each.text('published') !== '0');
  if (enabled.length === 0 || row.text('published') === '0') return variations;
  for (const each of variations) {
    if (!enabled.includes(each)) warn(each, `${each.header('published')}: the variation is switched off and left out.`);
  }
  return enabled;
}
