import { fieldError } from '../../api.ts';
import { integerOrNull, typedOrNull } from '../../ui/draft.ts';
import { Checkbox, Select, TextField } from '../../ui/field.tsx';
import { LinesField } from './list-field.tsx';
import { SettingsForm, type SettingsFormProps } from './use-settings.tsx';

const fields = [
  'name',
  'default_locale',
  'time_zone',
  'storefront_url',
  'allowed_origins',
  'low_stock_threshold',
  'show_stock',
  'ask_for_marketing',
  'mail_new_orders',
] as const;

const TOLD = ['name', 'time_zone', 'storefront_url', 'allowed_origins', 'low_stock_threshold'];

type Form = SettingsFormProps<(typeof fields)[number]>;

export function GeneralSettings() {
  return (
    <SettingsForm title="The shop" fields={fields} told={TOLD}>
      {(form) => (
        <>
          <Shop {...form} />
          <Selling {...form} />
        </>
      )}
    </SettingsForm>
  );
}

function Shop({ draft, set, error, settings }: Form) {
  return (
    <>
      <TextField
        label="Name"
        value={draft.name}
        onChange={(event) => set({ name: event.target.value })}
        error={fieldError(error, 'name')}
        required
      />
      <div className="fields-2">
        <Select
          label="Language"
          hint="For shoppers whose own is not known, and for amounts and dates in this panel."
          value={draft.default_locale}
          onChange={(event) => set({ default_locale: event.target.value })}
        >
          <option value="en">English</option>
          <option value="de">German</option>
          <option value="fr">French</option>
        </Select>
        <Select
          label="Time zone"
          value={draft.time_zone}
          onChange={(event) => set({ time_zone: event.target.value })}
          error={fieldError(error, 'time_zone')}
        >
          {timeZones(draft.time_zone).map((zone) => (
            <option key={zone}>{zone}</option>
          ))}
        </Select>
      </div>
      <p className="quiet-text">Currency: {settings.currency}. It cannot be changed once there are prices.</p>
      <TextField
        label="Address of your storefront"
        type="url"
        placeholder="https://shop.example"
        hint="Pages and mails link there."
        value={draft.storefront_url ?? ''}
        onChange={(event) => set({ storefront_url: typedOrNull(event.target.value) })}
        error={fieldError(error, 'storefront_url')}
      />
      <LinesField
        label="Web origins that may call the storefront"
        hint="One per line, such as https://shop.example. Empty means any, since the storefront token is public."
        value={draft.allowed_origins}
        onChange={(allowed_origins) => set({ allowed_origins })}
        error={fieldError(error, 'allowed_origins')}
      />
    </>
  );
}

function timeZones(current: string): string[] {
  const zones = Intl.supportedValuesOf('timeZone');
  return zones.includes(current) ? zones : [current, ...zones];
}

function Selling({ draft, set, error }: Form) {
  return (
    <>
      <div className="fields-2">
        <TextField
          label="Low stock from"
          type="number"
          min={0}
          hint="For variants without a threshold of their own."
          value={draft.low_stock_threshold}
          onChange={(event) => set({ low_stock_threshold: integerOrNull(event.target.value) ?? 0 })}
          error={fieldError(error, 'low_stock_threshold')}
        />
        <Select
          label="Shoppers see the stock"
          value={draft.show_stock}
          onChange={(event) => set({ show_stock: event.target.value })}
        >
          <option value="exact">as an exact number</option>
          <option value="low_only">only when it is low</option>
          <option value="never">never</option>
        </Select>
      </div>
      <Checkbox
        label="Ask at the checkout whether mails about offers are welcome"
        checked={draft.ask_for_marketing}
        onChange={(event) => set({ ask_for_marketing: event.target.checked })}
      />
      <Checkbox
        label="Mail new orders to the support address"
        checked={draft.mail_new_orders}
        onChange={(event) => set({ mail_new_orders: event.target.checked })}
      />
    </>
  );
}
