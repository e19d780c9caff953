/** Tests finding and acting from any screen: the search, keyboard shortcuts, rows that open, sorting and undo. */

import { unwrap } from '@commerce-backend/sdk';
import { expect } from 'vitest';
import { buy } from './purchases.ts';
import { inPanel, type Visit } from './visit.ts';

const POLLED = { polling: 100 };

inPanel('Ctrl-K, a name and Enter open an order from another screen, without waiting for results', async (visit) => {
  const { open, sees, look, tab } = visit;
  const { id, order_number } = await buy(visit, { first_name: 'Zelda' });
  await open('/settings/tax');
  await openSearch(visit);
  await tab.keyboard.type('zelda');
  await sees(`${order_number} · Zelda`);
  await look('palette');
  await tab.keyboard.press('Escape');
  await visit.seesNoDialog();

  await openSearch(visit);
  await tab.keyboard.type('Zelda');
  await tab.keyboard.press('Enter');
  await sees(`Order ${order_number}`);
  expect(pathOf(visit)).toBe(`/panel/orders/${id}`);
  await visit.seesNoDialog();
});

inPanel('the search lists customers, products and settings, and arrow keys choose one', async (visit) => {
  const { open, sees, press, tab, dashboard, width } = visit;
  const customer = { email: `quill-${width}@customer.example`, first_name: 'Quillon', last_name: 'Marsh' };
  await unwrap(dashboard.POST('/api/dashboard/customers', { body: customer }));
  const product = { name: `Quillon kettle ${width}`, price: '30.00' };
  const { id } = await unwrap(dashboard.POST('/api/dashboard/products', { body: product }));
  await open('/orders');
  await press(await tab.$eval('.search-button', (button) => button.textContent.trim().replaceAll(/\s+/g, ' ')));
  await searchHasFocus(visit);
  await tab.keyboard.type('quillon');
  await sees(customer.email);
  await sees(product.name);
  // The customer is the first result, and the product is the second.
  await tab.keyboard.press('ArrowDown');
  await tab.keyboard.press('Enter');
  await tab.waitForFunction(`location.pathname === '/panel/products/${id}'`, POLLED);

  // The first palette is still in the page while it closes.
  await tab.waitForFunction(`!document.querySelector('.palette')`, POLLED);
  await openSearch(visit);
  await tab.keyboard.type('invoi');
  await sees('Seller, numbers, when they are issued');
  await tab.keyboard.press('Enter');
  await tab.waitForFunction(`location.pathname === '/panel/settings/invoices'`, POLLED);
});

inPanel('shortcuts open lists, focus the search, save and confirm, but in a field letters are typed', async (visit) => {
  const { open, sees, seesNoDialog, fill, tab, dashboard, width } = visit;
  const body = { name: `Lamp ${width}`, price: '30.00' };
  const { id } = await unwrap(dashboard.POST('/api/dashboard/products', { body }));
  await open('/');
  await tab.keyboard.type('go');
  await tab.waitForFunction(`location.pathname === '/panel/orders'`, POLLED);
  await sees('Search orders');
  await tab.keyboard.press('/');
  await tab.waitForFunction(`document.activeElement.type === 'search'`, POLLED);
  await tab.keyboard.type('gp?');
  expect(pathOf(visit)).toBe('/panel/orders');
  expect(await tab.evaluate(`document.querySelector('#main input[type="search"]').value`)).toBe('gp?');
  await tab.evaluate('document.activeElement.blur()');
  await tab.keyboard.type('?');
  await visit.seesDialog();
  await sees('Keyboard shortcuts');
  await tab.keyboard.press('Escape');
  await seesNoDialog();

  await open(`/products/${id}`);
  await fill('Vendor', 'Smith');
  await withCtrl(visit, 's');
  await sees('Saved.');
  const path = { product_id: id };
  const saved = () => unwrap(dashboard.GET('/api/dashboard/products/{product_id}', { params: { path } }));
  expect(await saved()).toMatchObject({ vendor: 'Smith' });
  // Unsaved input is kept: the keys follow the menu's link, which first asks about it.
  await fill('Vendor', 'Miller');
  await tab.evaluate('document.activeElement.blur()');
  await tab.keyboard.type('gc');
  await sees('Leave without saving?');
  await visit.seesDialog();
  await withCtrl(visit, 'Enter');
  await tab.waitForFunction(`location.pathname === '/panel/customers'`, POLLED);
  expect(await saved()).toMatchObject({ vendor: 'Smith' });
});

inPanel('going back to the screen with which the panel was opened moves the focus there', async ({ open, tab }) => {
  await open('/');
  await tab.keyboard.type('go');
  await tab.waitForFunction(`location.pathname === '/panel/orders'`, POLLED);
  await tab.waitForSelector('#main input[type="search"]');
  await tab.keyboard.press('/');
  await tab.waitForFunction(`document.activeElement.type === 'search'`, POLLED);
  await tab.goBack();
  await tab.waitForFunction(`document.activeElement.id === 'main'`, POLLED);
});

inPanel('a click in a row opens the order, Ctrl-click opens a tab, and headings sort the list', async (visit) => {
  const { open, sees, press, tab } = visit;
  const { order_number, id } = await buy(visit);
  await open('/orders');
  const cell = `::-p-xpath(//tr[.//a[text()="${order_number}"]]/td[@data-label="Customer"])`;
  await tab.locator(cell).wait();
  await tab.keyboard.down('Control');
  const opened = tab.browserContext().waitForTarget((target) => target.url().endsWith(`/panel/orders/${id}`));
  await tab.locator(cell).click();
  await tab.keyboard.up('Control');
  await (await (await opened).page())?.close();
  expect(pathOf(visit)).toBe('/panel/orders');

  await tab.bringToFront();
  await press('Total');
  await tab.waitForFunction(`(${FALLING})() && document.querySelector('th[aria-sort="descending"].numeric')`, POLLED);

  await open('/orders');
  await tab.locator(cell).click();
  await sees(`Order ${order_number}`);
  expect(pathOf(visit)).toBe(`/panel/orders/${id}`);
});

/** Returns whether the list shows the totals of several orders in descending order. */
const FALLING = `() => {
  const totals = [...document.querySelectorAll('td[data-label="Total"]')].map((each) => Number(each.textContent.replace(/[^0-9.]/g, '')));
  return totals.length > 1 && totals.every((total, i) => i === 0 || totals[i - 1] >= total);
}`;

inPanel('the removal of a note can be undone', async (visit) => {
  const { open, sees, press, tab, dashboard } = visit;
  const { id } = await buy(visit);
  const path = { order_id: id };
  const params = { path };
  await unwrap(dashboard.PATCH('/api/dashboard/orders/{order_id}', { params, body: { staff_note: 'Ring twice' } }));
  await open(`/orders/${id}`);
  await tab.locator('textarea').click();
  await withCtrl(visit, 'a');
  await tab.keyboard.press('Backspace');
  await press('Save note');
  await sees('The note is removed.');
  const note = async () => (await unwrap(dashboard.GET('/api/dashboard/orders/{order_id}', { params }))).staff_note;
  expect(await note()).toBeNull();
  await press('Undo');
  await tab.waitForFunction(`document.querySelector('textarea').value === 'Ring twice'`, POLLED);
  expect(await note()).toBe('Ring twice');
});

async function openSearch(visit: Visit): Promise<void> {
  await withCtrl(visit, 'k');
  await searchHasFocus(visit);
}

/** The dialog moves the focus to its field a moment after it has opened, and letters typed before that are lost. */
async function searchHasFocus({ tab }: Visit): Promise<void> {
  await tab.waitForFunction(`document.activeElement.matches('.palette input')`, POLLED);
}

async function withCtrl({ tab }: Visit, key: 'k' | 's' | 'a' | 'Enter'): Promise<void> {
  await tab.bringToFront();
  await tab.keyboard.down('Control');
  await tab.keyboard.press(key);
  await tab.keyboard.up('Control');
}

function pathOf({ tab }: Visit): string {
  return new URL(tab.url()).pathname;
}
