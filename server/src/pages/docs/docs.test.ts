import { expect, test } from 'vitest';
import { testServer } from '../../../test/server.ts';
import { document, operationTable } from '../../http/contract/contract.ts';

const get = async (path: string, headers: Record<string, string> = {}) =>
  fetch(`${(await testServer()).baseUrl}${path}`, { headers });

const html = async () => (await get('/docs')).text();

test('the documentation has its chapters in a fixed order, from Getting started to Errors', async () => {
  const headings = [...(await html()).matchAll(/<h2>(.+)<\/h2>/g)].map(([, heading]) => heading);

  expect(headings).toEqual(['Getting started', 'Conventions', 'Storefront', 'Dashboard', 'Agent', 'Sync', 'Errors']);
});

test('the documentation links each operation to the reference page that contains it', async () => {
  const links = [...(await html()).matchAll(/href="([^"]+)#operation\/([\w.]+)"/g)];
  expect(links.map(([, , id]) => id).sort()).toEqual(operationTable.map(({ id }) => id).sort());

  for (const page of new Set(links.map(([, address = '']) => address))) {
    expect((await get(page)).status).toBe(200);
    const { paths } = (await (await get(`${page}.json`)).json()) as typeof document;
    const shown = Object.values(paths).flatMap((item) => Object.values(item).map(({ operationId }) => operationId));
    const linked = links.filter(([, address]) => address === page).map(([, , id]) => id);
    expect(shown.filter(Boolean).sort()).toEqual(linked.sort());
  }
});

test('the part of the contract for each reference page contains every component that it references', async () => {
  const pages = new Set([...(await html()).matchAll(/href="(\/docs\/reference\/[\w-]+)"/g)].map(([, page]) => page));
  expect(pages.size).toBeGreaterThan(20);
  for (const page of pages) {
    const part = await (await get(`${page}.json`)).text();
    const { components } = JSON.parse(part) as typeof document;
    for (const [, kind = '', name = ''] of part.matchAll(/"#\/components\/(\w+)\/([^"/]+)"/g)) {
      expect(components[kind]?.[name], `${page}: ${kind}/${name}`).toBeDefined();
    }
  }
});

test('lists every error code, and the remedy of an error', async () => {
  const page = await html();
  const catalogue = document.components.schemas?.ErrorCode?.['x-error-catalogue'] as Record<string, object>;
  for (const code of Object.keys(catalogue)) expect(page).toContain(`id="error-${code}"`);
  expect(page).toContain('Ask the customer to revoke one and poll again; the consent stays valid until it expires.');
});

test('the documentation is small, compressed, and neither runs scripts nor loads anything from other hosts', async () => {
  const page = await html();
  expect(page.match(/<[a-z]/g)?.length).toBeLessThan(2_000);
  expect(page).not.toMatch(/<script|<style|style="|src="https?:|href="https?:[^"]+\.css/);

  for (const path of [
    '/docs',
    '/docs/docs.css',
    '/docs/redoc.standalone.js',
    '/docs/reference/cart.json',
    '/openapi.json',
  ]) {
    const [packed, plain] = [
      await get(path, { 'Accept-Encoding': 'br' }),
      await get(path, { 'Accept-Encoding': 'identity' }),
    ];
    expect([path, packed.headers.get('Content-Encoding')]).toEqual([path, 'br']);
    expect(packed.headers.get('Vary')).toBe('Accept-Encoding');
    expect(await packed.text()).toBe(await plain.text());
    const again = await get(path, { 'Accept-Encoding': 'br', 'If-None-Match': packed.headers.get('ETag') ?? '' });
    expect([again.status, await again.text()]).toEqual([304, '']);
    expect(packed.headers.get('ETag')).not.toBe(plain.headers.get('ETag'));
  }
  expect((await get('/docs')).headers.get('Content-Security-Policy')).not.toContain('script-src');
});

test("the script of the API reference does not load Redoc's logo from cdn.redoc.ly", async () => {
  expect(await (await get('/docs/redoc.standalone.js')).text()).not.toContain('cdn.redoc.ly');
});
