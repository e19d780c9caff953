import type { Product, Variant } from '@commerce-backend/spec';
import sql, { type Sql } from 'sql-template-tag';
import type { PriceRange } from '../../search/rank/filters.ts';
import { hasInOptions } from '../../search/rank/variants.ts';

/** Filters on variants. One variant must match all of them. The same rules exist in SQL (filters.ts). */
export interface VariantLimits {
  price: PriceRange;
  in_stock: boolean;
  on_sale: boolean;
  /** Accepted values in lower case, by option name in lower case. */
  options: Map<string, string[]>;
  /** Search terms that the variant's option values must not contain. */
  unwanted: string[];
}

/** Returns the product with only the variants that match the limits. */
export function withinLimits(product: Product, limits: VariantLimits): Product {
  return { ...product, variants: product.variants.filter((variant) => keepsLimits(product, variant, limits)) };
}

function keepsLimits(product: Product, variant: Variant, limits: VariantLimits): boolean {
  const { price, in_stock, on_sale, options, unwanted } = limits;
  const amount = Number(variant.price);
  return (
    amount >= (price.min ?? 0) &&
    amount <= (price.max ?? Infinity) &&
    (!in_stock || variant.available) &&
    (!on_sale || Number(variant.compare_at_price ?? 0) > amount) &&
    [...options].every(([name, values]) => values.includes(optionOf(product, variant, name))) &&
    !unwanted.some((value) => hasInOptions(variant, value))
  );
}

function optionOf({ options }: Product, variant: Variant, name: string): string {
  const option = options.find((one) => one.name.toLowerCase() === name);
  return option ? (variant[`option${option.position}` as 'option1' | 'option2' | 'option3'] ?? '').toLowerCase() : '';
}

/**
 * The condition that `variants v` of `products p` has one of the option values. Names and values are in lower case.
 * PostgreSQL reads the option's position once per product.
 */
export function hasOptionValue(name: string, values: string[]): Sql {
  return sql`lower((array[v.option1, v.option2, v.option3])[(select o.position from product_options o
    where o.site_id = p.site_id and o.product_id = p.id and lower(o.name) = ${name})]) = any(${values}::text[])`;
}
