import { isUnread } from '../../../ui/typed-number.ts';
import type { Draft, VariantDraft } from './draft.ts';

/** The texts of a variant, in the order in which they are filled in. */
export const TEXTS = [
  { name: 'price', label: 'Price', inputMode: 'decimal', more: false },
  { name: 'compare_at_price', label: 'Compare-at price', inputMode: 'decimal', more: false },
  { name: 'quantity', label: 'Available', inputMode: 'numeric', more: false },
  { name: 'sku', label: 'SKU', inputMode: 'text', more: false },
  { name: 'barcode', label: 'Barcode', inputMode: 'text', more: true },
  { name: 'cost_per_item', label: 'Cost', inputMode: 'decimal', more: true },
  { name: 'weight', label: 'Weight', inputMode: 'decimal', more: true },
] as const;

export type TextName = (typeof TEXTS)[number]['name'];

export const WEIGHT_UNITS: VariantDraft['weight_unit'][] = ['kg', 'g', 'lb', 'oz'];

export type ErrorOf = (field: string) => string | undefined;

/** Why the server refused a field, which it names as the call does. */
export function variantError(errorOf: ErrorOf, variant: VariantDraft, name: TextName): string | undefined {
  const names = name === 'quantity' ? ['inventory_quantity', 'set_to'] : [name];
  return names.map((each) => errorOf(`variants.${variant.key}.${each}`)).find(Boolean);
}

/** Whether the field takes an amount or another number with decimals; undefined for other texts. */
export function numberKind(name: TextName): 'amounts' | 'decimals' | undefined {
  const { inputMode } = TEXTS.find((text) => text.name === name) ?? {};
  if (inputMode !== 'decimal') return undefined;
  return name === 'weight' ? 'decimals' : 'amounts';
}

export const UNREAD_NUMBERS = 'Nothing is saved: correct the amounts that are marked.';

/** Whether an amount or a weight of the draft cannot be read: its field says why, and nothing is saved. */
export function hasUnreadNumber({ variants }: Draft): boolean {
  return variants.some((variant) => TEXTS.some(({ name }) => numberKind(name) && isUnread(variant[name])));
}

export type ChangeVariant = (key: string, changes: Partial<VariantDraft>) => void;
