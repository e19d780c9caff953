import { expect, test } from 'vitest';
import { givenAgent } from '../../../test/agents.ts';
import { mailsTo } from '../../../test/mail.ts';
import { PaperBrowser, unescaped } from '../../../test/paper-browser.ts';
import { openShop } from '../../../test/shop.ts';
import { matched, moveToEu, withdraw } from '../../../test/withdrawals.ts';

const WORDING = 'I agree, and I know what I lose.';

type OpenShop = Awaited<ReturnType<typeof openShop>>;

async function givenEuShop(): Promise<OpenShop> {
  const shop = await openShop();
  await moveToEu(shop);
  return shop;
}

async function contentOf(shop: OpenShop, withdrawal_exempt: 'digital' | 'none' = 'digital') {
  const product = await shop.givenProduct({ price: '10.00', inventory_quantity: 30, withdrawal_exempt });
  return [{ variant_id: product.variants[0]?.id ?? '', quantity: 1 }];
}

function emailOf(): string {
  return `jo-${crypto.randomUUID()}@example.com`;
}

async function detailsOf({ dashboard }: OpenShop, order_id: string) {
  return (await dashboard.GET('/api/dashboard/orders/{order_id}', { params: { path: { order_id } } })).data;
}

/** Withdraws from a paid order, and returns why its only line may be excluded. */
async function exemptAfterWithdrawal(shop: OpenShop, patch: object): Promise<string | undefined> {
  const email = emailOf();
  const order = await shop.givenOrder({ email, content: await contentOf(shop), ...patch });
  const params = { path: { order_id: order.id } };
  await shop.dashboard.POST('/api/dashboard/orders/{order_id}/mark-paid', { params });
  await withdraw(shop, { email, contract: order.order_number });
  return (await matched(shop)).find(({ order_id }) => order_id === order.id)?.lines[0]?.exempt;
}

test('a withdrawal excludes digital goods only if the buyer consented at the checkout', async () => {
  const shop = await givenEuShop();

  expect(await exemptAfterWithdrawal(shop, { digital_consent_wording: WORDING })).toBe('digital');
  expect(await exemptAfterWithdrawal(shop, {})).toBe('none');
  expect(await exemptAfterWithdrawal(shop, { digital_consent_wording: null })).toBe('none');
});

test('an order stores the consent wording if it contains digital goods, and no wording otherwise', async () => {
  const shop = await givenEuShop();
  const wordingOf = async (exempt: 'digital' | 'none') => {
    const content = await contentOf(shop, exempt);
    const checkout = await shop.givenCheckout({ content, digital_consent_wording: WORDING });
    const { data } = await shop.storefront.POST('/api/storefront/checkout/{checkout_id}/complete', {
      params: { path: { checkout_id: checkout.id } },
      body: {},
    });
    const order = await detailsOf(shop, data?.order.id ?? '');
    return { asked: checkout.has_digital_goods, kept: order?.digital_consent_wording };
  };

  expect(await wordingOf('digital')).toEqual({ asked: true, kept: WORDING });
  expect(await wordingOf('none')).toEqual({ asked: false, kept: null });
});

test('the consent to digital delivery can be removed, and changes of other fields keep it', async () => {
  const shop = await givenEuShop();
  const { id } = await shop.givenCheckout({ content: await contentOf(shop), digital_consent_wording: WORDING });
  const patch = async (body: object) => {
    const params = { path: { checkout_id: id } };
    const { data } = await shop.storefront.PATCH('/api/storefront/checkout/{checkout_id}', { params, body });
    return data?.digital_consent_wording;
  };

  expect(await patch({ note: 'Ring twice.' })).toBe(WORDING);
  expect(await patch({ digital_consent_wording: null })).toBeNull();
  const params = { path: { checkout_id: id } };
  const body = { digital_consent_wording: '' };
  const empty = await shop.storefront.PATCH('/api/storefront/checkout/{checkout_id}', { params, body });
  expect(empty.response.status).toBe(422);
});

test('the checkout page shows an unticked consent box for digital goods only, and the order mail confirms the consent', async () => {
  const shop = await givenEuShop();
  await shop.dashboard.PATCH('/api/dashboard/settings', { body: { name: 'Alder & Finch' } });
  const browser = new PaperBrowser(shop.baseUrl, { 'Accept-Language': 'de' });
  const open = async (content: Awaited<ReturnType<typeof contentOf>>, email = emailOf()) => {
    const checkout = await shop.givenCheckout({ content, email, payment_method: null });
    return browser.open(new URL(checkout.checkout_url ?? '').pathname);
  };
  expect((await open(await contentOf(shop, 'none'))).html).not.toContain('digital_consent');

  const email = emailOf();
  const form = await open(await contentOf(shop), email);
  expect(form.html).toContain('name="digital_consent"');
  expect(form.html).not.toMatch(/name="digital_consent"[^>]*checked/);
  const wording =
    'Ich stimme ausdrücklich zu, dass Alder & Finch vor Ablauf der Widerrufsfrist mit der Bereitstellung der digitalen Inhalte beginnt. Mir ist bekannt, dass durch meine Zustimmung mit Beginn der Vertragserfüllung mein Widerrufsrecht für diese Inhalte erlischt.';
  expect(unescaped(form.html)).toContain(wording);
  const review = await browser.press(form, 'save', { digital_consent: 'yes', payment_method: 'bank_transfer' });
  await browser.press(review, 'place_order');

  const { data } = await shop.dashboard.GET('/api/dashboard/orders', { params: { query: { q: email } } });
  expect(await detailsOf(shop, data?.orders[0]?.id ?? '')).toMatchObject({ digital_consent_wording: wording });
  const mail = (await mailsTo(shop, email)).at(-1);
  expect(unescaped(mail?.html ?? '')).toContain('mit Beginn der Vertragserfüllung Ihr Widerrufsrecht');
});

test('a buyer can order digital goods without consent, and the order mail does not mention consent', async () => {
  const shop = await givenEuShop();
  const email = emailOf();
  const checkout = await shop.givenCheckout({ content: await contentOf(shop), email, payment_method: null });
  const browser = new PaperBrowser(shop.baseUrl);
  const form = await browser.open(new URL(checkout.checkout_url ?? '').pathname);

  const review = await browser.press(form, 'save', { payment_method: 'bank_transfer' });
  await browser.press(review, 'place_order');

  const { data } = await shop.dashboard.GET('/api/dashboard/orders', { params: { query: { q: email } } });
  expect(await detailsOf(shop, data?.orders[0]?.id ?? '')).toMatchObject({ digital_consent_wording: null });
  expect((await mailsTo(shop, email)).at(-1)?.html).not.toContain('right of withdrawal for it');
});

test('an agent cannot give the consent to digital delivery for its customer (403)', async () => {
  const shop = await givenEuShop();
  const { access_token } = await givenAgent(shop, await shop.givenCustomer());
  const beside = shop.storefront.withCustomer(access_token);
  const cart = await shop.givenCart(await contentOf(shop), beside);
  const { data } = await beside.POST('/api/storefront/checkout', { body: { cart_id: cart.id } });
  const params = { path: { checkout_id: data?.id ?? '' } };

  const body = { digital_consent_wording: WORDING };
  const { response, error } = await beside.PATCH('/api/storefront/checkout/{checkout_id}', { params, body });

  expect([response.status, error?.error]).toEqual([403, 'human_confirmation_required']);
});
