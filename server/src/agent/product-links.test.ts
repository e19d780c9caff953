import { expect, test } from 'vitest';
import { givenAgent } from '../../test/agents.ts';
import { openShop } from '../../test/shop.ts';

async function openPicturedShop() {
  const shop = await openShop();
  const { agent } = await givenAgent(shop, await shop.givenCustomer());
  const pictured = await shop.givenProduct({ name: 'Moor mug', images: [{ url: 'https://img.example/mug.jpg' }] });
  const bare = await shop.givenProduct({ name: 'Camp mug' });
  return { ...shop, agent, pictured, bare };
}

test('candidates and products have an image and a link to a working product page', async () => {
  const { agent, baseUrl, pictured, bare } = await openPicturedShop();

  const { data: listed } = await agent.GET('/api/agent/catalog/search', { params: { query: { q: 'mug' } } });
  const { data: found } = await agent.POST('/api/agent/intent/find', { body: { query: 'mug' } });
  const { data: asked } = await agent.POST('/api/agent/intent/find-and-add', { body: { query: 'mug' } });
  for (const candidates of [listed?.products, found?.candidates, asked?.candidates]) {
    const pictures = Object.fromEntries((candidates ?? []).map(({ id, image_url }) => [id, image_url]));
    expect(pictures).toEqual({ [pictured.id]: 'https://img.example/mug.jpg', [bare.id]: null });
    for (const { url, content } of candidates ?? []) {
      const page = await fetch(baseUrl + new URL(url).pathname);
      expect(page.status).toBe(200);
      expect(await page.text()).toContain(content.name);
    }
  }
  const params = { path: { product_id: pictured.id } };
  const { data: product } = await agent.GET('/api/agent/catalog/products/{product_id}', { params });
  expect(product?.image_url).toBe('https://img.example/mug.jpg');
  expect((await fetch(baseUrl + new URL(product?.url ?? '').pathname)).status).toBe(200);
});

test('returns an uploaded image 320 pixels wide, and prefers the image of the variant', async () => {
  const { agent, owner, site_id, pictured } = await openPicturedShop();
  const sources = [1280, 320, 640].map((width) => ({ url: `https://img.example/${width}.webp`, width, height: width }));
  const small = async () => {
    const { data } = await agent.POST('/api/agent/intent/find', { body: { query: 'moor mug' } });
    return data?.candidates[0]?.image_url;
  };

  await owner.query(`update commerce.product_images set sources = $1 where site_id = $2`, [
    JSON.stringify(sources),
    site_id,
  ]);
  expect(await small()).toBe('https://img.example/320.webp');
  await owner.query(`update commerce.variants set image_url = 'https://img.example/own.jpg' where product_id = $1`, [
    pictured.id,
  ]);
  expect(await small()).toBe('https://img.example/own.jpg');
});

test('product links follow the template in the settings, and a template without a placeholder is rejected (422)', async () => {
  const { agent, dashboard, pictured } = await openPicturedShop();
  const set = (product_url_template: string | null) =>
    dashboard.PATCH('/api/dashboard/settings', { body: { product_url_template } });
  const url = async () => {
    const { data } = await agent.POST('/api/agent/intent/find', { body: { query: 'moor mug' } });
    return data?.candidates[0]?.url;
  };

  for (const template of [
    'https://shop.example/p',
    'https://{slug}.example/',
    'https://a.example/{slug}/{id}',
    'http://a.example/{id}',
    'https://a.example/{handle}/{id}',
    'https://a.example/<b>{id}',
    'javascript:alert({id})',
  ]) {
    const { error } = await set(template);
    expect(error, template).toMatchObject({ detail: [{ loc: ['body', 'product_url_template'] }] });
  }
  await set('https://shop.example/p/{slug}?by=agent');
  expect(await url()).toBe('https://shop.example/p/moor-mug?by=agent');
  await set('https://shop.example/p?id={id}');
  expect(await url()).toBe(`https://shop.example/p?id=${pictured.id}`);
  const { data } = await set(null);
  expect(data?.product_url_template).toBeNull();
  expect(await url()).toContain('/buy/');
});
