import { Checkbox, Select, TextField } from '../../../ui/field.tsx';
import { Card } from '../../../ui/page.tsx';
import type { VariantDraft } from './draft.ts';
import { type ChangeVariant, type ErrorOf, TEXTS, variantError, WEIGHT_UNITS } from './variant-fields.tsx';

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
  return (
    <Card title="Price and stock">
      <div className="fields-2">
        {TEXTS.map(({ name, label, inputMode }) => (
          <TextField
            key={name}
            label={label}
            inputMode={inputMode}
            value={variant[name]}
            required={name === 'price'}
            disabled={name === 'quantity' && !canCount}
            error={variantError(errorOf, variant, name)}
            onChange={(event) => onChange(variant.key, { [name]: event.target.value })}
          />
        ))}
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
