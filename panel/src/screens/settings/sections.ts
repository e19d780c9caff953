/** Sections of the settings in menu order. A section is hidden from users without its scope. */
export const settingsSections: { path: string; name: string; about: string; scope?: string }[] = [
  { path: 'general', name: 'General', about: 'Name, language, time zone, the shop’s own address' },
  { path: 'payments', name: 'Payments', about: 'Bank transfer and cards' },
  { path: 'delivery', name: 'Delivery', about: 'Countries, methods and prices' },
  { path: 'returns', name: 'Returns', about: 'Period, fee, return address' },
  { path: 'tax', name: 'Tax', about: 'Rates by country, state and tax class' },
  { path: 'invoices', name: 'Invoices', about: 'Seller, numbers, when they are issued' },
  { path: 'brand', name: 'Brand', about: 'Logo, colour and contact on pages and mails' },
  { path: 'legal', name: 'Legal', about: 'Terms, privacy, imprint, withdrawal' },
  { path: 'search', name: 'Search', about: 'Synonyms' },
  { path: 'staff', name: 'Staff and roles', about: 'Members and their permissions' },
  { path: 'keys', name: 'Keys', about: 'For programs and storefronts', scope: 'keys:write' },
  { path: 'webhooks', name: 'Webhooks', about: 'Events sent to other systems', scope: 'webhooks:read' },
  { path: 'notifications', name: 'Notifications', about: 'Mails that you get' },
];
