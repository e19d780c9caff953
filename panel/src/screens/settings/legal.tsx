import { type ReactNode, Suspense, useState } from 'react';
import { useController } from 'react-hook-form';
import { LANGUAGES, type PanelLanguage, t } from '../../language/texts.ts';
import { useCan } from '../../session/use-me.ts';
import { lazyPart } from '../../shell/lazy-part.ts';
import type { RichTextProps } from '../../ui/rich-text/rich-text-field.tsx';
import { Field, type Settings, SettingsForm } from './settings-form.tsx';

const RichTextField = lazyPart<RichTextProps>(
  async () => (await import('../../ui/rich-text/rich-text-field.tsx')).RichTextField,
);

const links = [
  ['terms', t('Terms and conditions')],
  ['privacy', t('Privacy policy')],
  ['imprint', t('Imprint')],
  ['withdrawal', t('Right of withdrawal')],
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
          <p className="quiet-text">
            {t(
              'Enter the address of your page, or write the text here. It is shown on a page of this shop, in the shopper’s language.',
            )}
          </p>
          {links.map(([kind, label]) => (
            <div key={kind} className="legal-kind">
              <Field.Text name={`legal.${kind}_url`} label={label} type="url" placeholder="https://" />
              <LegalTexts kind={kind} label={label} />
            </div>
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

type Kind = (typeof links)[number][0];

/** The text of a kind in each language. The editors load when the section is opened. */
function LegalTexts({ kind, label }: { kind: Kind; label: string }) {
  const [isOpen, setOpen] = useState(false);
  const languages = Object.entries(LANGUAGES) as [PanelLanguage, string][];
  return (
    <details onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>{t('Text: {name}', { name: label })}</summary>
      {isOpen &&
        languages.map(([code, language]) => (
          <LegalText key={code} name={`legal_texts.${kind}_${code}`} label={`${label} (${language})`} />
        ))}
    </details>
  );
}

type TextPath = `legal_texts.${Kind}_${PanelLanguage}`;

function LegalText({ name, label }: { name: TextPath; label: string }): ReactNode {
  const can = useCan();
  const { field, fieldState } = useController<Settings, TextPath>({ name });
  return (
    <Suspense fallback={<div className="rich-text-loading" aria-busy="true" />}>
      <RichTextField
        name={name}
        label={label}
        html={field.value ?? ''}
        error={fieldState.error?.message}
        maxLength={50_000}
        disabled={!can('settings:write')}
        onChange={(html) => field.onChange(html || null)}
      />
    </Suspense>
  );
}
