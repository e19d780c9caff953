import { crc32 } from 'node:zlib';
import type { ProductImport, VariantInput } from '@commerce-backend/spec';
import type { Motif } from './drawings/gallery.ts';
import type { Swatch } from './swatches.ts';

/** The price and the cost of one unit, as amounts of requests. */
export interface PriceTag {
  price: string;
  cost_per_item: string;
  compare_at_price?: string;
}

/** The images of a product: one drawing in each of these colours. */
export interface Picture {
  motif: Motif;
  colours: Swatch[];
}

/** A product in short form; toProduct derives the rest. */
export interface Sketch extends PriceTag {
  slug: string;
  name: string;
  description: string;
  vendor: string;
  product_type: string;
  tags: string[];
  metadata: Record<string, string>;
  tax_class?: string;
  status?: 'draft' | 'archived';
  /** The day it was published; absent for drafts. */
  published?: string;
  picture: Picture;
  /** The beginning of each SKU, before the first letters of the option values. */
  sku: string;
  weight: string;
  weight_unit?: 'g';
  inventory_policy?: 'continue';
  low_stock_threshold?: number;
  /** Values by option name. The option whose values are the picture's colours determines the image of a variant. */
  options?: Record<string, string[]>;
  /** The prices of variants with this option value, where they differ. */
  prices?: Record<string, PriceTag>;
  /** Stock on hand per variant, the last option varying fastest. */
  stock: number[];
}

/** The name under which the image with this number, counted from 1, is served. */
export function imageName(slug: string, number: number): string {
  return number === 1 ? slug : `${slug}-${number}`;
}

/** How many images a product has: one per colour, and a close-up if there is only one colour. */
export function imageCount(picture: Picture): number {
  return Math.max(2, picture.colours.length);
}

/** The import row of a sketched product. Image addresses begin at the server's root: /demo-images/… */
export function toProduct(sketch: Sketch): ProductImport {
  const { slug, name, description, vendor, product_type, tags, metadata, status = 'active' } = sketch;
  const options = Object.entries(sketch.options ?? {});
  return {
    slug,
    name,
    description,
    vendor,
    product_type,
    tags,
    metadata,
    ...(sketch.tax_class !== undefined && { tax_class: sketch.tax_class }),
    status,
    published_at: sketch.published === undefined ? null : `${sketch.published}T08:00:00Z`,
    price: sketch.price,
    images: images(sketch),
    ...(options.length === 0
      ? { ...priceOf(sketch, []), ...stocked(sketch, [], sketch.stock[0] ?? 0) }
      : { options: options.map(([name, values]) => ({ name, values })), variants: variants(sketch) }),
  };
}

function images({ slug, name, picture }: Sketch): ProductImport['images'] {
  return Array.from({ length: imageCount(picture) }, (_, index) => ({
    url: imageUrl(slug, index),
    alt: picture.colours.length > 1 ? `${name}, ${picture.colours[index]}` : index === 0 ? name : `${name}, close view`,
    position: index + 1,
    width: 800,
    height: 800,
  }));
}

function imageUrl(slug: string, index: number): string {
  return `/demo-images/${imageName(slug, index + 1)}.svg`;
}

function variants(sketch: Sketch): VariantInput[] {
  let combinations: string[][] = [[]];
  for (const values of Object.values(sketch.options ?? {})) {
    combinations = combinations.flatMap((chosen) => values.map((value) => [...chosen, value]));
  }
  return combinations.map((chosen, index) => {
    const [option1, option2, option3] = chosen;
    const colour = sketch.picture.colours.findIndex((name) => chosen.includes(name));
    return {
      option1,
      ...(option2 === undefined ? {} : { option2 }),
      ...(option3 === undefined ? {} : { option3 }),
      ...priceOf(sketch, chosen),
      ...stocked(sketch, chosen, sketch.stock[index] ?? 0),
      ...(colour === -1 ? {} : { image_url: imageUrl(sketch.slug, colour) }),
    };
  });
}

function priceOf(sketch: Sketch, chosen: string[]): PriceTag {
  const priced = chosen.find((value) => sketch.prices?.[value] !== undefined);
  const tag = (priced === undefined ? undefined : sketch.prices?.[priced]) ?? sketch;
  const { price, cost_per_item, compare_at_price } = tag;
  return { price, cost_per_item, ...(compare_at_price === undefined ? {} : { compare_at_price }) };
}

function stocked(sketch: Sketch, chosen: string[], inventory_quantity: number): VariantInput {
  const sku = [sketch.sku, ...chosen.map(skuPart)].join('-');
  return {
    sku,
    barcode: barcodeOf(sku),
    inventory_quantity,
    inventory_policy: sketch.inventory_policy ?? 'deny',
    low_stock_threshold: sketch.low_stock_threshold ?? 5,
    weight: sketch.weight,
    weight_unit: sketch.weight_unit ?? 'kg',
    requires_shipping: true,
  };
}

/** `Fir & Smoke` → FIRS, `140 × 200 cm` → 1402, `XL` → XL. */
function skuPart(value: string): string {
  return value
    .toUpperCase()
    .replace(/[^A-Z0-9]/g, '')
    .slice(0, 4);
}

/** A valid EAN-13 in the range that GS1 leaves to shops for their own use, the same for the same SKU. */
function barcodeOf(sku: string): string {
  const digits = `20${String(crc32(sku)).padStart(10, '0')}`;
  const sum = [...digits].reduce((total, digit, index) => total + Number(digit) * (index % 2 === 0 ? 1 : 3), 0);
  return `${digits}${(10 - (sum % 10)) % 10}`;
}
