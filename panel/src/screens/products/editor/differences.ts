import { label } from '../../../format.ts';
import type { PriceChange } from '../../../ui/price-question.tsx';
import { type Draft, draftOf, type Product, type VariantDraft, variantName } from './draft.ts';

/** A draft in words, field by field, as the dialog about a conflict shows it. Stock is left out: no two people own it. */
export function inFields(draft: Draft): Map<string, string> {
  const fields = new Map<string, string>([
    ['Name', draft.name],
    ['Description', draft.description],
    ['Formatted description', draft.description_html],
    ['Title for search engines', draft.seo_title],
    ['Description for search engines', draft.seo_description],
    ['Address', draft.slug],
    ['Vendor', draft.vendor],
    ['Type', draft.product_type],
    ['Tags', draft.tags.join(', ')],
    ['Status', label(draft.status)],
    ['Tax class', draft.tax_class],
    ['Counts stock', draft.track_inventory ? 'yes' : 'no'],
    ['Custom fields', draft.metadata.map(({ name, value }) => `${name}: ${value}`).join('\n')],
    ['Pictures', draft.images.map(({ url, alt }) => alt || url).join('\n')],
  ]);
  for (const { name, values } of draft.options) fields.set(`Option ${name}`, values.join(', '));
  for (const variant of draft.variants) {
    const name = variantName(variant);
    for (const [field, words] of Object.entries(VARIANT_FIELDS)) {
      fields.set(`${name}: ${words}`, String(variant[field as keyof typeof VARIANT_FIELDS]));
    }
  }
  return fields;
}

/** The prices of stored variants, before and after. */
export function priceChanges({ variants }: Product, draft: Draft): PriceChange[] {
  return draft.variants.flatMap((variant) => {
    const before = variants.find(({ id }) => id === variant.id);
    return before ? [{ name: variantName(variant), before: before.price, after: variant.price }] : [];
  });
}

const VARIANT_FIELDS = {
  price: 'price',
  compare_at_price: 'compare-at price',
  cost_per_item: 'cost',
  sku: 'SKU',
  barcode: 'barcode',
  weight: 'weight',
  weight_unit: 'unit of weight',
  inventory_policy: 'when sold out',
  image_url: 'picture',
} as const;

/** My changes upon their product: what I did not touch becomes as they left it. */
export function rebased(base: Product, mine: Draft, theirs: Product): Draft {
  const was = draftOf(base);
  const now = draftOf(theirs);
  const merged = { ...now };
  for (const name of Object.keys(now) as (keyof Draft)[]) {
    if (name === 'variants' || sameValue(mine[name], was[name])) continue;
    Object.assign(merged, { [name]: mine[name] });
  }
  merged.images = merged.images.map((image) => alive(image, now.images, ({ url }) => url));
  merged.options = merged.options.map((option) => alive(option, now.options, ({ name }) => name));
  merged.variants = mergedVariants(was.variants, mine.variants, now.variants);
  return merged;
}

function mergedVariants(was: VariantDraft[], mine: VariantDraft[], now: VariantDraft[]): VariantDraft[] {
  const before = new Map(was.map((variant) => [variant.id, variant]));
  const own = new Map(mine.filter(({ id }) => id !== undefined).map((variant) => [variant.id, variant]));
  const made = mine.filter(({ id }) => id === undefined).map((variant) => alive(variant, now, combinationOf));
  const adopted = new Set(made.map(({ id }) => id));
  const kept = now.flatMap((variant): VariantDraft[] => {
    const base = before.get(variant.id);
    const changed = own.get(variant.id);
    if (adopted.has(variant.id) || (base && !changed)) return [];
    return base && changed ? [mergedVariant(base, changed, variant)] : [variant];
  });
  return [...kept, ...made];
}

function mergedVariant(was: VariantDraft, mine: VariantDraft, now: VariantDraft): VariantDraft {
  const merged = { ...now };
  for (const name of Object.keys(now) as (keyof VariantDraft)[]) {
    if (!sameValue(mine[name], was[name])) Object.assign(merged, { [name]: mine[name] });
  }
  // What was sold meanwhile stays sold.
  const counted = Number(now.quantity) + Number(mine.quantity) - Number(was.quantity);
  if (mine.quantity !== was.quantity && Number.isInteger(counted)) merged.quantity = String(counted);
  return merged;
}

/**
 * A part as it can be saved now. One that was deleted meanwhile is made anew; a new one that is there by now, since a save was
 * stopped halfway, is that one.
 */
function alive<Part extends { id?: string }>(part: Part, now: Part[], nameOf: (part: Part) => string): Part {
  const { id, ...rest } = part;
  if (now.some((other) => other.id !== undefined && other.id === id)) return part;
  const found = id === undefined ? now.find((other) => nameOf(other) === nameOf(part))?.id : undefined;
  return (found === undefined ? rest : { ...rest, id: found }) as Part;
}

function combinationOf({ options }: VariantDraft): string {
  return JSON.stringify(options);
}

function sameValue(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}
