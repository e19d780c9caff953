import { t } from '../language/texts.ts';
import type { IconName } from '../ui/icon.tsx';

export interface Section {
  path: string;
  name: string;
  icon: IconName;
  /** The letter that opens the section when it is pressed after `g`. It occurs in the section's English name. */
  key: string;
  scope?: string;
}

/** Menu entries. An entry is hidden from users without its scope. */
export const sections: Section[] = [
  { path: '/', name: t('Today'), icon: 'today', key: 't', scope: 'orders:read' },
  { path: '/orders', name: t('Orders'), icon: 'orders', key: 'o', scope: 'orders:read' },
  { path: '/drafts', name: t('Drafts'), icon: 'drafts', key: 'd', scope: 'orders:read' },
  { path: '/returns', name: t('Returns'), icon: 'returns', key: 'r', scope: 'orders:read' },
  { path: '/withdrawals', name: t('Withdrawals'), icon: 'withdrawals', key: 'w', scope: 'orders:read' },
  { path: '/products', name: t('Products'), icon: 'products', key: 'p', scope: 'products:read' },
  { path: '/stock', name: t('Stock'), icon: 'stock', key: 'k', scope: 'inventory:read' },
  { path: '/collections', name: t('Collections'), icon: 'collections', key: 'l', scope: 'products:read' },
  { path: '/discounts', name: t('Discounts'), icon: 'discounts', key: 'i', scope: 'discounts:read' },
  { path: '/customers', name: t('Customers'), icon: 'customers', key: 'c', scope: 'customers:read' },
  { path: '/agents', name: t('Agents'), icon: 'agents', key: 'a', scope: 'agents:read' },
  { path: '/settings', name: t('Settings'), icon: 'settings', key: 's', scope: 'settings:read' },
  { path: '/audit', name: t('Audit'), icon: 'audit', key: 'u', scope: 'audit:read' },
];
