import { type ComponentType, lazy } from 'react';
import { Link } from 'wouter';
import { useMe } from '../../session/use-me.ts';
import { Empty, Page } from '../../ui/page.tsx';
import { settingsSections } from './sections.ts';
import './settings.css';

const forms: Record<string, ComponentType> = {
  general: lazy(async () => ({ default: (await import('./general.tsx')).GeneralSettings })),
  payments: lazy(async () => ({ default: (await import('./payments.tsx')).PaymentSettings })),
  delivery: lazy(async () => ({ default: (await import('./delivery.tsx')).DeliverySettings })),
  tax: lazy(async () => ({ default: (await import('./tax.tsx')).TaxSettings })),
  brand: lazy(async () => ({ default: (await import('./brand.tsx')).BrandSettings })),
  legal: lazy(async () => ({ default: (await import('./legal.tsx')).LegalSettings })),
  search: lazy(async () => ({ default: (await import('./search.tsx')).SearchSettings })),
  keys: lazy(async () => ({ default: (await import('./keys.tsx')).KeySettings })),
  staff: lazy(async () => ({ default: (await import('./staff.tsx')).StaffSettings })),
  notifications: lazy(async () => ({ default: (await import('./notifications.tsx')).NotificationSettings })),
  webhooks: lazy(async () => ({ default: (await import('./webhooks.tsx')).WebhookSettings })),
};

/** The sections, each with what it is about. */
export function Settings() {
  const { scopes } = useMe();
  return (
    <Page title="Settings">
      <ul className="sections">
        {settingsSections
          .filter(({ path, scope }) => path in forms && (scope === undefined || scopes.includes(scope)))
          .map(({ path, name, about }) => (
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

/** One section. */
export function SettingsSection({ params }: { params: Record<string, string> }) {
  const section = settingsSections.find(({ path }) => path === params.section);
  const Form = section && forms[section.path];
  if (!Form) return <Empty title="There is no such section" />;
  return (
    <Page title={section.name} back={{ to: '/settings', label: 'Settings' }}>
      <Form />
    </Page>
  );
}
