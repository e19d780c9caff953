import { keepPreviousData, useMutation, useQuery } from '@tanstack/react-query';
import { type FormEvent, useEffect, useState } from 'react';
import { useFormat } from '../../../format.ts';
import { rejection } from '../../../language/sentences.ts';
import { t } from '../../../language/texts.ts';
import { Dialog } from '../../../ui/dialog.tsx';
import { Select } from '../../../ui/field.tsx';
import { DialogFoot } from '../../../ui/form-error.tsx';
import { Form } from '../../../ui/held.tsx';
import { NumberField } from '../../../ui/number-field.tsx';
import { usePriceQuestion } from '../../../ui/price-question.tsx';
import { isUnread } from '../../../ui/typed-number.ts';
import { type BulkChange, type BulkDialogProps, type BulkResult, bulkUpdate } from './bulk-queries.ts';

type Kind = 'raise_percent' | 'lower_percent' | 'raise_amount' | 'lower_amount';

/** Number of products in the preview. */
const PREVIEWED = 5;
const TYPING_PAUSE_MS = 300;

/**
 * Changes the prices of the selected products by a percentage or an amount, with a preview that the server calculates.
 */
export function PriceDialog({ products, busy, onClose, onChange }: BulkDialogProps) {
  const { amounts, decimals } = useFormat();
  const [kind, setKind] = useState<Kind>('raise_percent');
  const [value, setValue] = useState('');
  const { ask, question } = usePriceQuestion();
  const change = changeOf(kind, value);
  const ids = products.map(({ id }) => id);
  // A dry run of all products finds the changes of more than 80 %.
  const work = useMutation({
    mutationFn: (wanted: BulkChange) => bulkUpdate(ids, wanted, { dry_run: true }),
    onSuccess: (results, wanted) => ask(pricesOf(results), () => onChange(wanted)),
  });
  const isPending = work.isPending || busy;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (change) work.mutate(change);
  };
  const isPercent = kind.endsWith('percent');
  return (
    <Dialog open onClose={onClose} title={t('Change prices')}>
      <Form busy={isPending} onSubmit={submit}>
        <div className="price-change">
          <Select
            label={t('Change')}
            value={kind}
            onChange={(event) => {
              setKind(event.target.value as Kind);
              setValue('');
            }}
          >
            <option value="raise_percent">{t('Raise by percent')}</option>
            <option value="lower_percent">{t('Lower by percent')}</option>
            <option value="raise_amount">{t('Raise by an amount')}</option>
            <option value="lower_amount">{t('Lower by an amount')}</option>
          </Select>
          <NumberField
            key={kind}
            label={isPercent ? t('Percent') : t('Amount')}
            texts={isPercent ? decimals : amounts}
            value={value}
            onValue={setValue}
            required
            autoFocus
          />
        </div>
        <p className="hint">
          {t('All variants change. New prices are rounded to the smallest unit of the currency, halves up.')}
        </p>
        <Preview ids={ids} change={change} />
        <DialogFoot
          work={{ error: work.error, isPending }}
          action={
            products.length === 1 ? t('Change 1 product') : t('Change {count} products', { count: products.length })
          }
          onCancel={onClose}
        />
      </Form>
      {question}
    </Dialog>
  );
}

function changeOf(kind: Kind, value: string): BulkChange | undefined {
  if (value === '' || isUnread(value) || Number(value) === 0) return undefined;
  const sign = kind.startsWith('lower') ? '-' : '';
  return kind.endsWith('percent') ? { price_percent: sign + value } : { price_amount: sign + value };
}

function pricesOf(results: BulkResult[]) {
  return results.flatMap(({ name, price_before, price_after }) =>
    name !== null && price_before !== null && price_after !== null
      ? [{ name, before: price_before, after: price_after }]
      : [],
  );
}

/** The old and the new prices of the first products. */
function Preview({ ids, change }: { ids: string[]; change: BulkChange | undefined }) {
  const { money } = useFormat();
  const [paused, setPaused] = useState(change);
  const text = JSON.stringify(change);
  useEffect(() => {
    const timer = setTimeout(() => setPaused(text === undefined ? undefined : JSON.parse(text)), TYPING_PAUSE_MS);
    return () => clearTimeout(timer);
  }, [text]);
  const shown = ids.slice(0, PREVIEWED);
  const preview = useQuery({
    queryKey: ['price-preview', shown, paused],
    queryFn: () => bulkUpdate(shown, paused as BulkChange, { dry_run: true }),
    enabled: paused !== undefined,
    placeholderData: keepPreviousData,
  });
  if (!change || !preview.data) return null;
  return (
    <table className="data-table price-preview" aria-busy={preview.isFetching}>
      <caption>{t('Preview')}</caption>
      <thead>
        <tr>
          <th scope="col">{t('Product')}</th>
          <th scope="col" className="numeric">
            {t('Old price')}
          </th>
          <th scope="col" className="numeric">
            {t('New price')}
          </th>
        </tr>
      </thead>
      <tbody>
        {preview.data.map(({ product_id, name, price_before, price_after, ...result }) => (
          <tr key={product_id}>
            <td data-label={t('Product')}>{name}</td>
            <td data-label={t('Old price')} className="numeric">
              {price_before !== null && money(price_before)}
            </td>
            <td data-label={t('New price')} className="numeric">
              {price_after === null ? rejection(result) : <strong>{money(price_after)}</strong>}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
