import type { Inputs } from '../../api.ts';
import { t } from '../../language/texts.ts';
import { useCan } from '../../session/use-me.ts';
import { Button } from '../../ui/button.tsx';
import { Checkbox, Select, TextField } from '../../ui/field.tsx';
import { AmountField } from '../../ui/number-field.tsx';
import { Card } from '../../ui/page.tsx';
import { WithdrawalOptions } from '../../ui/withdrawal-options.tsx';
import { VariantSearch } from '../orders/actions/variant-search.tsx';

type Exempt = Inputs['WithdrawalExempt'];

export interface NewLine {
  key: string;
  /** Undefined for a custom line. */
  variant_id: string | undefined;
  name: string;
  quantity: string;
  /** Empty if the variant's own price applies. */
  price: string;
  /** The tax class of a custom line. */
  tax_class: string;
  requires_shipping: boolean;
  withdrawal_exempt: Exempt;
}

const CUSTOM = {
  ...{ variant_id: undefined, name: '', price: '', tax_class: 'standard', requires_shipping: true },
  withdrawal_exempt: 'none' as const,
};

/** The lines of a new draft order: variants, and custom lines with a name and a price. */
export function NewLines({ lines, onLines }: { lines: NewLine[]; onLines: (lines: NewLine[]) => void }) {
  const can = useCan();
  const add = (line: Omit<NewLine, 'key' | 'quantity'>) =>
    onLines([...lines, { ...line, key: crypto.randomUUID(), quantity: '1' }]);
  const change = (at: number, changed: Partial<NewLine>) =>
    onLines(lines.map((line, i) => (i === at ? { ...line, ...changed } : line)));
  return (
    <Card title={t('Items')}>
      <VariantSearch
        onChoose={(found) => {
          if (lines.some(({ variant_id }) => variant_id === found.variant_id)) return;
          add({ ...CUSTOM, ...found });
        }}
      />
      {can('orders:payments') && (
        <div>
          <Button kind="quiet" onClick={() => add(CUSTOM)}>
            {t('Add a custom line')}
          </Button>
        </div>
      )}
      {lines.map((line, at) => (
        <div className="fields-2" key={line.key}>
          {line.variant_id === undefined && <Custom line={line} onChange={(changed) => change(at, changed)} />}
          <TextField
            label={line.variant_id === undefined ? t('Quantity') : t('Quantity of {name}', { name: line.name })}
            inputMode="numeric"
            value={line.quantity}
            onChange={({ target }) => change(at, { quantity: target.value })}
            required
          />
          {line.variant_id !== undefined && can('orders:payments') && (
            <AmountField
              label={t('Price of its own')}
              hint={t('Empty for the normal price.')}
              value={line.price}
              onValue={(price) => change(at, { price })}
            />
          )}
          <div>
            <Button
              kind="quiet"
              aria-label={t('Remove {name}', { name: line.name || t('the custom line') })}
              onClick={() => onLines(lines.filter((_, i) => i !== at))}
            >
              {t('Remove')}
            </Button>
          </div>
        </div>
      ))}
    </Card>
  );
}

function Custom({ line, onChange }: { line: NewLine; onChange: (changed: Partial<NewLine>) => void }) {
  return (
    <>
      <TextField
        label={t('Name')}
        value={line.name}
        maxLength={255}
        onChange={({ target }) => onChange({ name: target.value })}
        required
      />
      <AmountField label={t('Price')} value={line.price} onValue={(price) => onChange({ price })} required />
      <TextField
        label={t('Tax class')}
        value={line.tax_class}
        maxLength={32}
        hint={t('standard, reduced, zero or a class of your own')}
        onChange={({ target }) => onChange({ tax_class: target.value })}
        required
      />
      <Select
        label={t('Right of withdrawal')}
        value={line.withdrawal_exempt}
        onChange={({ target }) => onChange({ withdrawal_exempt: target.value as Exempt })}
      >
        <WithdrawalOptions />
      </Select>
      <Checkbox
        label={t('Is shipped or picked up')}
        checked={line.requires_shipping}
        onChange={({ target }) => onChange({ requires_shipping: target.checked })}
      />
    </>
  );
}
