/** The paths of all screens of the panel, with ids of existing objects. */

import { readFile } from 'node:fs/promises';
import type { Stocked } from './hostile-shop.ts';

const ROUTES = new URL('../../panel/src/shell/routes.tsx', import.meta.url);
const SECTIONS = new URL('../../panel/src/screens/settings/sections.ts', import.meta.url);

/** The kind of object for each id in a route. `:id` has another meaning on each screen. */
const IDS: Record<string, keyof Stocked['ids']> = {
  ':order_id': 'order',
  ':return_id': 'return',
  ':withdrawal_id': 'withdrawal',
  ':draft_order_id': 'draft_order',
  ':agent_token_id': 'agent_token',
  ':action_id': 'assistant_action',
  ':product_id': 'product',
  ':collection_id': 'collection',
  '/customers/:id': 'customer',
  '/discounts/:id': 'discount',
  '/settings/webhooks/:id': 'webhook',
};

/** Returns the paths from the panel's own routes, so that new screens are covered automatically. */
export async function screensOf({ ids }: Stocked): Promise<string[]> {
  const routes = await pathsIn(ROUTES);
  const sections = await pathsIn(SECTIONS);
  return routes.flatMap((route) => {
    if (route.endsWith('/:section')) return sections.map((section) => route.replace(':section', section));
    const [parameter] = /:\w+/.exec(route) ?? [];
    if (!parameter) return [route];
    const kind = IDS[route] ?? IDS[parameter];
    if (!kind) throw new Error(`Nothing is known to show at ${route}: add its parameter to IDS.`);
    return [route.replace(parameter, ids[kind])];
  });
}

async function pathsIn(table: URL): Promise<string[]> {
  const paths = [...(await readFile(table, 'utf8')).matchAll(/\bpath: '([^']+)'/g)].map(([, path = '']) => path);
  if (paths.length === 0) throw new Error(`No paths are found in ${table.pathname}.`);
  return paths;
}
