import { useFormContext } from 'react-hook-form';
import { t } from '../../language/texts.ts';
import { PictureUpload } from '../../ui/picture-upload.tsx';
import { Field, type Settings, SettingsForm, useSetting } from './settings-form.tsx';

const usualAccent = '#0f4c81';

export function BrandSettings() {
  return <SettingsForm title={t('Brand')}>{(form) => <Fields {...form} />}</SettingsForm>;
}

function Fields({ settings, onUploading }: { settings: Settings; onUploading: (waiting: number) => void }) {
  const brand = useSetting('brand');
  const { setValue } = useFormContext<Settings>();
  return (
    <div className="columns">
      <div className="stack">
        <Field.Text
          name="brand.logo_url"
          label={t('Address of the logo')}
          type="url"
          placeholder="https://shop.example/logo.png"
        />
        <PictureUpload
          label={t('Or upload a logo')}
          onUploaded={(url) => setValue('brand.logo_url', url)}
          onUploading={onUploading}
        />
        <Field.Text
          name="brand.accent_color"
          label={t('Accent colour')}
          placeholder={usualAccent}
          hint={t('For buttons and links, as #rrggbb. It must be dark enough for white text.')}
        />
        <Field.Text
          name="brand.support_email"
          label={t('Support e-mail')}
          type="email"
          hint={t('Replies of shoppers go to this address.')}
        />
        <Field.Text name="brand.support_phone" label={t('Support phone')} type="tel" />
      </div>
      <Preview name={settings.name} logo={brand.logo_url} accent={brand.accent_color} phone={brand.support_phone} />
    </div>
  );
}

/** A rough preview of the header of a checkout page. */
function Preview({
  name,
  logo,
  accent,
  phone,
}: {
  name: string;
  logo: string | null;
  accent: string | null;
  phone: string | null;
}) {
  const color = accent && /^#[0-9a-f]{6}$/i.test(accent) ? accent : usualAccent;
  return (
    <figure aria-label={t('Preview')}>
      <div className="brand-preview">
        <header>
          {logo && /^https?:\/\//.test(logo) && <img src={logo} alt="" />}
          {name}
        </header>
        <div className="preview-body">
          <span className="preview-button" style={{ backgroundColor: color }}>
            {t('Place the order')}
          </span>
          <span style={{ color }}>{t('Back to the shop')}</span>
          {phone && <span className="quiet-text">{t('Questions? {phone}', { phone })}</span>}
        </div>
      </div>
      <figcaption className="hint">{t('How pages look to shoppers')}</figcaption>
    </figure>
  );
}
