import { createStorefrontClient } from '@commerce-backend/sdk';
import { expect, test } from 'vitest';
import { openShop } from '../../test/shop.ts';

const tokens = '/api/dashboard/storefront-tokens';
const token = '/api/dashboard/storefront-tokens/{storefront_token_id}';
const rotation = '/api/dashboard/storefront-tokens/{storefront_token_id}/rotate';
const shopPath = '/api/storefront/shop';
const of = (storefront_token_id = '') => ({ params: { path: { storefront_token_id } } });

/** Opens a shop, and returns a function that creates a storefront client for a token. */
async function openShopToVisit() {
  const shop = await openShop();
  const visit = (storefrontToken = '', siteId = shop.site_id) =>
    createStorefrontClient({ baseUrl: shop.baseUrl, siteId, storefrontToken, maxAttempts: 1 }).GET(shopPath);
  return { ...shop, visit };
}

test('a new storefront token gives access to the storefront of its own shop, and not to that of another', async () => {
  const { dashboard, visit } = await openShopToVisit();
  const { site_id: elsewhere } = await openShop();

  const { data: made } = await dashboard.POST(tokens, { body: { description: 'App' } });

  expect(made).toMatchObject({ scopes: ['catalog:read', 'cart:write', 'checkout:create', 'customer:auth'] });
  expect((await visit(made?.secret)).response.status).toBe(200);
  expect((await visit(made?.secret, elsewhere)).response.status).toBe(401);
});

test('a revoked storefront token is rejected on the next call', async () => {
  const { dashboard, visit } = await openShopToVisit();
  const { data: made } = await dashboard.POST(tokens, { body: { description: 'App' } });
  await visit(made?.secret);

  await dashboard.DELETE(token, of(made?.id));

  expect((await visit(made?.secret)).response.status).toBe(401);
});

test('rotating a storefront token copies its description and origins to the new token', async () => {
  const { dashboard, visit } = await openShopToVisit();
  const body = { description: 'App', allowed_origins: ['https://shop.example'] };
  const { data: old } = await dashboard.POST(tokens, { body });

  const { data: successor } = await dashboard.POST(rotation, of(old?.id));

  expect(successor).toMatchObject(body);
  expect((await visit(old?.secret)).response.status).toBe(200);
  expect((await visit(successor?.secret)).response.status).toBe(200);
});

test('rejects a request from a web page whose origin the storefront token does not list', async () => {
  const { dashboard, baseUrl, site_id } = await openShop();
  const body = { description: 'App', allowed_origins: ['https://shop.example'] };
  const { data: made } = await dashboard.POST(tokens, { body });
  const visitFrom = (origin: string) =>
    fetch(`${baseUrl}${shopPath}`, {
      headers: { 'X-Site-ID': site_id, 'X-Service-Token': made?.secret ?? '', Origin: origin },
    });

  const welcome = await visitFrom('https://shop.example');
  const refused = await visitFrom('https://elsewhere.example');

  expect(welcome.status).toBe(200);
  expect(refused.status).toBe(403);
  expect(await refused.json()).toMatchObject({ error: 'origin_not_allowed' });
});

test('the list of storefront tokens contains no secret and no token of another shop', async () => {
  const { dashboard, credentials } = await openShop();
  await openShop();

  const { data } = await dashboard.GET(tokens);

  expect(data).toHaveLength(1);
  expect(JSON.stringify(data)).not.toContain(credentials.storefront_token);
});
