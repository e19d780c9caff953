import { expect } from 'vitest';
import { inChromium } from '../../../test/in-chromium.ts';
import { openShop } from '../../../test/shop.ts';
import { expectFocus, inspect, openTab, press } from '../../../test/tab.ts';
import { moveToEu } from '../../../test/withdrawals.ts';

const { played, browser } = inChromium();

for (const width of [1280, 390]) {
  played(`without script, ${width} pixels wide, a consumer withdraws from a contract`, async () => {
    const shop = await openShop();
    await moveToEu(shop);
    await shop.dashboard.PATCH('/api/dashboard/settings', { body: { name: 'Alder & Finch' } });
    const { page, complaints } = await openTab(browser(), width);
    const look = async (step: string) => {
      await inspect(page, `withdraw-${step}-${width}`);
      return String(await page.$eval('main', (main) => main.textContent));
    };

    await page.goto(`${shop.baseUrl}/sites/${shop.site_id}/withdraw`);
    await look('1-entry');
    await press(page, 'review');
    await look('2-mistakes');
    await expectFocus(page, 'name');
    await page.type('#name', 'Jo Doe');
    await page.type('#email', `jo-${crypto.randomUUID()}@example.com`);
    await page.type('#contract', '1001');
    await page.type('#note', 'Der blaue Schal\nund die Mütze');
    await press(page, 'review');
    expect(await look('3-review')).toContain('I hereby withdraw');
    await press(page, 'confirm');
    expect(await look('4-sent')).toContain('We have received your withdrawal');
    expect(complaints).toEqual([expect.stringContaining('422')]);
  });
}
