import { crc32 } from 'node:zlib';
import type { ProductImport, VariantInput } from '@commerce-backend/spec';

/** Price and cost of one unit, as amounts of the API. */
export interface PriceTag {
  price: string;
  cost_per_item: string;
  compare_at_price?: string;
}

/** A product in short form. `toProduct` derives the other fields. */
export interface CatalogEntry extends PriceTag {
  slug: string;
  name: string;
  description: string;
  vendor: string;
  product_type: string;
  tags: string[];
  metadata: Record<string, string>;
  tax_class?: string;
  status?: 'draft' | 'archived';
  /** Publication date; absent for drafts. */
  published?: string;
  /** Prefix of the SKUs. The first letters and digits of the option values follow. */
  sku: string;
  weight: string;
  weight_unit?: 'g';
  inventory_policy?: 'continue';
  low_stock_threshold?: number;
  /** Option values by option name. */
  options?: Record<string, string[]>;
  /** The option that has one image per value. Without it, the product has an image and a close-up. */
  pictured?: string;
  /** Different prices for variants with this option value. */
  prices?: Record<string, PriceTag>;
  /** Stock of each variant. The last option varies fastest. */
  stock: number[];
}

/** Converts an entry to an import row. Image URLs are paths below /demo-images/. */
export function toProduct(entry: CatalogEntry): ProductImport {
  const { slug, name, description, vendor, product_type, tags, metadata, status = 'active' } = entry;
  const options = Object.entries(entry.options ?? {});
  return {
    slug,
    name,
    description,
    vendor,
    product_type,
    tags,
    metadata,
    ...(entry.tax_class !== undefined && { tax_class: entry.tax_class }),
    status,
    published_at: entry.published === undefined ? null : `${entry.published}T08:00:00Z`,
    price: entry.price,
    images: images(entry),
    ...(options.length === 0
      ? { ...priceOf(entry, []), ...stocked(entry, [], entry.stock[0] ?? 0) }
      : { options: options.map(([name, values]) => ({ name, values })), variants: variants(entry) }),
  };
}

function images(entry: CatalogEntry): ProductImport['images'] {
  const { slug, name } = entry;
  const values = picturedValues(entry);
  const alts = values.length > 0 ? values.map((value) => `${name}, ${value}`) : [name, `${name}, close view`];
  return alts.map((alt, index) => ({ url: imageUrl(slug, index), alt, position: index + 1, width: 800, height: 800 }));
}

function picturedValues({ options = {}, pictured = '' }: CatalogEntry): string[] {
  return options[pictured] ?? [];
}

/** The first image is `<slug>.svg`, the second `<slug>-2.svg`. */
function imageUrl(slug: string, index: number): string {
  return `/demo-images/${index === 0 ? slug : `${slug}-${index + 1}`}.svg`;
}

function variants(entry: CatalogEntry): VariantInput[] {
  let combinations: string[][] = [[]];
  for (const values of Object.values(entry.options ?? {})) {
    combinations = combinations.flatMap((chosen) => values.map((value) => [...chosen, value]));
  }
  return combinations.map((chosen, index) => {
    const [option1, option2, option3] = chosen;
    const image = picturedValues(entry).findIndex((value) => chosen.includes(value));
    return {
      option1,
      ...(option2 === undefined ? {} : { option2 }),
      ...(option3 === undefined ? {} : { option3 }),
      ...priceOf(entry, chosen),
      ...stocked(entry, chosen, entry.stock[index] ?? 0),
      ...(image === -1 ? {} : { image_url: imageUrl(entry.slug, image) }),
    };
  });
}

function priceOf(entry: CatalogEntry, chosen: string[]): PriceTag {
  const priced = chosen.find((value) => entry.prices?.[value] !== undefined);
  const tag = (priced === undefined ? undefined : entry.prices?.[priced]) ?? entry;
  const { price, cost_per_item, compare_at_price } = tag;
  return { price, cost_per_item, ...(compare_at_price === undefined ? {} : { compare_at_price }) };
}

function stocked(entry: CatalogEntry, chosen: string[], inventory_quantity: number): VariantInput {
  const sku = [entry.sku, ...chosen.map(skuPart)].join('-');
  return {
    sku,
    barcode: barcodeOf(sku),
    inventory_quantity,
    inventory_policy: entry.inventory_policy ?? 'deny',
    low_stock_threshold: entry.low_stock_threshold ?? 5,
    weight: entry.weight,
    weight_unit: entry.weight_unit ?? 'kg',
    requires_shipping: true,
  };
}

/** Part of an SKU: `Fir & Smoke` → FIRS, `140 × 200 cm` → 1402, `XL` → XL. */
function skuPart(value: string): string {
  return value
    .toUpperCase()
    .replace(/[^A-Z0-9]/g, '')
    .slice(0, 4);
}

/** Returns a valid EAN-13 in the GS1 range for internal use by shops. The same SKU always gets the same EAN-13. */
function barcodeOf(sku: string): string {
  const digits = `20${String(crc32(sku)).padStart(10, '0')}`;
  const sum = [...digits].reduce((total, digit, index) => total + Number(digit) * (index % 2 === 0 ? 1 : 3), 0);
  return `${digits}${(10 - (sum % 10)) % 10}`;
}
