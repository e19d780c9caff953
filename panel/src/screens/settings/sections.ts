/** Sections of the settings in menu order. A section is hidden from users without its scope. */

import { t } from '../../language/texts.ts';

export interface SettingsEntry {
  path: string;
  group: SettingsGroup;
  name: string;
  about: string;
  scope?: string;
}

export type SettingsGroup = 'shop' | 'selling' | 'programs';

export const settingsGroups: Record<SettingsGroup, string> = {
  shop: t('Shop'),
  selling: t('Selling'),
  programs: t('Programs'),
};

export const settingsSections: SettingsEntry[] = [
  { path: 'general', group: 'shop', name: t('General'), about: t('Name, language, time zone, the shop’s own address') },
  { path: 'payments', group: 'selling', name: t('Payments'), about: t('Bank transfer and cards') },
  { path: 'delivery', group: 'selling', name: t('Delivery'), about: t('Countries, methods and prices') },
  { path: 'returns', group: 'selling', name: t('Returns'), about: t('Period, fee, return address') },
  { path: 'tax', group: 'selling', name: t('Tax'), about: t('Rates by country, state and tax class') },
  { path: 'invoices', group: 'selling', name: t('Invoices'), about: t('Seller, numbers, when they are issued') },
  { path: 'brand', group: 'shop', name: t('Brand'), about: t('Logo, colour and contact on pages and mails') },
  { path: 'legal', group: 'shop', name: t('Legal'), about: t('Terms, privacy, imprint, withdrawal') },
  { path: 'search', group: 'selling', name: t('Search'), about: t('Synonyms') },
  { path: 'staff', group: 'shop', name: t('Staff and roles'), about: t('Members and their permissions') },
  { path: 'keys', group: 'programs', name: t('Keys'), about: t('For programs and storefronts'), scope: 'keys:write' },
  {
    path: 'webhooks',
    group: 'programs',
    name: t('Webhooks'),
    about: t('Events sent to other systems'),
    scope: 'webhooks:read',
  },
  { path: 'notifications', group: 'shop', name: t('Notifications'), about: t('Mails that you get') },
];
