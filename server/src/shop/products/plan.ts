/**
 * Plans how to write a product: adds defaults, normalizes amounts and checks rules between fields. Does not use the
 * database; slugs and SKUs are checked when writing.
 */

import type { ImageInput, OptionInput, Product, ProductInput, Variant, VariantInput } from '@commerce-backend/spec';
import { canonicalAmount, minorUnits } from '../money.ts';
import { normalName, normalTexts, paragraphsOf } from '../plain-text.ts';
import { type Written, writtenOf } from './fields.ts';
import { Mistakes, type Place } from './mistakes.ts';

export interface ProductPlan extends Written {
  options: OptionPlan[];
  variants: VariantPlan[];
  images: ImagePlan[] | undefined;
}

/** An image with an id already exists. */
export type ImagePlan = ImageInput & { id?: string | undefined };

export interface OptionPlan {
  id?: string | undefined;
  name: string;
  values: string[];
}

export interface VariantPlan {
  /** Undefined for a new variant. */
  id: string | undefined;
  /** The current SKU of an existing variant. */
  old_sku: string | null;
  sku: string | null;
  barcode: string | null;
  option1: string | null;
  option2: string | null;
  option3: string | null;
  price: string;
  compare_at_price: string | null;
  cost_per_item: string | null;
  /** Null if not given. A new variant then starts with 0, and an existing one keeps its stock. */
  inventory_quantity: number | null;
  inventory_policy: 'deny' | 'continue';
  low_stock_threshold: number | null;
  weight: string | null;
  weight_unit: 'kg' | 'g' | 'lb' | 'oz';
  requires_shipping: boolean;
  image_url: string | null;
}

const OPTION_FIELDS = ['option1', 'option2', 'option3'] as const;
/** Fields of a product that belong to its default variant, in addition to amounts and stock. */
export const VARIANT_DETAILS = [
  'sku',
  'barcode',
  'inventory_policy',
  'low_stock_threshold',
  'weight',
  'weight_unit',
  'requires_shipping',
] as const;

/**
 * Plans a product. Missing options, variants and fields of an existing product `before` stay unchanged. Throws a
 * ValidationError with all mistakes; `loc` is the path of the input in the request.
 */
export function planProduct(input: ProductInput, digits: number, loc: Place = ['body'], before?: Product): ProductPlan {
  const mistakes = new Mistakes();
  const texts = mistakes.collect(() => normalTexts(input, loc));
  const options = planOptions(input.options ?? before?.options ?? [], mistakes, [...loc, 'options']);
  const old = new Map(before?.variants.map((variant) => [combinationOf(variant), variant]));
  const plan = (variant: VariantInput, place: Place) =>
    planVariant(variant, input, digits, mistakes, place, old.get(combinationOf(variant)));
  const given = input.variants ?? (before?.has_variants ? before.variants.map(optionValuesOf) : undefined);
  const variants = given ? given.map((variant, i) => plan(variant, [...loc, 'variants', i])) : [plan(input, loc)];
  if (given) refuseBesideVariants(input, mistakes, loc);
  if (given || options.length > 0) checkCombinations(options, variants, mistakes, loc);
  mistakes.throwIfAny();
  const isPlain = isStillPlain(before, texts?.description_html);
  return {
    ...writtenOf(input),
    name: texts?.name ?? input.name,
    description: isPlain ? undefined : texts?.description,
    description_html: isPlain ? undefined : texts?.description_html,
    tags: texts?.tags,
    tax_class: input.tax_class ?? taxClassOf(input.taxable, before),
    options,
    variants,
    images: input.images?.map((image) => ({ ...sizeOf(image.url, before), ...image })),
  };
}

function taxClassOf(taxable: boolean | undefined, before: Product | undefined): string | undefined {
  if (taxable === false) return 'zero';
  return taxable && before?.tax_class === 'zero' ? 'standard' : undefined;
}

/**
 * Whether the HTML is only the plain description in paragraphs. It then counts as unchanged, because formats without
 * plain text, such as Shopify's CSV, write descriptions that way.
 */
function isStillPlain(before: Product | undefined, html: string | null | undefined): boolean {
  return before?.description_html === null && html != null && html === paragraphsOf(before.description);
}

export function planNewVariant(input: VariantInput, fallbackPrice: string, options: OptionPlan[], digits: number) {
  const mistakes = new Mistakes();
  const variant = planVariant(input, { price: fallbackPrice }, digits, mistakes, ['body']);
  checkOptionValues(options, variant, mistakes, ['body']);
  mistakes.throwIfAny();
  return variant;
}

/** Import files rarely contain image sizes, so an existing image keeps its size. */
function sizeOf(url: string, before: Product | undefined) {
  const known = before?.images.find((image) => image.url === url);
  return known && { width: known.width, height: known.height };
}

/** Plans a variant. `product` contains the default amounts, and `old` is the existing variant. */
export function planVariant(
  input: VariantInput,
  product: Pick<ProductInput, 'price' | 'compare_at_price' | 'cost_per_item'>,
  digits: number,
  mistakes: Mistakes,
  loc: Place,
  old?: Variant,
): VariantPlan {
  const amountOf = (amount: string | null | undefined, field: string) =>
    amount == null ? null : (mistakes.collect(() => canonicalAmount(amount, digits, [...loc, field])) ?? null);
  const price = amountOf(input.price ?? product.price ?? old?.price, 'price');
  if ((input.price ?? product.price ?? old) === undefined)
    mistakes.add([...loc, 'price'], 'missing', 'Field required.');
  const saleOf = input.price === undefined && input.compare_at_price === undefined ? product : input;
  const isSale = (from: string) => price !== null && minorUnits(from, digits) > minorUnits(price, digits);
  let compare = amountOf(saleOf.compare_at_price, 'compare_at_price');
  if (price && compare && !isSale(compare)) {
    mistakes.add([...loc, 'compare_at_price'], 'greater_than', `Must be above the price, ${price}.`, { gt: price });
  }
  // As in a PATCH, a new price at or above compare_at_price ends the sale.
  if (saleOf.compare_at_price === undefined && old?.compare_at_price && isSale(old.compare_at_price)) {
    compare = old.compare_at_price;
  }
  const { cost_per_item } = { ...old, ...product, ...input };
  const all = { ...old, ...input };
  return {
    id: old?.id,
    old_sku: old?.sku ?? null,
    sku: all.sku ?? null,
    barcode: all.barcode ?? null,
    option1: all.option1 ?? null,
    option2: all.option2 ?? null,
    option3: all.option3 ?? null,
    price: price ?? '0',
    compare_at_price: compare,
    cost_per_item: amountOf(cost_per_item, 'cost_per_item'),
    inventory_quantity: input.inventory_quantity ?? null,
    inventory_policy: all.inventory_policy ?? 'deny',
    low_stock_threshold: all.low_stock_threshold ?? null,
    weight: all.weight ?? null,
    weight_unit: all.weight_unit ?? 'kg',
    requires_shipping: all.requires_shipping ?? true,
    image_url: all.image_url ?? null,
  };
}

export function planOptions(
  given: (OptionInput & { id?: string | undefined })[],
  mistakes: Mistakes,
  loc: Place,
): OptionPlan[] {
  const names = new Set<string>();
  return given.map(({ id, name: givenName, values }, i) => {
    const name = mistakes.collect(() => normalName(givenName, [...loc, i, 'name'])) ?? givenName;
    const folded = name.toLowerCase();
    if (names.has(folded)) mistakes.add([...loc, i, 'name'], 'duplicate', 'Another option has this name.');
    names.add(folded);
    if (new Set(values).size < values.length)
      mistakes.add([...loc, i, 'values'], 'duplicate', 'The values must be unique.');
    return { id, name, values: [...values] };
  });
}

function refuseBesideVariants(input: ProductInput, mistakes: Mistakes, loc: Place): void {
  for (const field of ['inventory_quantity', ...VARIANT_DETAILS] as const) {
    if (input[field] != null)
      mistakes.add([...loc, field], 'extra_forbidden', 'The product has variants: set this on each of them.');
  }
}

export function checkCombinations(
  options: OptionPlan[],
  variants: VariantPlan[],
  mistakes: Mistakes,
  loc: Place,
): void {
  const combinations = new Set<string>();
  // Existing SKUs may differ only in case. They are accepted until they change.
  const skus = new Set(variants.filter((variant) => !hasNewSku(variant)).map(({ sku }) => sku?.toLowerCase()));
  variants.forEach((variant, i) => {
    const place = [...loc, 'variants', i];
    checkOptionValues(options, variant, mistakes, place);
    const combination = combinationOf(variant);
    if (combinations.has(combination)) mistakes.add(place, 'duplicate', 'Another variant has the same option values.');
    combinations.add(combination);
    if (!hasNewSku(variant)) return;
    const sku = variant.sku?.toLowerCase();
    if (skus.has(sku)) mistakes.add([...place, 'sku'], 'duplicate', 'Another variant has this SKU.');
    skus.add(sku);
  });
}

export function hasNewSku({ sku, old_sku }: VariantPlan): boolean {
  return sku !== null && sku !== old_sku;
}

/**
 * Requires exactly one listed value for each option. Accepts any value for an option whose values are not known yet.
 */
function checkOptionValues(options: OptionPlan[], variant: VariantPlan, mistakes: Mistakes, loc: Place): void {
  OPTION_FIELDS.forEach((field, i) => {
    const option = options[i];
    const value = variant[field];
    if (!option) {
      if (value !== null) mistakes.add([...loc, field], 'extra_forbidden', 'The product has no such option.');
    } else if (value === null) {
      mistakes.add([...loc, field], 'missing', `A value for ${option.name} is required.`);
    } else if (option.values.length > 0 && !option.values.includes(value)) {
      mistakes.add([...loc, field], 'enum', notAmong(option), { expected: option.values });
    }
  });
}

export function notAmong({ name }: OptionPlan): string {
  return `Not among the values of ${name}. Add it to the option first.`;
}

type OptionValues = Pick<VariantInput, (typeof OPTION_FIELDS)[number]>;

/** Returns a key for a variant's option values, to find the same variant in a later import. */
export function combinationOf({ option1 = null, option2 = null, option3 = null }: OptionValues): string {
  return JSON.stringify([option1, option2, option3]);
}

function optionValuesOf({ option1, option2, option3 }: Variant): OptionValues {
  return { option1, option2, option3 };
}
