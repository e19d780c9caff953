import { t } from '../../../language/texts.ts';
import type { CellKind } from '../../../ui/form/fields.tsx';
import type { VariantDraft } from './draft.ts';

interface Column {
  name: keyof VariantDraft;
  label: string;
  kind: CellKind;
  /** Whether the column is hidden at first. */
  more?: true;
}

/** Columns of the variant table that contain an input, in display order. */
export const COLUMNS: readonly Column[] = [
  { name: 'price', label: t('Price'), kind: 'amounts' },
  { name: 'compare_at_price', label: t('Compare-at price'), kind: 'amounts' },
  { name: 'inventory_quantity', label: t('Available'), kind: 'whole' },
  { name: 'sku', label: 'SKU', kind: 'text' },
  { name: 'barcode', label: t('Barcode'), kind: 'text', more: true },
  { name: 'cost_per_item', label: t('Cost'), kind: 'amounts', more: true },
  { name: 'weight', label: t('Weight'), kind: 'decimals', more: true },
];

export const WEIGHT_UNITS = ['kg', 'g', 'lb', 'oz'] as const;
