/** Menu entries. An entry is hidden from users without its scope. */
export const sections: { path: string; name: string; scope?: string }[] = [
  { path: '/', name: 'Today', scope: 'orders:read' },
  { path: '/orders', name: 'Orders', scope: 'orders:read' },
  { path: '/drafts', name: 'Drafts', scope: 'orders:read' },
  { path: '/returns', name: 'Returns', scope: 'orders:read' },
  { path: '/withdrawals', name: 'Withdrawals', scope: 'orders:read' },
  { path: '/products', name: 'Products', scope: 'products:read' },
  { path: '/stock', name: 'Stock', scope: 'inventory:read' },
  { path: '/collections', name: 'Collections', scope: 'products:read' },
  { path: '/discounts', name: 'Discounts', scope: 'discounts:read' },
  { path: '/customers', name: 'Customers', scope: 'customers:read' },
  { path: '/agents', name: 'Agents', scope: 'agents:read' },
  { path: '/settings', name: 'Settings', scope: 'settings:read' },
  { path: '/audit', name: 'Audit', scope: 'audit:read' },
];
