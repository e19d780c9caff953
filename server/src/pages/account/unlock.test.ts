import { randomUUID } from 'node:crypto';
import { createClient } from '@commerce-backend/sdk';
import type pg from 'pg';
import { expect, test } from 'vitest';
import { mailsTo } from '../../../test/mail.ts';
import { PaperBrowser, unescaped } from '../../../test/paper-browser.ts';
import { openShop } from '../../../test/shop.ts';

/** Extends all login delays so that they do not end during the test. */
async function holdDelays({ owner }: { owner: pg.Pool }): Promise<void> {
  await owner.query(
    `update commerce.login_throttles set next_attempt_at = now() + interval '10 minutes' where failures >= 5`,
  );
}

const PASSWORD = 'correct horse battery staple';

/** Logs in on the account page. Returns the response's status. */
async function logInAt(browser: PaperBrowser, site_id: string, email: string, password: string): Promise<number> {
  const page = await browser.open(`/account?site_id=${site_id}`);
  return (await browser.press(page, 'log_in', { email, password })).response.status;
}

async function givenCustomerUnderAttack() {
  const shop = await openShop();
  const { email } = await shop.givenCustomer();
  const login = (password: string, unlock_token?: string) =>
    shop.storefront.POST('/api/storefront/customer/login', { body: { email, password, unlock_token } });
  for (let guess = 0; guess < 5; guess += 1) await login(`wrong ${guess}`);
  await holdDelays(shop);
  const mails = (await mailsTo(shop, email)).filter(({ subject }) => subject.includes('delayed'));
  const link = unescaped(/href="([^"]*\/unlock\/[^"]*)"/.exec(mails[0]?.html ?? '')?.[1] ?? '');
  return { ...shop, email, login, mails, link, token: link.split('/').at(-1) ?? '' };
}

test('a customer locked out by strangers gets one mail with a link, and can log in with the browser that opens it', async () => {
  const { baseUrl, site_id, email, login, mails, link } = await givenCustomerUnderAttack();
  const [browser, other] = [new PaperBrowser(baseUrl), new PaperBrowser(baseUrl)];

  expect(mails).toHaveLength(1);
  expect((await login(PASSWORD)).response.status).toBe(429);
  const shown = await browser.open(link);
  expect(shown.response.headers.get('Cache-Control')).toBe('no-store');
  expect(shown.response.headers.get('Referrer-Policy')).toBe('no-referrer');
  expect(await logInAt(browser, site_id, email, PASSWORD)).toBe(429);
  await browser.press(shown, 'unlock');

  expect((await browser.open(link)).html).toContain('You can log in now');
  expect(await logInAt(browser, site_id, email, 'wrong')).toBe(401);
  expect(await logInAt(browser, site_id, email, PASSWORD)).toBe(200);
  expect(await logInAt(other, site_id, email, PASSWORD)).toBe(429);
  const again = await other.open(link);
  expect(again.html).toContain('This link has already been used');
});

test('counts failed logins separately in a browser that opened the unlock link', async () => {
  const given = await givenCustomerUnderAttack();
  const { baseUrl, site_id, email, link } = given;
  const browser = new PaperBrowser(baseUrl);
  await browser.press(await browser.open(link), 'unlock');

  const statuses: number[] = [];
  for (let guess = 0; guess < 5; guess += 1) statuses.push(await logInAt(browser, site_id, email, `wrong ${guess}`));
  await holdDelays(given);

  expect(statuses).toEqual([401, 401, 401, 401, 401]);
  expect(await logInAt(browser, site_id, email, PASSWORD)).toBe(429);
});

test('used or expired unlock links and those of other shops do not end a login delay', async () => {
  const [mine, theirs] = [await givenCustomerUnderAttack(), await givenCustomerUnderAttack()];
  const { owner, login, token } = mine;

  expect((await login(PASSWORD, theirs.token)).response.status).toBe(429);
  expect((await login(PASSWORD, `${token}x`)).response.status).toBe(429);
  expect((await theirs.login(PASSWORD, theirs.token)).response.status).toBe(200);
  expect((await theirs.login(PASSWORD, theirs.token)).response.status).toBe(429);
  await owner.query(`update commerce.login_unlocks set expires_at = now() where used_at is null`);
  expect((await login(PASSWORD, token)).response.status).toBe(429);
  const late = await new PaperBrowser(mine.baseUrl).open(mine.link);
  expect([late.response.status, late.html.includes('expired')]).toEqual([410, true]);
});

test('staff get the unlock mail too, and an unknown e-mail address gets the same responses without a mail', async () => {
  const shop = await openShop();
  const { email } = shop.credentials.staff;
  const password = shop.credentials.staff.password ?? '';
  const client = createClient({ baseUrl: shop.baseUrl });
  const login = (address: string, body: { password: string; unlock_token?: string }) =>
    client.POST('/api/dashboard/auth/login', { body: { email: address, ...body } });
  const nobody = `${randomUUID()}@example.com`;

  const statuses = async (address: string) => {
    const found: number[] = [];
    for (let guess = 0; guess < 6; guess += 1) {
      if (guess === 5) await holdDelays(shop);
      found.push((await login(address, { password: `wrong ${guess}` })).response.status);
    }
    return found;
  };
  expect(await statuses(email)).toEqual([401, 401, 401, 401, 401, 429]);
  expect(await statuses(nobody)).toEqual([401, 401, 401, 401, 401, 429]);

  const [mail, ...others] = await mailsTo(shop, email);
  expect(others).toEqual([]);
  expect(await mailsTo(shop, nobody)).toEqual([]);
  const [unlock_token = ''] = /unl_[0-9A-Za-z]{38}/.exec(mail?.html ?? '') ?? [];
  expect((await login(email, { password })).response.status).toBe(429);
  expect((await login(email, { password: 'wrong', unlock_token })).response.status).toBe(401);
  expect((await login(email, { password, unlock_token })).response.status).toBe(200);
});
