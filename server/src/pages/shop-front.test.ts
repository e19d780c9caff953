import { expect, test } from 'vitest';
import { PaperBrowser } from '../../test/paper-browser.ts';
import { openShop } from '../../test/shop.ts';

const SETTINGS = {
  name: 'Alder & Finch',
  storefront_url: 'https://shop.example/',
  allowed_origins: ['https://other.example'],
  bank_details: { account_holder: 'Alder & Finch', iban: 'DE89370400440532013000' },
  brand: { logo_url: 'https://shop.example/logo.png', accent_color: '#7A1F5C', support_email: 'help@shop.example' },
  legal: {
    terms_url: 'https://shop.example/terms',
    privacy_url: 'https://shop.example/privacy',
    imprint_url: 'https://shop.example/imprint',
    withdrawal_url: 'https://shop.example/withdrawal',
    terms_required: true,
  },
};

async function givenShop(settings: Partial<typeof SETTINGS> = {}) {
  const shop = await openShop();
  await shop.dashboard.PATCH('/api/dashboard/settings', { body: { ...SETTINGS, ...settings } });
  const option = await shop.givenShippingOption({ countries: ['DE', 'AT'] });
  const product = await shop.givenProduct({ name: 'Stoneware mug', price: '14.00', inventory_quantity: 50 });
  const cart = await shop.givenCart([{ variant_id: product.variants[0]?.id ?? '', quantity: 2 }]);
  const begin = (body: { return_url?: string; cancel_url?: string; locale?: string } = {}) =>
    shop.storefront.POST('/api/storefront/checkout', { body: { cart_id: cart.id, ...body } });
  return { ...shop, option, cart, begin, browser: new PaperBrowser(shop.baseUrl) };
}

type Given = Awaited<ReturnType<typeof givenShop>>;

async function reviewOf({ browser, option }: Given, url: string) {
  const details = { shipping_country: 'DE', shipping_last_name: 'Alder', shipping_address1: 'Lindenallee 7' };
  const rest = { email: 'june@example.com', shipping_postal_code: '10115', shipping_city: 'Berlin', billing: 'same' };
  const first = await browser.open(url);
  const entries = { ...details, ...rest, shipping_option_id: option.id, payment_method: 'bank_transfer' };
  return browser.press(first, 'save', entries);
}

test("pages show the shop's logo, colour, support and legal links, and load a stylesheet of this server", async () => {
  const given = await givenShop();
  const { data } = await given.begin();

  const { html } = await given.browser.open(data?.checkout_url ?? '');
  const sheet = /href="(\/brand\/[^"]+)"/.exec(html)?.[1] ?? '';
  const style = await given.browser.open(sheet);

  expect(html).toContain('src="https://shop.example/logo.png"');
  for (const link of ['terms', 'privacy', 'withdrawal', 'imprint']) {
    expect(html).toContain(`<a href="https://shop.example/${link}" target="_blank" rel="noopener noreferrer">`);
  }
  expect(html).toContain('href="mailto:help@shop.example"');
  expect(html).not.toMatch(/<style|\sstyle=/);
  expect(style.html).toContain('--strong:#7a1f5c');
  expect(style.response.headers.get('Content-Type')).toContain('text/css');
  expect(style.response.headers.get('Cache-Control')).toContain('immutable');
  for (const made of [
    sheet.replace(/[0-9a-f]{6}-(\w+\.css)/, 'ffff00-$1'),
    sheet.replace('.css', '0.css'),
    sheet.replace(/-(\w+\.css)/, '_$1'),
  ]) {
    expect((await given.browser.open(made)).response.status).toBe(404);
  }
});

test('rejects an order without accepted terms if the shop requires their acceptance (422)', async () => {
  const given = await givenShop();
  const { data } = await given.begin();
  const review = await reviewOf(given, data?.checkout_url ?? '');

  const refused = await given.browser.press(review, 'place_order');
  const placed = await given.browser.press(review, 'place_order', { terms: 'yes' });

  expect(review.html).toContain('<input type="checkbox" id="terms" name="terms" value="yes">');
  expect(refused.response.status).toBe(422);
  expect(refused.html).toContain('<a href="#terms">Accept the terms to order.</a>');
  expect(placed.html).toContain('Thank you for your order');
});

test("the checkout page links back to the shop's website, and adds the order id after the order", async () => {
  const given = await givenShop();
  const { data } = await given.begin({
    return_url: 'https://shop.example/thanks?utm=1#top',
    cancel_url: 'https://other.example/cart',
  });
  expect(data).toMatchObject({ return_url: 'https://shop.example/thanks?utm=1#top' });

  const review = await reviewOf(given, data?.checkout_url ?? '');
  const placed = await given.browser.press(review, 'place_order', { terms: 'yes' });
  const { data: orders } = await given.dashboard.GET('/api/dashboard/orders');

  expect(review.html).toContain('<a href="https://other.example/cart" rel="noreferrer">Back to Alder &amp; Finch</a>');
  const back = `https://shop.example/thanks?utm=1&amp;order_id=${orders?.orders[0]?.id}#top`;
  expect(placed.html).toContain(`href="${back}"`);
});

test('rejects a return or cancel URL of an unlisted origin (422), and stops linking to a URL whose origin was removed', async () => {
  const given = await givenShop();
  for (const return_url of ['https://evil.example/', 'http://shop.example/', 'https://shop.example@evil.example/']) {
    const { error, response } = await given.begin({ return_url });
    expect(response.status).toBe(422);
    expect(error).toMatchObject({
      detail: [{ loc: ['body', 'return_url'], msg: expect.stringContaining('storefront_url') }],
    });
  }
  const { data } = await given.begin({ cancel_url: 'https://other.example/cart' });
  expect((await given.browser.open(data?.checkout_url ?? '')).html).toContain('https://other.example/cart');

  await given.dashboard.PATCH('/api/dashboard/settings', { body: { allowed_origins: [] } });

  const { html } = await given.browser.open(data?.checkout_url ?? '');
  expect(html).not.toContain('other.example');
  expect(html).toContain('<a href="https://shop.example/" rel="noreferrer">Back to');
  expect((await given.begin({ cancel_url: 'https://other.example/cart' })).response.status).toBe(422);
});

test('a checkout uses the requested language, and the order stores it', async () => {
  const given = await givenShop({ legal: { ...SETTINGS.legal, terms_required: false } });
  const { data } = await given.begin({ locale: 'de-AT' });

  const review = await reviewOf(given, data?.checkout_url ?? '');
  await given.browser.press(review, 'place_order');
  const { data: orders } = await given.dashboard.GET('/api/dashboard/orders');
  const order_id = orders?.orders[0]?.id ?? '';
  const { data: order } = await given.dashboard.GET('/api/dashboard/orders/{order_id}', {
    params: { path: { order_id } },
  });

  expect(data?.locale).toBe('de-AT');
  expect(review.html).toContain('<html lang="de-AT">');
  expect(review.html.replaceAll('\u00a0', ' ')).toContain('Zahlungspflichtig bestellen (€ 32,90)');
  expect(order?.locale).toBe('de-AT');
});

test('a cart stores the requested language, and an order the language that the browser prefers', async () => {
  const given = await givenShop();
  const cart = await given.storefront.POST('/api/storefront/cart', { body: { locale: 'fr' } });
  expect(cart.data?.locale).toBe('fr');
  const german = new PaperBrowser(given.baseUrl, { 'accept-language': 'de' });
  const { data } = await given.begin();

  const review = await reviewOf({ ...given, browser: german }, data?.checkout_url ?? '');
  await german.press(review, 'place_order', { terms: 'yes' });

  const stored = await given.owner.query('select locale from commerce.orders where site_id = $1', [given.site_id]);
  expect(stored.rows).toEqual([{ locale: 'de' }]);
});

test.each([
  [{ brand: { accent_color: '#ffcc00' } }, ['brand', 'accent_color'], 'against white is 1.5'],
  [{ brand: { accent_color: '#777777' } }, ['brand', 'accent_color'], 'against white is 4.47'],
  [{ brand: { logo_url: 'http://shop.example/logo.png' } }, ['brand', 'logo_url'], 'https'],
  [{ legal: { terms_required: true } }, ['legal', 'terms_required'], 'terms_url'],
  [{ legal: { privacy_url: 'https://a:b@shop.example/' } }, ['legal', 'privacy_url'], 'user name'],
  [{ storefront_url: 'http://shop.example' }, ['storefront_url'], 'https'],
  [{ time_zone: 'Mars/Olympus' }, ['time_zone'], 'Europe/Berlin'],
])('rejects a shop setting that is unsafe or unreadable for shoppers: %j', async (body, field, remedy) => {
  const { dashboard } = await openShop();

  const { error, response } = await dashboard.PATCH('/api/dashboard/settings', { body });

  expect(response.status).toBe(422);
  expect(error).toMatchObject({ detail: [{ loc: ['body', ...field], msg: expect.stringContaining(remedy) }] });
});

test('accepts an accent colour with a contrast of at least 4.5', async () => {
  const { dashboard } = await openShop();

  const { data } = await dashboard.PATCH('/api/dashboard/settings', { body: { brand: { accent_color: '#767676' } } });

  expect(data?.brand.accent_color).toBe('#767676');
});
