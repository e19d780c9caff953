import type { Product, ProductImport, Variant, VariantInput } from '@commerce-backend/spec';
import { outOfBounds } from './bounds.ts';
import { KeyTable } from './key-table.ts';
import type { Read } from './reading.ts';
import { firstUseOf, slugOf } from './slug.ts';

/** The maximum length of a line. No product that the contract accepts is longer. */
const LONGEST_LINE = 4 * 1024 * 1024;

/**
 * Reads products from JSON Lines: one object in the contract's format per line. Blank lines are skipped. A missing slug
 * is derived from the name. Lines that are not JSON or violate the contract are rejected with the reason.
 */
export async function* readJsonl(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<Read> {
  const slugs = new KeyTable();
  for await (const { line, text } of linesOf(bytes)) {
    if (text === undefined) {
      yield refused(line, 'json', `The line has more than ${LONGEST_LINE} characters.`);
    } else if (text.trim() !== '') {
      yield readLine(line, text, slugs);
    }
  }
}

function readLine(line: number, text: string, slugs: KeyTable): Read {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    // JSON.parse's "line 1" would look like a line of the file.
    const reason = (error as SyntaxError).message.replace(/ \(line 1 column (\d+)\)$/, ' (column $1)');
    return refused(line, 'json', `The line is not valid JSON: ${reason}`);
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    return refused(line, 'json', 'The line must hold one JSON object, a product.');
  }
  const given = value as ProductImport;
  const slug = given.slug ?? slugOf(typeof given.name === 'string' ? given.name : '');
  if (slug === '' && typeof given.name === 'string') {
    return refused(line, 'slug', 'The name has no letter a–z or digit to make a slug of: give a slug.');
  }
  const product = { ...given, slug };
  const errors = outOfBounds(product).map(({ field, variant, message }) => ({
    line,
    field: variant === undefined ? field : `variants.${variant}.${field}`,
    message,
  }));
  const earlier = firstUseOf(slug, line, slugs);
  if (earlier !== undefined) {
    errors.push({ line, field: 'slug', message: `"${slug}" is already the slug of the product on line ${earlier}.` });
  }
  return errors.length > 0 ? { line, slug, errors } : { line, product };
}

function refused(line: number, field: string, message: string): Read {
  return { line, errors: [{ line, field, message }] };
}

/** Splits at LF only, because JSON may contain U+2028. A line that is too long is returned without its text. */
async function* linesOf(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<{ line: number; text: string | undefined }> {
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
  let line = 1;
  let rest = '';
  let tooLong = false;
  for await (const chunk of bytes) {
    const pieces = (rest + decoder.decode(chunk, { stream: true })).split('\n');
    rest = pieces.pop() ?? '';
    for (const piece of pieces) {
      yield { line, text: tooLong ? undefined : withoutMark(piece, line) };
      tooLong = false;
      line++;
    }
    if (rest.length > LONGEST_LINE) {
      tooLong = true;
      rest = '';
    }
  }
  rest += decoder.decode();
  if (tooLong || rest !== '') yield { line, text: tooLong ? undefined : withoutMark(rest, line) };
}

function withoutMark(text: string, line: number): string {
  return line === 1 ? text.replace(/^\uFEFF/, '') : text;
}

/**
 * Writes products as JSON Lines for `products import`: every field of the contract's import schema, null for missing
 * values, without ids, dates and sums that the server computes. `inventory_quantity` is the available quantity.
 */
export async function* writeJsonl(products: AsyncIterable<Product>): AsyncGenerator<string> {
  for await (const product of products) yield `${JSON.stringify(importOf(product))}\n`;
}

/** Fields that the server computes. The type requires new fields to be listed here. */
const MADE: Record<Exclude<keyof Product, keyof ProductImport>, true> = {
  ...{ id: true, merchant_id: true, currency: true, has_variants: true, total_inventory: true, in_stock: true },
  ...{ created_at: true, updated_at: true },
};
/** Fields that `importOf` converts. */
const OTHERWISE = {
  ...{ images: true, options: true, variants: true },
  ...{ price: true, compare_at_price: true, cost_per_item: true },
} satisfies Partial<Record<keyof Product, true>>;

function importOf(product: Product): ProductImport {
  const [only] = product.variants;
  return {
    ...without(product, { ...MADE, ...OTHERWISE }),
    images: product.images.map(({ url, alt, position, width, height }) => ({ url, alt, position, width, height })),
    ...(product.has_variants
      ? {
          options: product.options.map((option) => ({ name: option.name, values: option.values })),
          variants: product.variants.map(variantOf),
        }
      : only && soldOf(only)),
  };
}

function without<Whole extends object, Left extends object>(whole: Whole, left: Left): Omit<Whole, keyof Left> {
  return Object.fromEntries(Object.entries(whole).filter(([name]) => !(name in left))) as Omit<Whole, keyof Left>;
}

function variantOf(variant: Variant): VariantInput {
  const { option1, option2, option3, image_url } = variant;
  return { option1, option2, option3, image_url, ...soldOf(variant) };
}

/** Returns the fields that belong to each variant, or to the product itself if it has no options. */
function soldOf(variant: Variant): VariantInput {
  const { sku, barcode, price, compare_at_price, cost_per_item } = variant;
  const { inventory_quantity, inventory_policy, low_stock_threshold, weight, weight_unit, requires_shipping } = variant;
  return {
    ...{ sku, barcode, price, compare_at_price, cost_per_item },
    ...{ inventory_quantity, inventory_policy, low_stock_threshold, weight, weight_unit, requires_shipping },
  };
}
