import { ambiguityOf } from '../../../ui/decimals.ts';
import type { VariantDraft } from './draft.ts';

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

/** What is wrong with a field: at once where it can be read in two ways, else what the server said, which names it as its own call does. */
export function variantError(errorOf: ErrorOf, variant: VariantDraft, name: TextName): string | undefined {
  const { inputMode } = TEXTS.find((text) => text.name === name) ?? {};
  const names = name === 'quantity' ? ['inventory_quantity', 'set_to'] : [name];
  const said = names.map((each) => errorOf(`variants.${variant.key}.${each}`)).find(Boolean);
  return (inputMode === 'decimal' && ambiguityOf(variant[name])) || said;
}

export type ChangeVariant = (key: string, changes: Partial<VariantDraft>) => void;
