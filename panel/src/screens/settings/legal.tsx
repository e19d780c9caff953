import { t } from '../../language/texts.ts';
import { Field, SettingsForm } from './settings-form.tsx';

const links = [
  ['terms_url', t('Terms and conditions')],
  ['privacy_url', t('Privacy policy')],
  ['imprint_url', t('Imprint')],
  ['withdrawal_url', t('Right of withdrawal')],
] as const;

export function LegalSettings() {
  return (
    <SettingsForm title={t('Legal pages')}>
      {() => (
        <>
          <p className="quiet-text">
            {t(
              'Checkout pages and mails link to these. Shops that sell to consumers in the European Union need all four.',
            )}
          </p>
          {links.map(([field, label]) => (
            <Field.Text key={field} name={`legal.${field}`} label={label} type="url" placeholder="https://" />
          ))}
          <Field.Tick
            name="legal.terms_required"
            label={t('Shoppers must tick that they accept the terms')}
            hint={t('Adds a box before the order is placed.')}
          />
        </>
      )}
    </SettingsForm>
  );
}
