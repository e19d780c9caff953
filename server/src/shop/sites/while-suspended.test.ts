import { createHash, randomUUID } from 'node:crypto';
import { afterAll, expect, test } from 'vitest';
import { givenAgent } from '../../../test/agents.ts';
import { asOwner } from '../../../test/as-owner.ts';
import { openShop } from '../../../test/shop.ts';
import { openStripe } from '../../../test/stripe/shop.ts';
import { publishProfile, ucpClient } from '../../../test/ucp.ts';
import { resumeSite, suspendSite } from './state.ts';

const SUSPENDED = { error: 'site_suspended' };

const stripe = await openStripe();
const profile = await publishProfile();
afterAll(async () => {
  await profile.close();
  await stripe.close();
});

const suspend = (site_id: string) => asOwner((owner) => suspendSite(owner, site_id, null));
const resume = (site_id: string) => asOwner((owner) => resumeSite(owner, site_id));

test('a suspended site answers 403 to agents over MCP and UCP, with and without a token, until it is resumed', async () => {
  const shop = await openShop();
  await shop.givenProduct({ name: 'Blue mug' });
  const { access_token } = await givenAgent(shop, await shop.givenCustomer());
  const issuer = `${shop.baseUrl}/sites/${shop.site_id}`;
  const call = { name: 'list_products', arguments: {} };
  const overMcp = (path = '/mcp') =>
    fetch(`${issuer}${path}`, {
      method: 'POST',
      headers: {
        'Content-Type': 'application/json',
        Accept: 'application/json, text/event-stream',
        'MCP-Protocol-Version': '2025-11-25',
        Authorization: `Bearer ${access_token}`,
      },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: call }),
    });
  const withoutToken = () => overMcp('/mcp/public');
  const search = { body: { query: 'mug' } };
  const byToken = () =>
    ucpClient({ issuer, profile: profile.url, token: access_token }).send('search_catalog', '', search);
  const asGuest = () => ucpClient({ issuer, profile: profile.url }).send('search_catalog', '', search);
  for (const ask of [overMcp, withoutToken, byToken, asGuest]) expect((await ask()).status).toBe(200);

  await suspend(shop.site_id);

  for (const ask of [overMcp, withoutToken, byToken, asGuest]) {
    const answer = await ask();
    const text = await answer.text();
    expect([ask.name, answer.status, text]).toEqual([ask.name, 403, expect.stringContaining('suspended')]);
    expect(text).not.toContain('Blue mug');
  }

  await resume(shop.site_id);

  for (const ask of [overMcp, withoutToken, byToken, asGuest]) expect((await ask()).status).toBe(200);
});

test('rejects an upload while a site is suspended, and accepts it at the same URL afterwards', async () => {
  const shop = await openShop();
  const content = Buffer.from(randomUUID());
  const sha256 = createHash('sha256').update(content).digest('hex');
  const body = { filename: 'mug.jpg', content_type: 'image/jpeg' as const, bytes: content.length, sha256 };
  const { data } = await shop.dashboard.POST('/api/dashboard/files', { body });
  const url = (data?.upload_url ?? '').replace('http://localhost', shop.baseUrl);
  const put = () => fetch(url, { method: 'PUT', body: new Uint8Array(content) });

  await suspend(shop.site_id);

  const refused = await put();
  expect([refused.status, await refused.json()]).toEqual([403, expect.objectContaining(SUSPENDED)]);

  await resume(shop.site_id);

  expect((await put()).status).toBe(200);
});

test('a webhook about a successful payment creates the order even while the site is suspended', async () => {
  const shop = await stripe.givenShop();
  const { checkout_id, url } = await shop.givenPage();
  await suspend(shop.site_id);
  expect((await shop.complete(checkout_id, {})).error).toMatchObject(SUSPENDED);

  await stripe.standIn.press(url, 'pay');
  for (const event of shop.events()) expect(await shop.send(event)).toBe(200);

  const { rows } = await shop.owner.query('select payment_status, total from commerce.orders where site_id = $1', [
    shop.site_id,
  ]);
  expect(rows).toEqual([{ payment_status: 'paid', total: '14.90' }]);
  await resume(shop.site_id);
  expect(await shop.orderOf(checkout_id)).toMatchObject({ payment_status: 'paid', total: '14.90' });
});

test("a buy link of a suspended shop opens a page that states, in the reader's language, that the shop is closed", async () => {
  const shop = await openShop();
  const { variants } = await shop.givenProduct({ name: 'Blue mug' });
  const follow = async (language: string) => {
    const link = `${shop.baseUrl}/sites/${shop.site_id}/buy/${variants[0]?.id}:1`;
    const answer = await fetch(link, { headers: { 'Accept-Language': language } });
    return { status: answer.status, type: answer.headers.get('Content-Type'), page: await answer.text() };
  };
  expect(await follow('en')).toMatchObject({ status: 200, page: expect.stringContaining('Blue mug') });

  await suspend(shop.site_id);

  for (const [language, words] of [
    ['en', 'This shop is closed at the moment'],
    ['de', 'Dieser Shop ist zurzeit geschlossen'],
    ['fr', 'Cette boutique est fermée pour le moment'],
  ] as const) {
    const { status, type, page } = await follow(language);
    // The pages of a suspended shop return 403.
    expect([status, type]).toEqual([403, expect.stringMatching(/^text\/html/)]);
    expect(page).toContain(`<h1>${words}</h1>`);
    expect(page).toContain(`lang="${language}"`);
    expect(page).not.toContain('Blue mug');
    expect(page).not.toContain('site_suspended');
  }
});
