import { fieldError } from '../../api.ts';
import { typedOrNull } from '../../ui/draft.ts';
import { Checkbox, TextField } from '../../ui/field.tsx';
import { SettingsForm } from './use-settings.tsx';

const links = [
  ['terms_url', 'Terms and conditions'],
  ['privacy_url', 'Privacy policy'],
  ['imprint_url', 'Imprint'],
  ['withdrawal_url', 'Right of withdrawal'],
] as const;

export function LegalSettings() {
  return (
    <SettingsForm title="Legal pages" fields={['legal']} told={links.map(([field]) => `legal.${field}`)}>
      {({ draft: { legal }, set, error }) => (
        <>
          <p className="quiet-text">
            Checkout pages and mails link to these. Shops that sell to consumers in the European Union need all four.
          </p>
          {links.map(([field, label]) => (
            <TextField
              key={field}
              label={label}
              type="url"
              placeholder="https://"
              value={legal[field] ?? ''}
              onChange={(event) =>
                set((now) => ({ legal: { ...now.legal, [field]: typedOrNull(event.target.value) } }))
              }
              error={fieldError(error, `legal.${field}`)}
            />
          ))}
          <Checkbox
            label="Shoppers must tick that they accept the terms"
            hint="Adds a box before the order is placed."
            checked={legal.terms_required}
            onChange={(event) => set((now) => ({ legal: { ...now.legal, terms_required: event.target.checked } }))}
          />
        </>
      )}
    </SettingsForm>
  );
}
