import type { ProductInput } from '@commerce-backend/spec';
import { slugOf } from '../../../../../cli/src/formats/slug.ts';
import { usedOptions } from './combinations.ts';
import type { Draft, ImageDraft, VariantDraft } from './draft.ts';

/** What the API takes of a draft: empty texts are null. */
export function productFields(draft: Draft) {
  return {
    name: draft.name.trim(),
    description: draft.description,
    description_html: draft.description_html.trim() || null,
    seo_title: draft.seo_title.trim() || null,
    seo_description: draft.seo_description.trim() || null,
    vendor: draft.vendor.trim() || null,
    product_type: draft.product_type.trim() || null,
    tags: draft.tags,
    status: draft.status,
    tax_class: draft.tax_class,
    track_inventory: draft.track_inventory,
    metadata: Object.fromEntries(
      draft.metadata.filter(({ name }) => name.trim() !== '').map(({ name, value }) => [name.trim(), value]),
    ),
    ...(draft.slug.trim() !== '' && { slug: slugOf(draft.slug) || draft.slug.trim() }),
  };
}

/** How it is sold: the fields that a product without options has itself. */
function saleFields(variant: VariantDraft) {
  return {
    price: variant.price,
    compare_at_price: variant.compare_at_price || null,
    cost_per_item: variant.cost_per_item || null,
    sku: variant.sku.trim() || null,
    barcode: variant.barcode.trim() || null,
    weight: variant.weight || null,
    weight_unit: variant.weight_unit,
    inventory_policy: variant.inventory_policy,
    requires_shipping: variant.requires_shipping,
  };
}

export function variantFields(variant: VariantDraft) {
  const [option1, option2, option3] = variant.options;
  return {
    ...saleFields(variant),
    image_url: variant.image_url || null,
    ...(option1 !== undefined && { option1 }),
    ...(option2 !== undefined && { option2 }),
    ...(option3 !== undefined && { option3 }),
  };
}

export function newVariantFields(variant: VariantDraft) {
  return { ...variantFields(variant), inventory_quantity: wholeOf(variant.quantity) };
}

/** A product that does not exist yet, with all that belongs to it, in one call. Uploaded files are attached afterwards. */
export function newProductBody(draft: Draft): ProductInput {
  const options = usedOptions(draft).map(({ name, values }) => ({ name: name.trim(), values }));
  const [only] = draft.variants;
  // Typed, for the compiler lets unknown fields through where objects are spread.
  const sold: Partial<ProductInput> =
    options.length > 0 || !only
      ? { options, variants: draft.variants.map(newVariantFields) }
      : { ...saleFields(only), inventory_quantity: wholeOf(only.quantity) };
  return { ...productFields(draft), images: draft.images.filter(isByUrl).map(imageFields), ...sold };
}

function imageFields({ url, alt }: ImageDraft) {
  return { url, alt: alt.trim() || null };
}

/** An image that is added: what was uploaded by its file, everything else by its address. */
export function newImageFields({ url, alt, file_id }: ImageDraft) {
  return { ...(file_id === undefined ? { url } : { file_id }), alt: alt.trim() || null };
}

export function isByUrl({ file_id }: ImageDraft): boolean {
  return file_id === undefined;
}

/** The whole number that was typed; NaN, which no API takes, for anything else. */
export function wholeOf(typed: string): number {
  return /^-?\d{1,10}$/.test(typed.trim()) ? Number(typed) : Number.NaN;
}

/** The fields of `after` that are not as in `before`; undefined when none is. */
export function changesIn<Fields extends object>(before: Fields, after: Fields): Partial<Fields> | undefined {
  const changed = Object.entries(after).filter(
    ([name, value]) => JSON.stringify(value) !== JSON.stringify(before[name as keyof Fields]),
  );
  return changed.length > 0 ? (Object.fromEntries(changed) as Partial<Fields>) : undefined;
}
