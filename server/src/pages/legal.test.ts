import { expect, test } from 'vitest';
import { fetchAt } from '../../test/fetch-at.ts';
import { mailsTo } from '../../test/mail.ts';
import { PaperBrowser } from '../../test/paper-browser.ts';
import { openShop } from '../../test/shop.ts';

const settings = '/api/dashboard/settings';

async function givenShop(legal_texts: Record<string, string>, more: object = {}) {
  const shop = await openShop();
  await shop.dashboard.PATCH(settings, { body: { legal_texts, ...more } });
  const open = (kind: string, language = 'en') =>
    new PaperBrowser(shop.baseUrl, { 'accept-language': language }).open(`/sites/${shop.site_id}/legal/${kind}`);
  return { ...shop, open };
}

test("a legal text is shown in the reader's language, otherwise in the shop's language, otherwise in any language", async () => {
  const texts = { terms_de: '<p>Wir liefern.</p>', terms_en: '<p>We deliver.</p>', imprint_fr: '<p>Éditeur</p>' };
  const shop = await givenShop(texts, { default_locale: 'de' });

  const [english, german, french, imprint] = await Promise.all([
    shop.open('terms', 'en'),
    shop.open('terms', 'de'),
    shop.open('terms', 'fr'),
    shop.open('imprint', 'en'),
  ]);

  expect(english.html).toContain('<div lang="en"><p>We deliver.</p></div>');
  expect(german.html).toContain('<div lang="de"><p>Wir liefern.</p></div>');
  expect(french.html).toContain('<div lang="de"><p>Wir liefern.</p></div>');
  expect(french.html).toContain('<html lang="fr">');
  expect(imprint.html).toContain('<div lang="fr"><p>Éditeur</p></div>');
});

test('removes scripts and event handlers from a legal text, and stores no text if nothing else is left', async () => {
  const terms_en = '<h2 onclick="steal()">Terms</h2><script>steal()</script><p>Line\none</p>';
  const shop = await givenShop({ terms_en, privacy_en: '<script>steal()</script>' });

  const { data } = await shop.dashboard.GET(settings);

  expect(data?.legal_texts).toMatchObject({
    terms_en: '<h2>Terms</h2><p>Line\none</p>',
    terms_de: null,
    privacy_en: null,
  });
  expect((await shop.open('terms')).html).toContain('<div lang="en"><h2>Terms</h2><p>Line\none</p></div>');
  expect((await shop.open('privacy')).response.status).toBe(404);
});

test('answers 404 for an unknown kind, a missing text, and the text of another shop', async () => {
  const shop = await givenShop({ terms_en: '<p>Ours</p>' });
  const other = await givenShop({ privacy_en: '<p>Theirs</p>' });

  for (const kind of ['cookies', 'privacy', 'terms_en', '__proto__']) {
    expect((await shop.open(kind)).response.status).toBe(404);
  }
  expect((await other.open('terms')).response.status).toBe(404);
  expect((await other.open('privacy')).html).toContain('Theirs');
});

test("the host of a shop shows the shop's legal texts at /legal, and no texts of another shop", async () => {
  const shop = await givenShop({ terms_en: '<p>Ours</p>' });
  const other = await givenShop({ terms_en: '<p>Theirs</p>' });
  const host = `legal.${shop.site_id}.example`;
  const insert = 'insert into commerce.site_domains (host, site_id, is_primary) values ($1, $2, true)';
  await shop.owner.query(insert, [host, shop.site_id]);
  await shop.hosts.reload();
  const at = async (path: string) => (await fetchAt(host)(shop.baseUrl + path)).text();

  expect(await at('/legal/terms')).toContain('Ours');
  expect(await at(`/sites/${shop.site_id}/legal/terms`)).toContain('Ours');
  expect(await at(`/sites/${other.site_id}/legal/terms`)).not.toContain('Theirs');
  const { data } = await shop.storefront.GET('/api/storefront/shop');
  const led = await fetch(shop.baseUrl + new URL(data?.policies.terms_url ?? '').pathname, { redirect: 'manual' });
  expect(led.headers.get('Location')).toBe(`http://${host}/sites/${shop.site_id}/legal/terms`);
});

test('storefronts, pages and mails link to the hosted legal text, unless the shop has set its own URL', async () => {
  const imprint_url = 'https://shop.example/imprint';
  const texts = { terms_de: '<p>AGB</p>', imprint_de: '<p>Wir</p>' };
  const shop = await givenShop(texts, { legal: { imprint_url } });
  const email = `guest-${shop.site_id}@example.com`;
  await shop.givenOrder({ email });

  const { data } = await shop.storefront.GET('/api/storefront/shop');
  const [mail] = await mailsTo(shop, email);
  const { html } = await shop.open('terms');
  const guide = await (await fetch(`${shop.baseUrl}/sites/${shop.site_id}/llms.txt`)).text();

  const path = `/sites/${shop.site_id}/legal/terms`;
  const ofServer = expect.stringMatching(new RegExp(`^https?://[^/]+${path}$`));
  expect(data?.policies).toEqual({ terms_url: ofServer, privacy_url: null, imprint_url, withdrawal_url: null });
  expect(mail?.html).toContain(`<a href="${data?.policies.terms_url}"`);
  expect(mail?.html).toContain(`<a href="${imprint_url}"`);
  expect(mail?.html).not.toContain('/legal/imprint');
  expect(html).toContain(`<a href="${path}" target="_blank"`);
  expect(html).toContain(`<a href="${imprint_url}" target="_blank"`);
  expect(html).not.toContain('/legal/imprint');
  expect(guide).toContain(data?.policies.terms_url ?? 'none');
});

test('the checkout page asks the shopper to accept the hosted terms, and links to them', async () => {
  const shop = await givenShop(
    { terms_en: '<p>Terms</p>', privacy_en: '<p>Privacy</p>' },
    {
      bank_details: { account_holder: 'Alder & Finch', iban: 'DE89370400440532013000' },
      legal: { terms_required: true },
    },
  );
  const option = await shop.givenShippingOption({ countries: ['DE'] });
  const product = await shop.givenProduct({ inventory_quantity: 5 });
  const cart = await shop.givenCart([{ variant_id: product.variants[0]?.id ?? '', quantity: 1 }]);
  const { data } = await shop.storefront.POST('/api/storefront/checkout', { body: { cart_id: cart.id } });
  const browser = new PaperBrowser(shop.baseUrl);
  const review = await browser.press(await browser.open(data?.checkout_url ?? ''), 'save', {
    ...{ shipping_country: 'DE', shipping_last_name: 'Alder', shipping_address1: 'Lindenallee 7' },
    ...{ email: 'june@example.com', shipping_postal_code: '10115', shipping_city: 'Berlin', billing: 'same' },
    ...{ shipping_option_id: option.id, payment_method: 'bank_transfer' },
  });

  const refused = await browser.press(review, 'place_order');
  const placed = await browser.press(review, 'place_order', { terms: 'yes' });

  const label = /<label for="terms">.*?<\/label>/s.exec(review.html)?.[0] ?? '';
  expect(label).toContain(`href="/sites/${shop.site_id}/legal/terms"`);
  expect(label).toContain(`href="/sites/${shop.site_id}/legal/privacy"`);
  expect(refused.response.status).toBe(422);
  expect(placed.html).toContain('Thank you for your order');
});

test('rejects removing the terms that shoppers must accept, even concurrently with making acceptance required (422)', async () => {
  const shop = await givenShop({});
  const patch = (body: object) => shop.dashboard.PATCH(settings, { body });
  const required = { legal: { terms_required: true } };

  expect(await patch(required)).toMatchObject({ error: { detail: [{ loc: ['body', 'legal', 'terms_required'] }] } });
  expect((await patch({ ...required, legal_texts: { terms_fr: '<p>CGV</p>' } })).response.status).toBe(200);
  expect(await patch({ legal_texts: {} })).toMatchObject({ error: { detail: [{ loc: ['body', 'legal_texts'] }] } });

  for (let round = 0; round < 5; round += 1) {
    await patch({ legal: {}, legal_texts: { terms_fr: '<p>CGV</p>' } });
    await Promise.all([patch(required), patch({ legal_texts: {} })]);
    const { data } = await shop.dashboard.GET(settings);
    expect(data?.legal.terms_required && data.legal_texts.terms_fr === null).toBe(false);
  }
});

test('rejects a legal text above the maximum length before or after encoding (422), and stores long texts in all languages', async () => {
  const shop = await givenShop({});
  const patch = (legal_texts: Record<string, string>) => shop.dashboard.PATCH(settings, { body: { legal_texts } });
  const tooLong = { error: { detail: [{ loc: ['body', 'legal_texts', 'terms_de'], type: 'string_too_long' }] } };

  expect(await patch({ terms_de: 'x'.repeat(50_001) })).toMatchObject(tooLong);
  expect(await patch({ terms_de: '&'.repeat(20_000) })).toMatchObject(tooLong);
  const kinds = ['terms', 'privacy', 'withdrawal', 'imprint'];
  const names = kinds.flatMap((kind) => ['en', 'de', 'fr'].map((language) => `${kind}_${language}`));
  const text = 'ü'.repeat(40_000);
  const { data } = await patch(Object.fromEntries(names.map((name) => [name, text])));
  expect(data?.legal_texts).toEqual(Object.fromEntries(names.map((name) => [name, text])));
});
