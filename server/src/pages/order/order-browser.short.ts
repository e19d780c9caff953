import { expect } from 'vitest';
import { inChromium } from '../../../test/in-chromium.ts';
import { mailsTo } from '../../../test/mail.ts';
import { openShop } from '../../../test/shop.ts';
import { accessibilityProblems, expectFocus, inspect, leaveScreenshot, openTab, press } from '../../../test/tab.ts';

const { played, browser } = inChromium();

/** Places a guest order in a German shop. Returns the link in its mail. */
async function givenLink() {
  const shop = await openShop();
  const email = `june@s${shop.site_id.slice(-8)}.example.com`;
  await shop.dashboard.PATCH('/api/dashboard/settings', {
    body: {
      name: 'Alder & Finch',
      default_locale: 'de',
      time_zone: 'Europe/Berlin',
      tax_rates: [{ country: 'DE', rate: '0.19' }],
      brand: { accent_color: '#2f5d50', support_email: 'help@shop.example' },
      legal: { terms_url: 'https://shop.example/terms', imprint_url: 'https://shop.example/imprint' },
    },
  });
  const towel = await shop.givenProduct({ name: 'Geschirrtuch aus gewaschenem Leinen, zwei Stück', price: '1234.50' });
  const content = [{ variant_id: towel.variants[0]?.id ?? '', quantity: 1 }];
  const { id, order_number, line_items } = await shop.givenOrder({ email, content });
  const { html = '' } = (await mailsTo(shop, email)).at(-1) ?? {};
  const path = /\/sites\/[^"]*\/orders\/ord_\w+/.exec(html)?.[0] ?? '';
  return { ...shop, order_id: id, order_number, line_items, url: shop.baseUrl + path };
}

for (const width of [1280, 375]) {
  played(`without script, ${width} pixels wide, a guest views an order with the link in its mail`, async () => {
    const { url, dashboard, order_id, order_number } = await givenLink();
    const { page, complaints } = await openTab(browser(), width);
    const look = async (step: string) => {
      await inspect(page, `order-${step}-${width}`);
      return String(await page.$eval('main', (main) => main.textContent)).replaceAll(/[\u00a0\u202f]/g, ' ');
    };

    await page.goto(url);
    const unpaid = await look('1-unpaid');
    expect(unpaid).toContain(`Bestellung ${order_number}`);
    expect(unpaid).toContain('1.239,40 €');
    expect(unpaid).not.toContain('Lindenallee');
    expect(await page.$$eval('button.take', (buttons) => buttons.map(({ hidden }) => hidden))).toEqual([
      true,
      true,
      true,
    ]);
    await page.type('#proof', '10116');
    await press(page, 'show_address');
    await look('2-wrong');
    await expectFocus(page, 'proof');
    await page.$eval('#proof', (input) => Object.assign(input, { value: '10115' }));
    await press(page, 'show_address');
    expect(await look('3-address')).toContain('Lindenallee 7');

    const params = { path: { order_id } };
    await dashboard.POST('/api/dashboard/orders/{order_id}/mark-paid', { params, body: {} });
    await dashboard.POST('/api/dashboard/orders/{order_id}/fulfillments', {
      params,
      body: { carrier: 'DHL', tracking_number: '00340434161094042557', tracking_url: 'https://dhl.example/00340' },
    });
    await dashboard.POST('/api/dashboard/orders/{order_id}/refunds', {
      params,
      body: { amount: '100.00', reason: 'damaged' },
    });
    await page.goto(url);
    expect(await look('4-sent')).toContain('erstattet: 100,00 €');
    expect(complaints).toEqual([expect.stringContaining('422')]);
  });
}

played('the copy buttons copy amount, IBAN and reference for banking forms, and do not shift the layout', async () => {
  const { url, baseUrl, order_number } = await givenLink();
  const { page, complaints } = await openTab(browser(), 375, { script: true });
  await page.browserContext().overridePermissions(baseUrl, ['clipboard-read', 'clipboard-sanitized-write']);
  await page.evaluateOnNewDocument(`
      globalThis.shifts = 0;
      new PerformanceObserver((list) => {
        for (const { value } of list.getEntries()) globalThis.shifts += value;
      }).observe({ type: 'layout-shift', buffered: true });`);
  await page.goto(url, { waitUntil: 'load' });

  const copied: string[] = [];
  for (const button of await page.$$('button.take')) {
    await button.click();
    await page.waitForFunction((one) => one.textContent === 'Kopiert', {}, button);
    copied.push(String(await page.evaluate('navigator.clipboard.readText()')));
  }

  expect(copied).toEqual(['1239,40', 'DE89370400440532013000', order_number]);
  expect(await page.$eval('[role="status"]', (status) => status.textContent)).toBe('Verwendungszweck: kopiert');
  expect(await accessibilityProblems(page)).toEqual([]);
  expect(await page.evaluate('globalThis.shifts')).toBe(0);
  await leaveScreenshot(page, 'order-buttons-375');
  expect(complaints).toEqual([]);
});

played('the Content-Security-Policy of the order page blocks all other scripts, even from our own origin', async () => {
  const { url, baseUrl } = await givenLink();
  const { page } = await openTab(browser(), 1280, { script: true });
  const blocked: string[] = [];
  await page.exposeFunction('blocked', (what: string) => blocked.push(what));
  await page.evaluateOnNewDocument(
    `addEventListener('securitypolicyviolation', ({ effectiveDirective }) => globalThis.blocked(effectiveDirective));`,
  );
  await page.goto(url);
  await page.evaluate(`(() => {
      for (const [name, value] of [['src', '${baseUrl}/docs/redoc.standalone.js'], ['text', 'globalThis.ran = true']]) {
        try {
          const script = document.createElement('script');
          script[name] = value;
          document.body.append(script);
        } catch {}
      }
      const inline = document.createElement('div');
      try {
        inline.setAttribute('onclick', 'globalThis.ran = true');
      } catch {}
      inline.click();
    })()`);
  await expect.poll(() => blocked.length).toBeGreaterThan(1);

  expect(await page.evaluate('globalThis.ran')).toBeUndefined();
  expect(await page.evaluate('typeof globalThis.Redoc')).toBe('undefined');
});
