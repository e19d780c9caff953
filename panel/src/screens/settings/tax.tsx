import { fieldError, type Schemas } from '../../api.ts';
import { Button } from '../../ui/button.tsx';
import { CountryOptions } from '../../ui/countries.tsx';
import { typedOrNull } from '../../ui/draft.ts';
import { Checkbox, Select, TextField } from '../../ui/field.tsx';
import { PercentField } from './percent-field.tsx';
import { SettingsForm, type SettingsFormProps } from './use-settings.tsx';

type Rate = Schemas['CountryTaxRate'];

const FIELDS = ['prices_include_tax', 'shipping_tax', 'default_tax_rate', 'tax_rates'] as const;

export function TaxSettings() {
  return (
    <SettingsForm title="Tax" fields={FIELDS}>
      {(form) => <Rates {...form} />}
    </SettingsForm>
  );
}

function Rates({ draft, set, error }: SettingsFormProps<(typeof FIELDS)[number]>) {
  const rates = draft.tax_rates;
  const change = (at: number, fields: Partial<Rate>) =>
    set((now) => ({ tax_rates: now.tax_rates.map((rate, i) => (i === at ? { ...rate, ...fields } : rate)) }));
  return (
    <>
      <Checkbox
        label="Prices contain the tax"
        hint="Usual in Europe. Otherwise tax is added at the checkout."
        checked={draft.prices_include_tax}
        onChange={(event) => set({ prices_include_tax: event.target.checked })}
      />
      <Select
        label="Tax on shipping"
        hint="In the EU shipping is taxed like the goods. At several rates its cost is split by their value."
        value={draft.shipping_tax}
        onChange={(event) => set({ shipping_tax: event.target.value === 'class' ? 'class' : 'goods' })}
      >
        <option value="goods">At the rates of the goods</option>
        <option value="class">Always at the standard rate</option>
      </Select>
      <PercentField
        label="Rate where none of these fits, in percent"
        rate={draft.default_tax_rate}
        onRate={(default_tax_rate) => set({ default_tax_rate })}
        error={fieldError(error, 'default_tax_rate')}
      />
      <ol className="rows" aria-label="Rates">
        {rates.map((rate, i) => (
          // By position: rows have no id, and are only added at the end.
          <li key={i}>
            <RateFields
              rate={rate}
              onChange={(fields) => change(i, fields)}
              error={fieldError(error, `tax_rates.${i}`)}
            />
            <Button
              aria-label={`Remove rate ${i + 1}`}
              onClick={() => set((now) => ({ tax_rates: now.tax_rates.filter((_, at) => at !== i) }))}
            >
              Remove
            </Button>
          </li>
        ))}
      </ol>
      <Button
        onClick={() => set((now) => ({ tax_rates: [...now.tax_rates, { country: 'DE', rate: now.default_tax_rate }] }))}
      >
        Add a rate
      </Button>
    </>
  );
}

function RateFields({
  rate,
  onChange,
  error,
}: {
  rate: Rate;
  onChange: (fields: Partial<Rate>) => void;
  error: string | undefined;
}) {
  return (
    <>
      <Select label="Country" value={rate.country} onChange={(event) => onChange({ country: event.target.value })}>
        <CountryOptions />
      </Select>
      <TextField
        label="State (optional)"
        value={rate.state ?? ''}
        onChange={(event) => onChange({ state: typedOrNull(event.target.value) ?? undefined })}
      />
      <TextField
        label="Tax class of products"
        list="tax-classes"
        value={rate.class ?? 'standard'}
        onChange={(event) => onChange({ class: event.target.value })}
      />
      <PercentField label="Percent" rate={rate.rate} onRate={(next) => onChange({ rate: next })} error={error} />
      <datalist id="tax-classes">
        <option value="standard" />
        <option value="reduced" />
        <option value="zero" />
      </datalist>
    </>
  );
}
