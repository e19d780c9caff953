import { type KeyboardEvent, memo, useState } from 'react';
import { useFormContext, useWatch } from 'react-hook-form';
import { useFormat } from '../../../format.ts';
import { t } from '../../../language/texts.ts';
import { Button } from '../../../ui/button.tsx';
import { Checkbox, Select, TextField } from '../../../ui/field.tsx';
import { wholeOf } from '../../../ui/form/fields.tsx';
import { NumberField } from '../../../ui/number-field.tsx';
import { Card } from '../../../ui/page.tsx';
import { Pictured } from '../../../ui/picture.tsx';
import { Field, type ProductDraft, type VariantDraft, variantName } from './draft.ts';
import { COLUMNS, WEIGHT_UNITS } from './variant-fields.ts';

/** A table with one editable row per variant. */
export function VariantGrid({
  variants,
  canCount,
  onRemove,
}: {
  variants: (VariantDraft & { key: string })[];
  canCount: boolean;
  onRemove: (at: number) => void;
}) {
  const [more, setMore] = useState(false);
  const pictured = useWatch<ProductDraft, 'variants', ProductDraft, boolean>({
    name: 'variants',
    compute: (all) => all.some(({ image_url }) => Boolean(image_url)),
  });
  return (
    <Card title={t('Variants ({count})', { count: variants.length })}>
      <div className="variant-tools">
        <ForAll canCount={canCount} />
        <Checkbox
          label={t('Show barcode, cost, weight and more')}
          checked={more}
          onChange={(event) => setMore(event.target.checked)}
        />
      </div>
      <div className="variant-scroll">
        <table className={more ? 'data-table variant-grid more' : 'data-table variant-grid'}>
          <caption className="unseen">{t('Variants')}</caption>
          <thead>
            <tr>
              <th scope="col">{t('Variant')}</th>
              {COLUMNS.filter((column) => more || !column.more).map(({ name, label }) => (
                <th key={name} scope="col">
                  {label}
                </th>
              ))}
              {more && <th scope="col">{t('Unit')}</th>}
              {more && <th scope="col">{t('When out of stock')}</th>}
              <th scope="col">
                <span className="unseen">{t('Remove')}</span>
              </th>
            </tr>
          </thead>
          <tbody>
            {variants.map((variant, at) => (
              <Row
                key={variant.key}
                at={at}
                name={variantName(variant)}
                more={more}
                pictured={pictured}
                canCount={canCount || variant.id === undefined}
                only={variants.length === 1}
                onRemove={onRemove}
              />
            ))}
          </tbody>
        </table>
      </div>
      <Field.Tick name="track_inventory" label={t('Track stock')} hint={t('Without it the product never sells out.')} />
    </Card>
  );
}

interface RowProps {
  at: number;
  name: string;
  more: boolean;
  /** Whether any variant has an image of its own. */
  pictured: boolean;
  canCount: boolean;
  only: boolean;
  onRemove: (at: number) => void;
}

const Row = memo(function Row({ at, name, more, pictured, canCount, only, onRemove }: RowProps) {
  return (
    <tr>
      <td data-label={t('Variant')} className="variant-name">
        {pictured ? <Picture at={at} name={name} /> : name}
      </td>
      {COLUMNS.filter((column) => more || !column.more).map(({ name: field, label, kind }) => (
        <td key={field} data-column={field} data-label={label}>
          <Field.Cell
            name={`variants.${at}.${field}`}
            kind={kind}
            label={`${label}, ${name}`}
            inputMode={kind === 'whole' ? 'numeric' : 'text'}
            maxLength={255}
            disabled={kind === 'whole' && !canCount}
          />
        </td>
      ))}
      {more && (
        <td data-label={t('Unit')}>
          <Field.CellChoice name={`variants.${at}.weight_unit`} label={t('Unit of weight, {name}', { name })}>
            {WEIGHT_UNITS.map((unit) => (
              <option key={unit}>{unit}</option>
            ))}
          </Field.CellChoice>
        </td>
      )}
      {more && (
        <td data-column="inventory_policy" data-label={t('When out of stock')}>
          <Field.CellChoice name={`variants.${at}.inventory_policy`} label={t('When out of stock, {name}', { name })}>
            <option value="deny">{t('Stop selling')}</option>
            <option value="continue">{t('Continue selling')}</option>
          </Field.CellChoice>
        </td>
      )}
      <td data-column="remove" data-label={t('Remove')}>
        <Button aria-label={t('Remove {name}', { name })} disabled={only} onClick={() => onRemove(at)}>
          ×
        </Button>
      </td>
    </tr>
  );
});

function Picture({ at, name }: { at: number; name: string }) {
  const url = useWatch<ProductDraft, `variants.${number}.image_url`>({ name: `variants.${at}.image_url` });
  return <Pictured url={url}>{name}</Pictured>;
}

/** Copies a value to all rows, because most variants have the same price and weight. */
function ForAll({ canCount }: { canCount: boolean }) {
  const { clearErrors, getValues, setValue } = useFormContext<ProductDraft>();
  const format = useFormat();
  const [field, setField] = useState('price');
  const [typed, setTyped] = useState('');
  const columns = COLUMNS.filter(({ name, kind }) =>
    kind === 'whole' ? canCount : name !== 'sku' && name !== 'barcode',
  );
  const kind = columns.find(({ name }) => name === field)?.kind ?? 'amounts';
  const apply = () => {
    const next = kind === 'whole' ? wholeOf(typed) : typed || null;
    setValue(
      'variants',
      getValues('variants').map((variant) => ({ ...variant, [field]: next })),
    );
    clearErrors('variants');
  };
  const applyOnEnter = (event: KeyboardEvent) => {
    if (event.key !== 'Enter') return;
    event.preventDefault();
    apply();
  };
  return (
    <div className="for-all">
      <Select
        label={t('For all variants')}
        value={field}
        onChange={(event) => {
          setField(event.target.value);
          setTyped('');
        }}
      >
        {columns.map(({ name, label }) => (
          <option key={name} value={name}>
            {label}
          </option>
        ))}
      </Select>
      {kind === 'amounts' || kind === 'decimals' ? (
        <NumberField
          key={field}
          label={t('Value')}
          texts={format[kind]}
          value={typed}
          onValue={setTyped}
          onKeyDown={applyOnEnter}
        />
      ) : (
        <TextField
          label={t('Value')}
          inputMode="numeric"
          value={typed}
          onChange={(event) => setTyped(event.target.value)}
          onKeyDown={applyOnEnter}
        />
      )}
      <Button onClick={apply}>{t('Apply to all')}</Button>
    </div>
  );
}
