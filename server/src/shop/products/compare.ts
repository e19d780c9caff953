import type { Product } from '@commerce-backend/spec';
import { WRITTEN_FIELDS, type WrittenField } from './fields.ts';
import type { ImagePlan, OptionPlan, ProductPlan, VariantPlan } from './plan.ts';

/** Whether saving the plan would change nothing. Ignores fields that the plan leaves undefined. */
export function isAsPlanned(before: Product, plan: ProductPlan, update_inventory: boolean): boolean {
  return (
    WRITTEN_FIELDS.every((field) => isFieldAsPlanned(field, before, plan)) &&
    sameOptions(before, plan.options) &&
    sameImages(before, plan) &&
    plan.variants.length === before.variants.length &&
    plan.variants.every((variant, i) => isSameVariant(before.variants[i], variant, update_inventory))
  );
}

function isFieldAsPlanned(field: WrittenField, before: Product, plan: ProductPlan): boolean {
  if (field === 'published_at') return isPublishedAsPlanned(before, plan);
  if (plan[field] === undefined) return true;
  if (field === 'metadata') return same(sorted(plan.metadata), sorted(before.metadata));
  return same(plan[field], before[field]);
}

/** An active product is published now, unless it is already published or the plan contains a publication time. */
function isPublishedAsPlanned({ published_at }: Product, plan: ProductPlan): boolean {
  if (plan.published_at !== undefined) return moment(plan.published_at) === moment(published_at);
  return plan.status !== 'active' || published_at !== null;
}

const VARIANT_FIELDS = [
  'option1',
  'option2',
  'option3',
  'sku',
  'barcode',
  'price',
  'compare_at_price',
  'cost_per_item',
  'inventory_policy',
  'weight_unit',
  'requires_shipping',
  'image_url',
] as const;

function isSameVariant(before: Product['variants'][number] | undefined, plan: VariantPlan, update_inventory: boolean) {
  if (!before) return false;
  const { low_stock_threshold, inventory_quantity, weight } = plan;
  return (
    plan.id === before.id &&
    VARIANT_FIELDS.every((field) => plan[field] === before[field]) &&
    (low_stock_threshold === null || low_stock_threshold === before.low_stock_threshold) &&
    (!update_inventory || inventory_quantity === null || inventory_quantity === before.inventory_quantity) &&
    (weight === null ? before.weight === null : before.weight !== null && Number(weight) === Number(before.weight))
  );
}

/** An option without an id is compared by position. */
export function sameOptions(before: Product, options: OptionPlan[]): boolean {
  const shape = ({ id, name, values }: OptionPlan, i: number) => [id ?? before.options[i]?.id, name, values];
  return same(options.map(shape), before.options.map(shape));
}

/** An image without an id is compared by position. */
function sameImages(before: Product, { images }: ProductPlan): boolean {
  if (!images) return true;
  const shape = ({ id, url, alt, position, width, height }: ImagePlan, i: number) => [
    id ?? before.images[i]?.id,
    url,
    alt ?? null,
    position ?? i + 1,
    width ?? null,
    height ?? null,
  ];
  return same(images.map(shape), before.images.map(shape));
}

function moment(at: string | null): number | null {
  return at === null ? null : Date.parse(at);
}

function sorted(map: Record<string, string> = {}): [string, string][] {
  return Object.entries(map).sort(([a], [b]) => (a < b ? -1 : 1));
}

function same(a: unknown, b: unknown): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}
