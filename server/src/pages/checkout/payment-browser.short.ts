import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished } from 'vitest';
import type { Page } from '../../../test/chromium.ts';
import { inChromium } from '../../../test/in-chromium.ts';
import { startServer, stopServer } from '../../../test/server.ts';
import { openShop } from '../../../test/shop.ts';
import { arriveAt, inspect, openTab, press } from '../../../test/tab.ts';
import { databaseUrl } from '../../../test/worker-database.ts';
import { freePort } from '../../db/free-port.ts';

const { played, browser } = inChromium();

/** Starts a server that a browser can reach at the server's own base URL. */
async function givenReachableServer() {
  const port = await freePort();
  const server = await startServer(databaseUrl(), { baseUrl: `http://127.0.0.1:${port}` }, undefined, port);
  onTestFinished(() => stopServer(server));
  return server;
}

async function givenReview(baseUrl: string) {
  const shop = await openShop();
  await shop.dashboard.PATCH('/api/dashboard/settings', { body: { name: 'Alder & Finch' } });
  const product = await shop.givenProduct({ name: 'Stoneware mug', price: '14.00' });
  const content = [{ variant_id: product.variants[0]?.id ?? '', quantity: 2 }];
  const { checkout_url } = await shop.givenCheckout({ content, payment_method: 'card' });
  return { ...shop, url: baseUrl + new URL(checkout_url ?? '').pathname };
}

/**
 * Starts a website at another origin, as a substitute for a payment provider. Its page contains only the return link.
 */
async function givenForeignPage(): Promise<{ origin: string; comeBackTo(url: string): void }> {
  let back = '';
  const server = createServer((_req, res) => {
    res.setHeader('Content-Type', 'text/html').end(`<h1>Bank</h1><a id="back" href="${back}">Back</a>`);
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo;
  return {
    origin: `http://127.0.0.1:${port}`,
    comeBackTo(url) {
      back = url;
    },
  };
}

async function follow(page: Page, selector: string): Promise<void> {
  await Promise.all([page.waitForNavigation(), page.click(selector)]);
}

for (const width of [1280, 375]) {
  played(
    `without script, ${width} pixels wide, a shopper pays on a provider's page and returns to the order`,
    async () => {
      const { baseUrl } = await givenReachableServer();
      const { url, dashboard } = await givenReview(baseUrl);
      const { page, complaints } = await openTab(browser(), width);
      const look = (step: string) => inspect(page, `payment-${step}-${width}`);
      await page.goto(url);
      await look('1-review');

      await page.click('[name="card_token"][value="page"]');
      await page.click('button[value="place_order"]');
      await arriveAt(page, /test-payment/);
      await look('2-provider');
      await page.goto(url);
      await look('3-open');
      await press(page, 'cancel_payment');
      await look('4-cancelled');
      await page.click('[name="card_token"][value="tok_3ds"]');
      await page.click('button[value="place_order"]');
      await arriveAt(page, /test-payment/);
      await page.click('button[value="approve"]');
      await arriveAt(page, /checkout\/chk_[0-9A-Za-z]+$/);
      await look('5-confirmation');

      expect(await page.$eval('h1', (heading) => heading.textContent)).toBe('Thank you for your order');
      expect((await dashboard.GET('/api/dashboard/orders')).data?.orders).toMatchObject([{ payment_status: 'paid' }]);
      expect(complaints).toEqual([]);
    },
  );
}

played(
  'the order button redirects to another origin, although the Content-Security-Policy allows forms only to our own',
  async () => {
    const { baseUrl, owner } = await givenReachableServer();
    const { url, site_id } = await givenReview(baseUrl);
    const bank = await givenForeignPage();
    bank.comeBackTo(`${url}/return`);
    const { page, complaints } = await openTab(browser(), 1280);
    await page.goto(url);
    await page.click('[name="card_token"][value="page"]');
    await page.click('button[value="place_order"]');
    await arriveAt(page, /test-payment/);
    // After the decision on the test provider's page, the browser is sent to another origin.
    await owner.query('update commerce.test_payments set return_url = $2 where site_id = $1', [site_id, bank.origin]);
    await page.click('button[value="approve"]');
    await arriveAt(page, new RegExp(`^${bank.origin}`));
    await follow(page, '#back');

    expect(await page.$eval('h1', (heading) => heading.textContent)).toBe('Thank you for your order');
    expect(complaints).toEqual([]);
  },
);
