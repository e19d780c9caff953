import { randomUUID } from 'node:crypto';
import { Logger, runOnce } from 'graphile-worker';
import { expect, test } from 'vitest';
import { givenAgent } from '../../test/agents.ts';
import { mailsTo } from '../../test/mail.ts';
import { PaperBrowser } from '../../test/paper-browser.ts';
import { openShop } from '../../test/shop.ts';
import { databaseUrl } from '../../test/worker-database.ts';
import { applyConsent } from '../jobs/apply-consent.ts';

const PASSWORD = 'correct horse battery staple';
const WORDING = 'Yes, write to me.';

type OpenShop = Awaited<ReturnType<typeof openShop>>;

async function detailsOf({ dashboard }: OpenShop, customer_id: string) {
  const { data } = await dashboard.GET('/api/dashboard/customers/{customer_id}', { params: { path: { customer_id } } });
  return { opted_in: data?.marketing_opt_in, said: data?.marketing_consents };
}

/** Runs the job that applies marketing consent from orders. */
async function workOn({ db }: OpenShop): Promise<void> {
  await runOnce({
    connectionString: databaseUrl(),
    taskList: { apply_consent: applyConsent(db) },
    noHandleSignals: true,
    logger: new Logger(() => () => undefined),
  });
}

function newest({ said = [] }: Awaited<ReturnType<typeof detailsOf>>) {
  const [{ granted, source, wording } = {}] = said;
  return { count: said.length, granted, source, wording };
}

test('stores marketing consent and its withdrawal with time, source and wording', async () => {
  const shop = await openShop();
  const email = `june-${randomUUID()}@example.com`;
  const body = { email, password: PASSWORD, marketing_opt_in: true, marketing_wording: WORDING };
  await shop.storefront.POST('/api/storefront/customer/register', { body });
  const token = (await mailsTo(shop, email)).at(-1)?.token ?? '';
  const { data: customer } = await shop.storefront.POST('/api/storefront/customer/verify-email', { body: { token } });
  expect(customer?.marketing_opt_in).toBe(true);
  const id = customer?.id ?? '';
  const begun = await detailsOf(shop, id);
  expect(begun).toMatchObject({
    opted_in: true,
    said: [{ email, granted: true, source: 'registration', wording: WORDING, order_id: null }],
  });
  expect(Date.parse(begun.said?.[0]?.recorded_at ?? '')).toBeLessThan(Date.parse(customer?.created_at ?? ''));

  const session = await shop.storefront.POST('/api/storefront/customer/login', { body: { email, password: PASSWORD } });
  const client = shop.storefront.withCustomer(session.data?.access_token ?? '');
  const patch = (said: object) => client.PATCH('/api/storefront/customer/me', { body: said });
  expect((await patch({ marketing_opt_in: false })).data?.marketing_opt_in).toBe(false);
  await patch({ marketing_opt_in: false, first_name: 'June' });
  expect(newest(await detailsOf(shop, id))).toEqual({ count: 2, granted: false, source: 'account', wording: null });
  const agree = { marketing_opt_in: true, marketing_wording: 'Write to me again.' };
  await patch(agree);
  // Repeating a decision records nothing, unless the wording differs.
  await patch({ marketing_opt_in: true });
  await patch(agree);
  expect(newest(await detailsOf(shop, id))).toEqual({
    count: 3,
    granted: true,
    source: 'account',
    wording: agree.marketing_wording,
  });
  await patch({ marketing_opt_in: true, marketing_wording: WORDING });
  const path = { customer_id: id };
  await shop.dashboard.PATCH('/api/dashboard/customers/{customer_id}', {
    params: { path },
    body: { marketing_opt_in: true },
  });
  await shop.dashboard.PATCH('/api/dashboard/customers/{customer_id}', {
    params: { path },
    body: { marketing_opt_in: false },
  });
  expect(newest(await detailsOf(shop, id))).toEqual({ count: 5, granted: false, source: 'dashboard', wording: null });
  const { response, error } = await patch({ marketing_wording: WORDING });
  expect([response.status, JSON.stringify(error)]).toEqual([422, expect.stringContaining('marketing_opt_in')]);

  await client.DELETE('/api/storefront/customer/me');
  const left = await shop.owner.query('select from commerce.marketing_consents where site_id = $1', [shop.site_id]);
  expect(left.rowCount).toBe(0);
});

test('marketing consent given at the checkout applies once the order is placed, and does not override a later decision', async () => {
  const shop = await openShop();
  const { client, id } = await shop.givenCustomer();
  const said = { marketing_opt_in: true, marketing_wording: WORDING };
  const checkout = await shop.givenCheckout({ client, ...said });
  expect(checkout.marketing_opt_in).toBe(true);
  expect(await detailsOf(shop, id)).toEqual({ opted_in: false, said: [] });

  const path = { checkout_id: checkout.id };
  await client.POST('/api/storefront/checkout/{checkout_id}/complete', { params: { path }, body: {} });
  await workOn(shop);
  expect(await detailsOf(shop, id)).toMatchObject({
    opted_in: true,
    said: [{ granted: true, source: 'checkout', wording: WORDING, order_id: expect.any(String) }],
  });

  await client.PATCH('/api/storefront/customer/me', { body: { marketing_opt_in: false } });
  await shop.givenOrder({ client, ...said });
  // The job has not applied the consent of the order yet.
  await client.PATCH('/api/storefront/customer/me', { body: { marketing_opt_in: false } });
  // The job of the earlier consent runs late.
  await applyConsent(shop.db)({ site_id: shop.site_id, customer_id: id });
  await workOn(shop);
  await shop.givenOrder({ client, marketing_opt_in: false });
  expect(await detailsOf(shop, id)).toMatchObject({ opted_in: false, said: [{ granted: false }, {}, {}, {}] });
});

test("an account that verifies a guest's e-mail address gets the guest's consent record, but is not opted in to marketing", async () => {
  const shop = await openShop();
  const email = `june-${randomUUID()}@example.com`;
  const { id: order_id } = await shop.givenOrder({ email, marketing_opt_in: true, marketing_wording: WORDING });
  const { data: order } = await shop.dashboard.GET('/api/dashboard/orders/{order_id}', {
    params: { path: { order_id } },
  });
  expect(order?.marketing_consent).toMatchObject({ email, granted: true, wording: WORDING, order_id });
  await shop.storefront.POST('/api/storefront/customer/register', { body: { email, password: PASSWORD } });
  const token = (await mailsTo(shop, email)).at(-1)?.token ?? '';
  const { data } = await shop.storefront.POST('/api/storefront/customer/verify-email', { body: { token } });
  await workOn(shop);
  expect(await detailsOf(shop, data?.id ?? '')).toMatchObject({
    opted_in: false,
    said: [{ email, source: 'checkout', wording: WORDING }],
  });
});

test('if the shop asks for marketing consent, pages show an unticked box and store its wording', async () => {
  const shop = await openShop();
  const { id, email, client } = await shop.givenCustomer();
  const checkout = await shop.givenCheckout({ client, email, payment_method: null });
  const browser = new PaperBrowser(shop.baseUrl, { 'Accept-Language': 'de' });
  const account = `/account?site_id=${shop.site_id}`;
  const page = new URL(checkout.checkout_url ?? '').pathname;
  const asks = async (path: string) => (await browser.open(path)).html.includes('name="marketing"');
  expect([await asks(`${account}&login=register`), await asks(page)]).toEqual([false, false]);
  await shop.dashboard.PATCH('/api/dashboard/settings', { body: { name: 'Alder & Finch', ask_for_marketing: true } });
  expect((await browser.open(`${account}&login=register`)).html).not.toMatch(/name="marketing"[^>]*checked/);

  const form = await browser.open(page);
  expect(form.html).not.toMatch(/name="marketing"[^>]*checked/);
  const review = await browser.press(form, 'save', { marketing: 'yes', payment_method: 'bank_transfer' });
  await browser.press(review, 'place_order');
  await workOn(shop);
  const wording =
    'Ja, Alder & Finch darf mir E-Mails zu Angeboten und Neuheiten senden. Ich kann meine Einwilligung jederzeit widerrufen.';
  expect(newest(await detailsOf(shop, id))).toEqual({ count: 1, granted: true, source: 'checkout', wording });

  const login = await browser.open(`${account}&view=profile`);
  const overview = await browser.press(login, 'log_in', { email, password: PASSWORD });
  const withdrawn = await browser.press(overview, 'marketing_off');
  expect(await detailsOf(shop, id)).toMatchObject({ opted_in: false });
  const unticked = await browser.press(withdrawn, 'marketing_on');
  expect(await detailsOf(shop, id)).toMatchObject({ opted_in: false });
  await browser.press(unticked, 'marketing_on', { marketing: 'yes' });
  expect(newest(await detailsOf(shop, id))).toEqual({ count: 3, granted: true, source: 'account', wording });
});

test('an agent cannot give marketing consent for its customer in the storefront', async () => {
  const shop = await openShop();
  const customer = await shop.givenCustomer();
  const { access_token } = await givenAgent(shop, customer);
  const beside = shop.storefront.withCustomer(access_token);
  const cart = await shop.givenCart('5.00', beside);
  const { data } = await beside.POST('/api/storefront/checkout', { body: { cart_id: cart.id } });
  const patch = (marketing_opt_in: boolean) =>
    beside.PATCH('/api/storefront/checkout/{checkout_id}', {
      params: { path: { checkout_id: data?.id ?? '' } },
      body: { marketing_opt_in },
    });
  expect((await patch(true)).error).toMatchObject({ error: 'human_confirmation_required' });
  expect((await patch(false)).data?.marketing_opt_in).toBe(false);
});
