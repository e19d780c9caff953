import { expect, test } from 'vitest';
import { openShop } from '../../test/shop.ts';

const HTML = '<h2>Care</h2><ul><li>Wash <b>cold</b></li></ul>';
const HOSTILE =
  '<p onclick="alert(1)" style="color:red" class="x">Soft</p><script>alert(1)</script><iframe src="https://v.example"></iframe>' +
  '<a href="java&#8203;script:alert(1)">more</a><a href="/care">care</a><img src="//cdn.example/a.png" onerror="alert(1)">';

test('a formatted description is stored with a plain version, and is omitted from storefront lists', async () => {
  const { givenProduct, storefront } = await openShop();

  const made = await givenProduct({
    name: 'Scarf',
    price: '9',
    status: 'active',
    description_html: HTML,
    seo_title: 'Wool',
  });
  const path = { id_or_slug: made.slug };
  const { data: shown } = await storefront.GET('/api/storefront/products/{id_or_slug}', { params: { path } });
  const { data: list } = await storefront.GET('/api/storefront/products');

  expect(made).toMatchObject({ description: 'Care\n\n- Wash cold', description_html: HTML, seo_title: 'Wool' });
  expect(shown).toMatchObject({ description_html: HTML, seo_title: 'Wool', seo_description: null });
  expect(list?.products[0]).not.toHaveProperty('description_html');
});

test('removes scripts, frames and styles from a formatted description, even behind hidden characters', async () => {
  const { givenProduct, dashboard } = await openShop();

  const { data } = await dashboard.POST('/api/dashboard/products/import', {
    body: { products: [{ slug: 'a', name: 'A', price: '9', description_html: HOSTILE }] },
  });
  const made = await givenProduct({ name: 'B', price: '9', description_html: HOSTILE });

  expect(made.description_html).toBe(
    '<p>Soft</p><a>more</a><a href="/care">care</a><img src="https://cdn.example/a.png" />',
  );
  expect(data?.results[0]?.warnings).toMatchObject([
    { type: 'html_removed', ctx: { removed: ['iframe', 'script'] } },
    { type: 'html_attributes_removed', ctx: { attributes: ['class', 'href', 'onclick', 'onerror', 'style'] } },
  ]);
});

test('saving a different plain description removes the formatted description, and saving the same plain description keeps it', async () => {
  const { givenProduct, dashboard } = await openShop();
  const { id, description } = await givenProduct({ name: 'Scarf', price: '9', description_html: HTML });
  const patch = async (body: { description?: string; description_html?: string | null }) => {
    const params = { path: { product_id: id } };
    return (await dashboard.PATCH('/api/dashboard/products/{product_id}', { params, body })).data;
  };

  expect((await patch({ description }))?.description_html).toBe(HTML);
  expect(await patch({ description: 'New' })).toMatchObject({ description: 'New', description_html: null });
  expect(await patch({ description_html: '<p>So <b>so</b></p>' })).toMatchObject({ description: 'So so' });
  expect(await patch({ description_html: null })).toMatchObject({ description: 'So so', description_html: null });
});

test('importing the same formatted product again leaves it unchanged', async () => {
  const { dashboard } = await openShop();
  const row = { slug: 'a', name: 'A', price: '9', description_html: HOSTILE, seo_title: 'T', seo_description: 'D' };
  const body = { products: [{ ...row, weight: '0.98767093', weight_unit: 'oz' as const }] };
  const send = async () => (await dashboard.POST('/api/dashboard/products/import', { body })).data?.results[0]?.status;

  expect([await send(), await send()]).toEqual(['created', 'unchanged']);
});

test('converts deprecated HTML elements, and warns about removed styles', async () => {
  const { dashboard } = await openShop();
  const description_html =
    '<header><h2>Care</h2></header><center>Wash <strike>hot</strike> <font color="red">cold</font></center><tt>30</tt>';
  const { data } = await dashboard.POST('/api/dashboard/products/import', {
    body: { products: [{ slug: 'a', name: 'A', price: '9', description_html }] },
  });
  const { data: list } = await dashboard.GET('/api/dashboard/products');

  expect(list?.products[0]?.description_html).toBe(
    '<section><h2>Care</h2></section><div>Wash <s>hot</s> <span>cold</span></div><code>30</code>',
  );
  expect(data?.results[0]?.warnings).toMatchObject([
    { type: 'html_removed', ctx: { removed: ['center'] } },
    { type: 'html_attributes_removed', ctx: { attributes: ['color'] } },
  ]);
});

test('a plain description that is sent back as HTML paragraphs stays plain, and other HTML becomes a formatted description', async () => {
  const { dashboard } = await openShop();
  const row = { slug: 'a', name: 'A', price: '9' };
  const send = async (texts: { description?: string; description_html?: string }) => {
    const { data } = await dashboard.POST('/api/dashboard/products/import', {
      body: { products: [{ ...row, ...texts }] },
    });
    return data?.results[0]?.status;
  };
  const shown = async () => {
    const { description, description_html } = (await dashboard.GET('/api/dashboard/products')).data?.products[0] ?? {};
    return [description, description_html];
  };

  expect(await send({ description: 'Soft & "warm"\nwool\n\n\nCare' })).toBe('created');
  expect(await send({ description_html: '<p>Soft &amp; "warm"<br>wool</p>\n<p>Care</p>' })).toBe('unchanged');
  expect(await shown()).toEqual(['Soft & "warm"\nwool\n\n\nCare', null]);
  expect(await send({ description_html: '<p>Soft</p>' })).toBe('updated');
  expect(await shown()).toEqual(['Soft', '<p>Soft</p>']);
});

test('keeps a word in angle brackets in a plain description if it is not an HTML element', async () => {
  const { givenProduct } = await openShop();

  const kept = await givenProduct({ name: 'Bolt', price: '1', description: 'Steel bolt <M8> &amp; nut' });
  expect(kept.description).toBe('Steel bolt <M8> & nut');
  const stripped = await givenProduct({
    name: 'Nut',
    price: '1',
    description: 'A <b>nut</b> <x onfocus=alert(1)>for it',
  });
  expect(stripped.description).toBe('A nut for it');
});
