import type { ComponentType } from 'react';
import { lazyPart } from './lazy-part.ts';

type Screen = ComponentType<{ params: Record<string, string> }>;

function screen<Name extends string>(load: () => Promise<Record<Name, Screen>>, name: Name): Screen {
  return lazyPart(async () => (await load())[name]);
}

export const routes: { path: string; component: Screen }[] = [
  { path: '/', component: screen(() => import('../screens/today/today.tsx'), 'Today') },
  { path: '/orders', component: screen(() => import('../screens/orders/orders.tsx'), 'Orders') },
  { path: '/orders/slips', component: screen(() => import('../screens/orders/slips.tsx'), 'Slips') },
  {
    path: '/orders/statement',
    component: screen(() => import('../screens/orders/statement/statement.tsx'), 'Statement'),
  },
  { path: '/orders/:order_id', component: screen(() => import('../screens/orders/order.tsx'), 'OrderScreen') },
  { path: '/drafts', component: screen(() => import('../screens/drafts/drafts.tsx'), 'Drafts') },
  { path: '/drafts/new', component: screen(() => import('../screens/drafts/new-draft.tsx'), 'NewDraft') },
  { path: '/drafts/:draft_order_id', component: screen(() => import('../screens/drafts/draft.tsx'), 'DraftScreen') },
  { path: '/returns', component: screen(() => import('../screens/returns/returns.tsx'), 'Returns') },
  {
    path: '/withdrawals',
    component: screen(() => import('../screens/withdrawals/withdrawals.tsx'), 'Withdrawals'),
  },
  {
    path: '/withdrawals/:withdrawal_id',
    component: screen(() => import('../screens/withdrawals/withdrawal.tsx'), 'WithdrawalScreen'),
  },
  { path: '/returns/:return_id', component: screen(() => import('../screens/returns/return.tsx'), 'ReturnScreen') },
  { path: '/agents', component: screen(() => import('../screens/agents/agents.tsx'), 'Agents') },
  { path: '/agents/:agent_token_id', component: screen(() => import('../screens/agents/agent.tsx'), 'Agent') },
  { path: '/customers', component: screen(() => import('../screens/customers/customers.tsx'), 'Customers') },
  { path: '/customers/guest', component: screen(() => import('../screens/customers/guest.tsx'), 'GuestScreen') },
  { path: '/customers/:id', component: screen(() => import('../screens/customers/customer.tsx'), 'CustomerScreen') },
  { path: '/discounts', component: screen(() => import('../screens/discounts/discounts.tsx'), 'Discounts') },
  { path: '/discounts/new', component: screen(() => import('../screens/discounts/discount.tsx'), 'NewDiscount') },
  { path: '/discounts/:id', component: screen(() => import('../screens/discounts/discount.tsx'), 'DiscountScreen') },
  { path: '/settings', component: screen(() => import('../screens/settings/settings.tsx'), 'Settings') },
  {
    path: '/settings/webhooks/:id',
    component: screen(() => import('../screens/settings/webhook.tsx'), 'WebhookScreen'),
  },
  {
    path: '/settings/:section',
    component: screen(() => import('../screens/settings/settings.tsx'), 'SettingsSection'),
  },
  { path: '/connect', component: screen(() => import('../screens/assistants/connect.tsx'), 'Connect') },
  {
    path: '/confirm/:action_id',
    component: screen(() => import('../screens/assistants/confirm.tsx'), 'ConfirmChange'),
  },
  { path: '/account', component: screen(() => import('../screens/account/account.tsx'), 'Account') },
  { path: '/audit', component: screen(() => import('../screens/audit/audit.tsx'), 'Audit') },
  { path: '/products', component: screen(() => import('../screens/products/products.tsx'), 'Products') },
  {
    path: '/products/new',
    component: screen(() => import('../screens/products/editor/new-product.tsx'), 'NewProduct'),
  },
  {
    path: '/products/import',
    component: screen(() => import('../screens/products/import/import-products.tsx'), 'ImportProducts'),
  },
  {
    path: '/products/:product_id',
    component: screen(() => import('../screens/products/editor/edit-product.tsx'), 'EditProduct'),
  },
  { path: '/stock', component: screen(() => import('../screens/stock/stock.tsx'), 'Stock') },
  { path: '/collections', component: screen(() => import('../screens/collections/collections.tsx'), 'Collections') },
  {
    path: '/collections/new',
    component: screen(() => import('../screens/collections/new-collection.tsx'), 'NewCollection'),
  },
  {
    path: '/collections/:collection_id',
    component: screen(() => import('../screens/collections/edit-collection.tsx'), 'EditCollection'),
  },
];
