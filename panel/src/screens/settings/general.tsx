import { Field, type Settings, SettingsForm, useSetting } from './settings-form.tsx';

export function GeneralSettings() {
  return (
    <SettingsForm title="The shop">
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
      <Field.Text name="name" label="Name" required />
      <div className="fields-2">
        <Field.Choice
          name="default_locale"
          label="Language"
          hint="For shoppers whose language is unknown, and for amounts and dates in this panel."
        >
          <option value="en">English</option>
          <option value="de">German</option>
          <option value="fr">French</option>
        </Field.Choice>
        <Field.Choice name="time_zone" label="Time zone">
          {timeZones(useSetting('time_zone')).map((zone) => (
            <option key={zone}>{zone}</option>
          ))}
        </Field.Choice>
      </div>
      <p className="quiet-text">Currency: {settings.currency}. It cannot be changed once there are prices.</p>
      <Field.Text
        name="storefront_url"
        label="Address of your storefront"
        type="url"
        placeholder="https://shop.example"
        hint="Pages and mails link there."
      />
      <Field.Text
        name="product_url_template"
        label="Address of a product"
        placeholder="https://shop.example/products/{slug}"
        hint="{slug} or {id} is replaced by the product’s. Agents link there, or to the hosted buy page if this is empty."
      />
      <Field.Lines
        name="allowed_origins"
        label="Web origins that may call the storefront"
        hint="One per line, such as https://shop.example. Empty means any, since the storefront token is public."
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
          label="Low stock threshold"
          type="number"
          min={0}
          hint="For variants without a threshold of their own."
        />
        <Field.Choice name="show_stock" label="Shoppers see the stock">
          <option value="exact">as an exact number</option>
          <option value="low_only">only when it is low</option>
          <option value="never">never</option>
        </Field.Choice>
      </div>
      <Field.Tick name="ask_for_marketing" label="Ask for consent to marketing e-mails at the checkout" />
      <Field.Tick name="require_ucp_signatures" label="Accept UCP requests only with a signature" />
      <Field.Tick name="mail_new_orders" label="Mail new orders to the support address" />
      <Field.Tick name="mail_overdue_invoices" label="Remind customers of overdue invoices" />
    </>
  );
}
