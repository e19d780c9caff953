import { fieldError } from '../../api.ts';
import { typedOrNull } from '../../ui/draft.ts';
import { TextField } from '../../ui/field.tsx';
import { PictureUpload } from '../../ui/picture-upload.tsx';
import { SettingsForm, type SettingsFormProps } from './use-settings.tsx';

const TOLD = ['logo_url', 'accent_color', 'support_email', 'support_phone'].map((field) => `brand.${field}`);

const usualAccent = '#0f4c81';

export function BrandSettings() {
  return (
    <SettingsForm title="Brand" fields={['brand']} told={TOLD}>
      {(form) => <Fields {...form} />}
    </SettingsForm>
  );
}

function Fields({ draft: { brand }, set, error, settings, onUploading }: SettingsFormProps<'brand'>) {
  const change = (fields: Partial<typeof brand>) => set((now) => ({ brand: { ...now.brand, ...fields } }));
  return (
    <div className="columns">
      <div className="stack">
        <TextField
          label="Address of the logo"
          type="url"
          placeholder="https://shop.example/logo.png"
          value={brand.logo_url ?? ''}
          onChange={(event) => change({ logo_url: typedOrNull(event.target.value) })}
          error={fieldError(error, 'brand.logo_url')}
        />
        <PictureUpload
          label="Or upload a logo"
          onUploaded={(logo_url) => change({ logo_url })}
          onUploading={onUploading}
        />
        <TextField
          label="Accent colour"
          placeholder={usualAccent}
          hint="Of buttons and links, as #rrggbb. It must be dark enough to read white on it."
          value={brand.accent_color ?? ''}
          onChange={(event) => change({ accent_color: typedOrNull(event.target.value) })}
          error={fieldError(error, 'brand.accent_color')}
        />
        <TextField
          label="Support e-mail"
          type="email"
          hint="Shoppers answer to this address."
          value={brand.support_email ?? ''}
          onChange={(event) => change({ support_email: typedOrNull(event.target.value) })}
          error={fieldError(error, 'brand.support_email')}
        />
        <TextField
          label="Support phone"
          type="tel"
          value={brand.support_phone ?? ''}
          onChange={(event) => change({ support_phone: typedOrNull(event.target.value) })}
          error={fieldError(error, 'brand.support_phone')}
        />
      </div>
      <Preview name={settings.name} logo={brand.logo_url} accent={brand.accent_color} phone={brand.support_phone} />
    </div>
  );
}

/** Roughly the head of a checkout page. */
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
