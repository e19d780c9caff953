import type { InventoryPolicy, ProductStatus, WeightUnit } from '@commerce-backend/spec';
import type { Schemas } from '../../../api.ts';

export type Product = Schemas['Product'];
type Variant = Schemas['Variant'];

/** A variant as the editor holds it: texts as typed, amounts and weights as ui/typed-number.ts says. Without `id` it is not saved yet. */
export interface VariantDraft {
  key: string;
  id?: string;
  options: string[];
  price: string;
  compare_at_price: string;
  cost_per_item: string;
  sku: string;
  barcode: string;
  quantity: string;
  weight: string;
  weight_unit: WeightUnit;
  inventory_policy: InventoryPolicy;
  requires_shipping: boolean;
  /** The address of its picture, one of the product's; empty where it has none of its own. */
  image_url: string;
}

export interface OptionDraft {
  key: string;
  id?: string;
  name: string;
  values: string[];
}

export interface ImageDraft {
  key: string;
  id?: string;
  url: string;
  alt: string;
  /** Of a file that was uploaded, and is not yet an image of the product. */
  file_id?: string;
}

export interface Draft {
  name: string;
  description: string;
  description_html: string;
  seo_title: string;
  seo_description: string;
  slug: string;
  vendor: string;
  product_type: string;
  tags: string[];
  status: ProductStatus;
  tax_class: string;
  track_inventory: boolean;
  metadata: { key: string; name: string; value: string }[];
  options: OptionDraft[];
  variants: VariantDraft[];
  images: ImageDraft[];
}

/** A key for React of what has no id yet. */
export function newKey(): string {
  return crypto.randomUUID();
}

export function emptyVariant(options: string[] = []): VariantDraft {
  return {
    key: newKey(),
    options,
    price: '',
    compare_at_price: '',
    cost_per_item: '',
    sku: '',
    barcode: '',
    quantity: '0',
    weight: '',
    weight_unit: 'kg',
    inventory_policy: 'deny',
    requires_shipping: true,
    image_url: '',
  };
}

export function emptyDraft(): Draft {
  return {
    name: '',
    description: '',
    description_html: '',
    seo_title: '',
    seo_description: '',
    slug: '',
    vendor: '',
    product_type: '',
    tags: [],
    status: 'draft',
    tax_class: 'standard',
    track_inventory: true,
    metadata: [],
    options: [],
    variants: [emptyVariant()],
    images: [],
  };
}

export function draftOf(product: Product): Draft {
  return {
    name: product.name,
    description: product.description,
    description_html: product.description_html ?? '',
    seo_title: product.seo_title ?? '',
    seo_description: product.seo_description ?? '',
    slug: product.slug,
    vendor: product.vendor ?? '',
    product_type: product.product_type ?? '',
    tags: product.tags,
    status: product.status as ProductStatus,
    tax_class: product.tax_class,
    track_inventory: product.track_inventory,
    metadata: Object.entries(product.metadata).map(([name, value]) => ({ key: name, name, value })),
    options: product.options.map(({ id, name, values }) => ({ key: id, id, name, values })),
    variants: product.variants.map((variant) => variantDraftOf(variant, product.options.length)),
    images: product.images.map(({ id, url, alt }) => ({ key: id, id, url, alt: alt ?? '' })),
  };
}

function variantDraftOf(variant: Variant, options: number): VariantDraft {
  const values = [variant.option1, variant.option2, variant.option3].slice(0, options);
  return {
    key: variant.id,
    id: variant.id,
    options: values.map((value) => value ?? ''),
    price: variant.price,
    compare_at_price: variant.compare_at_price ?? '',
    cost_per_item: variant.cost_per_item ?? '',
    sku: variant.sku ?? '',
    barcode: variant.barcode ?? '',
    quantity: String(variant.inventory_quantity),
    weight: variant.weight ?? '',
    weight_unit: variant.weight_unit as WeightUnit,
    inventory_policy: variant.inventory_policy as InventoryPolicy,
    requires_shipping: variant.requires_shipping,
    image_url: variant.image_url ?? '',
  };
}

/** What a variant is called: its values, as customers choose them. */
export function variantName({ options }: VariantDraft): string {
  return options.join(' / ') || 'This product';
}

/** Whether two drafts would be saved as the same product. Keys do not count. */
export function isSame(one: Draft, other: Draft): boolean {
  return withoutKeys(one) === withoutKeys(other);
}

function withoutKeys(draft: Draft): string {
  return JSON.stringify(draft, (name, value) => (name === 'key' ? undefined : value));
}
