import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { mailsTo } from '../../../test/mail.ts';
import { formWith, type Page, PaperBrowser, unescaped } from '../../../test/paper-browser.ts';
import { startServer, stopServer } from '../../../test/server.ts';
import { openShop } from '../../../test/shop.ts';
import { databaseUrl } from '../../../test/worker-database.ts';

const PASSWORD = 'correct horse battery staple';
const NEW = { new_password: 'a longer horse', new_password_again: 'a longer horse' };

type OpenShop = Awaited<ReturnType<typeof openShop>>;

/** URL of the link in the newest mail to an e-mail address. */
async function linkTo(shop: OpenShop, email: string): Promise<string> {
  const { html = '' } = (await mailsTo(shop, email)).at(-1) ?? {};
  return unescaped(/href="([^"]*\/account\/[^"]*)"/.exec(html)?.[1] ?? '');
}

async function givenRegistration() {
  const shop = await openShop();
  const email = `june-${randomUUID()}@example.com`;
  const body = { email, password: PASSWORD };
  await shop.storefront.POST('/api/storefront/customer/register', { body });
  return { ...shop, email, link: await linkTo(shop, email), browser: new PaperBrowser(shop.baseUrl) };
}

async function givenReset() {
  const shop = await openShop();
  const customer = await shop.givenCustomer();
  const { email } = customer;
  await shop.storefront.POST('/api/storefront/customer/reset-request', { body: { email } });
  return { ...shop, customer, email, link: await linkTo(shop, email), browser: new PaperBrowser(shop.baseUrl) };
}

async function logInAs({ storefront }: OpenShop, email: string, password: string): Promise<number> {
  return (await storefront.POST('/api/storefront/customer/login', { body: { email, password } })).response.status;
}

/** All rows that a mailed link could change. */
async function rows({ owner, site_id }: OpenShop) {
  const { rows: found } = await owner.query(
    `select (select json_agg(c order by id) from commerce.customers c where site_id = $1) as customers,
      (select json_agg(c order by token_hash) from commerce.customer_codes c where site_id = $1) as codes,
      (select json_agg(r order by email) from commerce.customer_registrations r where site_id = $1) as registrations,
      (select json_agg(t order by id) from commerce.customer_tokens t where site_id = $1) as tokens,
      (select json_agg(a order by id) from commerce.audit_events a where site_id = $1) as audited`,
    [site_id],
  );
  return found[0];
}

function heading({ html }: Page): string {
  return unescaped(/<h1>([^<]*)<\/h1>/.exec(html)?.[1] ?? '');
}

test('the button of a verification link confirms the e-mail address, and a later visit shows that it is confirmed', async () => {
  const given = await givenRegistration();
  const { browser, link, email } = given;
  const form = await browser.open(link);
  expect([form.response.status, heading(form)]).toEqual([200, 'Confirm your e-mail address']);
  expect(form.html).toContain(email);
  expect(await logInAs(given, email, PASSWORD)).toBe(401);

  const done = await browser.press(form, 'verify_email');
  expect([done.response.status, heading(done)]).toEqual([200, 'Your e-mail address is confirmed']);
  expect(await logInAs(given, email, PASSWORD)).toBe(200);
  const again = await browser.open(link);
  expect([again.html, formWithout(again)]).toEqual([done.html, true]);
});

function formWithout({ html }: Page): boolean {
  return !html.includes('<form');
}

test('a mailed link sets a new password and ends every session', async () => {
  const given = await givenReset();
  const { browser, link, email, customer } = given;
  const form = await browser.open(link);
  expect([form.response.status, heading(form)]).toEqual([200, 'Choose a new password']);
  expect(form.html).toContain('At least 8 characters');

  const done = await browser.press(form, 'reset_password', NEW);
  expect([done.response.status, heading(done)]).toEqual([200, 'Your password has been changed']);
  expect((await customer.client.GET('/api/storefront/customer/me')).response.status).toBe(401);
  expect(await logInAs(given, email, PASSWORD)).toBe(401);
  expect(await logInAs(given, email, NEW.new_password)).toBe(200);
  expect((await mailsTo(given, email)).at(-1)?.subject).toContain('has changed');
  const { audited } = await rows(given);
  const acts = audited.filter(({ action }: { action: string }) => action === 'storefront.resetPassword');
  expect(acts).toMatchObject([{ actor_type: 'customer', actor_id: customer.id, status: 303 }]);
});

test('opening a mailed link with GET or HEAD changes nothing, even many times', async () => {
  for (const given of [await givenRegistration(), await givenReset()]) {
    const before = await rows(given);
    for (const method of ['GET', 'HEAD', 'GET', 'HEAD']) {
      const { response } = await given.browser.open(given.link, { method, headers: { 'Sec-Purpose': 'prefetch' } });
      expect(response.status).toBe(200);
    }
    expect(await rows(given)).toEqual(before);
  }
});

test('shows errors in a new password at its field, and does not return the password', async () => {
  const given = await givenReset();
  const { browser, link } = given;
  const form = await browser.open(link);
  const before = await rows(given);
  const tries: [Record<string, string>, string, string][] = [
    [{}, 'new_password', 'Enter a new password.'],
    [{ new_password: 'Hunter2' }, 'new_password', 'Use at least 8 characters: this password has 7.'],
    [{ new_password: 'q'.repeat(1_025) }, 'new_password', 'Use at most 1,024 characters: this password has 1,025.'],
    [{ new_password: 'eight\0characters' }, 'new_password', 'Remove unsupported characters.'],
    [{ new_password: 'Hunter2Hunter2' }, 'new_password_again', 'Enter the new password once more.'],
    [
      { new_password: 'Hunter2Hunter2', new_password_again: 'Hunter2Hunter3' },
      'new_password_again',
      'The passwords do not match. Enter the new password twice.',
    ],
  ];
  for (const [entries, field, words] of tries) {
    const { response, html } = await browser.press(form, 'reset_password', entries);
    expect([response.status, html.includes(`<a href="#${field}">${words}</a>`)]).toEqual([422, true]);
    expect(html).toMatch(
      new RegExp(`id="${field}"[^>]*aria-describedby="[^"]*${field}-error"[^>]*aria-invalid="true"`),
    );
    for (const password of Object.values(entries)) expect(html).not.toContain(password);
  }
  expect(await rows(given)).toEqual(before);
});

test('stores a password exactly as entered', async () => {
  const given = await givenReset();
  const password = '  two  spaces at each end  ';
  const form = await given.browser.open(given.link);
  await given.browser.press(form, 'reset_password', { new_password: password, new_password_again: password });
  expect(await logInAs(given, given.email, password.trim())).toBe(401);
  expect(await logInAs(given, given.email, password)).toBe(200);
});

test('if several requests use a password reset link concurrently, one sets the password and the others report a used link', async () => {
  const given = await givenReset();
  const { browser, link, email } = given;
  const form = await browser.open(link);
  const passwords = ['the first horse', 'the second horse', 'the third horse'];
  const pages = await Promise.all(
    passwords.map((password) =>
      browser.press(form, 'reset_password', { new_password: password, new_password_again: password }),
    ),
  );
  expect(pages.map(heading).toSorted()).toEqual([
    'This link has already been used',
    'This link has already been used',
    'Your password has been changed',
  ]);
  const set = passwords[pages.findIndex((page) => page.response.status === 200)] ?? '';
  expect(await logInAs(given, email, set)).toBe(200);
});

test('the page of an expired mailed link answers GET and POST with 410 and the reason', async () => {
  const each = { verify_email: await givenRegistration(), reset_password: await givenReset() };
  for (const [action, given] of Object.entries(each)) {
    const { browser, link, owner, site_id } = given;
    const form = await browser.open(link);
    await owner.query('update commerce.customer_codes set expires_at = now() where site_id = $1', [site_id]);
    for (const page of [await browser.open(link), await browser.press(form, action, NEW)]) {
      expect([page.response.status, heading(page), formWithout(page)]).toEqual([410, 'This link has expired', true]);
    }
  }
});

test('shows the same page for a mailed link of another shop or purpose, a replaced link and an invented link', async () => {
  for (const given of [await givenRegistration(), await givenReset()]) {
    const { browser, link, site_id, email, storefront } = given;
    const other = await openShop();
    const { pathname } = new URL(link);
    await storefront.POST('/api/storefront/customer/reset-request', { body: { email } });
    await storefront.POST('/api/storefront/customer/verify-email/resend', { body: { email } });
    await linkTo(given, email);
    const swapped = pathname.includes('/reset/')
      ? pathname.replace('/reset/', '/verify-email/')
      : pathname.replace('/verify-email/', '/reset/');
    const paths = [
      pathname.replace(site_id, other.site_id),
      pathname.replace(site_id, randomUUID()),
      pathname.replace(site_id, 'no-uuid'),
      swapped,
      pathname,
      pathname.slice(0, -1),
      pathname.replace(/[^/]*$/, 'rst_nothing'),
    ];
    const answers = await Promise.all(paths.map((path) => browser.open(path)));
    for (const { response, html } of answers) {
      expect([response.status, html]).toEqual([404, answers[0]?.html]);
      expect(response.headers.getSetCookie()).toEqual([]);
    }
    expect(heading(answers[0] as Page)).toBe('This link does not work');
  }
});

test('rejects a registration link if an account was created for its e-mail address in the meantime, and changes nothing', async () => {
  const given = await givenRegistration();
  const { browser, link, email, owner } = given;
  const form = await browser.open(link);
  await given.givenCustomer({ email, password: 'the password of the account' });
  const page = await browser.press(form, 'verify_email');
  expect([page.response.status, heading(page)]).toEqual([410, 'This link no longer works']);
  expect(await logInAs(given, email, 'the password of the account')).toBe(200);
  const { rowCount } = await owner.query('select from commerce.customers where site_id = $1', [given.site_id]);
  expect(rowCount).toBe(1);
});

test('rejects a form opened from a mailed link if it comes from another origin, another link or another browser (403)', async () => {
  const each = { verify_email: await givenRegistration(), reset_password: await givenReset() };
  const other = await givenReset();
  for (const [action, given] of Object.entries(each)) {
    const { browser, link } = given;
    const { path, html } = await browser.open(link);
    const fields = formWith(html, action);
    for (const [name, value] of Object.entries({ ...NEW, action })) fields.set(name, value);
    const foreign = formWith((await browser.open(other.link)).html, 'reset_password').get('csrf') ?? '';
    const before = await rows(given);
    const tries: [string, Record<string, string>, (form: URLSearchParams) => void][] = [
      ['of another site', { Origin: 'https://evil.example', 'Sec-Fetch-Site': 'cross-site' }, () => {}],
      ['of a neighbour', { 'Sec-Fetch-Site': 'same-site' }, () => {}],
      ['typed by hand', { 'Sec-Fetch-Site': 'none' }, () => {}],
      ['with a foreign origin', { Origin: 'https://evil.example' }, () => {}],
      ['without its token', {}, (form) => form.delete('csrf')],
      ['with a made-up token', {}, (form) => form.set('csrf', 'A'.repeat(43))],
      ["with another link's token", {}, (form) => form.set('csrf', foreign)],
    ];
    for (const [what, headers, change] of tries) {
      const form = new URLSearchParams(fields);
      change(form);
      expect([what, (await browser.send(path, form, headers)).response.status]).toEqual([what, 403]);
    }
    expect((await new PaperBrowser(given.baseUrl).send(path, fields)).response.status).toBe(403);
    expect(await rows(given)).toEqual(before);
  }
});

test('ignores a form session that another site has set, and starts a new one when a link is used', async () => {
  const { browser, link, baseUrl } = await givenReset();
  const cookieOf = (page: Page) => page.response.headers.getSetCookie()[0]?.split(';')[0] ?? '';
  const form = await browser.open(link);
  const own = cookieOf(form);
  for (const planted of [
    `form=${'A'.repeat(43)}`,
    own.replace(/.$/, (end) => (end === 'A' ? 'B' : 'A')),
    `${own}; ${own}`,
  ]) {
    const page = await new PaperBrowser(baseUrl).open(link, { headers: { Cookie: planted } });
    expect(cookieOf(page)).toMatch(/^form=[0-9a-z]+\.[A-Za-z0-9_-]{43}\.[A-Za-z0-9_-]{43}$/);
    expect(cookieOf(page)).not.toBe(own);
  }
  expect(cookieOf(await browser.open(link))).toBe('');

  const { path, html } = form;
  const fields = formWith(html, 'reset_password');
  for (const [name, value] of Object.entries({ ...NEW, action: 'reset_password' })) fields.set(name, value);
  const sent = { Origin: 'null', 'Sec-Fetch-Site': 'same-origin' };
  const done = await browser.open(path, { method: 'POST', body: fields, headers: sent });
  expect([done.response.status, cookieOf(done)]).toEqual([303, expect.stringMatching(/^form=/)]);
  expect(cookieOf(done)).not.toBe(own);
  expect(await browser.send(path, fields)).toMatchObject({ response: { status: 403 } });
});

test('the pages behind mailed links cannot be framed, cached, indexed or scripted, and send no referrer', async () => {
  for (const { browser, link } of [await givenRegistration(), await givenReset()]) {
    const { response, html } = await browser.open(link);
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'content-security-policy': expect.stringContaining("frame-ancestors 'none'"),
      'x-frame-options': 'DENY',
      'cache-control': 'no-store',
      'referrer-policy': 'no-referrer',
      'x-robots-tag': 'noindex, nofollow',
      'content-type': 'text/html; charset=utf-8',
    });
    expect(html).not.toMatch(/<script|<style|\sstyle=|\son[a-z]+=/i);
  }
});

test('answers 429 after thirty uses of mailed links in 15 minutes', async () => {
  const given = await givenReset();
  const limited = await startServer(databaseUrl(), { rateLimits: true });
  const browser = new PaperBrowser(limited.baseUrl);
  const form = await browser.open(given.link);
  const statuses: number[] = [];
  for (let count = 0; count < 31; count += 1) {
    statuses.push((await browser.press(form, 'reset_password')).response.status);
  }
  expect([statuses.slice(0, 30).every((status) => status === 422), statuses[30]]).toEqual([true, 429]);
  await stopServer(limited);
});
