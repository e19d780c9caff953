/** Sections of the settings in menu order. A section is hidden from users without its scope. */

import { t } from '../../language/texts.ts';

export const settingsSections: { path: string; name: string; about: string; scope?: string }[] = [
  { path: 'general', name: t('General'), about: t('Name, language, time zone, the shop’s own address') },
  { path: 'payments', name: t('Payments'), about: t('Bank transfer and cards') },
  { path: 'delivery', name: t('Delivery'), about: t('Countries, methods and prices') },
  { path: 'returns', name: t('Returns'), about: t('Period, fee, return address') },
  { path: 'tax', name: t('Tax'), about: t('Rates by country, state and tax class') },
  { path: 'invoices', name: t('Invoices'), about: t('Seller, numbers, when they are issued') },
  { path: 'brand', name: t('Brand'), about: t('Logo, colour and contact on pages and mails') },
  { path: 'legal', name: t('Legal'), about: t('Terms, privacy, imprint, withdrawal') },
  { path: 'search', name: t('Search'), about: t('Synonyms') },
  { path: 'staff', name: t('Staff and roles'), about: t('Members and their permissions') },
  { path: 'keys', name: t('Keys'), about: t('For programs and storefronts'), scope: 'keys:write' },
  { path: 'webhooks', name: t('Webhooks'), about: t('Events sent to other systems'), scope: 'webhooks:read' },
  { path: 'notifications', name: t('Notifications'), about: t('Mails that you get') },
];
