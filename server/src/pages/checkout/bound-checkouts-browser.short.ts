import { expect } from 'vitest';
import { inChromium } from '../../../test/in-chromium.ts';
import { openShop } from '../../../test/shop.ts';
import { accessibilityProblems, leaveScreenshot, openTab, press } from '../../../test/tab.ts';

const { played, browser } = inChromium();

played(
  'at both widths, the review marks changes made in the meantime, and another browser gets an empty form',
  async () => {
    for (const width of [390, 1280]) {
      const shop = await openShop();
      const { id, checkout_url } = await shop.givenCheckout();
      const url = shop.baseUrl + new URL(checkout_url ?? '').pathname;
      const params = { path: { checkout_id: id } };
      const { page } = await openTab(browser(), width);
      await page.goto(url);
      const shipping_address = {
        last_name: 'Okafor',
        address1: 'Hafenstr. 1',
        city: 'Hamburg',
        postal_code: '20095',
        country: 'DE',
      };
      await shop.storefront.PATCH('/api/storefront/checkout/{checkout_id}', {
        params,
        body: { shipping_address, email: 'other@example.com' },
      });
      await press(page, 'place_order');
      await leaveScreenshot(page, `checkout-changed-${width}`);
      const marked = await page.$$eval('.answer.changed dt', (terms) =>
        terms.map(({ textContent }) => textContent?.trim()),
      );
      expect(marked).toEqual(['Contact changed', 'Deliver to changed']);
      expect(await accessibilityProblems(page)).toEqual([]);

      await page.goto(`${url}?change=1`);
      await press(page, 'save');
      const { page: second } = await openTab(browser(), width);
      await second.goto(url);
      await leaveScreenshot(second, `checkout-elsewhere-${width}`);
      expect(await second.$eval('#email', (field) => (field as unknown as { value: string }).value)).toBe('');
      expect(await accessibilityProblems(second)).toEqual([]);
    }
  },
);
