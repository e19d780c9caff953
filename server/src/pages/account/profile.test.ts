import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { givenAgent } from '../../../test/agents.ts';
import { mailsTo } from '../../../test/mail.ts';
import { actionOf, formWith, type Page, PaperBrowser, unescaped } from '../../../test/paper-browser.ts';
import { openShop } from '../../../test/shop.ts';

const PASSWORD = 'correct horse battery staple';
const OTHER = 'a longer horse and a better staple';

type OpenShop = Awaited<ReturnType<typeof openShop>>;

function accountOf({ site_id }: Pick<OpenShop, 'site_id'>, more = ''): string {
  return `/account?site_id=${site_id}${more}`;
}

function textOf(html: string): string {
  return unescaped(html.replaceAll(/<[^>]*>/g, '')).replaceAll(/[\u00a0\u202f]/g, ' ');
}

function heading({ html }: Page): string {
  return textOf(/<h1>([\s\S]*?)<\/h1>/.exec(html)?.[1] ?? '');
}

/** The fields to which the summary of mistakes links. */
function wrongFields({ html }: Page): (string | undefined)[] {
  const [summary = ''] = /<div class="summary-of-mistakes"[\s\S]*?<\/div>/.exec(html) ?? [];
  return [...summary.matchAll(/href="#(\w+)"/g)].map(([, field]) => field);
}

async function givenVisitor(shop: OpenShop, headers: Record<string, string> = {}) {
  const customer = await shop.givenCustomer();
  const browser = new PaperBrowser(shop.baseUrl, headers);
  await logIn(shop, browser, customer.email);
  return { customer, browser };
}

async function logIn(shop: OpenShop, browser: PaperBrowser, email: string, password = PASSWORD): Promise<Page> {
  return browser.press(await browser.open(accountOf(shop)), 'log_in', { email, password });
}

const HOME = { last_name: 'Okafor', address1: 'Lindenallee 7', postal_code: '10115', city: 'Berlin', country: 'DE' };

async function addressesOf({ client }: { client: OpenShop['storefront'] }) {
  const { data } = await client.GET('/api/storefront/customer/me/addresses');
  return data?.addresses ?? [];
}

test('a customer adds, edits and deletes addresses and chooses a default on the account page, and the storefront API returns them', async () => {
  const shop = await openShop();
  const { customer, browser } = await givenVisitor(shop);
  const form = await browser.open(accountOf(shop, '&view=address'));
  const empty = await browser.press(form, 'save_address', { address1: 'x'.repeat(256), phone: '12' });
  expect([empty.response.status, wrongFields(empty)]).toEqual([
    422,
    ['country', 'last_name', 'address1', 'city', 'phone'],
  ]);
  const code = await browser.press(form, 'save_address', { ...HOME, postal_code: '999' });
  expect([wrongFields(code), formWith(code.html, 'save_address').get('city')]).toEqual([['postal_code'], 'Berlin']);
  const state = await browser.press(form, 'save_address', { ...HOME, country: 'US', postal_code: '94103' });
  expect(wrongFields(state)).toEqual(['state']);

  const saved = await browser.press(form, 'save_address', HOME);
  expect([heading(saved), textOf(saved.html).includes('The address has been saved.')]).toEqual(['Addresses', true]);
  expect(await addressesOf(customer)).toMatchObject([{ ...HOME, is_default: true, company: null }]);
  await browser.press(await browser.open(accountOf(shop, '&view=address')), 'save_address', {
    ...HOME,
    address1: 'Office 1',
    company: 'Alder',
  });
  const list = await browser.open(accountOf(shop, '&view=addresses'));
  await browser.press(list, 'default_address');
  const [home, office] = await addressesOf(customer);
  expect([home?.is_default, office?.is_default]).toEqual([false, true]);

  const edit = await browser.open(accountOf(shop, `&view=address&address=${office?.id}`));
  expect(formWith(edit.html, 'save_address').get('company')).toBe('Alder');
  await browser.press(edit, 'save_address', { company: '', city: 'Potsdam' });
  expect((await addressesOf(customer))[1]).toMatchObject({ company: null, city: 'Potsdam', is_default: true });
  const gone = await browser.press(edit, 'delete_address');
  expect(textOf(gone.html)).toContain('The address has been deleted.');
  expect((await addressesOf(customer)).map(({ id }) => id)).toEqual([home?.id]);
});

test('a customer cannot see, change or delete an address of another customer or another shop (404)', async () => {
  const shop = await openShop();
  const elsewhere = await openShop();
  const { customer, browser } = await givenVisitor(shop);
  await customer.client.POST('/api/storefront/customer/me/addresses', { body: HOME });
  const [own] = await addressesOf(customer);
  const edit = await browser.open(accountOf(shop, `&view=address&address=${own?.id}`));
  const list = await browser.open(accountOf(shop, '&view=addresses'));
  for (const other of [await shop.givenCustomer(), await elsewhere.givenCustomer()]) {
    await other.client.POST('/api/storefront/customer/me/addresses', { body: { ...HOME, address1: 'Secret 9' } });
    const before = await addressesOf(other);
    const id = before[0]?.id ?? '';
    const target = accountOf(shop, `&view=address&address=${id}`);
    const shown = await browser.open(target);
    expect([shown.response.status, shown.html.includes('Secret 9')]).toEqual([404, false]);
    for (const action of ['save_address', 'delete_address']) {
      const fields = formWith(edit.html, action);
      fields.set('action', action);
      expect((await browser.send(target, fields)).response.status).toBe(404);
    }
    const fields = new URLSearchParams({ csrf: formWith(list.html, 'log_out').get('csrf') ?? '', address: id });
    fields.set('action', 'default_address');
    expect((await browser.send(accountOf(shop, '&view=addresses'), fields)).response.status).toBe(404);
    expect(await addressesOf(other)).toEqual(before);
  }
});

test('a customer with 50 addresses is asked to delete one before adding another', async () => {
  const shop = await openShop();
  const { customer, browser } = await givenVisitor(shop);
  await shop.owner.query(
    `insert into commerce.customer_addresses (site_id, id, customer_id, address, is_default)
      select $1, gen_random_uuid(), $2, $3, false from generate_series(1, 49)`,
    [shop.site_id, customer.id, JSON.stringify(HOME)],
  );
  const forms = [1, 2, 3].map(() => browser.open(accountOf(shop, '&view=address')));
  const pages = await Promise.all((await Promise.all(forms)).map((form) => browser.press(form, 'save_address', HOME)));
  const refused = pages.filter(({ html }) => textOf(html).includes('You can save at most 50 addresses.'));
  expect([refused.length, (await addressesOf(customer)).length]).toEqual([2, 50]);
});

test('a customer changes name, phone number and language, and the pages immediately use the language', async () => {
  const shop = await openShop();
  const { customer, browser } = await givenVisitor(shop);
  const form = await browser.open(accountOf(shop, '&view=profile'));
  const wrong = await browser.press(form, 'save_profile', { first_name: 'x'.repeat(256), phone: 'call me' });
  expect([wrong.response.status, wrongFields(wrong)]).toEqual([422, ['first_name', 'phone']]);
  expect(formWith(wrong.html, 'save_profile').get('phone')).toBe('call me');

  const entries = { first_name: 'June', last_name: 'Okafor', phone: '+49 30 1234567', locale: 'fr' };
  const saved = await browser.press(form, 'save_profile', entries);
  expect([heading(saved), saved.html.includes('<html lang="fr">')]).toEqual(['Profil', true]);
  expect(formWith(saved.html, 'save_profile').get('locale')).toBe('fr');
  const { data } = await customer.client.GET('/api/storefront/customer/me');
  expect(data).toMatchObject({ first_name: 'June', last_name: 'Okafor', phone: '+49 30 1234567' });

  await browser.press(saved, 'save_profile', { phone: '', locale: '' });
  const { rows } = await shop.owner.query('select first_name, phone, locale from commerce.customers where id = $1', [
    customer.id,
  ]);
  expect(rows).toEqual([{ first_name: 'June', phone: null, locale: null }]);
});

test('saving the profile keeps the region of the stored language', async () => {
  const shop = await openShop();
  const { customer, browser } = await givenVisitor(shop);
  await customer.client.PATCH('/api/storefront/customer/me', { body: { locale: 'de-AT' } });
  await browser.press(await browser.open(accountOf(shop, '&view=profile')), 'save_profile', { first_name: 'June' });
  const { rows } = await shop.owner.query('select first_name, locale from commerce.customers where id = $1', [
    customer.id,
  ]);
  expect(rows).toEqual([{ first_name: 'June', locale: 'de-AT' }]);
});

test('changing the password requires the current password, and ends only the other sessions', async () => {
  const shop = await openShop();
  const { customer, browser } = await givenVisitor(shop);
  const other = new PaperBrowser(shop.baseUrl);
  await logIn(shop, other, customer.email);
  const form = await browser.open(accountOf(shop, '&view=profile'));
  const change = (current_password: string, new_password: string, new_password_again = new_password) =>
    browser.press(form, 'change_password', { current_password, new_password, new_password_again });

  const empty = await change('', 'short', 'shorter');
  expect([empty.response.status, wrongFields(empty)]).toEqual([422, ['current_password', 'new_password']]);
  expect(wrongFields(await change(PASSWORD, OTHER, PASSWORD))).toEqual(['new_password_again']);
  const wrong = await change('not my password', OTHER);
  expect([wrong.response.status, wrongFields(wrong)]).toEqual([401, ['current_password']]);
  expect(wrong.html).toMatch(/<details class="adjust" open>/);
  expect(wrong.html).not.toContain('not my password');

  const done = await change(PASSWORD, OTHER);
  expect(textOf(done.html)).toContain('Your password has been changed. All other devices have been logged out.');
  expect(heading(await browser.open(accountOf(shop)))).toBe('Your account');
  expect(heading(await other.open(accountOf(shop)))).toBe('Log in to your account');
  expect((await customer.client.GET('/api/storefront/customer/me')).response.status).toBe(401);
  expect((await logIn(shop, other, customer.email, PASSWORD)).response.status).toBe(401);
  expect(heading(await logIn(shop, other, customer.email, OTHER))).toBe('Your account');
  expect((await mailsTo(shop, customer.email)).at(-1)?.subject).toMatch(/password/i);
});

test('repeated wrong passwords on the account page delay further attempts, even with the right password', async () => {
  for (const [action, view, field] of [
    ['change_password', 'profile', 'current_password'],
    ['change_email', 'profile', 'password_for_email'],
    ['delete_account', 'delete', 'password_for_deletion'],
  ] as const) {
    const shop = await openShop();
    const { customer, browser } = await givenVisitor(shop);
    const form = await browser.open(accountOf(shop, `&view=${view}`));
    const attempt = async (password: string) => {
      const more = { new_password: OTHER, new_password_again: OTHER, new_email: `new-${randomUUID()}@example.com` };
      return (await browser.press(form, action, { ...more, [field]: password })).response.status;
    };
    const wrong = [];
    for (let count = 0; count < 12; count += 1) wrong.push(await attempt('wrong'));
    expect([wrong[0], wrong.at(-1)]).toEqual([401, 429]);
    expect(await attempt(PASSWORD)).toBe(429);
    const { rows } = await shop.owner.query('select email from commerce.customers where id = $1', [customer.id]);
    expect([action, rows]).toEqual([action, [{ email: customer.email }]]);
  }
});

/** URL of the link in the newest mail that confirms an e-mail address. */
async function linkIn(shop: OpenShop, email: string): Promise<string> {
  const { html = '' } = (await mailsTo(shop, email)).at(-1) ?? {};
  return unescaped(/href="([^"]*\/account\/[^"]*\/verify-email\/[^"]*)"/.exec(html)?.[1] ?? '');
}

test('a new e-mail address takes effect once its link is opened, the link works once, and the old address is notified', async () => {
  const shop = await openShop();
  const { customer, browser } = await givenVisitor(shop);
  const email = `new-${randomUUID()}@example.com`;
  const form = await browser.open(accountOf(shop, '&view=profile'));
  const change = (new_email: string, password_for_email: string) =>
    browser.press(form, 'change_email', { new_email, password_for_email });
  expect(wrongFields(await change('nobody', ''))).toEqual(['new_email', 'password_for_email']);
  expect(wrongFields(await change(customer.email.toUpperCase(), PASSWORD))).toEqual(['new_email']);
  const wrong = await change(email, 'wrong');
  expect([wrong.response.status, wrongFields(wrong)]).toEqual([401, ['password_for_email']]);
  expect(await mailsTo(shop, email)).toEqual([]);

  const sent = await change(email, PASSWORD);
  expect(textOf(sent.html)).toContain('We have sent an e-mail to the new address.');
  expect(heading(await logIn(shop, new PaperBrowser(shop.baseUrl), customer.email))).toBe('Your account');
  const link = await linkIn(shop, email);
  const question = await new PaperBrowser(shop.baseUrl).open(link);
  expect(textOf(question.html)).toContain(email);

  const reader = new PaperBrowser(shop.baseUrl);
  expect(heading(await reader.press(await reader.open(link), 'verify_email'))).toBe('Your e-mail address is confirmed');
  expect((await logIn(shop, new PaperBrowser(shop.baseUrl), customer.email)).response.status).toBe(401);
  expect(heading(await logIn(shop, new PaperBrowser(shop.baseUrl), email))).toBe('Your account');
  expect((await mailsTo(shop, customer.email)).at(-1)?.subject).toMatch(/address/i);

  // Opens the link again, and once more after a second change. It changes nothing.
  expect(heading(await reader.open(link))).toBe('Your e-mail address is confirmed');
  const later = `later-${randomUUID()}@example.com`;
  await change(later, PASSWORD);
  await reader.press(await reader.open(await linkIn(shop, later)), 'verify_email');
  expect((await reader.open(link)).html).not.toContain('value="verify_email"');
  const { rows } = await shop.owner.query('select email from commerce.customers where id = $1', [customer.id]);
  expect(rows).toEqual([{ email: later }]);
});

test('changing to the e-mail address of another account does not reveal that account, and its owner gets a mail', async () => {
  const shop = await openShop();
  const { customer, browser } = await givenVisitor(shop);
  const owner = await shop.givenCustomer();
  const form = await browser.open(accountOf(shop, '&view=profile'));
  const answers = [];
  for (const new_email of [owner.email, `free-${randomUUID()}@example.com`]) {
    const page = await browser.press(form, 'change_email', { new_email, password_for_email: PASSWORD });
    answers.push([page.response.status, page.html]);
  }
  expect(answers[0]).toEqual(answers[1]);
  expect(await linkIn(shop, owner.email)).toBe('');
  expect((await mailsTo(shop, owner.email)).length).toBeGreaterThan(0);
  const { rows } = await shop.owner.query('select email from commerce.customers where id = $1', [customer.id]);
  expect(rows).toEqual([{ email: customer.email }]);
});

test('deleting the account requires the password, lists open orders and agents, and keeps the orders and the amounts due', async () => {
  const shop = await openShop();
  const { customer, browser } = await givenVisitor(shop);
  const open = await shop.givenOrder({ client: customer.client });
  const { agent } = await givenAgent(shop, customer, { agent_name: 'Helpful bot' });
  const form = await browser.open(accountOf(shop, '&view=delete'));
  const text = textOf(form.html);
  expect(text).toContain(`This order is not completed yet: ${open.order_number}.`);
  expect(text).toContain('1 assistant loses its access: Helpful bot.');
  for (const password_for_deletion of ['', 'wrong']) {
    const page = await browser.press(form, 'delete_account', { password_for_deletion });
    expect(wrongFields(page)).toEqual(['password_for_deletion']);
  }

  const target = actionOf(form, 'delete_account');
  const done = await browser.press(form, 'delete_account', { password_for_deletion: PASSWORD });
  expect(heading(done)).toBe('Your account has been deleted');
  expect(heading(await browser.open(accountOf(shop)))).toBe('Log in to your account');
  expect((await logIn(shop, browser, customer.email)).response.status).toBe(401);
  expect((await agent.GET('/api/agent/catalog/search')).response.status).toBe(401);
  expect((await customer.client.GET('/api/storefront/customer/me')).response.status).toBe(401);
  const { rows } = await shop.owner.query(
    `select order_number, total::text, payment_status, status, customer_id from commerce.orders where site_id = $1`,
    [shop.site_id],
  );
  expect(rows).toEqual([
    {
      order_number: open.order_number,
      total: open.total,
      payment_status: 'awaiting_payment',
      status: 'pending',
      customer_id: null,
    },
  ]);
  expect((await browser.send(target, formWith(form.html, 'delete_account'))).response.status).toBe(403);
});

test('the account cannot be deleted while a payment is in progress (409), and the page shows the reason', async () => {
  const shop = await openShop();
  const { customer, browser } = await givenVisitor(shop);
  const { id: checkout_id } = await shop.givenCheckout({ client: customer.client, payment_method: 'card' });
  await customer.client.POST('/api/storefront/checkout/{checkout_id}/complete', {
    params: { path: { checkout_id } },
    body: { payment: { card_token: 'tok_3ds' } },
  });
  const form = await browser.open(accountOf(shop, '&view=delete'));
  const refused = await browser.press(form, 'delete_account', { password_for_deletion: PASSWORD });
  expect(refused.response.status).toBe(409);
  expect(textOf(refused.html)).toContain('A payment is being processed at the moment.');
  expect(heading(await browser.open(accountOf(shop)))).toBe('Your account');
});

test('the account lists all orders page by page, each with picture, items, state and total', async () => {
  const shop = await openShop();
  const { customer, browser } = await givenVisitor(shop, { 'Accept-Language': 'de' });
  const [mug, bowl] = [
    await shop.givenProduct({ name: 'Becher', price: '20.00', images: [{ url: 'https://img.example/b.jpg' }] }),
    await shop.givenProduct({ name: 'Schale', price: '5.00' }),
  ];
  const content = [mug, bowl].map(({ variants }) => ({ variant_id: variants[0]?.id ?? '', quantity: 1 }));
  const order = await shop.givenOrder({ content, client: customer.client });
  const { html } = await browser.open(accountOf(shop));
  const [card = ''] = /<li class="card order-card">[\s\S]*?<\/li>/.exec(html) ?? [];
  expect(card).toContain('src="https://img.example/b.jpg"');
  for (const words of [
    'Warten auf Ihre Überweisung',
    `Bestellung ${order.order_number}`,
    'Becher und 1 weiterer Artikel',
    `${order.total.replace('.', ',')} €`,
  ]) {
    expect(textOf(card)).toContain(words);
  }
  expect(html).not.toContain('&amp;page=');

  await shop.owner.query(
    `insert into commerce.orders select (jsonb_populate_record(o, jsonb_build_object('id', gen_random_uuid(),
        'order_number', 'X' || n, 'checkout_id', null, 'created_at', o.created_at - n * interval '1 hour'))).*
      from commerce.orders o, generate_series(1, 24) n where o.id = $1`,
    [order.id],
  );
  const numbers = (page: Page) => [...page.html.matchAll(/Bestellung (\S+)<\/a>/g)].map(([, number]) => number);
  const first = await browser.open(accountOf(shop));
  const second = await browser.open(accountOf(shop, '&page=2'));
  expect(textOf(first.html)).toContain('Seite 1 von 2');
  expect([numbers(first).length, numbers(second)]).toEqual([20, ['X20', 'X21', 'X22', 'X23', 'X24']]);
});

test('the state of an order names the next step, from the payment to the delivery', async () => {
  const shop = await openShop();
  const { customer, browser } = await givenVisitor(shop);
  const order = await shop.givenOrder({ client: customer.client });
  const params = { path: { order_id: order.id } };
  const state = async () => {
    const { html } = await browser.open(accountOf(shop, `&order=${order.id}`));
    const [, section = ''] = /<section class="order-state[^>]*>([\s\S]*?)<\/section>/.exec(html) ?? [];
    return textOf(section).trim().split('\n');
  };
  expect(await state()).toEqual(['Waiting for your transfer', 'Once the money has arrived, the order goes ahead.']);
  await shop.dashboard.POST('/api/dashboard/orders/{order_id}/mark-paid', { params });
  expect((await state())[0]).toBe('Being prepared');
  await shop.dashboard.POST('/api/dashboard/orders/{order_id}/fulfillments', {
    params,
    body: { carrier: 'DHL', tracking_number: '00340', tracking_url: 'https://track.example/00340' },
  });
  expect(await state()).toEqual(['On its way', 'Your order has been sent.', 'Track this parcel']);
  await shop.dashboard.POST('/api/dashboard/orders/{order_id}/mark-delivered', { params });
  expect((await state())[0]).toBe('Delivered');
  expect((await state()).length).toBe(2);
});
