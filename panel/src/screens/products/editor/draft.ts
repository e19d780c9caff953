import type { Inputs, Schemas } from '../../../api.ts';
import { t } from '../../../language/texts.ts';
import { merged, without, wordsOf } from '../../../ui/form/changes.ts';
import { fieldsOf } from '../../../ui/form/fields.tsx';
import type { PriceChange } from '../../../ui/price-question.tsx';

type Replacement = Inputs['ProductReplacement'];

/** A product in the editor: the API's request body. */
export type ProductDraft = Replacement & Required<Pick<Replacement, 'status' | 'options' | 'variants' | 'images'>>;
export type VariantDraft = ProductDraft['variants'][number];
export type OptionDraft = ProductDraft['options'][number];

export const Field = fieldsOf<ProductDraft>();

export function emptyVariant(): VariantDraft {
  return { price: '', inventory_quantity: 0, weight_unit: 'kg', inventory_policy: 'deny', requires_shipping: true };
}

export function emptyDraft(): ProductDraft {
  return {
    name: '',
    description: '',
    tags: [],
    status: 'draft',
    tax_class: 'standard',
    track_inventory: true,
    returnable: true,
    withdrawal_exempt: 'none',
    metadata: {},
    options: [],
    variants: [emptyVariant()],
    images: [],
  };
}

/** Fields that the server computes, so they are not in the form. */
const COMPUTED = {
  product: [
    ...['id', 'merchant_id', 'price', 'compare_at_price', 'cost_per_item', 'currency', 'has_variants'],
    ...['total_inventory', 'in_stock', 'published_at', 'created_at', 'updated_at'],
  ],
  variant: ['product_id', 'available', 'is_low_stock', 'is_out_of_stock', 'created_at', 'updated_at'],
  option: ['position'],
  image: ['position', 'width', 'height', 'variant_ids', 'status', 'sources'],
};

export function draftOf(product: Schemas['Product']): ProductDraft {
  return {
    ...without(product, COMPUTED.product),
    options: product.options.map((option) => without(option, COMPUTED.option)),
    variants: product.variants.map((variant) => without(variant, COMPUTED.variant)),
    images: product.images.map((image) => without(image, COMPUTED.image)),
    // The cast is needed because responses have open enums in the contract.
  } as ProductDraft;
}

/**
 * A copy of a product as a new draft, without slug, SKUs, barcodes and stock. Nothing is stored until the user saves
 * it.
 */
export function copyOf(product: ProductDraft): ProductDraft {
  const asNew = <Value extends { id?: string }>({ id, ...rest }: Value) => rest;
  return {
    ...product,
    name: t('{name} (copy)', { name: product.name ?? '' }).slice(0, 255),
    slug: undefined,
    status: 'draft',
    options: product.options.map(asNew),
    variants: product.variants.map((variant) => {
      const { sku, barcode, ...rest } = asNew(variant);
      return { ...rest, sku: null, barcode: null, inventory_quantity: 0 };
    }),
    images: product.images.map(asNew),
  };
}

/**
 * Applies the user's changes to a newer state of the product. A change of stock is added to the newer stock as a
 * difference.
 */
export function mergedProduct(base: ProductDraft, mine: ProductDraft, theirs: ProductDraft): ProductDraft {
  const result = merged(base, mine, theirs);
  const stockIn = ({ variants }: ProductDraft, id: string | undefined) =>
    variants.find((variant) => variant.id === id)?.inventory_quantity;
  const variants = result.variants.map((variant) => {
    const [was, own, now] = [base, mine, theirs].map((draft) => stockIn(draft, variant.id));
    if (variant.id === undefined || was === undefined || own === undefined || now === undefined) return variant;
    return { ...variant, inventory_quantity: now + own - was };
  });
  return { ...result, variants };
}

/**
 * Product fields in words, to show conflicting changes. Stock is omitted, because `mergedProduct` keeps the changes of
 * both users.
 */
export function productInWords(draft: ProductDraft): Map<string, string> {
  const { description_html, ...fields } = draft;
  const variants = draft.variants.map((variant) => without(variant, ['inventory_quantity']));
  return wordsOf({ ...fields, description: description_html || fields.description, variants });
}

/** The prices of existing variants before and after the edit, including unchanged ones. */
export function priceChanges(base: ProductDraft, draft: ProductDraft): PriceChange[] {
  return draft.variants.flatMap((variant) => {
    const before = base.variants.find(({ id }) => id !== undefined && id === variant.id)?.price;
    return before === undefined ? [] : [{ name: variantName(variant), before, after: variant.price ?? '' }];
  });
}

/** The variant's name: its option values. */
export function variantName(variant: VariantDraft): string {
  return optionsOf(variant).join(' / ') || t('This product');
}

/** Option values of a variant, in the order of the options. */
export function optionsOf({ option1, option2, option3 }: VariantDraft): string[] {
  return [option1, option2, option3].filter((value) => value !== null && value !== undefined);
}
