import type { ProductImport } from '@commerce-backend/spec';
import { outOfBounds } from './bounds.ts';
import type { CsvRow } from './csv-records.ts';
import { KeyTable } from './key-table.ts';
import { MAGENTO_COLUMNS, type MagentoColumn } from './magento-columns.ts';
import { type Child, configurableProductOf, isOnline, type MagentoRow, simpleProductOf } from './magento-product.ts';
import { type Variation, variationsOf } from './magento-text.ts';
import { requireColumn, warnOfNoPrice } from './missing-columns.ts';
import type { Read, ReadContext } from './reading.ts';
import { type FieldError, findColumns, RowReader } from './row-reader.ts';
import { firstUseOf, slugOf } from './slug.ts';

const SOLD_ALONE = new Set(['simple', 'virtual', 'downloadable']);

/**
 * Reads products from Magento 2's product CSV. A configurable product is returned once the rows of all its variations
 * were read. Simple rows wait until the end of the file, because a later product may list them as variations; the
 * remaining ones are products themselves (drafts if Magento hides them). Rows of single store views are skipped with a
 * warning, and unknown product types are rejected.
 */
export async function* readMagento(
  header: string[],
  rows: AsyncIterable<CsvRow>,
  context: ReadContext,
): AsyncGenerator<Read> {
  const columns = findColumns(header, MAGENTO_COLUMNS);
  requireColumn(columns, 'name', 'name');
  warnOfNoPrice(columns, 'price', context);
  const file = new MagentoFile(context);
  for await (const { line, cells, problem } of rows) {
    const row: MagentoRow = new RowReader<MagentoColumn>(columns, line, cells, context.decimals);
    if (problem) yield file.refuse(row, 'row', problem);
    else yield* file.take(row);
  }
  yield* file.rest();
}

/**
 * Turns the rows of a file into products. Keeps a configurable row until the rows of its variations have been read, and
 * a simple row until a product claims it or the file ends.
 */
class MagentoFile {
  readonly #context: ReadContext;
  /** Simple rows by SKU that no product has listed yet. */
  readonly #simple = new Map<string, MagentoRow>();
  /** Configurable rows that wait for a variation, by the SKU of the first missing one. */
  readonly #waiting = new Map<string, MagentoRow[]>();
  /** Line of the product that listed a SKU as its variation. */
  readonly #claimed = new Map<string, number>();
  /** Line of the first use of each slug. */
  readonly #slugs = new KeyTable();

  constructor(context: ReadContext) {
    this.#context = context;
  }

  *take(row: MagentoRow): Generator<Read> {
    const sku = row.text('sku');
    const kind = row.text('product_type');
    if (row.text('store_view_code') !== '') {
      this.#context.warn(row.line, `The row of the store view "${row.text('store_view_code')}" is left out.`);
    } else if (sku === '') {
      yield this.refuse(row, 'sku', 'The SKU is missing.');
    } else if (kind === 'configurable') {
      yield* this.#tryConfigurable(row);
    } else if (!SOLD_ALONE.has(kind)) {
      const known = 'simple, virtual, downloadable and configurable products can be imported';
      yield this.refuse(row, 'product_type', `"${kind}" products are not known here: ${known}.`);
    } else if (this.#simple.has(sku) || this.#claimed.has(sku)) {
      yield this.refuse(row, 'sku', `The SKU ${sku} is already that of a row before this one.`);
    } else {
      this.#simple.set(sku, row);
      const waiting = this.#waiting.get(sku) ?? [];
      this.#waiting.delete(sku);
      for (const parent of waiting) yield* this.#tryConfigurable(parent);
    }
  }

  /** Called at the end of the file. Returns products with missing variations, then the remaining simple rows. */
  *rest(): Generator<Read> {
    for (const parent of [...this.#waiting.values()].flat()) yield this.#configurable(parent);
    for (const row of this.#simple.values()) {
      const product = simpleProductOf(row, this.#context);
      const hidden = row.text('visibility') === 'Not Visible Individually';
      if (hidden) this.#context.warn(row.line, 'No product has this one as a variation: it becomes a separate draft.');
      yield this.#finish(row, hidden ? { ...product, status: 'draft' } : product, row.errors);
    }
  }

  refuse(row: MagentoRow, column: MagentoColumn | 'row', message: string): Read {
    return { line: row.line, errors: [{ line: row.line, field: column, message }] };
  }

  *#tryConfigurable(row: MagentoRow): Generator<Read> {
    const missing = variationsOf(row.text('configurable_variations')).find(
      ({ sku }) => !this.#simple.has(sku) && !this.#claimed.has(sku),
    );
    if (missing) this.#waiting.set(missing.sku, [...(this.#waiting.get(missing.sku) ?? []), row]);
    else yield this.#configurable(row);
  }

  #configurable(row: MagentoRow): Read {
    const variations = variationsOf(row.text('configurable_variations'));
    const children: Child[] = [];
    const absent: string[] = [];
    for (const variation of variations) {
      const child = this.#claim(row, variation, absent);
      if (child) children.push({ row: child, variation });
    }
    const online = children.filter((child) => isOnline(child.row));
    for (const child of children) {
      if (isOnline(child.row)) continue;
      this.#context.warn(child.row.line, `The variation ${child.variation.sku} is disabled in Magento and left out.`);
    }
    if (absent.length > 0) {
      row.refuse('configurable_variations', `Variations without a row in the file: ${listOf(absent)}.`);
    } else if (online.length === 0) {
      row.refuse('configurable_variations', 'The product has no variation that is enabled.');
    }
    const product = configurableProductOf(row, online, this.#context);
    return this.#finish(row, product, [...row.errors, ...online.flatMap((child) => child.row.errors)], online);
  }

  #claim(parent: MagentoRow, { sku }: Variation, absent: string[]): MagentoRow | undefined {
    const child = this.#simple.get(sku);
    const earlier = this.#claimed.get(sku);
    if (child) {
      this.#simple.delete(sku);
      this.#claimed.set(sku, parent.line);
    } else if (earlier !== undefined) {
      parent.refuse(
        'configurable_variations',
        `The variation ${sku} already belongs to the product on line ${earlier}.`,
      );
    } else {
      absent.push(sku);
    }
    return child;
  }

  #finish(row: MagentoRow, read: ProductImport, readErrors: FieldError[], children: Child[] = []): Read {
    const product = { ...read, slug: this.#slugFor(row, read.slug) };
    const errors = [...readErrors];
    for (const { field, variant, message } of outOfBounds(product)) {
      const line = (variant === undefined ? undefined : children[variant]?.row.line) ?? row.line;
      errors.push({ line, field: columnOf(field), message });
    }
    const earlier = firstUseOf(product.slug, row.line, this.#slugs);
    if (earlier !== undefined) {
      errors.push({
        line: row.line,
        field: 'url_key',
        message: `"${product.slug}" is already used on line ${earlier}.`,
      });
    }
    errors.sort((one, other) => one.line - other.line);
    return errors.length > 0 ? { line: row.line, slug: product.slug, errors } : { line: row.line, product };
  }

  /** Products may share a name but not a slug. Without a url_key, the SKU is appended to the later product's slug. */
  #slugFor(row: MagentoRow, slug: string): string {
    const taken = row.text('url_key') === '' && this.#slugs.has(slug);
    return taken ? slugOf(`${slug} ${row.text('sku')}`) : slug;
  }
}

const COLUMN_OF: Record<string, MagentoColumn> = {
  slug: 'url_key',
  vendor: 'additional_attributes',
  product_type: 'categories',
  tags: 'categories',
  url: 'base_image',
  alt: 'base_image_label',
  images: 'additional_images',
  image_url: 'base_image',
};

function columnOf(field: string): string {
  if (field.startsWith('metadata')) return 'additional_attributes';
  if (/^(?:option|variants)/.test(field)) return 'configurable_variations';
  return COLUMN_OF[field] ?? field;
}

function listOf(skus: string[]): string {
  const shown = skus.slice(0, 5).join(', ');
  return skus.length > 5 ? `${shown} and ${skus.length - 5} more` : shown;
}
