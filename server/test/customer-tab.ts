import type { Page } from './chromium.ts';
import { press } from './tab.ts';

/** What a customer does about an assistant in a browser, only by what the pages offer. */

export interface Login {
  email: string;
  password: string;
}

export async function logIn(page: Page, { email, password }: Login): Promise<void> {
  await page.type('#email', email);
  await page.type('#password', password);
  await press(page, 'log_in');
}

/** Approves the request, with this budget if the request names none, and these kinds of products. */
export async function allow(page: Page, terms: { budget?: string; categories?: string[] }): Promise<void> {
  if (terms.budget !== undefined) await page.type('#budget', terms.budget);
  for (const category of terms.categories ?? []) await page.click(`[name^="category_"][value="${category}"]`);
  if (await page.$('#same_code')) await page.click('#same_code');
  await press(page, 'approve');
}

/** Fills in the missing fields, reviews the order, and places it. Returns the text of the button. */
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

/** Ends the access of the assistant that the account page lists first. */
export async function revoke(page: Page, account: string): Promise<void> {
  await page.goto(account);
  await press(page, 'revoke');
}

/** What the assistants in examples/ request, for steps in which the customer repeats it. */
const HOSTED = { budget: '60.00', categories: ['Tableware'] };

/**
 * Follows the link that an assistant prints for its customer: "Open …". Returns the text of the button if something was ordered.
 */
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
