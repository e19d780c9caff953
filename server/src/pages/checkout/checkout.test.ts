import { expect, test } from 'vitest';
import { ordersOf } from '../../../test/buying.ts';
import { formWith, type Page, PaperBrowser, unescaped } from '../../../test/paper-browser.ts';
import { startServer, stopServer } from '../../../test/server.ts';
import { openShop } from '../../../test/shop.ts';
import { databaseUrl } from '../../../test/worker-database.ts';
import { inShopAsSystem } from '../../shop/in-shop.ts';
import { release } from '../../shop/stock/stock.ts';

const DETAILS = {
  email: 'june@example.com',
  shipping_country: 'DE',
  shipping_first_name: 'June',
  shipping_last_name: 'Okafor',
  shipping_address1: 'Lindenallee 7',
  shipping_postal_code: '10115',
  shipping_city: 'Berlin',
};

const BANK = { account_holder: 'Alder & Finch GmbH', iban: 'DE89370400440532013000', bic: 'COBADEFFXXX' };

/** Opens a shop that accepts bank transfers, with an empty checkout for two mugs. */
async function givenCheckout({ name = 'Stoneware mug', quantity = 2 } = {}) {
  const shop = await openShop();
  await shop.dashboard.PATCH('/api/dashboard/settings', { body: { name: 'Alder & Finch', bank_details: BANK } });
  const option = await shop.givenShippingOption({ countries: ['DE', 'AT'] });
  const product = await shop.givenProduct({ name, price: '14.00', inventory_quantity: 5 });
  const variant_id = product.variants[0]?.id ?? '';
  const cart = await shop.givenCart([{ variant_id, quantity }]);
  const { data: checkout } = await shop.storefront.POST('/api/storefront/checkout', { body: { cart_id: cart.id } });
  if (!checkout?.checkout_url) throw new Error('There is no checkout.');
  const browser = new PaperBrowser(shop.baseUrl);
  return { ...shop, option, product, variant_id, cart, checkout, url: checkout.checkout_url, browser };
}

type Given = Awaited<ReturnType<typeof givenCheckout>>;

async function filledIn({ browser, url }: Given): Promise<Page> {
  return browser.press(await browser.open(url), 'save', { ...DETAILS, payment_method: 'bank_transfer' });
}

async function rows({ owner, site_id }: Given) {
  const { rows: found } = await owner.query(
    `select (select json_agg(c order by c.id) from commerce.checkouts c where site_id = $1) as checkouts,
      (select json_agg(c order by c.id) from commerce.carts c where site_id = $1) as carts,
      (select json_agg(v.reserved order by v.id) from commerce.variants v where site_id = $1) as reserved,
      (select count(*) from commerce.orders where site_id = $1) as orders,
      (select count(*) from commerce.audit_events where site_id = $1) as audited`,
    [site_id],
  );
  return found[0];
}

test('a shopper without JavaScript pays on the second page and sees the bank details', async () => {
  const given = await givenCheckout();
  const { browser, url } = given;
  const form = await browser.open(url);
  expect(form.response.status).toBe(200);
  expect(form.html).toContain('Stoneware mug');
  // The shop's country is preselected, and with it the cheapest delivery and the card. The total includes the delivery.
  expect(form.html).toContain('Parcel');
  expect(form.html).toMatch(/<strong id="fold-total"><data value="32\.90">/);

  const review = await browser.press(form, 'save', { ...DETAILS, payment_method: 'bank_transfer' });
  expect(review.html).toContain('Place order and pay €32.90');
  expect(review.html).toContain('Lindenallee 7');

  const done = await browser.press(review, 'place_order');
  expect(done.response.status).toBe(200);
  const [order] = await ordersOf(given);
  expect(order).toMatchObject({ total: '32.90', payment_status: 'awaiting_payment', email: 'june@example.com' });
  for (const text of [
    order?.order_number,
    'DE89 3704 0044 0532 0130 00',
    'Alder &amp; Finch GmbH',
    'COBADEFFXXX',
    '€32.90',
  ]) {
    expect(done.html).toContain(text);
  }
  const confirmed = await browser.open(url);
  expect(confirmed.html).toContain('Thank you for your order');

  // The secret URL of the order's page appears on no page, and is stored once even if the page is requested repeatedly.
  expect(confirmed.html).not.toContain('/orders/');
  const paths = [];
  for (let press = 0; press < 2; press += 1) {
    const shown = await browser.press(confirmed, 'view_order');
    expect([shown.response.status, shown.response.headers.get('referrer-policy')]).toEqual([200, 'no-referrer']);
    expect(shown.html).toContain(order?.order_number);
    expect(shown.html).not.toContain('Lindenallee');
    paths.push(shown.path);
  }
  expect(paths[0]).toMatch(/^\/sites\/[0-9a-f-]{36}\/orders\/ord_/);
  expect(paths[1]).toBe(paths[0]);
});

test('an order has the same names, quantities, prices and total as the checkout page', async () => {
  const given = await givenCheckout({ quantity: 3 });
  await given.givenDiscount({ code: 'TENOFF', kind: 'percentage', value: '10' });
  const { browser } = given;
  const review = await filledIn(given);
  const coded = await browser.press(await browser.open(`${review.path}?change=1`), 'apply_discount', {
    discount_code: 'tenoff',
  });
  expect(coded.html).toContain('TENOFF');
  const last = await browser.open(review.path);
  const done = await browser.press(last, 'place_order');

  const [order] = await ordersOf(given);
  for (const html of [last.html, done.html]) {
    expect(amountsIn(html)).toEqual({
      lines: order?.line_items.map(({ name, quantity, price, total }) => ({ name, quantity, price, total })),
      totals: [order?.subtotal, order?.discount, order?.shipping_cost],
      total: order?.total,
    });
  }
});

/** The amounts of an order in its page's HTML. */
function amountsIn(html: string) {
  const all = (text: string, pattern: RegExp) => [...text.matchAll(pattern)].map(([, found = '']) => unescaped(found));
  const lines = all(html, /<li class="line">([\s\S]*?)<\/li>/g).map((line) => {
    const [price, total] = all(line, /<data value="([^"]*)"/g);
    return {
      name: all(line, /class="name" dir="auto">([^<]*)</g)[0],
      quantity: Number(all(line, /class="pieces">(\d+)/g)[0]),
      price,
      total,
    };
  });
  const totals = html.match(/<dl class="totals">[\s\S]*?<\/dl>/)?.[0] ?? '';
  const amounts = all(totals, /<data value="([^"]*)"/g);
  return { lines, totals: amounts.slice(0, -1), total: amounts.at(-1) };
}

test('GET and HEAD requests to the checkout page change nothing and reserve no stock', async () => {
  const given = await givenCheckout();
  const { browser, url, owner, checkout } = given;
  await owner.query(`update commerce.checkouts set reserved_until = now() - interval '1 minute' where id = $1`, [
    checkout.id,
  ]);
  const before = await rows(given);
  for (const path of [url, `${url}?change=1`]) {
    for (const method of ['GET', 'HEAD']) {
      const { response, html } = await browser.open(path, { method, headers: { Purpose: 'prefetch' } });
      expect(response.status).toBe(200);
      expect(html === '').toBe(method === 'HEAD');
    }
  }
  expect(await rows(given)).toEqual(before);
});

test('the checkout page rejects a form from another origin', async () => {
  const given = await givenCheckout();
  const other = await givenCheckout();
  const { browser, url } = given;
  const review = await filledIn(given);
  const fields = formWith(review.html, 'place_order');
  fields.set('action', 'place_order');
  const foreign = formWith((await browser.open(other.url)).html, 'save').get('csrf') ?? '';
  const before = await rows(given);
  const tries: [string, Record<string, string>, (fields: URLSearchParams) => void][] = [
    ['of another site', { Origin: 'https://evil.example', 'Sec-Fetch-Site': 'cross-site' }, () => {}],
    ['of a neighbour', { Origin: 'null', 'Sec-Fetch-Site': 'same-site' }, () => {}],
    ['typed by hand', { Origin: 'null', 'Sec-Fetch-Site': 'none' }, () => {}],
    ['with a foreign origin', { Origin: 'https://evil.example', 'Sec-Fetch-Site': 'same-origin' }, () => {}],
    ['without its token', {}, (form) => form.delete('csrf')],
    ['with a made-up token', {}, (form) => form.set('csrf', 'A'.repeat(43))],
    ["with another checkout's token", {}, (form) => form.set('csrf', foreign)],
  ];
  for (const [what, headers, change] of tries) {
    const form = new URLSearchParams(fields);
    change(form);
    expect([what, (await browser.send(review.path, form, headers)).response.status]).toEqual([what, 403]);
  }
  const stranger = new PaperBrowser(given.baseUrl);
  expect((await stranger.send(review.path, fields)).response.status).toBe(403);
  await stranger.open(url);
  expect((await stranger.send(review.path, fields)).response.status).toBe(403);
  const bare = await fetch(given.baseUrl + review.path, { method: 'POST', body: fields, redirect: 'manual' });
  expect(bare.status).toBe(403);
  expect(await rows(given)).toEqual(before);
});

test('over https, the form cookie is bound to the host, and a form without an Origin header is rejected (403)', async () => {
  const given = await givenCheckout();
  const secure = await startServer(databaseUrl(), { baseUrl: 'https://shop.example' });
  const browser = new PaperBrowser(secure.baseUrl);
  const form = await browser.open(given.url);
  const cookie = form.response.headers.get('Set-Cookie') ?? '';
  for (const part of ['__Host-form=', 'HttpOnly', 'Secure', 'SameSite=Lax', 'Path=/']) expect(cookie).toContain(part);
  const fields = formWith(form.html, 'save');
  const post = async (headers: Record<string, string>) =>
    (await browser.open(given.url, { method: 'POST', body: fields, headers })).response.status;
  expect(await post({ Origin: 'null' })).toBe(403);
  expect(await post({})).toBe(403);
  expect(await post({ Origin: 'http://shop.example' })).toBe(403);
  expect(await post({ Origin: 'https://shop.example' })).toBe(422);
  expect(await post({ Origin: 'null', 'Sec-Fetch-Site': 'same-origin' })).toBe(422);
  await stopServer(secure);
});

test('the checkout page rejects a form with an unknown action', async () => {
  const { browser, url } = await givenCheckout();
  const form = await browser.open(url);
  for (const action of ['pay', 'constructor', '__proto__', 'toString']) {
    const fields = formWith(form.html, 'save');
    fields.set('action', action);
    expect([action, (await browser.send(form.path, fields)).response.status]).toEqual([action, 400]);
  }
});

test('the checkout page rejects a body that is too large (413) or not a form (415)', async () => {
  const { browser, url } = await givenCheckout();
  const post = (type: string, body: string) =>
    browser.open(url, {
      method: 'POST',
      body,
      headers: { 'Content-Type': type, Origin: 'null', 'Sec-Fetch-Site': 'same-origin' },
    });
  expect((await post('application/json', '{}')).response.status).toBe(415);
  expect((await post('text/plain', 'action=save')).response.status).toBe(415);
  expect((await post('application/x-www-form-urlencoded', `note=${'x'.repeat(33_000)}`)).response.status).toBe(413);
  expect((await browser.open(url, { method: 'PUT' })).response.headers.get('Allow')).toBe('GET, HEAD, POST');
});

test('the checkout page cannot be framed, cached, indexed or scripted, and sends no referrer', async () => {
  const { browser, url } = await givenCheckout();
  const { response, html } = await browser.open(url);
  const policy = response.headers.get('Content-Security-Policy') ?? '';
  expect(policy).toContain("default-src 'none'");
  expect(policy).toContain("frame-ancestors 'none'");
  expect(policy).toContain("base-uri 'none'");
  expect(policy).not.toContain('unsafe');
  expect(Object.fromEntries(response.headers)).toMatchObject({
    'x-frame-options': 'DENY',
    'cache-control': 'no-store',
    'referrer-policy': 'no-referrer',
    'x-content-type-options': 'nosniff',
    'cross-origin-opener-policy': 'same-origin',
    'content-type': 'text/html; charset=utf-8',
  });
  expect(response.headers.get('Access-Control-Allow-Origin')).toBeNull();
  expect(policy).toContain("connect-src 'self'");
  expect(html.replace(OUR_SCRIPT, '')).not.toMatch(/<script|<style|\sstyle=|\son[a-z]+=/i);
  const [, style = ''] = /href="(\/assets\/[^"]+)"/.exec(html) ?? [];
  const sheet = await browser.open(style);
  expect(sheet.response.headers.get('Cache-Control')).toContain('immutable');
  expect(sheet.response.headers.get('Content-Type')).toContain('text/css');
});

const PAYLOADS = [
  '<script>alert(1)</script>',
  '"><img src=x onerror=alert(1)>',
  "' onmouseover='alert(1)",
  '</textarea><svg onload=alert(1)>',
  '</title><script>alert(1)</script>',
  '&lt;script&gt;alert(1)&lt;/script&gt;',
  'javascript:alert(1)',
  '{{7*7}}$' + '{alert(1)}`',
];

/** The only scripts in the markup of our pages. The QR code is the only drawing, and contains no input. */
const OUR_SCRIPT =
  /<script src="\/assets\/(?:copy|checkout)-[0-9a-f]{16}\.js" integrity="sha256-[\w+/=]{44}" defer><\/script>/;
const QR_CODE =
  /<svg class="qr-code" viewBox="[\d ]+" role="img" aria-label="[\w ,]+" shape-rendering="crispEdges">\s*<rect [^<>]*\/><path d="[MhvHz\d ]+" fill="#000"\/><\/svg>/;

test('the checkout page escapes all input of merchants and shoppers', async () => {
  const payload = PAYLOADS.join(' ');
  const given = await givenCheckout({ name: payload.slice(0, 255) });
  const { browser, dashboard, url } = given;
  await dashboard.PATCH('/api/dashboard/settings', {
    body: { name: payload, bank_details: { ...BANK, account_holder: payload, instructions: payload } },
  });
  const entries = {
    ...DETAILS,
    note: payload,
    shipping_last_name: payload,
    shipping_address2: payload,
    phone: '"><b>1',
  };
  const form = await browser.open(url);
  const wrong = await browser.press(form, 'save', { ...entries, email: payload });
  const entered = { ...entries, phone: '030 1234567', payment_method: 'bank_transfer' };
  const first = await browser.press(form, 'save', { ...entered, shipping_city: '' });
  const review = await browser.press(first, 'save', { shipping_city: 'Berlin' });
  const done = await browser.press(review, 'place_order');
  expect(wrong.response.status).toBe(422);
  expect(done.html).toContain('Thank you');
  expect(done.html).toMatch(QR_CODE);
  for (const html of [form, wrong, first, review, done].map((page) =>
    page.html.replace(QR_CODE, '').replace(OUR_SCRIPT, ''),
  )) {
    // Every tag is one that our pages use, without event handlers and javascript: URLs.
    const tags = [...html.matchAll(/<\/?([a-zA-Z!][^\s>]*)((?:\s+[^\s=>"']+(?:="[^"]*")?)*)\s*\/?>/g)];
    expect(html.replaceAll(/<\/?([a-zA-Z!][^\s>]*)((?:\s+[^\s=>"']+(?:="[^"]*")?)*)\s*\/?>/g, '')).not.toMatch(/[<>]/);
    for (const [, name = '', attributes = ''] of tags) {
      expect(['script', 'svg', 'b', 'style', 'iframe', 'object']).not.toContain(name.toLowerCase());
      expect(attributes.replaceAll(/"[^"]*"/g, '')).not.toMatch(/\son/i);
      expect(attributes).not.toMatch(/(?:href|src|action)="(?!\/|#|https:)/i);
    }
    expect(unescaped(html)).toContain(payload.slice(0, 255));
  }
});

test('the checkout page shows an image with an https URL', async () => {
  const { browser, dashboard, product, url } = await givenCheckout();
  const path = { product_id: product.id };
  await dashboard.POST('/api/dashboard/products/{product_id}/images', {
    params: { path },
    body: { url: 'https://img.example/a.jpg' },
  });
  expect((await browser.open(url)).html).toContain('src="https://img.example/a.jpg"');
});

test('shows a changed price, and charges it only after the shopper has agreed to it', async () => {
  const given = await givenCheckout();
  const { browser, dashboard, product, variant_id } = given;
  const review = await filledIn(given);
  const path = { product_id: product.id, variant_id };
  const { error } = await dashboard.PATCH('/api/dashboard/products/{product_id}/variants/{variant_id}', {
    params: { path },
    body: { price: '15.00' },
  });
  expect(error).toBeUndefined();
  const asked = await browser.press(review, 'place_order');
  expect(asked.response.status).toBe(409);
  expect(asked.html).toContain('The total has changed from €32.90 to €34.90');
  expect(await ordersOf(given)).toEqual([]);
  const done = await browser.press(asked, 'place_order');
  expect(done.html).toContain('Thank you');
  expect((await ordersOf(given))[0]?.total).toBe('34.90');
});

test('shows insufficient stock at the affected item, and creates no order', async () => {
  const given = await givenCheckout();
  const { browser, db, site_id, variant_id, checkout } = given;
  const review = await filledIn(given);
  await inShopAsSystem(db, site_id, (shop) => release(shop, checkout.id));
  await given.givenCheckout({ content: [{ variant_id, quantity: 4 }] });
  const short = await browser.press(review, 'place_order');
  expect(short.response.status).toBe(409);
  expect(short.html).toContain('Only 1 left');
  expect(short.html).not.toContain('value="place_order"');
  expect(await ordersOf(given)).toEqual([]);
});

test("shows each mistake at its field, and keeps the shopper's input", async () => {
  const given = await givenCheckout();
  const { browser, url, option } = given;
  const form = await browser.open(url);
  const wrong = await browser.press(form, 'save', { ...DETAILS, email: 'june@', shipping_city: '' });
  expect(wrong.response.status).toBe(422);
  expect(wrong.html).toContain('<a href="#email">Enter an e-mail address in the form name@example.com.</a>');
  expect(wrong.html).toMatch(
    /id="email"[^>]*value="june@"[^>]*aria-describedby="email-hint email-error"[^>]*aria-invalid="true"/,
  );
  // Only the first field with a mistake is focused.
  expect(wrong.html.match(/<[^>]* autofocus[^>]*>/g)).toEqual([expect.stringContaining('id="email"')]);
  // Invalid and missing fields are reported together. The preselected delivery and payment are not missing.
  expect(wrong.html).toContain('<a href="#shipping_city">Enter the city.</a>');
  expect(wrong.html.match(/<a href="#email">/g)).toHaveLength(1);
  expect(wrong.html).not.toContain('Choose a delivery option.');
  expect(wrong.html).not.toContain('Choose a payment method.');
  const missing = await browser.press(wrong, 'save', {
    ...{ email: 'june@example.com', payment_method: '', shipping_option_id: '' },
  });
  expect(missing.response.status).toBe(422);
  expect(missing.html).toContain('<a href="#shipping_city">Enter the city.</a>');
  expect(missing.html).toContain('<a href="#payment_method">Choose a payment method.</a>');
  expect(missing.html).toContain('<a href="#shipping_option_id">Choose a delivery option.</a>');
  expect(missing.html).toContain('value="Lindenallee 7"');
  const other = await browser.press(missing, 'save', {
    shipping_city: 'Berlin',
    payment_method: 'bank_transfer',
    shipping_option_id: option.id,
    billing: 'other',
  });
  expect(other.html).toContain('<a href="#billing_last_name">Enter the last name.</a>');
});

test("the country of the shop's locale is preselected if the shop delivers there", async () => {
  const given = await givenCheckout();
  await given.givenShippingOption({ name: 'Abroad', countries: ['FR'] });
  const chosenIn = async () =>
    (await given.browser.open(given.url)).html.match(/<option value="(\w\w)" selected>/)?.[1];
  expect(await chosenIn()).toBe('DE');

  await given.dashboard.PATCH('/api/dashboard/settings', { body: { default_locale: 'fr-FR' } });
  expect(await chosenIn()).toBe('FR');
  await given.dashboard.PATCH('/api/dashboard/settings', { body: { default_locale: 'en-US' } });
  expect(await chosenIn()).toBeUndefined();
});

test.each([
  ['fr-FR,fr;q=0.9', 'FR'],
  ['en,de-AT;q=0.5', 'AT'],
  ['es-ES', 'DE'],
  // Most browsers with this language setting are not in the United States.
  ['en-US,en;q=0.9', 'DE'],
])('a browser that prefers %s has the country %s preselected', async (preferred, country) => {
  const given = await givenCheckout();
  await given.givenShippingOption({ name: 'Abroad', countries: ['FR', 'US'] });
  const { html } = await new PaperBrowser(given.baseUrl, { 'accept-language': preferred }).open(given.url);
  expect(html.match(/<option value="(\w\w)" selected>/)?.[1]).toBe(country);
  expect(html).toContain(`name="shown_country" value="${country}"`);
});

test('the cheapest delivery is preselected, and pickup only if there is no delivery', async () => {
  const given = await givenCheckout();
  const { browser, url } = given;
  await given.givenShippingOption({ name: 'Express', price: '19.00' });
  const pickup = await given.givenShippingOption({ name: 'Collect', kind: 'pickup', price: '0' });
  const chosen = async () =>
    /name="shipping_option_id" value="([^"]+)" checked/.exec((await browser.open(`${url}?change=1`)).html)?.[1];
  expect(await chosen()).toBe(given.option.id);
  const { data } = await given.dashboard.GET('/api/dashboard/shipping-options');
  for (const { id, kind } of data?.shipping_options ?? []) {
    const params = { path: { shipping_option_id: id } };
    if (kind === 'delivery')
      await given.dashboard.DELETE('/api/dashboard/shipping-options/{shipping_option_id}', { params });
  }
  expect(await chosen()).toBe(pickup.id);
});

test("the page's script gets the delivery options and the total for an address, and nothing is stored", async () => {
  const given = await givenCheckout();
  const { browser, url } = given;
  const near = await given.givenShippingOption({
    ...{ name: 'Courier', price: '3.00', countries: ['DE'], postcode_prefixes: ['101'] },
  });
  const far = await given.givenShippingOption({ name: 'Far parcel', price: '19.00', countries: ['NZ'] });
  const before = await rows(given);
  const shown = async (query: string) => {
    const { response, html } = await browser.open(`${url}?change=1&${query}`);
    const total = /id="fold-total"><data value="([^"]+)"/.exec(html)?.[1];
    return [response.status, /name="shipping_option_id" value="([^"]+)" checked/.exec(html)?.[1], total];
  };
  expect(await shown('country=DE&postal_code=20095')).toEqual([200, given.option.id, '32.90']);
  expect(await shown('country=DE&postal_code=10115')).toEqual([200, near.id, '31.00']);
  expect(await shown(`country=DE&postal_code=10115&option=${given.option.id}`)).toEqual([
    ...[200, given.option.id, '32.90'],
  ]);
  expect(await shown(`country=NZ&option=${near.id}`)).toEqual([200, far.id, '47.00']);
  for (const wrong of [
    'country=XX',
    'country=DE&country=NZ',
    'country=DE&option=x',
    'address=x',
    'country=DE&payment=x',
  ]) {
    expect([wrong, ...(await shown(wrong))]).toEqual([wrong, 200, given.option.id, '32.90']);
  }
  expect(await rows(given)).toEqual(before);
});

test("offers the saved addresses of the customer only to the customer's browser", async () => {
  const given = await givenCheckout();
  const { client, email, password } = await given.givenCustomer();
  const save = (address1: string) =>
    client.POST('/api/storefront/customer/me/addresses', {
      body: { last_name: 'Okafor', address1, city: 'Graz', postal_code: '8010', country: 'AT' },
    });
  await save('Hauptplatz 1');
  const { data: other } = await save('Kirchweg 3');
  const cart = await given.givenCart([{ variant_id: given.variant_id, quantity: 1 }], client);
  const { data } = await client.POST('/api/storefront/checkout', { body: { cart_id: cart.id } });
  const url = data?.checkout_url ?? '';
  const mine = new PaperBrowser(given.baseUrl);
  await mine.press(await mine.open(`/account?site_id=${given.site_id}`), 'log_in', { email, password });

  const form = await mine.open(url);
  expect(form.html).toContain('Okafor, Kirchweg 3, 8010 Graz, Austria');
  const chosen = await mine.open(`${url}?change=1&address=${other?.id}`);
  expect(chosen.html).toMatch(/id="shipping_address1"[^>]*value="Kirchweg 3"/);

  const theirs = await given.browser.open(`${url}?change=1&address=${other?.id}`);
  expect(theirs.html).not.toContain('Kirchweg 3');
});

test('applying or removing a discount code keeps the other input', async () => {
  const given = await givenCheckout();
  await given.givenDiscount({ code: 'SPRING', value: '4.00' });
  const { browser, url } = given;
  const wrong = await browser.press(await browser.open(url), 'apply_discount', { ...DETAILS, discount_code: 'AUTUMN' });
  expect(wrong.response.status).toBe(400);
  expect(wrong.html).toContain('<a href="#discount_code">There is no such code. Check the spelling.</a>');
  expect(wrong.html).toContain('value="Lindenallee 7"');
  const applied = await browser.press(wrong, 'apply_discount', { discount_code: 'spring' });
  expect(applied.html).toContain('SPRING');
  expect(applied.html).toContain('value="28.90"');
  expect(applied.html).toContain('value="Lindenallee 7"');
  const removed = await browser.press(applied, 'remove_discount');
  expect(removed.html).not.toContain('SPRING');
  expect(removed.html).toContain('value="32.90"');
});

test('the save button also applies a typed discount code, or shows its error at the field', async () => {
  const given = await givenCheckout();
  await given.givenDiscount({ code: 'SPRING', value: '4.00' });
  const { browser, url, option } = given;
  const begun = await browser.press(await browser.open(url), 'save', {
    discount_code: 'spring',
    email: 'june@example.com',
  });
  expect(begun.response.status).toBe(200);
  expect(begun.html).toContain('value="remove_discount"');
  expect(begun.html).toContain('value="june@example.com"');
  const form = await browser.press(begun, 'remove_discount', { ...DETAILS, payment_method: 'bank_transfer' });

  const refused = await browser.press(form, 'save', { shipping_option_id: option.id, discount_code: 'AUTUMN' });
  expect(refused.response.status).toBe(400);
  expect(refused.html).toContain('<a href="#discount_code">There is no such code. Check the spelling.</a>');
  const review = await browser.press(refused, 'save', { discount_code: 'spring' });
  expect(review.html).toContain('Place order and pay €28.90');
  await browser.press(review, 'place_order');
  expect(await ordersOf(given)).toMatchObject([{ discount: '4.00', total: '28.90' }]);
});

test('removing an unavailable item on the checkout form keeps the input', async () => {
  const given = await givenCheckout();
  const { browser, url, storefront, dashboard, cart, option } = given;
  const [gone, other] = [await given.givenProduct({ name: 'Plate' }), await given.givenProduct({ name: 'Bowl' })];
  const path = { cart_id: cart.id };
  for (const product of [gone, other]) {
    const body = { variant_id: product.variants[0]?.id ?? '', quantity: 1 };
    await storefront.POST('/api/storefront/cart/{cart_id}/items', { params: { path }, body });
  }
  const archive = ({ id }: typeof gone) =>
    dashboard.PATCH('/api/dashboard/products/{product_id}', {
      params: { path: { product_id: id } },
      body: { status: 'archived' },
    });
  await archive(gone);
  await archive(other);

  const form = await browser.open(url);
  expect(form.html.match(/value="remove_item"/g)).toHaveLength(2);
  const one = await browser.press(form, 'remove_item', { ...DETAILS, payment_method: 'bank_transfer' });
  expect(one.response.status).toBe(200);
  expect(one.html.match(/value="remove_item"/g)).toHaveLength(1);
  expect(one.html).toContain('value="Lindenallee 7"');
  // Clicks the button of the removed item again.
  expect((await browser.press(form, 'remove_item')).response.status).toBe(200);
  const both = await browser.press(one, 'remove_item');
  expect(both.html).not.toContain('value="remove_item"');

  expect(both.html).toContain('value="Lindenallee 7"');

  const review = await browser.press(both, 'save', { shipping_option_id: option.id });
  await browser.press(review, 'place_order');
  expect(await ordersOf(given)).toMatchObject([{ total: '32.90', line_items: [{ name: 'Stoneware mug' }] }]);
});

test('after an unavailable item is removed on the review, the rest can be ordered at the displayed total', async () => {
  const given = await givenCheckout();
  const { browser, storefront, dashboard, cart } = given;
  const gone = await given.givenProduct({ name: 'Plate' });
  const body = { variant_id: gone.variants[0]?.id ?? '', quantity: 1 };
  await storefront.POST('/api/storefront/cart/{cart_id}/items', { params: { path: { cart_id: cart.id } }, body });
  const { path } = await filledIn(given);
  const params = { path: { product_id: gone.id } };
  await dashboard.PATCH('/api/dashboard/products/{product_id}', { params, body: { status: 'archived' } });

  const review = await browser.open(path);
  expect(review.html).not.toContain('value="place_order"');
  const rest = await browser.press(review, 'remove_item');
  expect(rest.html).toContain('Place order and pay €32.90');
  await browser.press(rest, 'place_order');

  expect(await ordersOf(given)).toMatchObject([{ total: '32.90' }]);
});

test('the shopper must choose a shipping option again after changing the country', async () => {
  const given = await givenCheckout();
  const far = await given.givenShippingOption({ name: 'Far parcel', price: '19.00', countries: ['NZ'] });
  const { browser } = given;
  const review = await filledIn(given);
  const form = await browser.open(`${review.path}?change=1`);
  const asked = await browser.press(form, 'save', { shipping_country: 'NZ', shipping_postal_code: '6011' });
  expect(asked.response.status).toBe(422);
  expect(asked.html).toContain('<a href="#shipping_option_id">Choose a delivery option.</a>');
  const again = await browser.press(asked, 'save', { shipping_option_id: far.id });
  expect(again.html).toContain('Place order and pay €47.00');
});

test('after a wrong guess of the country, the form shows the delivery options of the entered country without an error', async () => {
  const given = await givenCheckout();
  const far = await given.givenShippingOption({ name: 'Far parcel', price: '19.00', countries: ['NZ'] });
  const { browser, url } = given;
  const there = { ...DETAILS, shipping_country: 'NZ', shipping_postal_code: '6011', payment_method: 'bank_transfer' };
  const form = await browser.press(await browser.open(url), 'save', there);
  expect(form.response.status).toBe(200);
  expect(form.html).not.toContain('summary-of-mistakes');
  expect(form.html).toContain(`value="${far.id}" checked`);
  expect((await browser.press(form, 'save')).html).toContain('Place order and pay €47.00');
});

test('requires a state in countries that use states, whether the page or the API has set the address', async () => {
  const given = await givenCheckout();
  const { browser, url } = given;
  const option = await given.givenShippingOption({ name: 'Across', price: '9.00', countries: ['US'] });
  const there = { ...DETAILS, shipping_country: 'US', shipping_postal_code: '94103', payment_method: 'bank_transfer' };
  const first = await browser.press(await browser.open(url), 'save', there);
  const asked = await browser.press(first, 'save', { shipping_option_id: option.id });
  expect(asked.response.status).toBe(422);
  expect(asked.html).toContain('<a href="#shipping_state">Enter the state or region.</a>');
  const review = await browser.press(asked, 'save', { shipping_state: 'CA' });
  expect(review.html).toContain('Place order and pay €37.00');

  // The API does not require a state, but the page asks for it before the review.
  const other = await given.givenCheckout();
  const { data: ready } = await given.storefront.PATCH('/api/storefront/checkout/{checkout_id}', {
    params: { path: { checkout_id: other.id } },
    body: {
      shipping_option_id: option.id,
      shipping_address: {
        last_name: 'Okafor',
        address1: '1 Main St',
        city: 'Reno',
        postal_code: '89501',
        country: 'US',
      },
    },
  });
  expect(ready).toMatchObject({ missing: [], status: 'ready' });
  const form = await browser.open(other.checkout_url ?? '');
  expect(form.html).not.toContain('value="place_order"');
  expect((await browser.press(form, 'save', { shipping_state: 'NV' })).html).toContain('Place order and pay');
});

test('shows an error at the phone field for an invalid phone number in an address', async () => {
  const given = await givenCheckout();
  const { browser, storefront } = given;
  const { id: checkout_id, checkout_url } = await given.givenCheckout();
  await storefront.PATCH('/api/storefront/checkout/{checkout_id}', {
    params: { path: { checkout_id } },
    body: {
      shipping_address: {
        ...{ last_name: 'Okafor', address1: 'Lindenallee 7', city: 'Berlin', postal_code: '10115', country: 'DE' },
        phone: 'call me',
      },
    },
  });
  const form = await browser.open(checkout_url ?? '');
  expect(form.html).not.toContain('value="place_order"');
  const refused = await browser.press(form, 'save', { phone: 'call me' });
  expect(refused.html).toContain('<a href="#phone">Enter a valid phone number');
  const review = await browser.press(refused, 'save', { phone: '030 1234567' });
  expect(review.html).toContain('value="place_order"');
});

test.each([
  ['en', 'cannot take orders', 'no delivery yet', 'no payment method yet'],
  ['de', 'keine Bestellungen annehmen', 'noch keinen Versand', 'noch keine Zahlungsart'],
  ['fr', 'ne peut pas accepter de commandes', 'encore aucun mode de livraison', 'encore aucun moyen de paiement'],
])('a shop that cannot sell shows a notice instead of a form (%s)', async (locale, title, noDelivery, noPayment) => {
  const server = await startServer(databaseUrl(), { card: undefined });
  try {
    const shop = await openShop();
    const cart = await shop.givenCart();
    const { data } = await shop.storefront.POST('/api/storefront/checkout', { body: { cart_id: cart.id } });
    const browser = new PaperBrowser(server.baseUrl, { 'accept-language': locale });
    const path = new URL(data?.checkout_url ?? '').pathname;
    const shown = async () => {
      const { response, html } = await browser.open(`${server.baseUrl}${path}`);
      return [response.status, unescaped(html)] as const;
    };

    const [status, bare] = await shown();
    expect([status, bare.includes('<form id="checkout"')]).toEqual([200, false]);
    expect(bare).toContain(title);
    expect(bare).toContain(noDelivery);
    expect(bare).toContain('Mug');

    const option = await shop.givenShippingOption();
    expect((await shown())[1]).toContain(noPayment);

    const params = { path: { shipping_option_id: option.id } };
    await shop.dashboard.PATCH('/api/dashboard/shipping-options/{shipping_option_id}', {
      params,
      body: { kind: 'pickup' },
    });
    expect((await shown())[1]).toContain('<form id="checkout"');

    await shop.dashboard.PATCH('/api/dashboard/shipping-options/{shipping_option_id}', {
      params,
      body: { kind: 'delivery' },
    });
    await shop.dashboard.PATCH('/api/dashboard/settings', { body: { bank_details: BANK } });
    expect((await shown())[1]).toContain('<form id="checkout"');
  } finally {
    await stopServer(server);
  }
});

test('a checkout without shipping requires no shipping option, and can have a total of 0', async () => {
  const shop = await openShop();
  const variants = [{ price: '5.00', requires_shipping: false, inventory_quantity: 9 }];
  const product = await shop.givenProduct({ name: 'Pattern to print', variants });
  await shop.givenDiscount({ code: 'GIFT', kind: 'percentage', value: '100' });
  const cart = await shop.givenCart([{ variant_id: product.variants[0]?.id ?? '', quantity: 1 }]);
  const { data } = await shop.storefront.POST('/api/storefront/checkout', { body: { cart_id: cart.id } });
  const browser = new PaperBrowser(shop.baseUrl);
  const form = await browser.open(data?.checkout_url ?? '');
  expect(form.html).not.toContain('shipping_country');
  const entries = { email: 'june@example.com', billing_country: 'AT', discount_code: 'gift' };
  const coded = await browser.press(form, 'apply_discount', entries);
  const review = await browser.press(coded, 'save');
  expect(review.html).toContain('There is nothing to pay.');
  const done = await browser.press(review, 'place_order');
  expect(done.html).toContain('Thank you');
  const orders = (await shop.dashboard.GET('/api/dashboard/orders')).data?.orders;
  expect(orders?.[0]).toMatchObject({ total: '0.00', payment_method: 'free', billing_address: { country: 'AT' } });
});

test('the form of a checkout without shipping shows the total at the billing address, not at a guessed country', async () => {
  const shop = await openShop();
  await shop.givenTerms({
    prices_include_tax: false,
    tax_rates: [
      { country: 'DE', rate: '0.19' },
      { country: 'AT', rate: '0.20' },
    ],
  });
  const variants = [{ price: '50.00', requires_shipping: false, inventory_quantity: 9 }];
  const product = await shop.givenProduct({ name: 'Pattern to print', variants });
  const cart = await shop.givenCart([{ variant_id: product.variants[0]?.id ?? '', quantity: 1 }]);
  const { data } = await shop.storefront.POST('/api/storefront/checkout', { body: { cart_id: cart.id } });
  const url = data?.checkout_url ?? '';
  const browser = new PaperBrowser(shop.baseUrl);
  const entries = { email: 'june@example.com', billing_country: 'AT', billing_last_name: 'Okafor' };
  const address = { billing_address1: 'Hauptplatz 1', billing_postal_code: '8010', billing_city: 'Graz' };
  const first = await browser.open(url, { headers: { 'Accept-Language': 'de-DE' } });
  const review = await browser.press(first, 'save', { ...entries, ...address, payment_method: 'bank_transfer' });
  expect(review.html).toContain('€60.00');
  const form = await browser.open(`${url}?change=1`);
  expect(/id="fold-total"><data value="([^"]+)"/.exec(form.html)?.[1]).toBe('60.00');
});

test('a declined card creates no order, and the shopper can use another card', async () => {
  const given = await givenCheckout();
  const { browser } = given;
  const review = await filledIn(given);
  const form = await browser.open(`${review.path}?change=1`);
  const card = await browser.press(form, 'save', { payment_method: 'card' });
  expect(card.html).toContain('Test card');
  const unchosen = await browser.press(card, 'place_order');
  expect(unchosen.response.status).toBe(422);
  const declined = await browser.press(card, 'place_order', { card_token: 'tok_declined' });
  expect(declined.response.status).toBe(409);
  expect(declined.html).toContain('The card was declined');
  expect(await ordersOf(given)).toEqual([]);
  const done = await browser.press(declined, 'place_order', { card_token: 'tok_success' });
  expect(done.html).toContain('We have received your payment.');
  expect((await ordersOf(given))[0]).toMatchObject({ payment_status: 'paid', payment_method: 'card' });
});

test('pressing the order button many times concurrently creates one order', async () => {
  const given = await givenCheckout();
  const { browser } = given;
  const review = await filledIn(given);
  const pages = await Promise.all(Array.from({ length: 8 }, () => browser.press(review, 'place_order')));
  expect(new Set(pages.map(({ response }) => response.status))).toEqual(new Set([200]));
  expect(await ordersOf(given)).toHaveLength(1);
});

test("an order from a customer's checkout belongs to the customer", async () => {
  const given = await givenCheckout();
  const { client, id, email } = await given.givenCustomer();
  const cart = await given.givenCart([{ variant_id: given.variant_id, quantity: 1 }], client);
  const { data } = await client.POST('/api/storefront/checkout', { body: { cart_id: cart.id } });
  const { browser } = given;
  const form = await browser.open(data?.checkout_url ?? '');
  expect(form.html).toContain(`value="${email}"`);
  const review = await browser.press(form, 'save', { ...DETAILS, email, payment_method: 'bank_transfer' });
  expect((await browser.press(review, 'place_order')).html).toContain('Thank you');
  expect((await ordersOf(given))[0]).toMatchObject({ customer_id: id, email });
});

test('the checkout page answers 429 after ten discount codes or ten changes in a minute', async () => {
  const given = await givenCheckout();
  const limited = await startServer(databaseUrl(), { rateLimits: true });
  const browser = new PaperBrowser(limited.baseUrl);
  const form = await browser.open(given.url);
  for (const action of ['apply_discount', 'save']) {
    const statuses = [];
    for (let count = 0; count < 11; count += 1) {
      const entry: Record<string, string> =
        action === 'save' ? { note: `${count}` } : { discount_code: `GUESS${count}` };
      const { response, html } = await browser.press(form, action, entry);
      statuses.push(response.status);
      if (response.status === 429) expect(html).toContain('Too many attempts');
    }
    expect(statuses.slice(0, 10)).not.toContain(429);
    expect(statuses[10]).toBe(429);
  }
  await stopServer(limited);
});

test('a discount code that is sent with the save button counts toward the rate limit', async () => {
  const given = await givenCheckout();
  const limited = await startServer(databaseUrl(), { rateLimits: true });
  const browser = new PaperBrowser(limited.baseUrl);
  const form = await browser.open(given.url);
  const statuses = [];
  for (let count = 0; count < 11; count += 1) {
    const action = count % 2 ? 'save' : 'apply_discount';
    statuses.push((await browser.press(form, action, { discount_code: `GUESS${count}` })).response.status);
  }
  expect(statuses).toEqual([...Array(10).fill(400), 429]);
  await stopServer(limited);
});

test('the pages of invalid (404), expired and cancelled (410) checkout links state the reason', async () => {
  const given = await givenCheckout();
  const { browser, url, owner, storefront, checkout } = given;
  for (const path of ['/checkout/chk_nothing', `${new URL(url).pathname.slice(0, -1)}~`]) {
    const { response, html } = await browser.open(path);
    expect(response.status).toBe(404);
    expect(html).toContain('There is no checkout at this address');
  }
  await owner.query(`update commerce.checkouts set expires_at = now() - interval '1 minute' where id = $1`, [
    checkout.id,
  ]);
  const expired = await browser.open(url);
  expect(expired.response.status).toBe(410);
  expect(expired.html).toContain('start the checkout again');

  await owner.query(`update commerce.checkouts set expires_at = now() + interval '1 hour' where id = $1`, [
    checkout.id,
  ]);
  const path = { checkout_id: checkout.id };
  await storefront.POST('/api/storefront/checkout/{checkout_id}/cancel', { params: { path } });
  const cancelled = await browser.open(url);
  expect(cancelled.response.status).toBe(410);
  expect(cancelled.html).toContain('This checkout was cancelled');
});

test.each([
  ['en', 'Go to the start page', 'Back to Alder &amp; Finch', 'Questions? Write to'],
  ['de', 'Zur Startseite', 'Zurück zu Alder &amp; Finch', 'Fragen? Schreiben Sie an'],
  ['fr', 'Aller à la page d’accueil', 'Retour à Alder &amp; Finch', 'Écrivez à'],
])(
  'pages without a next step link to the start page, or to the shop and its support (%s)',
  async (lang, start, back, ask) => {
    const given = await givenCheckout();
    const browser = new PaperBrowser(given.baseUrl, { 'accept-language': lang });
    const contentOf = async (address: string) => /<main[\s\S]*<\/main>/.exec((await browser.open(address)).html)?.[0];
    expect(await contentOf('/checkout/chk_nothing')).toContain(`<a href="/">${start}</a>`);
    await given.owner.query(`update commerce.checkouts set expires_at = now() - interval '1 minute' where id = $1`, [
      given.checkout.id,
    ]);
    expect(await contentOf(given.url)).toContain(`<a href="/account?site_id=${given.site_id}">`);
    await given.dashboard.PATCH('/api/dashboard/settings', {
      body: { storefront_url: 'https://alder.example/', brand: { support_email: 'help@alder.example' } },
    });
    const expired = await contentOf(given.url);
    expect(expired).toContain(`<a href="https://alder.example/" rel="noreferrer">${back}</a>`);
    expect(expired).toContain(`${ask} <a href="mailto:help@alder.example">help@alder.example</a>`);
  },
);

test('the confirmation page remains available for a day, or as long as a bank transfer is pending', async () => {
  const given = await givenCheckout();
  const { browser, owner, site_id, url } = given;
  await browser.press(await filledIn(given), 'place_order');
  await owner.query(`update commerce.orders set created_at = now() - interval '2 days' where site_id = $1`, [site_id]);
  expect((await browser.open(url)).html).toContain('DE89 3704 0044 0532 0130 00');
  const [order] = await ordersOf(given);
  const path = { order_id: order?.id ?? '' };
  await given.dashboard.POST('/api/dashboard/orders/{order_id}/mark-paid', { params: { path } });
  const past = await browser.open(url);
  expect(past.response.status).toBe(410);
  expect(past.html).not.toContain('Lindenallee');
});

test('after the deadline of a bank transfer, the confirmation page no longer asks for the payment', async () => {
  const given = await givenCheckout();
  const { browser, owner, site_id, url, storefront, checkout } = given;
  await browser.press(await filledIn(given), 'place_order');
  await owner.query(
    `update commerce.orders set payment_due_at = now() - interval '1 hour', payment_reminder_at = now() - interval '4 days',
      created_at = now() - interval '7 days' where site_id = $1`,
    [site_id],
  );

  const page = await browser.open(url);

  expect(page.response.status).toBe(200);
  expect(page.html).toContain('This order has been cancelled');
  expect(page.html).not.toContain('DE89 3704 0044 0532 0130 00');
  expect((await browser.open(url)).html).toBe(page.html);
  const { data } = await storefront.GET('/api/storefront/checkout/{checkout_id}', {
    params: { path: { checkout_id: checkout.id } },
  });
  expect(data?.status).toBe('completed');
  expect(await ordersOf(given)).toMatchObject([{ status: 'cancelled', payment_status: 'expired' }]);
  const { rows } = await owner.query('select status from commerce.orders where site_id = $1', [site_id]);
  expect(rows, 'stored').toEqual([{ status: 'pending' }]);
});

test('the account shows an order past its payment deadline as cancelled', async () => {
  const shop = await openShop();
  const customer = await shop.givenCustomer();
  const order = await shop.givenOrder({ client: customer.client });
  await shop.owner.query(`update commerce.orders set payment_due_at = now() - interval '1 hour' where id = $1`, [
    order.id,
  ]);
  const browser = new PaperBrowser(shop.baseUrl);

  const start = await browser.open(`/account?site_id=${shop.site_id}`);
  const page = await browser.press(start, 'log_in', { email: customer.email, password: customer.password });

  expect(page.html).toContain(`Order ${order.order_number}`);
  expect(page.html).toContain('Cancelled');
  expect(page.html).not.toContain('not yet received');
});

test("a reader who only has the link cannot confirm an agent's checkout", async () => {
  const given = await givenCheckout();
  const { browser, owner, checkout, url } = given;
  const review = await filledIn(given);
  await owner.query(`update commerce.checkouts set source = 'agent', status = 'requires_escalation' where id = $1`, [
    checkout.id,
  ]);
  const refused = await browser.press(review, 'place_order');
  expect(refused.html).not.toContain('Lindenallee');
  expect((await browser.open(url)).html).toContain('Please log in to confirm this purchase');
  expect(await ordersOf(given)).toEqual([]);
});

test('marks the postal code as optional if no country that can be chosen requires it', async () => {
  const shop = await openShop();
  await shop.givenShippingOption();
  const cart = await shop.givenCart('10.00');
  const { data } = await shop.storefront.POST('/api/storefront/checkout', { body: { cart_id: cart.id } });
  const label = async () => {
    const { html } = await new PaperBrowser(shop.baseUrl).open(data?.checkout_url ?? '');
    return /<label for="shipping_postal_code">(.*?)<\/label>/.exec(html)?.[1];
  };
  const params = { path: { checkout_id: data?.id ?? '' } };
  const choose = (country: string) =>
    shop.storefront.PATCH('/api/storefront/checkout/{checkout_id}', {
      params,
      body: { shipping_address: { country } },
    });

  expect(await label()).toBe('Postal code');
  await choose('DE');
  expect(await label()).toBe('Postal code');
  await choose('IE');
  expect(await label()).toContain('(optional)');
});
