import { expect } from 'vitest';
import { inChromium } from '../../../test/in-chromium.ts';
import { testServer } from '../../../test/server.ts';
import { openTab } from '../../../test/tab.ts';

const { played, browser } = inChromium();

played(
  'a chapter of the API reference sends no requests to other hosts, and logs no errors in the browser',
  async () => {
    const { baseUrl } = await testServer();
    const { page, complaints } = await openTab(browser(), 1280, { script: true });
    const foreign: string[] = [];
    page.on('request', (request) => {
      if (!request.url().startsWith(baseUrl) && !request.url().startsWith('data:')) foreign.push(request.url());
    });

    await page.goto(`${baseUrl}/docs/reference/cart`);
    await page.waitForSelector('[data-section-id]');
    await page.waitForNetworkIdle();
    expect(foreign).toEqual([]);
    expect(complaints).toEqual([]);
  },
);
