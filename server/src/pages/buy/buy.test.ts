import { randomUUID } from 'node:crypto';
import sql from 'sql-template-tag';
import { expect, test } from 'vitest';
import { formWith, type Page, PaperBrowser } from '../../../test/paper-browser.ts';
import { openShop } from '../../../test/shop.ts';

const once = { redirect: 'manual' } as const;
const OURS = { Origin: 'null', 'Sec-Fetch-Site': 'same-origin' };

test('opening a buy link creates no cart until the button on its page is pressed', async () => {
  const { baseUrl, site_id, owner, givenProduct, givenDiscount, givenTerms } = await openShop();
  await givenTerms();
  await givenDiscount({ code: 'TEN', value: '5.00' });
  const { variants } = await givenProduct({ name: 'Mug <b>', price: '14.00', inventory_quantity: 3 });
  const id = variants[0]?.id ?? '';
  const counted = async () => {
    const { rows } = await owner.query<{ carts: number }>(
      sql`select count(*)::int as carts from commerce.carts where site_id = ${site_id}`,
    );
    return rows[0]?.carts;
  };
  const encoded = `~${Buffer.from(id).toString('base64url')}`;
  const query = new URLSearchParams({
    ...{ 'discounts/codes/0': 'ten', 'attribution/utm_source': 'mail', utm_medium: 'x', 'buyer/email': 'a@b.example' },
    ...{
      'fulfillment/methods/0/destinations/0/street_address': 'Street',
      continue_to: '//evil.example',
      access_token: 'y',
    },
  });

  const led = await fetch(`${baseUrl}/sites/${site_id}/buy/${encoded}:1,${id}:1?${query}`, once);
  const onward = led.headers.get('Location') ?? '';
  expect(led.status).toBe(303);
  expect(onward).toBe(`/sites/${site_id}/basket/${id}:2?discounts%2Fcodes%2F0=ten&utm_source=mail&utm_medium=x`);
  expect([led.headers.get('Cache-Control'), led.headers.get('Referrer-Policy')]).toEqual(['no-store', 'no-referrer']);

  const shown = await fetch(baseUrl + onward);
  const page = await shown.text();
  expect(page).toMatch(/Mug &lt;b&gt;<[\s\S]*2<\/span> × .*€14\.00/);
  expect(page).toContain('<dd class="sum"><data value="28.00">€28.00</data></dd>');
  expect(page).not.toMatch(/a@b\.example|Street|evil/);
  expect(await counted()).toBe(0);

  const cookie = shown.headers.get('Set-Cookie')?.split(';')[0] ?? '';
  const csrf = /name="csrf" value="([^"]+)"/.exec(page)?.[1] ?? '';
  const press = (path: string) =>
    fetch(baseUrl + path, {
      ...{ method: 'POST', redirect: 'manual' },
      headers: { Cookie: cookie, Origin: 'http://localhost', 'Content-Type': 'application/x-www-form-urlencoded' },
      body: new URLSearchParams({ csrf, action: 'begin_checkout' }),
    });
  const begun = await press(onward);
  expect([begun.status, begun.headers.get('Location')]).toEqual([303, expect.stringMatching(/^\/checkout\/chk_/)]);
  const checkout = await (await fetch(baseUrl + begun.headers.get('Location'))).text();
  expect(checkout).toContain('TEN');
  const { rows } = await owner.query(
    sql`select c.attribution, k.email, k.shipping_address, v.reserved from commerce.carts c
      join commerce.checkouts k on k.site_id = c.site_id and k.cart_id = c.id
      join commerce.variants v on v.site_id = c.site_id and v.id = ${id} where c.site_id = ${site_id}`,
  );
  expect(rows).toEqual([
    { attribution: { utm_source: 'mail', utm_medium: 'x' }, email: null, shipping_address: null, reserved: 2 },
  ]);
  const short = await press(onward);
  expect(short.status).toBe(422);
  expect(await counted()).toBe(1);
});

test("pressing a buy link's button repeatedly opens one checkout, and pressing it after reopening the link opens another", async () => {
  const { baseUrl, site_id, owner, givenProduct, givenTerms } = await openShop();
  await givenTerms();
  const { variants } = await givenProduct({ price: '14.00', inventory_quantity: 2 });
  const path = `/sites/${site_id}/basket/${variants[0]?.id}:1`;
  const browser = new PaperBrowser(baseUrl);
  const send = async (page: Page) => {
    const fields = formWith(page.html, 'begin_checkout');
    fields.set('action', 'begin_checkout');
    return (await browser.open(path, { method: 'POST', body: fields, headers: OURS })).response.headers.get('Location');
  };
  const page = await browser.open(path);

  const pressed = await Promise.all(Array.from({ length: 6 }, () => send(page)));
  const later = await send(page);
  const another = await send(await browser.open(path));

  expect(new Set([...pressed, later]).size).toBe(1);
  expect(later).toMatch(/^\/checkout\/chk_/);
  expect(another).toMatch(/^\/checkout\/chk_/);
  expect(another).not.toBe(later);
  const { rows } = await owner.query(
    sql`select (select count(*)::int from commerce.carts where site_id = ${site_id}) as carts, reserved
      from commerce.variants where site_id = ${site_id}`,
  );
  expect(rows).toEqual([{ carts: 2, reserved: 2 }]);
});

test('the page of a buy link shows pictures and the sum, and changed quantities apply to the link and the cart', async () => {
  const { baseUrl, site_id, owner, dashboard, givenProduct, givenTerms } = await openShop();
  await givenTerms();
  const mug = await givenProduct({ name: 'Mug', price: '14.00', inventory_quantity: 9 });
  const bowl = await givenProduct({ name: 'Bowl', price: '0.50', inventory_quantity: 9 });
  const params = { path: { product_id: mug.id } };
  await dashboard.POST('/api/dashboard/products/{product_id}/images', {
    params,
    body: { url: 'https://img.example/mug.jpg' },
  });
  const [one, other] = [mug, bowl].map(({ variants }) => variants[0]?.id ?? '');
  const browser = new PaperBrowser(baseUrl, { 'accept-language': 'de' });

  const page = await browser.open(`/sites/${site_id}/basket/${one}:2,${other}:1?utm_source=mail`);
  expect(page.html).toContain('src="https://img.example/mug.jpg"');
  expect(page.html).toContain('<data value="28.50">');
  expect(page.html).toContain('Ihre Auswahl');

  const changed = await browser.press(page, 'update_quantities', {
    [`quantity_${one}`]: '3',
    [`quantity_${other}`]: '0',
  });
  expect(changed.path).toBe(`/sites/${site_id}/basket/${one}:3`);
  expect(changed.html).toContain('<data value="42.00">');
  const same = await browser.press(changed, 'update_quantities', { [`quantity_${one}`]: '-1' });
  expect(same.path).toBe(changed.path);
  const emptied = await browser.press(changed, 'begin_checkout', { [`quantity_${one}`]: '0' });
  expect(emptied.path).toBe(changed.path);

  const checkout = await browser.press(changed, 'begin_checkout', { [`quantity_${one}`]: '4' });
  expect(checkout.path).toMatch(/^\/checkout\/chk_/);
  const { rows } = await owner.query(
    sql`select i.quantity, c.attribution from commerce.cart_items i join commerce.carts c on c.id = i.cart_id
      where i.site_id = ${site_id}`,
  );
  expect(rows).toEqual([{ quantity: 4, attribution: { utm_source: 'mail' } }]);
});

test.each(['x:1', `${randomUUID()}:0`, `${randomUUID()}:01`, '~!!:1', '%0d%0aX:1', `${randomUUID()}`, ''])(
  'a buy link with the invalid items %j redirects to a page with a notice (404)',
  async (items) => {
    const { baseUrl, site_id } = await openShop();
    const led = await fetch(`${baseUrl}/sites/${site_id}/buy${items && `/${items}`}`, once);
    expect([led.status, led.headers.get('Location')]).toEqual([303, `/sites/${site_id}/basket/none`]);
    expect((await fetch(baseUrl + led.headers.get('Location'))).status).toBe(404);
  },
);
