import { expect } from 'vitest';
import { inChromium } from '../../../test/in-chromium.ts';
import { mailsTo } from '../../../test/mail.ts';
import { openShop } from '../../../test/shop.ts';
import { expectFocus, inspect, openTab, press } from '../../../test/tab.ts';

const { played, browser } = inChromium();

const PASSWORD = 'a longer horse and a better staple';

async function givenShop() {
  const shop = await openShop();
  await shop.dashboard.PATCH('/api/dashboard/settings', { body: { name: 'Alder & Finch' } });
  const urlIn = async (email: string) => {
    const html = (await mailsTo(shop, email)).at(-1)?.html ?? '';
    return shop.baseUrl + (/\/account\/[^"<\s]+/.exec(html)?.[0] ?? '');
  };
  const logIn = async (email: string, password: string) =>
    (await shop.storefront.POST('/api/storefront/customer/login', { body: { email, password } })).response.status;
  return { ...shop, urlIn, logIn };
}

async function openLooked(width: number) {
  const { page, complaints } = await openTab(browser(), width);
  const look = (step: string) => inspect(page, `${step}-${width}`);
  const heading = () => page.$eval('h1', ({ textContent }) => textContent);
  return { page, complaints, look, heading };
}

for (const width of [1280, 375]) {
  played(`without script, ${width} pixels wide, a new customer confirms the e-mail address`, async () => {
    const { storefront, urlIn, logIn, site_id } = await givenShop();
    const email = `june.okafor@s${site_id.slice(-8)}.example.com`;
    const body = { email, password: PASSWORD };
    await storefront.POST('/api/storefront/customer/register', { body });
    const { page, complaints, look, heading } = await openLooked(width);
    await page.goto(await urlIn(email));
    await look('verify-1-form');
    await press(page, 'verify_email');
    await look('verify-2-done');
    expect(await heading()).toBe('Your e-mail address is confirmed');
    expect(await logIn(email, PASSWORD)).toBe(200);
    expect(complaints).toEqual([]);
  });

  played(`without script, ${width} pixels wide, a customer sets a new password`, async () => {
    const { storefront, givenCustomer, urlIn, logIn, baseUrl, site_id, owner } = await givenShop();
    const { email } = await givenCustomer({ email: `june.okafor@s${site_id.slice(-8)}.example.com` });
    await storefront.POST('/api/storefront/customer/reset-request', { body: { email } });
    const { page, complaints, look, heading } = await openLooked(width);
    const url = await urlIn(email);
    await page.goto(url);
    await look('reset-1-form');

    await page.type('#new_password', 'horse');
    await press(page, 'reset_password');
    await look('reset-2-mistake');
    await expectFocus(page, 'new_password');

    // From here on, only the keyboard is used.
    await page.focus('.summary-of-mistakes a');
    await page.keyboard.press('Enter');
    await expectFocus(page, 'new_password');
    await page.keyboard.type(PASSWORD);
    await page.keyboard.press('Tab');
    await page.keyboard.type(PASSWORD);
    await Promise.all([page.waitForNavigation(), page.keyboard.press('Enter')]);
    await look('reset-3-done');
    expect(await heading()).toBe('Your password has been changed');
    expect(await logIn(email, PASSWORD)).toBe(200);

    expect(complaints).toEqual([expect.stringContaining('422')]);

    await page.goto(`${baseUrl}/account/${site_id}/reset/rst_nothing`);
    await look('reset-4-unknown');
    await owner.query('update commerce.customer_codes set used_at = null, expires_at = now() where site_id = $1', [
      site_id,
    ]);
    await page.goto(url);
    await look('reset-5-expired');
    expect(await heading()).toBe('This link has expired');
  });
}
