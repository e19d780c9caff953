import type { CellKind } from '../../../ui/form/fields.tsx';
import type { VariantDraft } from './draft.ts';

interface Column {
  name: keyof VariantDraft;
  label: string;
  kind: CellKind;
  /** Whether the column is hidden by default. */
  more?: true;
}

/** The texts of a variant, in the order in which they are filled in. */
export const COLUMNS: readonly Column[] = [
  { name: 'price', label: 'Price', kind: 'amounts' },
  { name: 'compare_at_price', label: 'Compare-at price', kind: 'amounts' },
  { name: 'inventory_quantity', label: 'Available', kind: 'whole' },
  { name: 'sku', label: 'SKU', kind: 'text' },
  { name: 'barcode', label: 'Barcode', kind: 'text', more: true },
  { name: 'cost_per_item', label: 'Cost', kind: 'amounts', more: true },
  { name: 'weight', label: 'Weight', kind: 'decimals', more: true },
];

export const WEIGHT_UNITS = ['kg', 'g', 'lb', 'oz'] as const;
