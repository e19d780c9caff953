import { type ComponentType, Suspense } from 'react';
import { Link } from 'wouter';
import { t } from '../../language/texts.ts';
import { useMe } from '../../session/use-me.ts';
import { lazyPart } from '../../shell/lazy-part.ts';
import { Empty, Loading, Page } from '../../ui/page.tsx';
import { type SettingsGroup, settingsGroups, settingsSections } from './sections.ts';
import './settings.css';

const forms: Record<string, ComponentType> = {
  general: lazyPart(async () => (await import('./general.tsx')).GeneralSettings),
  payments: lazyPart(async () => (await import('./payments.tsx')).PaymentSettings),
  delivery: lazyPart(async () => (await import('./delivery.tsx')).DeliverySettings),
  returns: lazyPart(async () => (await import('./returns.tsx')).ReturnSettings),
  tax: lazyPart(async () => (await import('./tax.tsx')).TaxSettings),
  invoices: lazyPart(async () => (await import('./invoices.tsx')).InvoiceSettings),
  brand: lazyPart(async () => (await import('./brand.tsx')).BrandSettings),
  legal: lazyPart(async () => (await import('./legal.tsx')).LegalSettings),
  search: lazyPart(async () => (await import('./search.tsx')).SearchSettings),
  keys: lazyPart(async () => (await import('./keys.tsx')).KeySettings),
  staff: lazyPart(async () => (await import('./staff.tsx')).StaffSettings),
  notifications: lazyPart(async () => (await import('./notifications.tsx')).NotificationSettings),
  webhooks: lazyPart(async () => (await import('./webhooks.tsx')).WebhookSettings),
};

const GROUPS = Object.keys(settingsGroups) as SettingsGroup[];

function useSections() {
  const { scopes } = useMe();
  return settingsSections.filter(({ path, scope }) => path in forms && (scope === undefined || scopes.includes(scope)));
}

export function Settings() {
  return (
    <Page title={t('Settings')}>
      <ul className="sections">
        {useSections().map(({ path, name, about }) => (
          <li key={path}>
            <Link to={`/settings/${path}`}>
              <strong>{name}</strong>
              <span className="quiet-text">{about}</span>
            </Link>
          </li>
        ))}
      </ul>
    </Page>
  );
}

export function SettingsSection({ params }: { params: Record<string, string> }) {
  const sections = useSections();
  const section = settingsSections.find(({ path }) => path === params.section);
  const Form = section && forms[section.path];
  if (!Form) return <Empty title={t('There is no such section')} />;
  return (
    <div className="settings-frame">
      <nav className="settings-menu" aria-label={t('Sections of the settings')}>
        {GROUPS.map((group) => (
          <section key={group}>
            <h2>{settingsGroups[group]}</h2>
            <ul>
              {sections
                .filter((each) => each.group === group)
                .map(({ path, name }) => (
                  <li key={path}>
                    <Link to={`/settings/${path}`} aria-current={path === section.path ? 'page' : undefined}>
                      {name}
                    </Link>
                  </li>
                ))}
            </ul>
          </section>
        ))}
      </nav>
      <Page title={section.name} back={{ to: '/settings', label: t('Settings') }}>
        <Suspense fallback={<Loading />}>
          <Form />
        </Suspense>
      </Page>
    </div>
  );
}
