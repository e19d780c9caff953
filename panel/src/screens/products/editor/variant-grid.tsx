import { type ComponentProps, memo, useState } from 'react';
import { useFormat } from '../../../format.ts';
import { Button } from '../../../ui/button.tsx';
import { CellInput } from '../../../ui/cell-input.tsx';
import { Checkbox, Select, TextField } from '../../../ui/field.tsx';
import { NumberCell, NumberField } from '../../../ui/number-field.tsx';
import { Card } from '../../../ui/page.tsx';
import { Pictured } from '../../../ui/picture.tsx';
import { type VariantDraft, variantName } from './draft.ts';
import {
  type ChangeVariant,
  type ErrorOf,
  numberKind,
  TEXTS,
  type TextName,
  variantError,
  WEIGHT_UNITS,
} from './variant-fields.tsx';

/** Each variant a row, each of its fields typed in where it stands. */
export function VariantGrid({
  variants,
  onChange,
  onChangeAll,
  onRemove,
  errorOf,
  canCount,
}: {
  variants: VariantDraft[];
  onChange: ChangeVariant;
  onChangeAll: (changes: Partial<VariantDraft>) => void;
  onRemove: (key: string) => void;
  errorOf: ErrorOf;
  canCount: boolean;
}) {
  const [more, setMore] = useState(false);
  const texts = TEXTS.filter((text) => more || !text.more);
  const pictured = variants.some(({ image_url }) => image_url !== '');
  return (
    <Card title={`Variants (${variants.length})`}>
      <div className="variant-tools">
        <ForAll onApply={onChangeAll} canCount={canCount} />
        <Checkbox
          label="Show barcode, cost, weight and more"
          checked={more}
          onChange={(event) => setMore(event.target.checked)}
        />
      </div>
      <div className="variant-scroll">
        <table className={more ? 'data-table variant-grid more' : 'data-table variant-grid'}>
          <caption className="unseen">Variants</caption>
          <thead>
            <tr>
              <th scope="col">Variant</th>
              {texts.map(({ name, label }) => (
                <th key={name} scope="col">
                  {label}
                </th>
              ))}
              {more && <th scope="col">Unit</th>}
              {more && <th scope="col">When sold out</th>}
              <th scope="col">
                <span className="unseen">Remove</span>
              </th>
            </tr>
          </thead>
          <tbody>
            {variants.map((variant) => (
              <Row
                key={variant.key}
                variant={variant}
                more={more}
                pictured={pictured}
                errors={texts.map(({ name }) => variantError(errorOf, variant, name)).join('\n')}
                canCount={canCount || variant.id === undefined}
                only={variants.length === 1}
                onChange={onChange}
                onRemove={onRemove}
              />
            ))}
          </tbody>
        </table>
      </div>
    </Card>
  );
}

interface RowProps {
  variant: VariantDraft;
  more: boolean;
  /** Whether any of them has a picture of its own. */
  pictured: boolean;
  /** One line for each text column: plain text, so that a row is drawn again only when it changes. */
  errors: string;
  canCount: boolean;
  only: boolean;
  onChange: ChangeVariant;
  onRemove: (key: string) => void;
}

const Row = memo(function Row({ variant, more, pictured, errors, canCount, only, onChange, onRemove }: RowProps) {
  const name = variantName(variant);
  const wrong = errors.split('\n');
  return (
    <tr>
      <td data-label="Variant" className="variant-name">
        {pictured ? <Pictured url={variant.image_url}>{name}</Pictured> : name}
      </td>
      {TEXTS.filter((text) => more || !text.more).map(({ name: field, label, inputMode }, i) => (
        <td key={field} data-label={label}>
          <Cell
            label={`${label}, ${name}`}
            field={field}
            inputMode={inputMode}
            value={variant[field]}
            maxLength={255}
            disabled={field === 'quantity' && !canCount}
            error={wrong[i] || undefined}
            onValue={(value) => onChange(variant.key, { [field]: value })}
          />
        </td>
      ))}
      {more && <MoreCells variant={variant} name={name} onChange={onChange} />}
      <td data-label="Remove">
        <Button aria-label={`Remove ${name}`} disabled={only} onClick={() => onRemove(variant.key)}>
          ×
        </Button>
      </td>
    </tr>
  );
});

function Cell({
  field,
  onValue,
  ...cell
}: {
  field: TextName;
  value: string;
  onValue: (value: string) => void;
} & Omit<ComponentProps<typeof CellInput>, 'onChange' | 'value'>) {
  const format = useFormat();
  const kind = numberKind(field);
  if (kind) return <NumberCell {...cell} texts={format[kind]} onValue={onValue} />;
  return <CellInput {...cell} onChange={(event) => onValue(event.target.value)} />;
}

function MoreCells({ variant, name, onChange }: { variant: VariantDraft; name: string; onChange: ChangeVariant }) {
  return (
    <>
      <td data-label="Unit">
        <select
          aria-label={`Unit of weight, ${name}`}
          value={variant.weight_unit}
          onChange={(event) =>
            onChange(variant.key, { weight_unit: event.target.value as VariantDraft['weight_unit'] })
          }
        >
          {WEIGHT_UNITS.map((unit) => (
            <option key={unit}>{unit}</option>
          ))}
        </select>
      </td>
      <td data-label="When sold out">
        <select
          aria-label={`When sold out, ${name}`}
          value={variant.inventory_policy}
          onChange={(event) =>
            onChange(variant.key, { inventory_policy: event.target.value as VariantDraft['inventory_policy'] })
          }
        >
          <option value="deny">Stop selling</option>
          <option value="continue">Go on selling</option>
        </select>
      </td>
    </>
  );
}

/** Writes one value into all rows: most variants cost and weigh the same. */
function ForAll({ onApply, canCount }: { onApply: (changes: Partial<VariantDraft>) => void; canCount: boolean }) {
  const [field, setField] = useState<TextName>('price');
  const [value, setValue] = useState('');
  const format = useFormat();
  const kind = numberKind(field);
  const fields = TEXTS.filter(({ name }) => name !== 'sku' && name !== 'barcode' && (canCount || name !== 'quantity'));
  return (
    <div className="for-all">
      <Select
        label="For all variants"
        value={field}
        onChange={(event) => {
          setField(event.target.value as TextName);
          setValue('');
        }}
      >
        {fields.map(({ name, label }) => (
          <option key={name} value={name}>
            {label}
          </option>
        ))}
      </Select>
      {kind ? (
        <NumberField key={field} label="Value" texts={format[kind]} value={value} onValue={setValue} />
      ) : (
        <TextField label="Value" inputMode="numeric" value={value} onChange={(event) => setValue(event.target.value)} />
      )}
      <Button onClick={() => onApply({ [field]: value })}>Apply to all</Button>
    </div>
  );
}
