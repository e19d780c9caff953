import type { ClipboardEvent, KeyboardEvent } from 'react';
import { type NumberTexts, useFormat } from '../../../format.ts';
import { t } from '../../../language/texts.ts';
import { useCan } from '../../../session/use-me.ts';
import { Button } from '../../../ui/button.tsx';
import { Held } from '../../../ui/held.tsx';
import { Page } from '../../../ui/page.tsx';
import { usePriceQuestion } from '../../../ui/price-question.tsx';
import { SaveBar } from '../../../ui/save-bar.tsx';
import { typedNumber } from '../../../ui/typed-number.ts';
import { UnsavedGuard } from '../../../ui/unsaved.tsx';
import type { Product } from './bulk-queries.ts';
import { BulkRow } from './bulk-row.tsx';
import { cellOf, type Edits, FIELDS, type Field, mistakeIn, type Row } from './edits.ts';
import { type TypedCell, useEdits } from './use-edits.ts';

/**
 * A table of the variants of several products, at most 500. Sends only the changed cells, and shows errors at their
 * cells.
 */
export function BulkEditor({ products, onClose }: { products: Product[]; onClose: () => void }) {
  const { number } = useFormat();
  const canCount = useCan()('inventory:write');
  const { rows, total, edits, errors, saving, type, saveNow, discard } = useEdits(products, canCount);
  const { ask, question } = usePriceQuestion();
  const mistakes = mistakesIn(rows, edits);
  const rejected =
    errors.size > 0 ? t('Rejected cells: {count}. Each shows why.', { count: number(errors.size) }) : undefined;
  const problem = mistakes > 0 ? t('Invalid cells: {count}.', { count: number(mistakes) }) : rejected;
  return (
    <Page
      title={t('Edit {count} variants', { count: number(rows.length) })}
      actions={
        <Button onClick={onClose}>{edits.size > 0 ? t('Back without saving') : t('Back to the products')}</Button>
      }
    >
      <UnsavedGuard dirty={edits.size > 0} />
      {total > rows.length && (
        <p className="note">
          {t('These are the first {shown} of {total} variants. Select fewer products to edit the others.', {
            shown: number(rows.length),
            total: number(total),
          })}
        </p>
      )}
      <p className="hint">
        {t('Enter and the arrow keys move between rows. Copied cells of a spreadsheet can be pasted.')}
      </p>
      <Held busy={saving}>
        <Grid rows={rows} edits={edits} errors={errors} canCount={canCount} onType={type} />
      </Held>
      {edits.size > 0 && (
        <SaveBar
          busy={saving}
          status={t('{count} cells changed', { count: number(edits.size) })}
          problem={problem}
          waits={mistakes > 0}
          onDiscard={discard}
          onSave={() => ask(pricesIn(rows, edits), () => void saveNow())}
        />
      )}
      {question}
    </Page>
  );
}

function Grid({
  rows,
  onType,
  ...rest
}: {
  rows: Row[];
  edits: Edits;
  errors: Edits;
  canCount: boolean;
  onType: (cells: TypedCell[]) => void;
}) {
  const { amounts } = useFormat();
  const columns = FIELDS.map((field) => ({ field, title: titleOf(field) }));
  const paste = (event: ClipboardEvent<HTMLTableElement>) => {
    const cells = pastedCells(event, rows, amounts);
    if (cells.length === 0) return;
    event.preventDefault();
    onType(cells);
  };
  return (
    <div className="table-box bulk-grid-scroll">
      <table className="data-table bulk-grid" onKeyDown={moveByKey} onPaste={paste}>
        <caption className="unseen">{t('Variants')}</caption>
        <thead>
          <tr>
            <th scope="col">{t('Variant')}</th>
            {columns.map(({ field, title }) => (
              <th key={field} scope="col">
                {title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row, at) => (
            <BulkRow key={row.variant.id} at={at} row={row} columns={columns} onType={onType} {...rest} />
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** The cells to fill, from the focused one on, when several cells are pasted from a spreadsheet. Otherwise empty. */
function pastedCells(event: ClipboardEvent, rows: Row[], amounts: NumberTexts): TypedCell[] {
  const text = event.clipboardData.getData('text').replace(/\r?\n$/, '');
  if (!(event.target instanceof HTMLInputElement) || !/[\n\t]/.test(text)) return [];
  const { row: first, column } = event.target.dataset;
  const left = FIELDS.indexOf(column as Field);
  return text.split(/\r?\n/).flatMap((line, down) =>
    line.split('\t').flatMap((cell, right) => {
      const row = rows[Number(first) + down];
      const field = FIELDS[left + right];
      if (!row || !field) return [];
      const isAmount = field === 'price' || field === 'compare_at_price';
      return [{ row, field, value: isAmount ? typedNumber(cell, amounts) : cell.trim() }];
    }),
  );
}

function mistakesIn(rows: Row[], edits: Edits): number {
  const isWrong = (row: Row, field: Field) => {
    const typed = edits.get(cellOf(row.variant.id, field));
    return typed !== undefined && mistakeIn(field, typed) !== undefined;
  };
  return rows.reduce((sum, row) => sum + FIELDS.filter((field) => isWrong(row, field)).length, 0);
}

function pricesIn(rows: Row[], edits: Edits) {
  return rows.flatMap((row) => {
    const after = edits.get(cellOf(row.variant.id, 'price'));
    return after === undefined ? [] : [{ name: row.name, before: row.variant.price, after }];
  });
}

function titleOf(field: Field): string {
  const titles = {
    price: t('Price'),
    compare_at_price: t('Compare-at price'),
    sku: t('SKU'),
    barcode: t('Barcode'),
    stock: t('Available'),
  };
  return titles[field];
}

/** Moves the focus with Up, Down and Enter in a column like a spreadsheet. */
function moveByKey(event: KeyboardEvent<HTMLTableElement>): void {
  const step = { ArrowUp: -1, ArrowDown: 1, Enter: 1 }[event.key];
  if (step === undefined || !(event.target instanceof HTMLInputElement)) return;
  event.preventDefault();
  const { column } = event.target.dataset;
  const inputs = [...event.currentTarget.querySelectorAll('input')].filter((input) => input.dataset.column === column);
  inputs[inputs.indexOf(event.target) + step]?.focus();
}
