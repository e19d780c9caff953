import { unwrap } from '@commerce-backend/sdk';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { api } from '../../../api.ts';
import { label } from '../../../format.ts';
import { useMe } from '../../../session/use-me.ts';
import { Button } from '../../../ui/button.tsx';
import { Chips } from '../../../ui/chips.tsx';
import { Checkbox, Select, TextArea, TextField } from '../../../ui/field.tsx';
import { Card } from '../../../ui/page.tsx';
import { type Draft, newKey } from './draft.ts';
import { HtmlPreview } from './html-preview.tsx';

export interface PartProps {
  draft: Draft;
  onChange: (changes: Partial<Draft>) => void;
  /** For what ends later than it begins. */
  setDraft: (change: (draft: Draft) => Draft) => void;
  errorOf: (field: string) => string | undefined;
}

/** Name and description: what customers read first. */
export function Words({ draft, onChange, errorOf }: PartProps) {
  return (
    <Card>
      <TextField
        label="Name"
        value={draft.name}
        required
        maxLength={255}
        error={errorOf('name')}
        onChange={(event) => onChange({ name: event.target.value })}
      />
      <TextArea
        label="Description"
        rows={7}
        value={draft.description}
        maxLength={65535}
        hint={draft.description_html ? 'Changing only this text takes the formatted description away.' : undefined}
        error={errorOf('description')}
        onChange={(event) => onChange({ description: event.target.value })}
      />
      <TextArea
        label="Formatted description (HTML)"
        rows={5}
        hint="The plain description is made of it when only this is changed. Scripts and styles are removed."
        value={draft.description_html}
        maxLength={131072}
        error={errorOf('description_html')}
        onChange={(event) => onChange({ description_html: event.target.value })}
      />
      {draft.description_html.trim() !== '' && (
        <details className="preview">
          <summary>Preview of the formatted description</summary>
          <HtmlPreview title="Formatted description" html={draft.description_html} />
        </details>
      )}
      <TextField
        label="Title for search engines"
        value={draft.seo_title}
        maxLength={255}
        error={errorOf('seo_title')}
        onChange={(event) => onChange({ seo_title: event.target.value })}
      />
      <TextArea
        label="Description for search engines"
        rows={2}
        value={draft.seo_description}
        maxLength={1000}
        error={errorOf('seo_description')}
        onChange={(event) => onChange({ seo_description: event.target.value })}
      />
    </Card>
  );
}

/** Whether it is shown, and how it is found and taxed. */
export function Organisation({ draft, onChange, errorOf }: PartProps) {
  const text = (name: 'vendor' | 'product_type' | 'slug') => ({
    value: draft[name],
    maxLength: 255,
    error: errorOf(name),
    onChange: (event: { target: { value: string } }) => onChange({ [name]: event.target.value }),
  });
  return (
    <Card title="Organisation">
      <Select
        label="Status"
        value={draft.status}
        hint={STATUS_HINTS[draft.status]}
        error={errorOf('status')}
        onChange={(event) => onChange({ status: event.target.value as Draft['status'] })}
      >
        <option value="draft">Draft</option>
        <option value="active">Active</option>
        <option value="archived">Archived</option>
      </Select>
      <TextField label="Vendor" {...text('vendor')} />
      <TextField label="Type" hint="Such as Mug or T-shirt." {...text('product_type')} />
      <Chips
        label="Tags"
        hint="Enter or a comma adds one."
        values={draft.tags}
        onChange={(tags) => onChange({ tags })}
      />
      <TaxClass draft={draft} onChange={onChange} errorOf={errorOf} />
      <TextField label="Address in the shop" hint="Made from the name when left empty." {...text('slug')} />
      <Checkbox
        label="Count stock"
        hint="Without it the product never sells out."
        checked={draft.track_inventory}
        onChange={(event) => onChange({ track_inventory: event.target.checked })}
      />
    </Card>
  );
}

const STATUS_HINTS = {
  draft: 'Only you see it.',
  active: 'Customers can find and buy it.',
  archived: 'No longer sold; kept for old orders.',
};

function TaxClass({ draft, onChange, errorOf }: Omit<PartProps, 'setDraft'>) {
  const { merchant } = useMe();
  const settings = useQuery({
    queryKey: ['settings', merchant.id],
    queryFn: ({ signal }) => unwrap(api.GET('/api/dashboard/settings', { signal })),
    staleTime: 60_000,
  });
  const own = settings.data?.tax_rates.flatMap((rate) => rate.class ?? []) ?? [];
  const classes = new Set(['standard', 'reduced', 'zero', ...own, draft.tax_class]);
  return (
    <Select
      label="Tax class"
      value={draft.tax_class}
      error={errorOf('tax_class')}
      onChange={(event) => onChange({ tax_class: event.target.value })}
    >
      {[...classes].map((name) => (
        <option key={name} value={name}>
          {label(name)}
        </option>
      ))}
    </Select>
  );
}

/** The product's metadata: fields of the shop's own, by name. Storefronts and integrations read them. */
export function Metadata({ draft, onChange, errorOf }: PartProps) {
  const rows = draft.metadata;
  const write = (key: string, changes: { name?: string; value?: string }) =>
    onChange({ metadata: rows.map((row) => (row.key === key ? { ...row, ...changes } : row)) });
  return (
    <Card
      title="Custom fields"
      actions={
        <Button onClick={() => onChange({ metadata: [...rows, { key: newKey(), name: '', value: '' }] })}>
          Add a field
        </Button>
      }
    >
      {rows.length === 0 && <p className="hint">What else your storefront shows of it, such as “Material: oak”.</p>}
      <ul className="stack">
        {rows.map(({ key, name, value }, i) => (
          <li key={key} className="metadata-row">
            <TextField
              label={`Name ${i + 1}`}
              value={name}
              maxLength={100}
              onChange={(event) => write(key, { name: event.target.value })}
            />
            <ValueField
              label={`Value ${i + 1}`}
              value={value}
              error={errorOf(`metadata.${name}`)}
              onValue={(next) => write(key, { value: next })}
            />
            <Button
              aria-label={`Remove ${name || `field ${i + 1}`}`}
              onClick={() => onChange({ metadata: rows.filter((row) => row.key !== key) })}
            >
              ×
            </Button>
          </li>
        ))}
      </ul>
    </Card>
  );
}

interface ValueFieldProps {
  label: string;
  value: string;
  error: string | undefined;
  onValue: (value: string) => void;
}

/** A field of one line would take the line breaks out of a longer text, such as one that was imported. */
function ValueField({ label, value, error, onValue }: ValueFieldProps) {
  const [isText] = useState(value.includes('\n') || value.length > 100);
  const field = { label, value, maxLength: 500, error };
  if (isText) return <TextArea {...field} onChange={(event) => onValue(event.target.value)} />;
  return <TextField {...field} onChange={(event) => onValue(event.target.value)} />;
}
