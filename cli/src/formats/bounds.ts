import type { ProductImport, VariantInput } from '@commerce-backend/spec';
import { quoted } from './row-reader.ts';

/** Maximum lengths of texts and sizes of lists in the contract. */
export const BOUNDS = {
  name: 255,
  slug: 255,
  description: 65_535,
  description_html: 131_072,
  seo_title: 255,
  seo_description: 1000,
  vendor: 255,
  product_type: 255,
  tag: 255,
  tags: 250,
  metadata: 50,
  metadata_key: 100,
  metadata_value: 500,
  options: 3,
  option_name: 255,
  option_value: 255,
  option_values: 250,
  images: 250,
  url: 2048,
  alt: 500,
  variants: 2048,
  sku: 255,
  barcode: 255,
} as const;

/**
 * A part of a product that the contract rejects. `field` is the property, `variant` its index in `variants`, `like` the
 * index of another variant with the same option values.
 */
export type OutOfBounds = { field: string; variant?: number; like?: number; message: string };

const URL_START = /^https?:\/\/\S/;
const SLUG = /^[a-z0-9]+(?:-[a-z0-9]+)*$/;

/**
 * Validates a product against the contract: text lengths, list sizes, characters that cannot be stored, and variants
 * with equal options. Except for the name, properties of the wrong type are left to the server.
 */
export function outOfBounds(product: ProductImport): OutOfBounds[] {
  const found = new Findings();
  if (typeof product.name !== 'string' || product.name.trim() === '') found.add('name', 'The name is missing.');
  if (typeof product.slug === 'string' && !SLUG.test(product.slug)) {
    found.add('slug', 'A slug is lower-case letters a–z, digits and single hyphens.');
  }
  for (const field of ['name', 'slug', 'description', 'vendor', 'product_type', 'sku', 'barcode'] as const) {
    found.text(field, product[field], BOUNDS[field]);
  }
  found.list('tags', product.tags, BOUNDS.tags, (tag) => found.text('tags', tag, BOUNDS.tag));
  checkMetadata(found, product.metadata);
  found.list('images', product.images, BOUNDS.images, (image) => {
    found.url('url', image?.url);
    found.text('alt', image?.alt, BOUNDS.alt);
  });
  found.list('options', product.options, BOUNDS.options, (option) => {
    found.text('options', option?.name, BOUNDS.option_name);
    found.list('options', option?.values, BOUNDS.option_values, (value) => {
      found.text('options', value, BOUNDS.option_value);
    });
  });
  checkVariants(found, product.variants);
  return found.all;
}

function checkMetadata(found: Findings, metadata: ProductImport['metadata']): void {
  if (typeof metadata !== 'object' || metadata === null) return;
  const entries = Object.entries(metadata);
  if (entries.length > BOUNDS.metadata) {
    found.add('metadata', `There are ${entries.length} entries; at most ${BOUNDS.metadata} are kept.`);
  }
  for (const [key, value] of entries) {
    found.text('metadata', key, BOUNDS.metadata_key);
    found.text(`metadata.${key}`, value, BOUNDS.metadata_value);
  }
}

export function tooManyVariants(count: number): string {
  return (
    `The product has ${count} variants, and one takes at most ${BOUNDS.variants}: nothing of it is imported. Divide it into ` +
    `products of at most ${BOUNDS.variants} variants each, or delete variants that are not sold any more.`
  );
}

function checkVariants(found: Findings, variants: VariantInput[] | undefined): void {
  const seen = new Map<string, number>();
  if (Array.isArray(variants) && variants.length > BOUNDS.variants) {
    found.add('variants', tooManyVariants(variants.length));
    return;
  }
  found.list('variants', variants, BOUNDS.variants, (variant, index) => {
    if (typeof variant !== 'object' || variant === null) return;
    for (const field of ['sku', 'barcode'] as const) found.text(field, variant[field], BOUNDS[field], index);
    for (const field of ['option1', 'option2', 'option3'] as const) {
      found.text(field, variant[field], BOUNDS.option_value, index);
    }
    found.url('image_url', variant.image_url, index);
    const values = [variant.option1, variant.option2, variant.option3].map((value) => value ?? null);
    const key = JSON.stringify(values);
    const like = seen.get(key);
    if (like !== undefined) {
      const words = values.filter((value) => value !== null).join(' / ');
      const message = `Another variant of the product already has the options ${words || '(none)'}.`;
      found.all.push({ field: 'option1', message, variant: index, like });
    } else seen.set(key, index);
  });
}

class Findings {
  readonly all: OutOfBounds[] = [];

  add(field: string, message: string, variant?: number): void {
    this.all.push({ field, message, ...(variant !== undefined && { variant }) });
  }

  text(field: string, value: unknown, longest: number, variant?: number): void {
    if (typeof value !== 'string') return;
    // JSON Schema counts characters, not UTF-16 units.
    const length = value.length > longest ? [...value].length : value.length;
    if (length > longest) {
      this.add(field, `The text has ${length} characters; at most ${longest} are kept.`, variant);
    }
    if (value.includes('\0') || !value.isWellFormed()) {
      this.add(field, 'The text contains a character that cannot be stored (NUL or an unpaired surrogate).', variant);
    }
  }

  url(field: string, value: unknown, variant?: number): void {
    if (typeof value !== 'string') return;
    this.text(field, value, BOUNDS.url, variant);
    if (!URL_START.test(value) || /\s/.test(value)) {
      this.add(field, `${quoted(value)} is not an http or https address without spaces.`, variant);
    }
  }

  list<Item>(field: string, items: Item[] | undefined, most: number, check: (item: Item, index: number) => void): void {
    if (!Array.isArray(items)) return;
    if (items.length > most) this.add(field, `There are ${items.length}; at most ${most} are kept.`);
    // Errors in elements beyond the maximum would hide that the list is too long.
    items.slice(0, most).forEach(check);
  }
}
