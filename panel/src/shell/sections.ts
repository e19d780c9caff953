import type { IconName } from '../ui/icon.tsx';

export interface Section {
  path: string;
  name: string;
  icon: IconName;
  /** The key that opens the section after `g`: a letter of its name. */
  key: string;
  scope?: string;
}

/** Menu entries. An entry is hidden from users without its scope. */
export const sections: Section[] = [
  { path: '/', name: 'Today', icon: 'today', key: 't', scope: 'orders:read' },
  { path: '/orders', name: 'Orders', icon: 'orders', key: 'o', scope: 'orders:read' },
  { path: '/drafts', name: 'Drafts', icon: 'drafts', key: 'd', scope: 'orders:read' },
  { path: '/returns', name: 'Returns', icon: 'returns', key: 'r', scope: 'orders:read' },
  { path: '/withdrawals', name: 'Withdrawals', icon: 'withdrawals', key: 'w', scope: 'orders:read' },
  { path: '/products', name: 'Products', icon: 'products', key: 'p', scope: 'products:read' },
  { path: '/stock', name: 'Stock', icon: 'stock', key: 'k', scope: 'inventory:read' },
  { path: '/collections', name: 'Collections', icon: 'collections', key: 'l', scope: 'products:read' },
  { path: '/discounts', name: 'Discounts', icon: 'discounts', key: 'i', scope: 'discounts:read' },
  { path: '/customers', name: 'Customers', icon: 'customers', key: 'c', scope: 'customers:read' },
  { path: '/agents', name: 'Agents', icon: 'agents', key: 'a', scope: 'agents:read' },
  { path: '/settings', name: 'Settings', icon: 'settings', key: 's', scope: 'settings:read' },
  { path: '/audit', name: 'Audit', icon: 'audit', key: 'u', scope: 'audit:read' },
];
