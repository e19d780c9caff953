import { readFileSync } from 'node:fs';
import { createStorefrontClient, unwrap } from '@commerce-backend/sdk';
import { openStorefront } from './app.ts';

/**
 * A shop's own pages, made on the server. They run beside the demo shop, whose credentials they read, or for a shop of yours
 * with COMMERCE_URL, SITE_ID and STOREFRONT_TOKEN in the environment. PORT is 3000 by default.
 */
const { PORT = '3000', COMMERCE_URL, SITE_ID, STOREFRONT_TOKEN, DEMO_FILE = '.data/demo.json' } = process.env;

process.once('uncaughtException', ({ message }) => {
  console.error(`${message}\nStart the shop in another terminal: npm start`);
  process.exit(1);
});

const demo = COMMERCE_URL ? {} : JSON.parse(readFileSync(DEMO_FILE, 'utf8'));
const baseUrl: string = COMMERCE_URL ?? demo.base_url;
const shop = createStorefrontClient({
  baseUrl,
  siteId: SITE_ID ?? demo.site_id,
  storefrontToken: STOREFRONT_TOKEN ?? demo.storefront_token,
});

const { name } = await unwrap(shop.GET('/api/storefront/shop'));
process.removeAllListeners('uncaughtException');
const server = openStorefront({ shop, baseUrl, name }).listen(Number(PORT), () =>
  console.log(`${name} is open: http://localhost:${PORT}`),
);
process.once('SIGTERM', () => server.close());
