import { requestConsent } from '@commerce-backend/sdk';
import { expect } from 'vitest';
import { askForConsent, poll } from '../../../test/agents.ts';
import { inChromium } from '../../../test/in-chromium.ts';
import { openShop } from '../../../test/shop.ts';
import { inspect, openTab, press } from '../../../test/tab.ts';

const { played, browser } = inChromium();

for (const width of [1280, 390]) {
  played(
    `without script, ${width} pixels wide, a customer approves an agent, confirms its checkout, and revokes it`,
    async () => {
      const shop = await openShop();
      await shop.dashboard.PATCH('/api/dashboard/settings', { body: { name: 'Alder & Finch' } });
      await shop.givenTerms();
      await shop.givenProduct({ name: 'Stoneware mug', price: '14.00', product_type: 'Kitchen' });
      const customer = await shop.givenCustomer();
      const { page, complaints } = await openTab(browser(), width);
      const look = (step: string) => inspect(page, `agent-${step}-${width}`);
      const heading = () => page.$eval('h1', ({ textContent }) => textContent);
      const logIn = async () => {
        await page.type('#email', customer.email);
        await page.type('#password', customer.password);
        await press(page, 'log_in');
      };
      const here = (address: string) => shop.baseUrl + address.replace(/^https?:\/\/[^/]+/, '');

      const asked = await askForConsent(shop, {
        agent_name: 'Kitchen helper',
        budget_cents: 5_000,
        budget_period: 'week',
        scopes: ['catalog:read', 'cart:write', 'checkout:create'],
        categories: ['Kitchen', 'Travel'],
      });
      await page.goto(here(asked.verification_uri_complete));
      await look('1-login');
      await logIn();
      expect(await heading()).toBe('Allow this assistant to shop for you?');
      await look('2-consent');
      await press(page, 'approve');
      await look('3-mistake');
      await page.click('#same_code');
      await press(page, 'approve');
      expect(await heading()).toBe('You have allowed access');
      await look('4-allowed');

      const { data: first } = await poll(shop, asked.device_code);
      const again = await requestConsent(
        { baseUrl: shop.baseUrl, siteId: shop.site_id, agentToken: first?.access_token ?? '' },
        { agent_name: 'Kitchen helper', budget_cents: 6_000, budget_period: 'month' },
      );
      await page.goto(here(again.verification_uri_complete));
      await look('4b-changes');
      expect(await page.$eval('.changes', ({ textContent }) => textContent)).toContain(
        'Previously €50.00 each week, now €60.00',
      );
      // The customer allows only one product type, denies access to the profile, changes the monthly budget to a single
      // one, and limits each purchase to 20.00.
      await page.click('.adjust > summary');
      await look('4c-adjust');
      for (const box of ['#category_0', '#scope_3', '[name=budget_period][value=once]', '#same_code']) {
        await page.click(box);
      }
      await page.type('#max_per_order', '20');
      await press(page, 'approve');
      expect(await heading()).toBe('You have allowed access');
      const { data: token } = await poll(shop, again.device_code);
      expect(token).toMatchObject({ categories: ['Kitchen'], budget_period: 'once', max_per_order_cents: 2_000 });
      expect(token?.scope).not.toContain('customer:self');
      const call = (path: string, body: object) =>
        fetch(`${shop.baseUrl}${path}`, {
          method: 'POST',
          headers: {
            Authorization: `Bearer ${token?.access_token}`,
            'Content-Type': 'application/json',
            'Idempotency-Key': crypto.randomUUID(),
          },
          body: JSON.stringify(body),
        });
      const bought = await call('/api/agent/intent/find-and-buy', { query: 'stoneware mug' });
      const { checkout_url } = (await bought.json()) as { checkout_url: string };

      await page.goto(`${shop.baseUrl}/account?site_id=${shop.site_id}`);
      expect(await heading()).toBe('Your account');
      await look('5-account');
      await page.goto(here(checkout_url));
      await look('6-checkout');
      await page.goto(`${shop.baseUrl}/account?site_id=${shop.site_id}&view=assistants`);
      await look('6-assistants');
      await press(page, 'revoke');
      await look('7-revoked');
      expect((await call('/api/agent/intent/find', { query: 'mug' })).status).toBe(401);
      await Promise.all([page.waitForNavigation(), page.click('a[href*="agent="]')]);
      expect(await page.$('.operations')).not.toBeNull();
      await look('8-activity');
      // Forms with mistakes are answered with 422, which browsers log.
      expect(complaints.filter((text) => !text.includes('422'))).toEqual([]);
    },
  );
}

for (const [locale, question] of [
  ['de', 'Darf dieser Assistent für Sie einkaufen?'],
  ['fr', 'Autoriser cet assistant à acheter pour vous ?'],
] as const) {
  played(`on a phone in ${locale}, a customer reads, adjusts and approves the request of an agent`, async () => {
    const shop = await openShop();
    await shop.dashboard.PATCH('/api/dashboard/settings', { body: { name: 'Alder & Finch' } });
    const customer = await shop.givenCustomer();
    const { page } = await openTab(browser(), 390);
    await page.setExtraHTTPHeaders({ 'Accept-Language': locale });
    const look = async (step: string) => {
      await inspect(page, `agent-${step}-${locale}-390`);
      expect(await page.$eval('html', ({ lang }) => lang)).toBe(locale);
    };
    const asked = await askForConsent(shop, {
      agent_name: 'Kitchen helper',
      budget_cents: 5_000,
      budget_period: 'month',
      scopes: ['catalog:read', 'cart:write', 'checkout:create', 'customer:self', 'orders:read', 'returns:request'],
      categories: ['Kitchen', 'Travel'],
    });
    await page.goto(shop.baseUrl + asked.verification_uri_complete.replace(/^https?:\/\/[^/]+/, ''));
    await look('1-login');
    await page.type('#email', customer.email);
    await page.type('#password', customer.password);
    await press(page, 'log_in');
    const heading = await page.$eval('h1', ({ textContent }) => textContent);
    expect(heading?.replaceAll(/[\u00a0\u202f]/g, ' ')).toBe(question);
    await look('2-consent');
    await page.click('.adjust > summary');
    await press(page, 'approve');
    await look('3-mistake');
    await page.click('#same_code');
    await press(page, 'approve');
    await look('4-allowed');
  });
}
