import { Field, SettingsForm } from './settings-form.tsx';

const links = [
  ['terms_url', 'Terms and conditions'],
  ['privacy_url', 'Privacy policy'],
  ['imprint_url', 'Imprint'],
  ['withdrawal_url', 'Right of withdrawal'],
] as const;

export function LegalSettings() {
  return (
    <SettingsForm title="Legal pages">
      {() => (
        <>
          <p className="quiet-text">
            Checkout pages and mails link to these. Shops that sell to consumers in the European Union need all four.
          </p>
          {links.map(([field, label]) => (
            <Field.Text key={field} name={`legal.${field}`} label={label} type="url" placeholder="https://" />
          ))}
          <Field.Tick
            name="legal.terms_required"
            label="Shoppers must tick that they accept the terms"
            hint="Adds a box before the order is placed."
          />
        </>
      )}
    </SettingsForm>
  );
}
