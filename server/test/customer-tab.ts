/** The steps of a customer in a browser, who uses only the links and buttons of the pages. */

import type { Page } from './chromium.ts';
import { press } from './tab.ts';

export interface Login {
  email: string;
  password: string;
}

export async function logIn(page: Page, { email, password }: Login): Promise<void> {
  await page.type('#email', email);
  await page.type('#password', password);
  await press(page, 'log_in');
}

/** Approves an agent's request: chooses these categories, and enters this budget if the request has none. */
export async function allow(page: Page, terms: { budget?: string; categories?: string[] }): Promise<void> {
  if (terms.budget !== undefined) await page.type('#budget', terms.budget);
  if (terms.categories) await page.click('.adjust > summary');
  for (const category of terms.categories ?? []) await page.click(`[name^="category_"][value="${category}"]`);
  if (await page.$('#same_code')) await page.click('#same_code');
  await press(page, 'approve');
}

/**
 * Chooses a shipping option and bank transfer, reviews the order and places it. Returns the text of the order button.
 */
export async function confirm(page: Page, checkout_url: string): Promise<string> {
  await page.goto(checkout_url);
  for (const choice of ['[name="shipping_option_id"]', '[name="payment_method"][value="bank_transfer"]']) {
    if (await page.$(choice)) await page.click(choice);
  }
  if (await page.$('button[value="save"]')) await press(page, 'save');
  const button = await page.$eval('button[value="place_order"]', ({ textContent }) => textContent ?? '');
  await press(page, 'place_order');
  return button.trim();
}

/** Revokes the first agent on the account page. */
export async function revoke(page: Page, account: string): Promise<void> {
  const url = new URL(account);
  url.searchParams.set('view', 'assistants');
  await page.goto(url.href);
  await press(page, 'revoke');
}

/** The budget and categories that the assistants in examples/ request. The customer enters the same values. */
const HOSTED = { budget: '60.00', categories: ['Tableware'] };

/** Opens a link that an assistant prints for its customer. Returns the text of the button if an order was placed. */
export async function follow(page: Page, login: Login, link: string): Promise<string | undefined> {
  if (link.includes('/checkout/')) return confirm(page, link);
  if (link.includes('/account')) {
    await revoke(page, link);
    return undefined;
  }
  await page.goto(link);
  if (await page.$('#password')) await logIn(page, login);
  await allow(page, link.includes('/oauth/authorize') ? HOSTED : {});
  return undefined;
}
