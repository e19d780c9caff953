import { expect, test } from 'vitest';
import { PaperBrowser } from '../../test/paper-browser.ts';
import { openShop } from '../../test/shop.ts';

/** Opens a checkout of two mugs in a browser with this preferred language. */
async function givenCheckout(acceptLanguage: string) {
  const shop = await openShop();
  const bank_details = { account_holder: 'Alder & Finch', iban: 'DE89370400440532013000' };
  await shop.dashboard.PATCH('/api/dashboard/settings', { body: { name: 'Alder & Finch', bank_details } });
  const option = await shop.givenShippingOption({ countries: ['DE', 'AT'] });
  const product = await shop.givenProduct({ name: 'Stoneware mug', price: '1018.00', inventory_quantity: 5 });
  const cart = await shop.givenCart([{ variant_id: product.variants[0]?.id ?? '', quantity: 2 }]);
  const { data: checkout } = await shop.storefront.POST('/api/storefront/checkout', { body: { cart_id: cart.id } });
  const browser = new PaperBrowser(shop.baseUrl, { 'accept-language': acceptLanguage });
  return { ...shop, option, checkout, url: checkout?.checkout_url ?? '', browser };
}

const DETAILS = {
  email: 'june@example.com',
  shipping_country: 'DE',
  shipping_last_name: 'Alder',
  shipping_address1: 'Lindenallee 7',
  shipping_postal_code: '10115',
  shipping_city: 'Berlin',
  billing: 'same',
};

const plain = (html: string) => html.replaceAll(/<[^>]*>/g, '').replaceAll(/[\u00a0\u202f]/g, ' ');

test.each([
  ['de-AT,de;q=0.9,en;q=0.8', 'de', 'Zahlungspflichtig bestellen (2.040,90 €)', 'Vielen Dank', 'Deutschland'],
  ['fr', 'fr', 'Commander avec obligation de paiement (2 040,90 €)', 'Merci pour votre commande', 'Allemagne'],
  ['ja', 'en', 'Place order and pay €2,040.90', 'Thank you', 'Germany'],
])('a shopper whose browser prefers %s gets the pages in %s', async (preferred, lang, button, thanks, country) => {
  const { browser, url, option } = await givenCheckout(preferred);

  const first = await browser.open(url);
  const wrong = await browser.press(first, 'save', {
    ...DETAILS,
    shipping_city: '',
    payment_method: 'bank_transfer',
  });
  // A browser that prefers de-AT gets the options for Austria first.
  const choices = { shown_country: 'DE', shipping_option_id: option.id, payment_method: 'bank_transfer' };
  const entries = { ...DETAILS, ...choices };
  const review = await browser.press(first, 'save', entries);
  const done = await browser.press(review, 'place_order');

  for (const { html } of [first, wrong, review, done]) expect(html).toContain(`<html lang="${lang}">`);
  expect(wrong.response.status).toBe(422);
  expect(plain(review.html)).toContain(button);
  expect(plain(review.html)).toContain(country);
  expect(plain(done.html)).toContain(thanks);
});

test('a 404 page has the language that the browser prefers', async () => {
  const { baseUrl } = await openShop();
  const browser = new PaperBrowser(baseUrl, { 'accept-language': 'de' });

  const { html } = await browser.open(`${baseUrl}/checkout/chk_x`);

  expect(html).toContain('<html lang="de">');
  expect(html).toContain('Unter dieser Adresse gibt es keinen Bestellvorgang');
});
