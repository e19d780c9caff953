/** Products and variants as shoppers and agents see them. */

import type { AgentCandidate, AgentProduct, Product, ShopCategory, Variant } from '@commerce-backend/spec';
import { operationById } from './contract.ts';
import type { MockProduct } from './data.ts';
import { decimal } from './money.ts';
import { isOver, type State, type StoredProduct, type StoredVariant } from './state.ts';

export function isTracked({ product }: StoredVariant): boolean {
  return product.input.track_inventory ?? true;
}

/** Returns the variant's stock minus the quantity that checkouts reserve. */
export function freeOf({ on_hand, reserved }: StoredVariant): number {
  return on_hand - reserved;
}

export function isAvailable(variant: StoredVariant): boolean {
  return !isTracked(variant) || variant.inventory_policy === 'continue' || freeOf(variant) > 0;
}

/** Whether shoppers can see a product: it is active and published. */
export function isVisible({ status, published_at }: StoredProduct): boolean {
  return status === 'active' && published_at !== null && isOver(published_at);
}

export function visibleProducts({ products }: State): StoredProduct[] {
  return products.filter(isVisible);
}

/** Finds a variant of a visible product. */
export function findVariant(state: State, id: string): StoredVariant | undefined {
  return visibleProducts(state)
    .flatMap(({ variants }) => variants)
    .find((variant) => variant.id === id);
}

/** The product's lowest price in minor units. */
export function priceOf({ variants }: StoredProduct): number {
  return Math.min(...variants.map(({ price }) => price));
}

/** The variant's option values as text; null if it has none. */
export function variantName({ options }: StoredVariant): string | null {
  return options.filter((value) => value !== null).join(' / ') || null;
}

export function imageOf({ image_url, product }: StoredVariant): string | null {
  return image_url ?? product.images[0]?.url ?? null;
}

/** Converts a product to a response, with or without the fields that lists omit. */
export function productView(state: State, product: StoredProduct, isWhole = false): Product {
  const { input, id, options, images, status, published_at, variants } = product;
  const cheapest = variants.find(({ price }) => price === priceOf(product));
  const { vendor = null, product_type = null, tags = [], metadata = {}, tax_class = 'standard' } = input;
  const listed: Product = {
    ...{ id, merchant_id: state.merchant_id, name: input.name, slug: input.slug, description: input.description ?? '' },
    ...{ vendor, product_type, tags },
    price: decimal(priceOf(product), state.digits),
    compare_at_price: cheapest?.compare_at_price ?? null,
    ...{ cost_per_item: null, currency: state.data.currency, images, has_variants: options.length > 0, options },
    variants: variants.map((variant) => variantView(state, variant)),
    track_inventory: input.track_inventory ?? true,
    total_inventory: variants.reduce((sum, variant) => sum + freeOf(variant), 0),
    in_stock: variants.some(isAvailable),
    ...{ status, metadata, tax_class, published_at, created_at: state.started, updated_at: state.started },
  };
  return isWhole ? { ...listed, ...shownAlone(input, listed) } : listed;
}

/** Fields that lists omit, with their defaults if the input has no value. */
function shownAlone(input: MockProduct, listed: Product): Partial<Product> {
  const example = operationById('storefront.getProduct').answer as Product;
  const fields = Object.keys(example).filter((field) => !(field in listed)) as (keyof MockProduct)[];
  return Object.fromEntries(fields.map((field) => [field, input[field] ?? INITIAL[field] ?? null]));
}

const INITIAL: Partial<MockProduct> = { returnable: true, withdrawal_exempt: 'none' };

function variantView(state: State, variant: StoredVariant): Variant {
  const { id, product, sku, barcode, options, price, compare_at_price, inventory_policy } = variant;
  const { low_stock_threshold, weight, weight_unit, requires_shipping, image_url } = variant;
  const [option1, option2, option3] = options;
  const free = freeOf(variant);
  const tracked = isTracked(variant);
  return {
    ...{ id, product_id: product.id, sku, barcode, option1, option2, option3 },
    ...{ price: decimal(price, state.digits), compare_at_price, cost_per_item: null, inventory_quantity: free },
    ...{ inventory_policy, low_stock_threshold, weight, weight_unit, requires_shipping, image_url },
    available: isAvailable(variant),
    is_low_stock: tracked && free > 0 && free <= low_stock_threshold,
    is_out_of_stock: tracked && free <= 0,
    ...{ created_at: state.started, updated_at: state.started },
  };
}

/** Marks merchants' texts, such as names and descriptions, so that agents do not follow instructions in them. */
export const CONTENT_TRUST = 'merchant' as const;

export function availabilityOf(variant: StoredVariant): AgentCandidate['availability'] {
  if (!isAvailable(variant)) return 'out_of_stock';
  if (!isTracked(variant)) return 'in_stock';
  const free = freeOf(variant);
  if (free <= 0) return 'backorder';
  return free <= variant.low_stock_threshold ? 'low_stock' : 'in_stock';
}

const MOST_VALUES = 5;

/** A variant as a proposal to an agent. */
export function candidateOf(state: State, variant: StoredVariant, match_reasons: string[]): AgentCandidate {
  const { product } = variant;
  const { name, description, vendor = null, product_type = null } = product.input;
  return {
    ...{ id: product.id, variant_id: variant.id, price: decimal(variant.price, state.digits) },
    ...(variant.compare_at_price !== null && { compare_at_price: variant.compare_at_price }),
    ...{ availability: availabilityOf(variant), image_url: imageOf(variant), url: buyUrl(state, variant) },
    match_reasons: match_reasons.slice(0, 10),
    content: {
      ...{ content_trust: CONTENT_TRUST, name, summary: shortened(description, 80) },
      ...{ variant_name: variantName(variant), vendor, product_type },
      options: product.options.map((option) => {
        const listed = option.values.filter((value) => isBuyable(product, value)).slice(0, MOST_VALUES);
        return { name: option.name, values: listed, more: option.values.length - listed.length };
      }),
    },
  };
}

export function agentProductView(state: State, product: StoredProduct): AgentProduct {
  const { price, compare_at_price, currency } = productView(state, product);
  const { name, description, vendor = null, product_type = null, tags = [], metadata } = product.input;
  const words = product.variants.map(availabilityOf);
  const [first] = product.variants;
  const best = (['in_stock', 'low_stock', 'backorder', 'out_of_stock'] as const).find((word) => words.includes(word));
  return {
    ...{ id: product.id, currency, price, compare_at_price, availability: best ?? 'out_of_stock' },
    image_url: first ? imageOf(first) : null,
    url: first ? buyUrl(state, first) : '',
    variants: product.variants.map((variant) => ({
      ...{ id: variant.id, price: decimal(variant.price, state.digits), compare_at_price: variant.compare_at_price },
      availability: availabilityOf(variant),
      content: { content_trust: CONTENT_TRUST, name: variantName(variant), sku: variant.sku },
    })),
    content: {
      ...{ content_trust: CONTENT_TRUST, name, description: shortened(description, 1000), vendor, product_type, tags },
      options: product.options.map((option) => ({
        name: option.name,
        values: option.values.map((value) => ({ value, available: isBuyable(product, value) })),
      })),
      attributes: Object.entries(metadata ?? {}).map(([key, value]) => ({ name: key, value })),
    },
  };
}

function buyUrl({ site_id }: State, { id }: StoredVariant): string {
  return `https://shop.example/sites/${site_id}/buy/${id}:1`;
}

function shortened(text: string | undefined, length: number): string | null {
  if (!text) return null;
  return text.length > length ? `${text.slice(0, length - 1)}…` : text;
}

function isBuyable({ variants }: StoredProduct, value: string): boolean {
  return variants.some((variant) => variant.options.includes(value) && isAvailable(variant));
}

/** Categories to which agents can be limited: product types and collections. */
export function categoriesOf(state: State): ShopCategory[] {
  const shown = visibleProducts(state);
  const types = [...new Set(shown.flatMap(({ input }) => input.product_type ?? []))].sort();
  return [
    ...types.map((value) => {
      const products = shown.filter(({ input }) => input.product_type === value).length;
      return { kind: 'product_type' as const, value, title: value, products };
    }),
    ...state.collections.map(({ handle, title, products }) => ({
      ...{ kind: 'collection' as const, value: handle, title, products: products.length },
    })),
  ];
}

/** Whether a product is in one of the categories. An empty list allows all products. */
export function isInCategories(state: State, product: StoredProduct, categories: string[]): boolean {
  if (categories.length === 0) return true;
  const handles = state.collections.filter(({ products }) => products.includes(product)).map(({ handle }) => handle);
  const own = [product.input.product_type ?? '', ...handles].map((name) => name.toLowerCase());
  return categories.some((name) => own.includes(name.toLowerCase()));
}
