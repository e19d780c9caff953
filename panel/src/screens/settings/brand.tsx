import { useFormContext } from 'react-hook-form';
import { PictureUpload } from '../../ui/picture-upload.tsx';
import { Field, type Settings, SettingsForm, useSetting } from './settings-form.tsx';

const usualAccent = '#0f4c81';

export function BrandSettings() {
  return <SettingsForm title="Brand">{(form) => <Fields {...form} />}</SettingsForm>;
}

function Fields({ settings, onUploading }: { settings: Settings; onUploading: (waiting: number) => void }) {
  const brand = useSetting('brand');
  const { setValue } = useFormContext<Settings>();
  return (
    <div className="columns">
      <div className="stack">
        <Field.Text
          name="brand.logo_url"
          label="Address of the logo"
          type="url"
          placeholder="https://shop.example/logo.png"
        />
        <PictureUpload
          label="Or upload a logo"
          onUploaded={(url) => setValue('brand.logo_url', url)}
          onUploading={onUploading}
        />
        <Field.Text
          name="brand.accent_color"
          label="Accent colour"
          placeholder={usualAccent}
          hint="For buttons and links, as #rrggbb. It must be dark enough for white text."
        />
        <Field.Text
          name="brand.support_email"
          label="Support e-mail"
          type="email"
          hint="Replies of shoppers go to this address."
        />
        <Field.Text name="brand.support_phone" label="Support phone" type="tel" />
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
    <figure aria-label="Preview">
      <div className="brand-preview">
        <header>
          {logo && /^https?:\/\//.test(logo) && <img src={logo} alt="" />}
          {name}
        </header>
        <div className="preview-body">
          <span className="preview-button" style={{ backgroundColor: color }}>
            Place the order
          </span>
          <span style={{ color }}>Back to the shop</span>
          {phone && <span className="quiet-text">Questions? {phone}</span>}
        </div>
      </div>
      <figcaption className="hint">How pages look to shoppers</figcaption>
    </figure>
  );
}
