import { unwrap } from '@commerce-backend/sdk';
import type { AdjustmentReason } from '@commerce-backend/spec';
import { useState } from 'react';
import { api, readAgain, type Schemas } from '../../api.ts';
import { useFormat } from '../../format.ts';
import { rejection } from '../../language/sentences.ts';
import { t, tn } from '../../language/texts.ts';
import { Button } from '../../ui/button.tsx';
import { Select, TextField } from '../../ui/field.tsx';
import { toast, toastError } from '../../ui/toasts.tsx';

export type StockItem = Schemas['InventoryItem'];

/** An edited row: the input, the quantity shown when it was edited, and the error. */
export interface StockChange {
  item: StockItem;
  typed: string;
  error?: string | undefined;
}

/** The error of a row, with the current quantity. */
interface Refusal {
  error: string;
  inventory_quantity?: number;
}

export interface StockChanges {
  rows: StockChange[];
  /** Whether a save is running. Rows cannot be edited then, because the edit would appear to be saved. */
  saving: boolean;
  setSaving: (saving: boolean) => void;
  of: (variant_id: string) => StockChange | undefined;
  type: (item: StockItem, typed: string) => void;
  refuse: (refusals: Map<string, Refusal>) => void;
  clear: () => void;
}

/** Maximum number of rows per call. */
const MOST_ROWS = 500;

const REASONS: Record<AdjustmentReason, string> = {
  correction: t('Counted'),
  received: t('Received'),
  returned: t('Returned'),
  damaged: t('Damaged'),
  lost: t('Lost'),
  promotion: t('Given away'),
  other: t('Other'),
};

/** Unsaved edits on all pages of the table. */
export function useChanges(): StockChanges {
  const [changes, setChanges] = useState<ReadonlyMap<string, StockChange>>(new Map());
  const [saving, setSaving] = useState(false);
  return {
    saving,
    setSaving,
    rows: [...changes.values()],
    of: (variant_id) => changes.get(variant_id),
    type: (item, typed) =>
      setChanges((now) => {
        const next = new Map(now);
        const seen = next.get(item.variant_id)?.item ?? item;
        if (amountOf(seen, typed) === undefined && typed.trim() === '') next.delete(item.variant_id);
        else if (typed.trim() === String(seen.inventory_quantity)) next.delete(item.variant_id);
        else next.set(item.variant_id, { item: seen, typed });
        return next;
      }),
    // Rejected rows keep their input, which now applies to the current stock.
    refuse: (refusals) =>
      setChanges(
        (now) =>
          new Map(
            [...now].flatMap(([id, { item, typed }]): [string, StockChange][] => {
              const refusal = refusals.get(id);
              if (!refusal) return [];
              const { error, inventory_quantity = item.inventory_quantity } = refusal;
              return [[id, { item: { ...item, inventory_quantity }, typed, error }]];
            }),
          ),
      ),
    clear: () => setChanges(new Map()),
  };
}

/** Parses typed text: `12` sets the quantity, `+5` and `-3` change it. Returns undefined for any other text. */
export function amountOf(item: StockItem, typed: string) {
  const text = typed.replaceAll(/\s/g, '').replace('−', '-');
  if (!/^[+-]?\d{1,9}$/.test(text)) return undefined;
  const { variant_id, inventory_quantity: expected_quantity } = item;
  if (/^[+-]/.test(text)) return { variant_id, delta: Number(text) };
  return { variant_id, set_to: Number(text), expected_quantity };
}

/** The bar that saves the changes with their reason. */
export function Changes({ changes }: { changes: StockChanges }) {
  const { number } = useFormat();
  const [reason, setReason] = useState<AdjustmentReason>('correction');
  const [note, setNote] = useState('');
  const { rows, saving, setSaving } = changes;
  if (rows.length === 0) return null;
  const unreadable = rows.filter(({ item, typed }) => !amountOf(item, typed)).length;

  async function save() {
    setSaving(true);
    try {
      const refusals = await adjustAll(rows, reason, note.trim());
      // Fetches the current stock first; otherwise the saved rows would show the old stock and be compared with it.
      await readAgain('inventory', 'products');
      changes.refuse(refusals);
      const saved = rows.length - refusals.size;
      if (saved > 0)
        toast(t('{saved} {which} saved.', { saved: number(saved), which: tn(saved, 'quantity', 'quantities') }));
      if (refusals.size > 0)
        toastError(
          new Error(
            tn(
              refusals.size,
              '1 change was rejected; its row shows why.',
              '{size} changes were rejected; each row shows why.',
              { size: number(refusals.size) },
            ),
          ),
        );
      else setNote('');
    } catch (error) {
      toastError(error);
      await readAgain('inventory', 'products');
    } finally {
      setSaving(false);
    }
  }

  return (
    <section className="selection-bar stock-changes" aria-label={t('Changes')}>
      <p role="status">
        {t('{count} changed', { count: number(rows.length) })}
        {unreadable > 0 && t(', {unreadable} unreadable', { unreadable: number(unreadable) })}
      </p>
      <Select
        label={t('Reason')}
        value={reason}
        onChange={(event) => setReason(event.target.value as AdjustmentReason)}
      >
        {Object.entries(REASONS).map(([value, name]) => (
          <option key={value} value={value}>
            {name}
          </option>
        ))}
      </Select>
      <TextField label={t('Note')} value={note} maxLength={500} onChange={(event) => setNote(event.target.value)} />
      <Button disabled={saving} onClick={changes.clear}>
        {t('Discard')}
      </Button>
      <Button kind="primary" busy={saving} disabled={unreadable > 0} onClick={() => void save()}>
        {t('Save')}
      </Button>
    </section>
  );
}

/** Saves all rows. Returns the errors of rejected ones. */
async function adjustAll(rows: StockChange[], reason: AdjustmentReason, note: string): Promise<Map<string, Refusal>> {
  const adjustments = rows.flatMap(({ item, typed }) => amountOf(item, typed) ?? []);
  const refusals = new Map<string, Refusal>();
  for (let at = 0; at < adjustments.length; at += MOST_ROWS) {
    const body = { reason, adjustments: adjustments.slice(at, at + MOST_ROWS), ...(note !== '' && { note }) };
    const { results } = await unwrap(api.POST('/api/dashboard/inventory/adjust', { body }));
    for (const result of results) {
      const { index, status, inventory_quantity } = result;
      const id = body.adjustments[index]?.variant_id;
      if (status !== 'failed' || !id) continue;
      refusals.set(id, {
        error: rejection(result),
        ...(inventory_quantity !== null && { inventory_quantity }),
      });
    }
  }
  return refusals;
}
