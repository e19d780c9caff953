import { type ComponentType, lazy } from 'react';

type Screen = ComponentType<{ params: Record<string, string> }>;

/** A screen that is loaded when it is first opened, so that the first load stays small. */
function screen<Name extends string>(load: () => Promise<Record<Name, Screen>>, name: Name) {
  return lazy(async () => ({ default: (await load())[name] }));
}

export const routes: { path: string; component: Screen }[] = [
  { path: '/', component: screen(() => import('../screens/today/today.tsx'), 'Today') },
  { path: '/orders', component: screen(() => import('../screens/orders/orders.tsx'), 'Orders') },
  { path: '/orders/slips', component: screen(() => import('../screens/orders/slips.tsx'), 'Slips') },
  { path: '/orders/:order_id', component: screen(() => import('../screens/orders/order.tsx'), 'OrderScreen') },
  { path: '/agents', component: screen(() => import('../screens/agents/agents.tsx'), 'Agents') },
  { path: '/agents/:agent_token_id', component: screen(() => import('../screens/agents/agent.tsx'), 'Agent') },
];
