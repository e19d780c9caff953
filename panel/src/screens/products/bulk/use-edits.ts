import { useState } from 'react';
import { useFormat } from '../../../format.ts';
import { t } from '../../../language/texts.ts';
import { toast, toastError } from '../../../ui/toasts.tsx';
import { type Product, productsChanged } from './bulk-queries.ts';
import {
  cellOf,
  currentProducts,
  type Edits,
  type Errors,
  FIELDS,
  type Field,
  isEditable,
  type Row,
  rowsOf,
  save,
  savedIn,
} from './edits.ts';

export interface TypedCell {
  row: Row;
  field: Field;
  value: string;
}

/** Maximum number of variants in the editor. */
export const MOST_VARIANTS = 500;

/** The typed cells of the bulk editor, their errors, and the products as they were last read. */
export function useEdits(given: Product[], canCount: boolean) {
  const { number } = useFormat();
  const [products, setProducts] = useState(given);
  const [edits, setEdits] = useState<Edits>(new Map());
  const [errors, setErrors] = useState<Errors>(new Map());
  const [saving, setSaving] = useState(false);
  const all = rowsOf(products);
  const rows = all.slice(0, MOST_VARIANTS);

  const type = (cells: TypedCell[]) => {
    const editable = cells.filter(({ row, field }) => isEditable(row, field, canCount));
    setEdits((now) => withTyped(now, editable));
    setErrors((now) => withoutCells(now, editable));
  };

  const finish = async (refused: Errors) => {
    const touched = new Set([...edits.keys()].map(variantIn));
    const stale = products.filter(({ variants }) => variants.some(({ id }) => touched.has(id)));
    const fresh = new Map((await currentProducts(stale)).map((product) => [product.id, product]));
    setProducts(products.map((product) => fresh.get(product.id) ?? product));
    const kept = new Map([...edits].filter(([cell]) => isKept(cell, refused)));
    setEdits(kept);
    setErrors(refused);
    await productsChanged();
    if (edits.size > kept.size) toast(t('{count} cells saved.', { count: number(edits.size - kept.size) }));
  };

  const saveNow = async () => {
    setSaving(true);
    try {
      await finish(await save(rows, edits));
    } catch (error) {
      toastError(error);
    } finally {
      setSaving(false);
    }
  };

  const discard = () => {
    setEdits(new Map());
    setErrors(new Map());
  };
  return { rows, total: all.length, edits, errors, saving, type, saveNow, discard };
}

function withTyped(now: Edits, cells: TypedCell[]): Edits {
  const next = new Map(now);
  for (const { row, field, value } of cells) {
    const cell = cellOf(row.variant.id, field);
    if (value === savedIn(row, field)) next.delete(cell);
    else next.set(cell, value);
  }
  return next;
}

function withoutCells(now: Errors, cells: TypedCell[]): Errors {
  const next = new Map(now);
  for (const { row, field } of cells) next.delete(cellOf(row.variant.id, field));
  return next;
}

function variantIn(cell: string): string {
  return cell.split(' ')[0] ?? '';
}

/**
 * Whether the cell was not saved. A rejected row keeps all of its cells except the quantity, which is saved separately.
 */
function isKept(cell: string, refused: Errors): boolean {
  if (cell === cellOf(variantIn(cell), 'stock')) return refused.has(cell);
  return FIELDS.some((field) => field !== 'stock' && refused.has(cellOf(variantIn(cell), field)));
}
