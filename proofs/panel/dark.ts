/** Tests the dark colours: their contrast, and the user's choice from the first paint. */

import { unwrap } from '@commerce-backend/sdk';
import { expect } from 'vitest';
import { inPanel } from './visit.ts';

const DARK_GROUND = 'rgb(17, 21, 25)';
const LIGHT_GROUND = 'rgb(244, 245, 247)';

inPanel('the screens are readable in dark colours', async ({ open, look, press, seesNoDialog, tab, dashboard }) => {
  const query = { limit: 1, waiting_for: 'payment' as const };
  const { orders } = await unwrap(dashboard.GET('/api/dashboard/orders', { params: { query } }));
  const { products } = await unwrap(dashboard.GET('/api/dashboard/products', { params: { query: { limit: 1 } } }));
  await tab.emulateMediaFeatures([{ name: 'prefers-color-scheme', value: 'dark' }]);
  await open('/');
  expect(await groundOf(tab)).toBe(DARK_GROUND);
  await look('dark-today');
  const screens = [
    '/orders?payment_status=paid',
    `/products/${products[0]?.id}`,
    '/settings/brand',
    '/stock',
    '/account',
  ];
  for (const path of screens) {
    await open(path);
    await look(`dark-${path.split(/[/?]/)[1]}`);
  }
  await open(`/orders/${orders[0]?.id}`);
  await look('dark-order');
  await press('Mark as paid');
  await look('dark-dialog');
  await tab.keyboard.press('Escape');
  await seesNoDialog();
});

inPanel('the first paint has the chosen colours, before the panel itself has loaded', async (visit) => {
  const { open, fill, tab } = visit;
  await tab.emulateMediaFeatures([{ name: 'prefers-color-scheme', value: 'light' }]);
  await open('/account');
  expect(await groundOf(tab)).toBe(LIGHT_GROUND);
  await fill('Colours', 'dark');
  expect(await groundOf(tab)).toBe(DARK_GROUND);
  try {
    await tab.setRequestInterception(true);
    tab.on('request', (request) => {
      if (/\/index-[^/]*\.js$/.test(request.url()))
        void request.respond({ status: 200, contentType: 'text/javascript' });
      else void request.continue();
    });
    await tab.goto(`${visit.demo.base_url}/panel/account`);
    expect(await groundOf(tab)).toBe(DARK_GROUND);
  } finally {
    await tab.evaluate(`localStorage.removeItem('panel-theme')`);
  }
});

function groundOf(tab: { evaluate(script: string): Promise<unknown> }): Promise<unknown> {
  return tab.evaluate('getComputedStyle(document.body).backgroundColor');
}
