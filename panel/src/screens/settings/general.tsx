import { t } from '../../language/texts.ts';
import { Field, type Settings, SettingsForm, useSetting } from './settings-form.tsx';

export function GeneralSettings() {
  return (
    <SettingsForm title={t('The shop')}>
      {({ settings }) => (
        <>
          <Shop settings={settings} />
          <Selling />
        </>
      )}
    </SettingsForm>
  );
}

function Shop({ settings }: { settings: Settings }) {
  return (
    <>
      <Field.Text name="name" label={t('Name')} required />
      <div className="fields-2">
        <Field.Choice
          name="default_locale"
          label={t('Language')}
          hint={t('For shoppers whose language is unknown, and for amounts and dates in this panel.')}
        >
          <option value="en">{t('English')}</option>
          <option value="de">{t('German')}</option>
          <option value="fr">{t('French')}</option>
        </Field.Choice>
        <Field.Choice name="time_zone" label={t('Time zone')}>
          {timeZones(useSetting('time_zone')).map((zone) => (
            <option key={zone}>{zone}</option>
          ))}
        </Field.Choice>
      </div>
      <p className="quiet-text">
        {t('Currency: {currency}. It cannot be changed once there are prices.', { currency: settings.currency })}
      </p>
      <Field.Text
        name="storefront_url"
        label={t('Address of your storefront')}
        type="url"
        placeholder="https://shop.example"
        hint={t('Pages and mails link there.')}
      />
      <Field.Text
        name="product_url_template"
        label={t('Address of a product')}
        placeholder="https://shop.example/products/{slug}"
        hint={t(
          '{slug} or {id} is replaced by the product’s. Agents link there, or to the hosted buy page if this is empty.',
        )}
      />
      <Field.Lines
        name="allowed_origins"
        label={t('Web origins that may call the storefront')}
        hint={t('One per line, such as https://shop.example. Empty means any, since the storefront token is public.')}
      />
    </>
  );
}

function timeZones(current: string): string[] {
  const zones = Intl.supportedValuesOf('timeZone');
  return zones.includes(current) ? zones : [current, ...zones];
}

function Selling() {
  return (
    <>
      <div className="fields-2">
        <Field.Whole
          name="low_stock_threshold"
          label={t('Low stock threshold')}
          type="number"
          min={0}
          hint={t('For variants without a threshold of their own.')}
        />
        <Field.Choice name="show_stock" label={t('Shoppers see the stock')}>
          <option value="exact">{t('as an exact number')}</option>
          <option value="low_only">{t('only when it is low')}</option>
          <option value="never">{t('never')}</option>
        </Field.Choice>
      </div>
      <Field.Tick name="ask_for_marketing" label={t('Ask for consent to marketing e-mails at the checkout')} />
      <Field.Tick name="require_ucp_signatures" label={t('Accept UCP requests only with a signature')} />
      <Field.Tick name="mail_new_orders" label={t('Mail new orders to the support address')} />
      <Field.Tick name="mail_overdue_invoices" label={t('Remind customers of overdue invoices')} />
    </>
  );
}
