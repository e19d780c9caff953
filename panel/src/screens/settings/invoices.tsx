import { t } from '../../language/texts.ts';
import { CountryOptions } from '../../ui/countries.tsx';
import { DocumentArchive } from './document-archive.tsx';
import { Field, SettingsForm } from './settings-form.tsx';

export function InvoiceSettings() {
  return (
    <>
      <SellerSettings />
      <DocumentArchive />
    </>
  );
}

function SellerSettings() {
  return (
    <SettingsForm title={t('Invoices')}>
      {({ settings }) => (
        <>
          {settings.invoicing_missing.length > 0 && (
            <p className="note">
              {t(
                'No invoices are issued until the legal name, the whole address, and a VAT ID or tax number are entered.',
              )}
            </p>
          )}
          <Field.Choice name="invoicing.issue" label={t('Issue an invoice')}>
            <option value="on_fulfillment">{t('When everything has shipped')}</option>
            <option value="on_payment">{t('When the order is paid')}</option>
            <option value="by_hand">{t('Only by hand, in the order')}</option>
          </Field.Choice>
          <Field.Text name="invoicing.legal_name" label={t('Legal name')} maxLength={200} />
          <Field.Text name="invoicing.address1" label={t('Street and number')} maxLength={200} />
          <Field.Text name="invoicing.address2" label={t('Address line 2')} maxLength={200} />
          <div className="fields-2">
            <Field.Text name="invoicing.postal_code" label={t('Postal code')} maxLength={20} />
            <Field.Text name="invoicing.city" label={t('City')} maxLength={100} />
          </div>
          <Field.Choice name="invoicing.country" label={t('Country of the business')}>
            <option value="" />
            <CountryOptions />
          </Field.Choice>
          <div className="fields-2">
            <Field.Text name="invoicing.vat_id" label={t('VAT ID')} maxLength={20} placeholder="DE123456789" />
            <Field.Text name="invoicing.tax_number" label={t('Tax number')} maxLength={50} />
          </div>
          <Field.Text
            name="invoicing.small_business_note"
            label={t('Why no tax is charged')}
            maxLength={300}
            hint={t('For small businesses. It is on invoices with a rate of 0.')}
          />
          <details open={settings.invoicing.vat_currency !== null || undefined}>
            <summary>{t('VAT in another currency')}</summary>
            <p className="hint">
              {t(
                'For shops that do not sell in the currency in which they declare VAT. Documents then state the VAT in both.',
              )}
            </p>
            <div className="fields-2">
              <Field.Text
                name="invoicing.vat_currency"
                label={t('Currency of the VAT return')}
                maxLength={3}
                placeholder={'EUR'}
              />
              <Field.Text
                name="invoicing.vat_exchange_rate"
                label={t('Exchange rate')}
                maxLength={18}
                placeholder="0.9312"
                hint={t('How many units of it one unit of the currency of the shop is.')}
              />
            </div>
            <Field.Text
              name="invoicing.vat_exchange_rate_source"
              label={t('Source of the rate')}
              maxLength={200}
              hint={t('Printed on documents, such as “European Central Bank, 30 November 2026”.')}
            />
          </details>
          <div className="fields-2">
            <Field.Text name="invoicing.prefix" label={t('Beginning of invoice numbers')} maxLength={12} empty="" />
            <Field.Text
              name="invoicing.credit_note_prefix"
              label={t('Beginning of credit note numbers')}
              maxLength={12}
              empty=""
            />
          </div>
        </>
      )}
    </SettingsForm>
  );
}
