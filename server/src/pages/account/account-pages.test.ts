import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { mailsTo } from '../../../test/mail.ts';
import { actionOf, formWith, type Page, PaperBrowser, unescaped } from '../../../test/paper-browser.ts';
import { SECRET_KEY, startServer, stopServer } from '../../../test/server.ts';
import { openShop } from '../../../test/shop.ts';
import { databaseUrl } from '../../../test/worker-database.ts';
import { checkoutToken } from '../../shop/links.ts';

const PASSWORD = 'correct horse battery staple';
const OTHER = 'a longer horse and a better staple';

type OpenShop = Awaited<ReturnType<typeof openShop>>;

function accountOf({ site_id }: Pick<OpenShop, 'site_id'>, more = ''): string {
  return `/account?site_id=${site_id}${more}`;
}

function heading({ html }: Page): string {
  return textOf(/<h1>([\s\S]*?)<\/h1>/.exec(html)?.[1] ?? '');
}

function textOf(html: string): string {
  return unescaped(html.replaceAll(/<[^>]*>/g, '')).replaceAll(/[\u00a0\u202f]/g, ' ');
}

/** URL of the link with this text on a page. */
function linkOf({ html }: Page, words: string): string {
  const links = [...html.matchAll(/<a [^>]*href="([^"]*)"[^>]*>([\s\S]*?)<\/a>/g)];
  const found = links.find(([, , text = '']) => textOf(text) === words);
  if (!found) throw new Error(`The page has no link “${words}”.`);
  return unescaped(found[1] ?? '');
}

/** Creates a customer and logs them in through the account page. */
async function givenVisitor(shop: OpenShop, headers: Record<string, string> = {}) {
  const customer = await shop.givenCustomer();
  const browser = new PaperBrowser(shop.baseUrl, headers);
  const login = await browser.open(accountOf(shop));
  const account = await browser.press(login, 'log_in', { email: customer.email, password: PASSWORD });
  return { customer, browser, account };
}

test('a customer who forgot the password requests a link, sets a new password and logs in, all on the hosted pages', async () => {
  const shop = await openShop();
  const { email } = await shop.givenCustomer();
  const browser = new PaperBrowser(shop.baseUrl);
  const login = await browser.open(accountOf(shop));
  const asked = await browser.open(linkOf(login, 'Forgot your password?'));
  const wrong = await browser.press(asked, 'request_reset', { email: 'nobody' });
  expect([wrong.response.status, wrong.html.includes('href="#email"')]).toEqual([422, true]);

  const sent = await browser.press(asked, 'request_reset', { email: email.toUpperCase() });
  expect([sent.response.status, heading(sent)]).toEqual([200, 'Check your inbox']);
  const { html = '' } = (await mailsTo(shop, email)).at(-1) ?? {};
  const form = await browser.open(unescaped(/href="([^"]*\/account\/[^"]*\/reset\/[^"]*)"/.exec(html)?.[1] ?? ''));
  const NEW = 'a longer horse';
  const done = await browser.press(form, 'reset_password', { new_password: NEW, new_password_again: NEW });
  const again = await browser.open(linkOf(done, 'Log in'));
  const account = await browser.press(again, 'log_in', { email, password: NEW });
  expect(heading(account)).toBe('Your account');

  // The customer has no stored language, so the mail uses the language of the page.
  const german = new PaperBrowser(shop.baseUrl, { 'Accept-Language': 'de' });
  await german.press(await german.open(accountOf(shop, '&login=forgot')), 'request_reset', { email });
  expect((await mailsTo(shop, email)).at(-1)?.subject).toContain('Neues Passwort für');
});

test('opening an account page extends an active session like an API call, but does not revive an ended session', async () => {
  const shop = await openShop();
  const { customer, browser } = await givenVisitor(shop);
  /**
   * Visits a page after changing these columns of the session. The returned function reads the session's remaining
   * lifetime.
   */
  const visit = async (...columns: string[]) => {
    for (const column of columns) {
      const set = `update commerce.customer_tokens set ${column} where site_id = $1 and customer_id = $2`;
      await shop.owner.query(set, [shop.site_id, customer.id]);
    }
    await browser.open(accountOf(shop));
    return async () => {
      const { rows } = await shop.owner.query<{ minutes: number }>(
        `select round(extract(epoch from expires_at - now()) / 60)::int as minutes from commerce.customer_tokens
        where site_id = $1 and customer_id = $2 order by id desc limit 1`,
        [shop.site_id, customer.id],
      );
      return rows[0]?.minutes;
    };
  };

  await expect.poll(await visit(`expires_at = now() + interval '1 minute'`), { timeout: 20_000 }).toBe(60);
  const minutesLeft = await visit(`expires_at = now() + interval '1 minute'`, 'revoked_at = now()');
  await sleep(300);
  expect(await minutesLeft()).toBe(1);
});

test('a new customer creates an account, confirms the e-mail address and logs in, all on the hosted pages', async () => {
  const shop = await openShop();
  const email = `june-${randomUUID()}@example.com`;
  const browser = new PaperBrowser(shop.baseUrl, { 'Accept-Language': 'de' });
  const login = await browser.open(accountOf(shop));
  const form = await browser.open(linkOf(login, 'Konto erstellen'));
  const common = await browser.press(form, 'register', { email, new_password: 'password1' });
  expect([common.response.status, textOf(common.html)]).toEqual([
    422,
    expect.stringContaining('Dieses Passwort wird zu häufig verwendet.'),
  ]);
  const empty = await browser.press(form, 'register', { first_name: 'x'.repeat(256) });
  expect([...empty.html.matchAll(/<a href="#(\w+)">/g)].map(([, field]) => field)).toEqual([
    'first_name',
    'email',
    'new_password',
  ]);

  const entries = { first_name: 'June', last_name: 'Okafor', email, new_password: PASSWORD };
  const sent = await browser.press(form, 'register', entries);
  expect([sent.response.status, heading(sent)]).toEqual([200, 'Sehen Sie in Ihrem Postfach nach']);
  const { html = '' } = (await mailsTo(shop, email)).at(-1) ?? {};
  expect(html).toContain('<html lang="de">');
  const link = unescaped(/href="([^"]*\/account\/[^"]*\/verify-email\/[^"]*)"/.exec(html)?.[1] ?? '');
  const done = await browser.press(await browser.open(link), 'verify_email');
  const account = await browser.press(await browser.open(linkOf(done, 'Anmelden')), 'log_in', {
    email,
    password: PASSWORD,
  });
  expect(heading(account)).toBe('Ihr Konto');
  const { rows } = await shop.owner.query(
    'select first_name, last_name, locale from commerce.customers where site_id = $1',
    [shop.site_id],
  );
  expect(rows).toEqual([{ first_name: 'June', last_name: 'Okafor', locale: 'de' }]);
});

test('the registration and password forms do not reveal whether an e-mail address has an account, and count toward the rate limits', async () => {
  const shop = await openShop();
  const { email: known } = await shop.givenCustomer();
  const unknown = `nobody-${randomUUID()}@example.com`;
  const limited = await startServer(databaseUrl(), { rateLimits: true });
  const askingFor = async (email: string) => {
    const browser = new PaperBrowser(limited.baseUrl);
    const answers: string[] = [];
    for (const action of ['request_reset', 'register']) {
      const form = await browser.open(accountOf(shop, `&login=${action === 'register' ? action : 'forgot'}`));
      for (let count = 0; count < 4; count += 1) {
        const page = await browser.press(form, action, { email, new_password: PASSWORD });
        answers.push(`${page.response.status} ${page.html}`);
      }
    }
    return answers;
  };
  const answers = await askingFor(known);
  expect(await askingFor(unknown)).toEqual(answers);
  await stopServer(limited);
  // Only three mails an hour are sent to one e-mail address.
  expect(answers.map((answer) => answer.slice(0, 3))).toEqual(['200', '200', '200', '429', '200', '200', '200', '429']);
  const { rows } = await shop.owner.query(
    `select action, count(*)::int from commerce.audit_events where site_id = $1 and actor_type <> 'api_key'
      group by 1 order by 1`,
    [shop.site_id],
  );
  expect(rows).toEqual([
    { action: 'storefront.loginCustomer', count: 1 },
    { action: 'storefront.registerCustomer', count: 6 },
    { action: 'storefront.requestPasswordReset', count: 6 },
  ]);
});

test('the login page of an agent’s consent links to the forms for a new password and a new account, and these link back', async () => {
  const shop = await openShop();
  const browser = new PaperBrowser(shop.baseUrl);
  const path = `/agent-consent?site_id=${shop.site_id}&user_code=BCDF-GHJK`;
  const login = await browser.open(path);
  for (const [words, back] of [
    ['Forgot your password?', 'Back to login'],
    ['Create an account', 'I already have an account'],
  ] as const) {
    const form = await browser.open(linkOf(login, words));
    expect(form.response.status).toBe(200);
    expect(heading(await browser.open(linkOf(form, back)))).toBe(heading(login));
    expect(linkOf(form, back)).toBe(path);
  }
});

test('an order in the account shows its items, totals with tax, delivery, parcels, payment and refunds', async () => {
  const shop = await openShop();
  await shop.dashboard.PATCH('/api/dashboard/settings', {
    body: { prices_include_tax: true, default_tax_rate: '0.19' },
  });
  const { customer, browser, account } = await givenVisitor(shop, { 'Accept-Language': 'de' });
  const product = await shop.givenProduct({
    name: 'Becher',
    price: '23.80',
    images: [{ url: 'https://img.example/b.jpg' }],
  });
  const content = [{ variant_id: product.variants[0]?.id ?? '', quantity: 2 }];
  const order = await shop.givenOrder({ content, client: customer.client });
  const list = await browser.open(account.path + accountOf(shop).slice('/account'.length));
  const open = await browser.open(linkOf(list, `Bestellung ${order.order_number}`));
  const text = textOf(open.html);
  expect(heading(open)).toBe(`Bestellung ${order.order_number}`);
  for (const words of [
    'Becher',
    '2 × 23,80 €',
    '52,50 €',
    'MwSt. (19 %)',
    'Bitte überweisen Sie',
    'DE89 3704',
    'Lindenallee 7',
  ]) {
    expect(text).toContain(words);
  }
  expect(open.html).toContain('src="https://img.example/b.jpg"');
  expect(open.html).toContain('class="qr-code"');

  const path = { order_id: order.id };
  await shop.dashboard.POST('/api/dashboard/orders/{order_id}/mark-paid', { params: { path } });
  await shop.dashboard.POST('/api/dashboard/orders/{order_id}/fulfillments', {
    params: { path },
    body: { carrier: 'DHL', tracking_number: '00340', tracking_url: 'https://track.example/00340' },
  });
  await shop.dashboard.POST('/api/dashboard/orders/{order_id}/refunds', {
    params: { path },
    body: { amount: '5.00', reason: 'damaged', note: 'only for staff' },
  });
  const later = await browser.open(linkOf(list, `Bestellung ${order.order_number}`));
  expect(linkOf(later, 'Sendung 00340 verfolgen')).toBe('https://track.example/00340');
  expect(textOf(later.html)).toContain('DHL');
  expect(textOf(later.html)).toMatch(/Am .* erstattet: 5,00 €/);
  expect(later.html).not.toContain('only for staff');
  expect(later.html).not.toContain('Bitte überweisen Sie');
});

test('an order of another customer is not found (404), with or without a login', async () => {
  const shop = await openShop();
  const { browser } = await givenVisitor(shop);
  const other = await shop.givenCustomer();
  const order = await shop.givenOrder({ client: other.client });
  const paths = [accountOf(shop, `&order=${order.id}`), accountOf(shop, `&order=${order.id}&again=1`)];
  for (const path of paths) {
    const page = await browser.open(path);
    expect([page.response.status, page.html.includes(order.order_number)]).toEqual([404, false]);
    expect(heading(await new PaperBrowser(shop.baseUrl).open(path))).toBe('Log in to your account');
  }
});

test('login redirects to the requested order, even after a visit to the registration form, but never to another host', async () => {
  const shop = await openShop();
  const { email, client } = await shop.givenCustomer();
  const order = await shop.givenOrder({ client });
  const wanted = accountOf(shop, `&order=${order.id}`);
  const browser = new PaperBrowser(shop.baseUrl);
  const mistaken = await browser.press(await browser.open(wanted), 'log_in', { email, password: 'wrong' });
  const other = await browser.open(linkOf(mistaken, 'Create an account'));
  const login = await browser.open(linkOf(other, 'I already have an account'));
  const shown = await browser.press(login, 'log_in', { email, password: PASSWORD });
  expect(heading(shown)).toBe(`Order ${order.order_number}`);
  const elsewhere = await new PaperBrowser(shop.baseUrl).open(accountOf(shop, '&order=//evil.example&agent=%22%3E'));
  expect(unescaped(/<form[^>]*action="([^"]*)"/.exec(elsewhere.html)?.[1] ?? '')).toBe(accountOf(shop));
});

/** Cancels the only open checkout. */
async function cancelOpen({ owner, site_id }: OpenShop, client: OpenShop['storefront']): Promise<void> {
  const { rows } = await owner.query('select id from commerce.checkouts where site_id = $1 and order_id is null', [
    site_id,
  ]);
  expect(rows).toHaveLength(1);
  const params = { path: { checkout_id: rows[0].id } };
  await client.POST('/api/storefront/checkout/{checkout_id}/cancel', { params });
}

test("ordering again opens a checkout at current prices, and leaves the customer's cart unchanged", async () => {
  const shop = await openShop();
  const { customer, browser } = await givenVisitor(shop);
  const product = await shop.givenProduct({ name: 'Mug', price: '10.00' });
  const content = [{ variant_id: product.variants[0]?.id ?? '', quantity: 3 }];
  const order = await shop.givenOrder({ content, client: customer.client });
  const cart = await shop.givenCart('7.00', customer.client);
  await shop.dashboard.PATCH('/api/dashboard/products/{product_id}', {
    params: { path: { product_id: product.id } },
    body: { price: '12.00' },
  });

  const page = await browser.open(accountOf(shop, `&order=${order.id}`));
  const checkout = await browser.press(page, 'reorder');
  expect(checkout.path).toMatch(/^\/checkout\/chk_/);
  expect(textOf(checkout.html)).toContain('3 × €12.00');
  const { data } = await customer.client.GET('/api/storefront/cart/{cart_id}', {
    params: { path: { cart_id: cart.id } },
  });
  expect(data?.items).toHaveLength(1);
  const { rows } = await shop.owner.query(
    'select customer_id, email from commerce.checkouts where site_id = $1 and order_id is null',
    [shop.site_id],
  );
  expect(rows).toEqual([{ customer_id: customer.id, email: customer.email }]);

  // The confirmation links to the account only in the browser in which the customer is logged in.
  const url = await checkoutPathOf(shop, order.id);
  const confirmed = await browser.open(url);
  expect((await browser.open(linkOf(confirmed, 'View your order'))).html).toContain(`Order ${order.order_number}`);
  const other = await givenVisitor(shop);
  const elsewhere = await other.browser.open(url);
  expect((await other.browser.press(elsewhere, 'view_order')).path).toMatch(/^\/sites\/.*\/orders\/ord_/);
});

/** Path of the checkout page of an order. */
async function checkoutPathOf({ owner, site_id: siteId }: OpenShop, order_id: string): Promise<string> {
  const { rows } = await owner.query<{ id: string }>(
    'select id from commerce.checkouts where site_id = $1 and order_id = $2',
    [siteId, order_id],
  );
  return `/checkout/${checkoutToken({ siteId }, { secretKey: SECRET_KEY }, rows[0]?.id ?? '')}`;
}

test('ordering the same order again reopens the same checkout, or creates a new one if that checkout has ended', async () => {
  const shop = await openShop();
  const { customer, browser } = await givenVisitor(shop);
  const { client } = customer;
  const product = await shop.givenProduct({ name: 'Mug', inventory_quantity: 2 });
  const order = await shop.givenOrder({
    content: [{ variant_id: product.variants[0]?.id ?? '', quantity: 1 }],
    client,
  });
  const path = accountOf(shop, `&order=${order.id}`);
  const page = await browser.open(path);
  const [one, two] = await Promise.all([browser.press(page, 'reorder'), browser.press(page, 'reorder')]);
  expect(one.path).toMatch(/^\/checkout\/chk_/);
  expect([two.path, (await browser.press(page, 'reorder')).path]).toEqual([one.path, one.path]);
  expect(textOf((await browser.open(`${path}&again=1`)).html)).toContain('1 × Mug');

  await cancelOpen(shop, client);
  const another = await browser.press(page, 'reorder');
  expect(another.path).toMatch(/^\/checkout\/chk_/);
  expect(another.path).not.toBe(one.path);
});

test('ordering again lists the items that exceed the maximum size of a cart', async () => {
  const shop = await openShop();
  const { customer, browser } = await givenVisitor(shop);
  const sizes = Array.from({ length: 102 }, (_, index) => `${index + 1}`);
  const { id } = await shop.givenProduct({
    name: 'Ring',
    options: [{ name: 'Size', values: sizes }],
    variants: sizes.map((option1) => ({ option1, inventory_quantity: 5 })),
  });
  const order = await shop.givenOrder({ client: customer.client });
  await shop.owner.query(
    `insert into commerce.order_lines (site_id, id, order_id, position, name, variant_name, quantity, price, total, variant_id)
      select site_id, gen_random_uuid(), $2, 1 + position, 'Ring', option1, 1, 0, 0, id
      from commerce.variants where site_id = $1 and product_id = $3`,
    [shop.site_id, order.id, id],
  );
  const told = await browser.press(await browser.open(accountOf(shop, `&order=${order.id}`)), 'reorder');
  expect([
    ...textOf(told.html).matchAll(/Ring, (\d+): an order can contain at most 100 different items/g),
  ]).toHaveLength(3);
  expect((await browser.press(told, 'reorder')).path).toMatch(/^\/checkout\/chk_/);
});

test('ordering again lists the items that are no longer for sale before it creates a checkout for the rest', async () => {
  const shop = await openShop();
  const { customer, browser } = await givenVisitor(shop);
  const [mug, bowl, plate] = [
    await shop.givenProduct({ name: 'Mug' }),
    await shop.givenProduct({ name: 'Bowl', inventory_quantity: 5 }),
    await shop.givenProduct({ name: 'Plate' }),
  ];
  const content = [mug, bowl, plate].map(({ variants }) => ({ variant_id: variants[0]?.id ?? '', quantity: 3 }));
  const order = await shop.givenOrder({ content, client: customer.client });
  const archive = (product_id: string) =>
    shop.dashboard.PATCH('/api/dashboard/products/{product_id}', {
      params: { path: { product_id } },
      body: { status: 'archived' },
    });
  await archive(mug.id);

  const page = await browser.open(accountOf(shop, `&order=${order.id}`));
  const told = await browser.press(page, 'reorder');
  expect(heading(told)).toBe('Some items are no longer available');
  expect(textOf(told.html)).toContain('Mug: no longer for sale.');
  expect(textOf(told.html)).toContain('Bowl: only 2 of 3 can be ordered.');
  const count = async () =>
    (await shop.owner.query('select from commerce.checkouts where site_id = $1 and order_id is null', [shop.site_id]))
      .rowCount;
  expect(await count()).toBe(0);
  const checkout = await browser.press(told, 'reorder');
  expect(checkout.path).toMatch(/^\/checkout\/chk_/);
  expect([...textOf(checkout.html).matchAll(/(\d) × /g)].map(([, pieces]) => pieces)).toEqual(['2', '3']);

  await archive(bowl.id);
  await archive(plate.id);
  await cancelOpen(shop, customer.client);
  const nothing = await browser.press(page, 'reorder');
  expect(heading(nothing)).toBe('Nothing in this order is available any more');
  expect(nothing.html).not.toContain('value="reorder"');
  expect(await count()).toBe(1);
});

test('logging out everywhere ends the page’s session and all API sessions', async () => {
  const shop = await openShop();
  const { customer, browser } = await givenVisitor(shop);
  const other = new PaperBrowser(shop.baseUrl);
  await other.press(await other.open(accountOf(shop)), 'log_in', { email: customer.email, password: PASSWORD });

  const page = await browser.press(await browser.open(accountOf(shop, '&view=profile')), 'log_out_everywhere');
  expect(heading(page)).toBe('Log in to your account');
  expect(heading(await other.open(accountOf(shop)))).toBe('Log in to your account');
  expect((await customer.client.GET('/api/storefront/customer/me')).response.status).toBe(401);
});

test('rejects account forms from another origin, with another session or with the form token of another page', async () => {
  const shop = await openShop();
  await shop.dashboard.PATCH('/api/dashboard/settings', { body: { ask_for_marketing: true } });
  const { customer, browser, account } = await givenVisitor(shop);
  const order = await shop.givenOrder({ client: customer.client });
  const overview = await browser.open(accountOf(shop));
  const profile = await browser.open(accountOf(shop, '&view=profile'));
  const deletion = await browser.open(accountOf(shop, '&view=delete'));
  const address = await browser.open(accountOf(shop, '&view=address'));
  const page = await browser.open(accountOf(shop, `&order=${order.id}`));
  const other = await givenVisitor(shop);
  const state = async () => {
    const { rows } = await shop.owner.query(
      `select (select count(*) from commerce.customer_tokens where site_id = $1 and revoked_at is null) as sessions,
        (select count(*) from commerce.checkouts where site_id = $1) as checkouts,
        (select count(*) from commerce.marketing_consents where site_id = $1) as consents,
        (select count(*) from commerce.customer_addresses where site_id = $1) as addresses,
        (select string_agg(coalesce(first_name, '') || password_hash, ' ' order by id) from commerce.customers
          where site_id = $1) as customers`,
      [shop.site_id],
    );
    return rows[0];
  };
  const before = await state();
  const cross = { Origin: 'https://evil.example', 'Sec-Fetch-Site': 'cross-site' };
  for (const [from, action] of [
    [profile, 'log_out_everywhere'],
    [profile, 'marketing_on'],
    [profile, 'save_profile'],
    [profile, 'change_email'],
    [profile, 'change_password'],
    [deletion, 'delete_account'],
    [address, 'save_address'],
    [overview, 'log_out'],
    [page, 'reorder'],
  ] as const) {
    const fields = () => {
      const filled = formWith(from.html, action);
      filled.set('action', action);
      const entries = { marketing: 'yes', first_name: 'Mallory', current_password: PASSWORD, new_password: OTHER };
      const more = { new_password_again: OTHER, password_for_email: PASSWORD, password_for_deletion: PASSWORD };
      const home = { last_name: 'M', address1: 'M 1', postal_code: '10115', city: 'M', country: 'DE' };
      for (const [name, value] of Object.entries({ ...entries, ...more, ...home, new_email: 'm@example.com' })) {
        filled.set(name, value);
      }
      return filled;
    };
    const target = actionOf(from, action);
    const theirs = fields();
    theirs.set('csrf', formWith(other.account.html, 'log_out').get('csrf') ?? '');
    const forged = [
      await browser.send(target, fields(), cross),
      await browser.send(target, theirs),
      await other.browser.send(target, fields()),
    ];
    expect([action, forged.map(({ response }) => response.status)]).toEqual([action, [403, 403, 403]]);
  }
  expect(await state()).toEqual(before);
  expect(heading(await browser.open(account.path + accountOf(shop).slice('/account'.length)))).toBe('Your account');
});
