import { expect, test } from 'vitest';
import { startServer, stopServer, testServer } from '../../test/server.ts';
import { databaseUrl } from '../../test/worker-database.ts';

const BROWSER = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8';

test('/ returns a page without scripts or external resources to browsers, and JSON to other clients', async () => {
  const { baseUrl } = await testServer();
  const get = (accept: string) => fetch(`${baseUrl}/`, { headers: { Accept: accept } });
  const [page, json, any] = [await get(BROWSER), await get('application/json'), await get('*/*')];

  expect([page.status, page.headers.get('Content-Type')]).toEqual([200, 'text/html; charset=utf-8']);
  expect(page.headers.get('Content-Security-Policy')).toContain("default-src 'none'");
  const text = await page.text();
  expect(text).toContain('href="/docs"');
  expect(text).not.toMatch(/<script|<style|style=|https?:\/\//);
  for (const answer of [json, any]) {
    expect([answer.status, answer.headers.get('Vary')]).toEqual([200, 'Accept']);
    expect(await answer.json()).toMatchObject({ name: 'Commerce backend', docs_url: 'http://localhost/docs' });
  }
  expect((await fetch(`${baseUrl}/`, { method: 'POST' })).status).toBe(404);
});

test('the links on the page at / work, and the page links to the account page of the demo shop', async () => {
  const server = await startServer(databaseUrl(), { demoSiteId: '0192f3a0-3333-7000-8000-000000000001' });
  try {
    const text = await (await fetch(`${server.baseUrl}/`, { headers: { Accept: BROWSER } })).text();
    const links = [...text.matchAll(/href="([^"#]+)"/g)].map(([, href = '']) => href.replaceAll('&amp;', '&'));
    expect(links).toContain('/account?site_id=0192f3a0-3333-7000-8000-000000000001');
    // Leaves out the links to the demo shop, because this server has no such shop.
    const shopless = links.filter((link) => !link.includes('site_id'));
    for (const link of shopless) expect([link, (await fetch(`${server.baseUrl}${link}`)).status]).toEqual([link, 200]);
  } finally {
    await stopServer(server);
  }
});

test('the server sends its icon to browsers', async () => {
  const { baseUrl } = await testServer();
  const icon = await fetch(`${baseUrl}/favicon.ico`);

  expect([icon.status, icon.headers.get('Content-Type')]).toEqual([200, 'image/svg+xml']);
});
