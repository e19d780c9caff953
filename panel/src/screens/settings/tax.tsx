import { useFieldArray } from 'react-hook-form';
import { t } from '../../language/texts.ts';
import { Button } from '../../ui/button.tsx';
import { CountryOptions } from '../../ui/countries.tsx';
import { Field, type Settings, SettingsForm, useSetting } from './settings-form.tsx';

export function TaxSettings() {
  return <SettingsForm title={t('Tax')}>{() => <Rates />}</SettingsForm>;
}

function Rates() {
  const { fields: rates, append, remove } = useFieldArray<Settings, 'tax_rates'>({ name: 'tax_rates' });
  const usual = useSetting('default_tax_rate');
  return (
    <>
      <Field.Tick
        name="prices_include_tax"
        label={t('Prices contain the tax')}
        hint={t('Usual in Europe. Otherwise tax is added at the checkout.')}
      />
      <Field.Choice
        name="shipping_tax"
        label={t('Tax on shipping')}
        hint={t(
          'In the EU shipping is taxed like the goods. With several rates its cost is split by the value of the goods.',
        )}
      >
        <option value="goods">{t('At the rates of the goods')}</option>
        <option value="class">{t('Always at the standard rate')}</option>
      </Field.Choice>
      <Field.Percent name="default_tax_rate" label={t('Default rate, in percent')} />
      <ol className="rows" aria-label={t('Rates')}>
        {rates.map(({ id }, i) => (
          <li key={id}>
            <Field.Choice name={`tax_rates.${i}.country`} label={t('Country')}>
              <CountryOptions />
            </Field.Choice>
            <Field.Text name={`tax_rates.${i}.state`} label={t('State (optional)')} empty="" />
            <Field.Text
              name={`tax_rates.${i}.class`}
              label={t('Tax class of products')}
              list="tax-classes"
              placeholder="standard"
              empty=""
            />
            <Field.Percent name={`tax_rates.${i}.rate`} label={t('Percent')} />
            <Button aria-label={t('Remove rate {i}', { i: i + 1 })} onClick={() => remove(i)}>
              {t('Remove')}
            </Button>
          </li>
        ))}
      </ol>
      <datalist id="tax-classes">
        <option value="standard" />
        <option value="reduced" />
        <option value="zero" />
      </datalist>
      <Button
        onClick={() => append({ country: 'DE', state: '', class: 'standard', rate: usual }, { shouldFocus: false })}
      >
        {t('Add a rate')}
      </Button>
    </>
  );
}
