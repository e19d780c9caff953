import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import * as oauth from 'openid-client';
import { expect } from 'vitest';
import { inChromium } from '../../../test/in-chromium.ts';
import { beginAuthorization, registeredClient } from '../../../test/oauth.ts';
import { openShop } from '../../../test/shop.ts';
import { inspect, openTab, press } from '../../../test/tab.ts';

const { played, browser } = inChromium();

played(
  'a customer approves an app that requests access, and is redirected to it despite the Content-Security-Policy',
  async () => {
    const shop = await openShop();
    const customer = await shop.givenCustomer();
    const arrivals: string[] = [];
    const app = createServer(({ url = '' }, res) => {
      arrivals.push(url);
      res.setHeader('Content-Type', 'text/html').end('<!doctype html><title>App</title><h1>Back in the app</h1>');
    });
    await new Promise<void>((listening) => app.listen(0, '127.0.0.1', listening));
    const redirect_uri = `http://127.0.0.1:${(app.address() as AddressInfo).port}/callback`;
    const config = await registeredClient(shop, ['http://127.0.0.1/callback']);
    const { page, complaints } = await openTab(browser(), 390);
    const heading = () => page.$eval('h1', ({ textContent }) => textContent);
    // Our page redirects to the app without a click.
    const backInTheApp = () => expect.poll(() => heading().catch(() => '')).toBe('Back in the app');
    const look = (step: string) => inspect(page, `authorization-${step}`);
    const begin = async () => {
      const begun = await beginAuthorization(config, { redirect_uri });
      // The server's links start with its configured base URL, but in this test the server listens at another URL.
      const sent = await fetch(shop.baseUrl + begun.address.pathname + begun.address.search, { redirect: 'manual' });
      await page.goto(shop.baseUrl + (sent.headers.get('Location') ?? '').replace(/^https?:\/\/[^/]+/, ''));
      return begun;
    };

    const { code_verifier, state } = await begin();
    await page.type('#email', customer.email);
    await page.type('#password', customer.password);
    await press(page, 'log_in');
    expect(await heading()).toBe('Allow this assistant to shop for you?');
    await look('1-asked');
    await press(page, 'approve');
    await look('2-mistake');
    await page.type('#budget', '20.00');
    await page.click('.adjust > summary');
    await look('3-adjust');
    await page.click('#scope_4');
    await press(page, 'approve');
    await backInTheApp();
    const returned = new URL(arrivals.find((url) => url.includes('code=')) ?? '', redirect_uri);
    const checks = { pkceCodeVerifier: code_verifier, expectedState: state };
    expect(await oauth.authorizationCodeGrant(config, returned, checks)).toMatchObject({
      scope: 'catalog:read cart:write checkout:create customer:self',
      budget_cents: 2_000,
    });

    await begin();
    await press(page, 'deny');
    await backInTheApp();
    expect(arrivals.some((url) => url.includes('error=access_denied'))).toBe(true);
    expect(complaints.filter((text) => !/422|favicon/.test(text))).toEqual([]);
    app.close();
  },
);
