/**
 * When the connection is lost or a new version is released, the panel must not be blank, and input must not be lost.
 */

import { expect } from 'vitest';
import { inPanel, type Visit } from './visit.ts';

inPanel(
  'a screen that cannot load offline shows an error in its place, and loads once the connection is back',
  async (visit) => {
    const { open, press, sees, look, tab, text } = visit;
    await tab.setCacheEnabled(false);
    await open('/');
    await tab.setOfflineMode(true);
    await openByMenu(visit, 'Collections');
    await sees('The connection was lost while the screen was loading.');
    expect(await text()).toContain('Log out');
    await look('screen-not-loaded');
    await press('Try again');
    await sees('The server still cannot be reached.');
    // The panel loads the screen by itself when the browser reports that the connection is back. If the server cannot
    // be reached at that moment, the button remains, and the test presses it.
    await tab.setOfflineMode(false);
    await tab.waitForFunction(
      "document.querySelector('.load-error button')?.click() ?? document.querySelector('h1')?.textContent === 'Collections'",
      { polling: 500 },
    );
  },
);

inPanel('a script that is missing after a deployment reloads the panel in its new version', async (visit) => {
  const { open, sees, tab } = visit;
  await tab.setCacheEnabled(false);
  await open('/');
  let missing = 0;
  await tab.setRequestInterception(true);
  tab.on('request', (request) => {
    const { pathname } = new URL(request.url());
    if (/\/assets\/discounts-/.test(pathname) && missing === 0) {
      missing += 1;
      void request.respond({ status: 404, body: '' });
    } else if (pathname === '/panel/' && request.resourceType() === 'fetch') {
      const body = '<script type="module" src="/panel/assets/index-newer.js"></script>';
      void request.respond({ status: 200, contentType: 'text/html', body });
    } else void request.continue();
  });
  await openByMenu(visit, 'Discounts');
  await sees('Add a code');
  expect(missing).toBe(1);
});

inPanel('input is kept while the connection is lost, and can be saved once the connection is back', async (visit) => {
  const { open, fill, press, sees, look, tab, width } = visit;
  await open('/discounts/new');
  await fill('Code', `LOST${width}`);
  await fill('Percent', '10');
  await tab.setOfflineMode(true);
  await press('Save');
  await sees('The server cannot be reached.');
  await look('offline-form');
  await tab.setOfflineMode(false);
  await fill('Note for staff', 'Typed before and after.');
  await press('Save');
  await sees('Saved.');
  await sees(`LOST${width}`);
});

inPanel('the menu still works if a screen fails to render', async (visit) => {
  // Runs in another browser, because React logs the error to the console, and console errors in the first tab fail the
  // test.
  await visit.asStranger(async (stranger) => {
    const { tab, open, fill, press, sees, demo } = stranger;
    await tab.goto(`${demo.base_url}/panel`);
    await fill('E-mail', demo.staff.email);
    await fill('Password', demo.staff.password);
    await press('Log in');
    await tab.locator('#main h1').wait();
    await tab.setRequestInterception(true);
    tab.on('request', (request) => {
      const isBroken = new URL(request.url()).pathname === '/api/dashboard/collections';
      const broken = { status: 200, contentType: 'application/json', body: '{"collections":[null],"total":1}' };
      void (isBroken ? request.respond(broken) : request.continue());
    });
    await open('/collections');
    await sees('An error in the panel stopped this screen.');
    await openByMenu(stranger, 'Stock');
    await sees('Available');
  });
});

/**
 * Opens a screen from the menu, which is folded on a phone. Opening its URL would load the whole panel again and hide
 * the fault.
 */
async function openByMenu({ press, tab, width }: Visit, name: string): Promise<void> {
  if (width < 896) await tab.locator('.menu-button').click();
  await press(name, 'link');
}
