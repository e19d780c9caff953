import { unwrap } from '@commerce-backend/sdk';
import { useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { useController, useFormContext, useWatch } from 'react-hook-form';
import { api } from '../../../api.ts';
import { label } from '../../../format.ts';
import { t } from '../../../language/texts.ts';
import { useMe } from '../../../session/use-me.ts';
import { Button } from '../../../ui/button.tsx';
import { TextArea, TextField } from '../../../ui/field.tsx';
import { Card } from '../../../ui/page.tsx';
import { WithdrawalOptions } from '../../../ui/withdrawal-options.tsx';
import { Description } from './description.tsx';
import { Field, type ProductDraft } from './draft.ts';

export function Words({ isNew }: { isNew: boolean }) {
  const { setFocus } = useFormContext<ProductDraft>();
  useEffect(() => {
    if (isNew) setFocus('name');
  }, [isNew, setFocus]);
  return (
    <Card>
      <Field.Text name="name" label={t('Name')} required maxLength={255} />
      <Description />
    </Card>
  );
}

export function SearchEngines() {
  return (
    <Card title={t('Search engines')}>
      <Field.Text name="seo_title" label={t('Title for search engines')} maxLength={255} />
      <Field.Area name="seo_description" label={t('Description for search engines')} rows={2} maxLength={1000} />
      <Field.Text
        name="slug"
        label={t('Address in the shop')}
        hint={t('Made from the name when left empty.')}
        maxLength={255}
      />
    </Card>
  );
}

/** The product's status, type, vendor and tags. */
export function Organisation() {
  const status = useWatch<ProductDraft, 'status'>({ name: 'status' });
  return (
    <Card title={t('Organisation')}>
      <Field.Choice name="status" label={t('Status')} hint={STATUS_HINTS[status]}>
        <option value="draft">{t('Draft')}</option>
        <option value="active">{t('Active')}</option>
        <option value="archived">{t('Archived')}</option>
      </Field.Choice>
      <Field.Text name="product_type" label={t('Type')} hint={t('Such as Mug or T-shirt.')} maxLength={255} />
      <Field.Text name="vendor" label={t('Vendor')} maxLength={255} />
      <Field.Tags name="tags" label={t('Tags')} hint={t('Press Enter or comma to add one.')} />
    </Card>
  );
}

export function TaxAndReturns() {
  return (
    <Card title={t('Tax and returns')}>
      <TaxClass />
      <Field.Tick name="returnable" label={t('Customers may return it')} />
      <Field.Choice name="withdrawal_exempt" label={t('Right of withdrawal')}>
        <WithdrawalOptions />
      </Field.Choice>
    </Card>
  );
}

const STATUS_HINTS = {
  draft: t('Only you see it.'),
  active: t('Customers can find and buy it.'),
  archived: t('No longer sold; kept for old orders.'),
};

function TaxClass() {
  const chosen = useWatch<ProductDraft, 'tax_class'>({ name: 'tax_class' });
  const { merchant } = useMe();
  const settings = useQuery({
    queryKey: ['settings', merchant.id],
    queryFn: ({ signal }) => unwrap(api.GET('/api/dashboard/settings', { signal })),
    staleTime: 60_000,
  });
  const own = settings.data?.tax_rates.flatMap((rate) => rate.class ?? []) ?? [];
  const classes = new Set(['standard', 'reduced', 'zero', ...own, ...(chosen ? [chosen] : [])]);
  return (
    <Field.Choice name="tax_class" label={t('Tax class')}>
      {[...classes].map((name) => (
        <option key={name} value={name}>
          {label(name)}
        </option>
      ))}
    </Field.Choice>
  );
}

/** The product's metadata: custom fields by name, which storefronts and integrations read. */
export function Metadata() {
  const { field, fieldState } = useController<ProductDraft, 'metadata'>({ name: 'metadata' });
  const stored = Object.entries(field.value ?? {}).map(([name, value]) => ({ name, value }));
  // A row without a name cannot be saved. It stays while the saved rows are unchanged.
  const [typed, setTyped] = useState(stored);
  const rows = JSON.stringify(recordOf(typed)) === JSON.stringify(field.value ?? {}) ? typed : stored;
  const write = (next: Row[]) => {
    setTyped(next);
    field.onChange(recordOf(next));
  };
  const change = (at: number, changes: Partial<Row>) =>
    write(rows.map((row, i) => (i === at ? { ...row, ...changes } : row)));
  return (
    <Card
      title={t('Custom fields')}
      actions={<Button onClick={() => write([...rows, { name: '', value: '' }])}>{t('Add a field')}</Button>}
    >
      {rows.length === 0 && (
        <p className="hint">{t('What else your storefront shows of it, such as “Material: oak”.')}</p>
      )}
      <ul className="stack">
        {rows.map(({ name, value }, i) => (
          // The index is the key, because a name changes while the user types it.
          <li key={i} className="metadata-row">
            <TextField
              label={t('Name {i}', { i: i + 1 })}
              value={name}
              maxLength={100}
              onChange={(event) => change(i, { name: event.target.value })}
            />
            <ValueField
              name={`metadata.${name}`}
              label={t('Value of {name}', { name: name || t('field {i}', { i: i + 1 }) })}
              value={value}
              error={(fieldState.error as Record<string, { message?: string }> | undefined)?.[name]?.message}
              onValue={(next) => change(i, { value: next })}
            />
            <Button
              aria-label={t('Remove {name}', { name: name || t('field {i}', { i: i + 1 }) })}
              onClick={() => write(rows.filter((_, at) => at !== i))}
            >
              ×
            </Button>
          </li>
        ))}
      </ul>
    </Card>
  );
}

interface Row {
  name: string;
  value: string;
}

function recordOf(rows: Row[]): Record<string, string> {
  return Object.fromEntries(rows.flatMap(({ name, value }) => (name.trim() === '' ? [] : [[name.trim(), value]])));
}

interface ValueFieldProps {
  name: string;
  label: string;
  value: string;
  error: string | undefined;
  onValue: (value: string) => void;
}

/**
 * An input for a metadata value. Long texts get several lines, because a single-line input would remove their line
 * breaks.
 */
function ValueField({ value, onValue, ...props }: ValueFieldProps) {
  const [isText] = useState(value.includes('\n') || value.length > 100);
  const field = { ...props, value, maxLength: 500 };
  if (isText) return <TextArea {...field} onChange={(event) => onValue(event.target.value)} />;
  return <TextField {...field} onChange={(event) => onValue(event.target.value)} />;
}
