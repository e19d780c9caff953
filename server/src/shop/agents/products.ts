/** Products as agents see them: short, and with the merchant's text in a separate part. */

import type {
  AgentAlternative,
  AgentCandidate,
  AgentOption,
  AgentProduct,
  AgentVariant,
  Product,
  Variant,
} from '@commerce-backend/spec';
import { CAPS, CONTENT_TRUST, sanitizeMerchantText } from '../merchant-text.ts';
import { imageUrlOf, type UrlOf } from './product-links.ts';

/** A variant with its match reasons. */
export interface Proposal {
  product: Product;
  variant: Variant;
  match_reasons: string[];
}

export type Availability = AgentCandidate['availability'];

const MAX_REASONS = 10;

export function availabilityOf({ track_inventory }: Product, variant: Variant): Availability {
  if (!variant.available) return 'out_of_stock';
  if (!track_inventory) return 'in_stock';
  if (variant.is_out_of_stock) return 'backorder';
  return variant.is_low_stock ? 'low_stock' : 'in_stock';
}

const BEST_FIRST: Availability[] = ['in_stock', 'low_stock', 'backorder', 'out_of_stock'];

function bestAvailabilityOf(product: Product): Availability {
  const words = new Set(product.variants.map((variant) => availabilityOf(product, variant)));
  return BEST_FIRST.find((word) => words.has(word)) ?? 'out_of_stock';
}

/**
 * Maximum average JSON length of a candidate if there are five or more; fewer candidates may be longer. It keeps a
 * response with five candidates within about 800 tokens of four characters.
 */
const MOST_CHARACTERS = 520;
const FEW = 5;

/**
 * Maximum length of a summary, and maximum number of values per option. With 0 values, the options are left out. The
 * values of the proposed variant are always in `variant_name`.
 */
interface Lengths {
  summary: number;
  values: number;
}
const LENGTHS: Lengths[] = [
  { summary: CAPS.summary, values: 5 },
  { summary: CAPS.summary / 2, values: 5 },
  { summary: 0, values: 5 },
  { summary: 0, values: 2 },
  { summary: 0, values: 1 },
  { summary: 0, values: 0 },
];

/** Converts proposals to candidates, and shortens their texts to fit the limit. */
export function candidatesOf(proposals: Proposal[], urlOf: UrlOf): AgentCandidate[] {
  const [longest, ...shorter] = LENGTHS.map((lengths) =>
    proposals.map((proposal) => candidateOf(proposal, urlOf, lengths)),
  );
  const most = MOST_CHARACTERS * Math.max(FEW, proposals.length);
  const isShort = (list: AgentCandidate[]) => JSON.stringify(list).length <= most;
  if (!longest || isShort(longest)) return longest ?? [];
  return shorter.find(isShort) ?? shorter.at(-1) ?? longest;
}

function candidateOf(
  { product, variant, match_reasons }: Proposal,
  urlOf: UrlOf,
  { summary, values }: Lengths,
): AgentCandidate {
  return {
    id: product.id,
    variant_id: variant.id,
    price: variant.price,
    ...(variant.compare_at_price !== null && { compare_at_price: variant.compare_at_price }),
    availability: availabilityOf(product, variant),
    image_url: imageUrlOf(product, variant),
    url: urlOf(product, variant),
    match_reasons: match_reasons
      .slice(0, MAX_REASONS)
      .flatMap((reason) => sanitizeMerchantText(reason, CAPS.name) ?? []),
    content: {
      content_trust: CONTENT_TRUST,
      name: nameOf(product.name),
      summary: summary > 0 ? sanitizeMerchantText(product.description, summary) : null,
      variant_name: variantNameOf(variant),
      vendor: sanitizeMerchantText(product.vendor, CAPS.name),
      product_type: sanitizeMerchantText(product.product_type, CAPS.name),
      options: values > 0 ? briefOptionsOf(product, values) : [],
    },
  };
}

export function alternativeOf(
  why: string,
  { product, variant }: Pick<Proposal, 'product' | 'variant'>,
): AgentAlternative {
  return {
    why,
    product_id: product.id,
    variant_id: variant.id,
    price: variant.price,
    availability: availabilityOf(product, variant),
    content: { content_trust: CONTENT_TRUST, name: nameOf(product.name), variant_name: variantNameOf(variant) },
  };
}

export function productOf(product: Product, urlOf: UrlOf): AgentProduct {
  const first = product.variants.find(({ available }) => available) ?? product.variants[0];
  if (!first) throw new Error(`The product ${product.id} has no variant.`);
  return {
    id: product.id,
    currency: product.currency,
    price: product.price,
    compare_at_price: product.compare_at_price,
    availability: bestAvailabilityOf(product),
    image_url: imageUrlOf(product),
    url: urlOf(product, first),
    variants: product.variants.map((variant) => variantOf(product, variant)),
    content: {
      content_trust: CONTENT_TRUST,
      name: nameOf(product.name),
      description: sanitizeMerchantText(product.description, CAPS.description),
      vendor: sanitizeMerchantText(product.vendor, CAPS.name),
      product_type: sanitizeMerchantText(product.product_type, CAPS.name),
      tags: product.tags.slice(0, 50).flatMap((tag) => sanitizeMerchantText(tag, CAPS.name) ?? []),
      options: optionsOf(product),
      attributes: Object.entries(product.metadata ?? {}).flatMap(([name, value]) => {
        const sanitized = {
          name: sanitizeMerchantText(name, CAPS.name),
          value: sanitizeMerchantText(value, CAPS.value),
        };
        return sanitized.name && sanitized.value ? [{ name: sanitized.name, value: sanitized.value }] : [];
      }),
    },
  };
}

function variantOf(product: Product, variant: Variant): AgentVariant {
  return {
    id: variant.id,
    price: variant.price,
    compare_at_price: variant.compare_at_price,
    availability: availabilityOf(product, variant),
    content: {
      content_trust: CONTENT_TRUST,
      name: variantNameOf(variant),
      sku: sanitizeMerchantText(variant.sku, CAPS.name),
    },
  };
}

/** Sanitizes a name. A name of which nothing is left gets a placeholder. */
export function nameOf(name: string): string {
  return sanitizeMerchantText(name, CAPS.name) ?? '[name removed]';
}

/** Joins the option values of a variant by ` / `; null if it has none. */
export function variantNameOf({ option1, option2, option3 }: Variant): string | null {
  const values = [option1, option2, option3].flatMap((value) => sanitizeMerchantText(value, CAPS.name) ?? []);
  return values.length > 0 ? values.join(' / ') : null;
}

/** Lists the options with all values, and whether a variant with each value can be bought. */
function optionsOf(product: Product): AgentOption[] {
  return product.options.map((option) => {
    const buyable = buyableValues(product, option);
    return {
      name: nameOf(option.name),
      values: option.values.map((value) => ({ value: nameOf(value), available: buyable.has(value) })),
    };
  });
}

/** Lists the options, each with the first values that can be bought, in the merchant's order. */
function briefOptionsOf(product: Product, most: number): AgentCandidate['content']['options'] {
  return product.options.map((option) => {
    const buyable = buyableValues(product, option);
    const listed = option.values.filter((value) => buyable.has(value)).slice(0, most);
    return { name: nameOf(option.name), values: listed.map(nameOf), more: option.values.length - listed.length };
  });
}

function buyableValues(product: Product, { position }: Product['options'][number]) {
  const key = `option${position}` as 'option1' | 'option2' | 'option3';
  return new Set(product.variants.filter(({ available }) => available).map((variant) => variant[key]));
}
