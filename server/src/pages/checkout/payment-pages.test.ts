import { expect, test } from 'vitest';
import { ordersOf } from '../../../test/buying.ts';
import { type Page, PaperBrowser } from '../../../test/paper-browser.ts';
import { openShop } from '../../../test/shop.ts';

/** Opens a browser on the review page of a checkout paid by card. */
async function givenReview() {
  const shop = await openShop();
  const product = await shop.givenProduct({ price: '14.00' });
  const content = [{ variant_id: product.variants[0]?.id ?? '', quantity: 1 }];
  const { checkout_url, id } = await shop.givenCheckout({ content, payment_method: 'card' });
  const browser = new PaperBrowser(shop.baseUrl);
  const url = checkout_url ?? '';
  return { ...shop, id, product, browser, url, review: await browser.open(url) };
}

type Given = Awaited<ReturnType<typeof givenReview>>;

/** The URL of the page's redirect, which the page also shows as a link. */
function goesOnTo({ response, html }: Page): string {
  const target = /^0; url=(.+)$/.exec(response.headers.get('Refresh') ?? '')?.[1] ?? '';
  expect(html).toContain(`href="${target}"`);
  return target;
}

/** Presses the order button and follows the redirects to the payment provider's page. */
async function goToProvider({ browser, review }: Given): Promise<Page> {
  const leaving = await browser.press(review, 'place_order', { card_token: 'page' });
  expect(leaving.path).toMatch(/\/leave$/);
  expect(leaving.response.headers.get('Content-Security-Policy')).toContain("form-action 'self'");
  return browser.open(goesOnTo(leaving));
}

test('a payment approved on the payment provider’s page creates the order', async () => {
  const given = await givenReview();
  const { browser } = given;

  const asked = await goToProvider(given);
  const decided = await browser.press(asked, 'approve');
  const back = await browser.open(goesOnTo(decided));
  const done = await browser.open(back.response.headers.get('Location') ?? '');

  expect(asked.html).toContain('€18.90');
  expect(done.html).toContain('Thank you for your order');
  expect(await ordersOf(given)).toMatchObject([{ payment_status: 'paid', total: '18.90' }]);
});

test('reports a payment that the provider declined, and lets the shopper try again', async () => {
  const given = await givenReview();
  const { browser, url } = given;

  const decided = await browser.press(await goToProvider(given), 'decline');
  await browser.open(goesOnTo(decided));
  const told = await browser.open(url);
  const done = await browser.press(told, 'place_order', { card_token: 'tok_success' });

  expect(told.html).toContain('The payment did not go through');
  expect(done.html).toContain('Thank you for your order');
  expect(await ordersOf(given)).toHaveLength(1);
});

test('a shopper who returns from the provider without a decision can continue or cancel the payment', async () => {
  const given = await givenReview();
  const { browser, url } = given;
  const asked = await goToProvider(given);

  await browser.open(`${new URL(url).pathname}/return`);
  const open = await browser.open(url);
  const again = await browser.open(goesOnTo(await browser.open(`${new URL(url).pathname}/leave`)));
  const cancelled = await browser.press(open, 'cancel_payment');
  const form = await browser.open(`${url}?change=1`);

  expect(open.html).toContain('Your payment is not finished yet');
  expect(again.path).toBe(asked.path);
  expect(cancelled.html).toContain('The payment was cancelled');
  expect(form.html).toContain('name="email"');
  expect(await ordersOf(given)).toEqual([]);
});

test('a checkout form opened before a payment started changes nothing when submitted, and leads to the unfinished payment', async () => {
  const given = await givenReview();
  const { browser, url } = given;
  const form = await browser.open(`${url}?change=1`);
  await goToProvider(given);

  const late = await browser.press(form, 'save', { email: 'else@example.com' });

  expect(late.html).toContain('Your payment is not finished yet');
  const { rows } = await given.owner.query('select email from commerce.checkouts where id = $1', [given.id]);
  expect(rows).toEqual([{ email: 'june@example.com' }]);
});

test('the redirect page ignores URLs in the request, and redirects to the provider only if there is a payment', async () => {
  const given = await givenReview();
  const { browser, url } = given;
  const leave = `${new URL(url).pathname}/leave`;

  const early = await browser.open(`${leave}?url=https://evil.example.com/`);
  await goToProvider(given);
  const later = await browser.open(`${leave}?url=https://evil.example.com/&next_action=x`);

  expect([early.response.status, early.response.headers.get('Location')]).toEqual([303, new URL(url).pathname]);
  expect(goesOnTo(later)).toMatch(/^http:\/\/localhost\/sites\/[0-9a-f-]+\/test-payment\/[0-9a-f-]+$/);
  expect(later.html).not.toContain('evil.example.com');
});

test('a test payment accepts one decision, only from the form on its own page (403) and only in its own shop (404)', async () => {
  const [given, other] = [await givenReview(), await givenReview()];
  const { browser, site_id } = given;
  const asked = await goToProvider(given);

  const foreign = await browser.send(asked.path, new URLSearchParams({ action: 'approve' }));
  const elsewhere = await browser.open(asked.path.replace(site_id, other.site_id));
  await browser.press(asked, 'decline');
  await browser.press(asked, 'approve');

  expect(foreign.response.status).toBe(403);
  expect(elsewhere.response.status).toBe(404);
  const { rows } = await given.owner.query('select status from commerce.test_payments where site_id = $1', [site_id]);
  expect(rows).toEqual([{ status: 'failed' }]);
});
