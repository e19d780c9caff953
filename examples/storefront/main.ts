import { readFileSync } from 'node:fs';
import { ConnectionError, createStorefrontClient, unwrap } from '@commerce-backend/sdk';
import { openStorefront } from './app.ts';

/**
 * A shop's own pages, rendered on the server. They run next to the demo shop, whose credentials they read, or for your own shop
 * with COMMERCE_URL, COMMERCE_SITE_ID and COMMERCE_STOREFRONT_TOKEN in the environment. PORT is 3000 by default.
 */
const { PORT = '3000', DEMO_FILE = '.data/demo.json' } = process.env;
const { COMMERCE_URL, COMMERCE_SITE_ID, COMMERCE_STOREFRONT_TOKEN } = process.env;

process.once('uncaughtException', (error: Error & { code?: string }) => {
  const isDown = error instanceof ConnectionError || error.code === 'ENOENT';
  console.error(isDown ? `${error.message}\nStart the shop in another terminal: npm start` : error);
  process.exit(1);
});

const demo = COMMERCE_URL ? {} : JSON.parse(readFileSync(DEMO_FILE, 'utf8'));
const baseUrl: string = COMMERCE_URL ?? demo.base_url;
const shop = createStorefrontClient({
  baseUrl,
  siteId: COMMERCE_SITE_ID ?? demo.site_id,
  storefrontToken: COMMERCE_STOREFRONT_TOKEN ?? demo.storefront_token,
});

const { name } = await unwrap(shop.GET('/api/storefront/shop'));
process.removeAllListeners('uncaughtException');
const server = openStorefront({ shop, baseUrl, name }).listen(Number(PORT), () =>
  console.log(`${name} is open: http://localhost:${PORT}`),
);
process.once('SIGTERM', () => server.close());
