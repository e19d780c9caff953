import { expect, test } from 'vitest';
import { formWith, PaperBrowser } from '../../test/paper-browser.ts';
import { openShop } from '../../test/shop.ts';

const REFUSED = ['lena@mail', 'a@b', 'a@example..com', 'a@192.168.0.1'];
const WORDS = 'Should be an e-mail address with a full domain, such as lena@example.com.';

type OpenShop = Awaited<ReturnType<typeof openShop>>;

const register = ({ storefront }: OpenShop, email: string) =>
  storefront.POST('/api/storefront/customer/register', { body: { email, password: 'a long enough password' } });

test.each(REFUSED)('rejects the e-mail address %s for shoppers, customers and the shop', async (email) => {
  const shop = await openShop();
  const checkout = await shop.givenCheckout();
  const refusals = [
    await shop.storefront.PATCH('/api/storefront/checkout/{checkout_id}', {
      params: { path: { checkout_id: checkout.id } },
      body: { email },
    }),
    await register(shop, email),
    await shop.dashboard.POST('/api/dashboard/customers', { body: { email } }),
    await shop.dashboard.PATCH('/api/dashboard/settings', {
      body: { brand: { logo_url: null, accent_color: null, support_email: email, support_phone: null } },
    }),
  ];

  for (const { error, response } of refusals) {
    expect(response.status).toBe(422);
    expect(error).toMatchObject({ detail: [{ msg: WORDS }] });
  }
});

test('rejects the completion of a checkout with an undeliverable e-mail address that an earlier version accepted', async () => {
  const shop = await openShop();
  const { id: checkout_id } = await shop.givenCheckout();
  await shop.owner.query('update commerce.checkouts set email = $1 where id = $2', ['lena@mail', checkout_id]);

  const { error } = await shop.storefront.POST('/api/storefront/checkout/{checkout_id}/complete', {
    params: { path: { checkout_id } },
    body: {},
  });
  expect(error).toMatchObject({ error: 'checkout_incomplete', missing: ['email'] });
});

test('an import rejects rows with an undeliverable e-mail address, and imports the others', async () => {
  const { dashboard } = await openShop();
  const { data } = await dashboard.POST('/api/dashboard/customers/import', {
    body: { customers: [{ email: 'lena@mail' }, { email: 'lena@example.com' }] },
  });

  expect(data?.results).toMatchObject([
    { status: 'failed', errors: [{ msg: WORDS }] },
    { status: 'created', email: 'lena@example.com' },
  ]);
});

test('stores both spellings of an e-mail address with an internationalized domain in one form', async () => {
  const shop = await openShop();
  const { data } = await shop.dashboard.POST('/api/dashboard/customers', { body: { email: 'Info@MÜLLER.de' } });
  expect(data?.email).toBe('info@xn--mller-kva.de');
  const again = await shop.dashboard.POST('/api/dashboard/customers', { body: { email: 'info@xn--mller-kva.de' } });
  expect(again.error).toMatchObject({ error: 'email_taken' });

  const { id: checkout_id } = await shop.givenCheckout();
  const params = { path: { checkout_id } };
  const patched = await shop.storefront.PATCH('/api/storefront/checkout/{checkout_id}', {
    params,
    body: { email: 'info@müller.de' },
  });
  expect(patched.data).toMatchObject({ email: 'info@xn--mller-kva.de', status: 'ready' });
});

test('a login accepts an invalid e-mail address that an earlier version accepted', async () => {
  const shop = await openShop();
  const { email, password } = await shop.givenCustomer();
  await shop.owner.query('update commerce.customers set email = $1 where site_id = $2 and email = $3', [
    'lena@mail',
    shop.site_id,
    email,
  ]);

  const { response } = await shop.storefront.POST('/api/storefront/customer/login', {
    body: { email: 'Lena@Mail', password },
  });
  expect(response.status).toBe(200);
});

test('the checkout page suggests a correction for a mistyped e-mail domain, and shows domains with their own letters', async () => {
  const shop = await openShop();
  const { id: checkout_id, checkout_url } = await shop.givenCheckout();
  const browser = new PaperBrowser(shop.baseUrl);
  const reviewOf = async (email: string) => {
    await shop.storefront.PATCH('/api/storefront/checkout/{checkout_id}', {
      params: { path: { checkout_id } },
      body: { email },
    });
    return browser.open(checkout_url ?? '');
  };

  const mistyped = await reviewOf('lena@gmial.com');
  expect(mistyped.html).toMatch(/Did you mean <strong[^>]*>lena@gmail\.com<\/strong>\?/);
  expect(formWith(mistyped.html, 'place_order')).toBeDefined();
  const german = await reviewOf('info@müller.de');
  expect(german.html).toContain('info@müller.de');
  expect(german.html).not.toContain('Did you mean');
});
