import { useFormat } from '../../../format.ts';
import { Checkbox, Select, TextField } from '../../../ui/field.tsx';
import { NumberField } from '../../../ui/number-field.tsx';
import { Card } from '../../../ui/page.tsx';
import type { VariantDraft } from './draft.ts';
import { type ChangeVariant, type ErrorOf, numberKind, TEXTS, variantError, WEIGHT_UNITS } from './variant-fields.tsx';

/** Price, stock and delivery of a product without options. */
export function SingleVariant({
  variant,
  onChange,
  errorOf,
  canCount,
}: {
  variant: VariantDraft;
  onChange: ChangeVariant;
  errorOf: ErrorOf;
  canCount: boolean;
}) {
  const format = useFormat();
  return (
    <Card title="Price and stock">
      <div className="fields-2">
        {TEXTS.map(({ name, label, inputMode }) => {
          const kind = numberKind(name);
          const error = variantError(errorOf, variant, name);
          const write = (value: string) => onChange(variant.key, { [name]: value });
          return kind ? (
            <NumberField
              key={name}
              label={label}
              texts={format[kind]}
              value={variant[name]}
              required={name === 'price'}
              error={error}
              onValue={write}
            />
          ) : (
            <TextField
              key={name}
              label={label}
              inputMode={inputMode}
              value={variant[name]}
              disabled={name === 'quantity' && !canCount}
              error={error}
              onChange={(event) => write(event.target.value)}
            />
          );
        })}
        <Select
          label="Unit of weight"
          value={variant.weight_unit}
          onChange={(event) =>
            onChange(variant.key, { weight_unit: event.target.value as VariantDraft['weight_unit'] })
          }
        >
          {WEIGHT_UNITS.map((unit) => (
            <option key={unit}>{unit}</option>
          ))}
        </Select>
      </div>
      <Checkbox
        label="Go on selling when sold out"
        checked={variant.inventory_policy === 'continue'}
        onChange={(event) => onChange(variant.key, { inventory_policy: event.target.checked ? 'continue' : 'deny' })}
      />
      <Checkbox
        label="It is delivered"
        hint="Not for vouchers, downloads and services."
        checked={variant.requires_shipping}
        onChange={(event) => onChange(variant.key, { requires_shipping: event.target.checked })}
      />
    </Card>
  );
}
