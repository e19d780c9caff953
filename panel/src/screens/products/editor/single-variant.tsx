import { useController } from 'react-hook-form';
import { useFormat } from '../../../format.ts';
import { t } from '../../../language/texts.ts';
import { Checkbox } from '../../../ui/field.tsx';
import { Card } from '../../../ui/page.tsx';
import { Field, type ProductDraft } from './draft.ts';
import { COLUMNS, WEIGHT_UNITS } from './variant-fields.ts';

/** Price, stock and shipping fields of a product without options. */
export function SingleVariant({ canCount }: { canCount: boolean }) {
  const { decimals } = useFormat();
  const { field: policy } = useController<ProductDraft, 'variants.0.inventory_policy'>({
    name: 'variants.0.inventory_policy',
  });
  return (
    <Card title={t('Price and stock')}>
      <div className="fields-2">
        {COLUMNS.map(({ name, label, kind }) => {
          const field = { name: `variants.0.${name}`, label } as const;
          if (kind === 'whole') return <Field.Whole key={name} {...field} disabled={!canCount} />;
          if (kind === 'text') return <Field.Text key={name} {...field} />;
          const texts = kind === 'decimals' ? { texts: decimals } : {};
          return <Field.Amount key={name} {...field} {...texts} required={name === 'price'} />;
        })}
        <Field.Choice name="variants.0.weight_unit" label={t('Unit of weight')}>
          {WEIGHT_UNITS.map((unit) => (
            <option key={unit}>{unit}</option>
          ))}
        </Field.Choice>
      </div>
      <Field.Tick name="track_inventory" label={t('Track stock')} hint={t('Without it the product never sells out.')} />
      <Checkbox
        label={t('Continue selling when out of stock')}
        checked={policy.value === 'continue'}
        onChange={(event) => policy.onChange(event.target.checked ? 'continue' : 'deny')}
      />
      <Field.Tick
        name="variants.0.requires_shipping"
        label={t('Requires shipping')}
        hint={t('Not for vouchers, downloads and services.')}
      />
    </Card>
  );
}
