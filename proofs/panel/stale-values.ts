/**
 * After a save, the panel must show the saved value, however slow the network is. It must not show, edit or compare an
 * old value, and must not report success before the screen shows the new value.
 */

import { unwrap } from '@commerce-backend/sdk';
import { expect } from 'vitest';
import { buy } from './purchases.ts';
import { inPanel, type Visit } from './visit.ts';

interface Change {
  what: string;
  /** Opens the form and enters the new value. */
  begin(visit: Visit): Promise<void>;
  save: string;
  message: string;
  /** The text that the screen shows after saving. */
  shows: string;
}

const changes: Change[] = [
  {
    what: 'a customer',
    begin: async ({ open, press, fill, dashboard, width }) => {
      const body = { email: `fresh-${width}@customer.example`, phone: '+49 30 111111' };
      const { id } = await unwrap(dashboard.POST('/api/dashboard/customers', { body }));
      await open(`/customers/${id}`);
      await press('Change');
      await fill('Phone', '+49 30 222222');
    },
    ...{ save: 'Save', message: 'Saved.', shows: '+49 30 222222' },
  },
  {
    what: 'the policy for agents',
    begin: async ({ open, press, fill }) => {
      await open('/agents');
      await press('Change limits');
      await fill('Longest access in days', '77');
    },
    ...{ save: 'Save', message: 'The limits are saved.', shows: '77 days' },
  },
  {
    what: 'an order that is shipped',
    begin: async (visit) => {
      const { id, order_number } = await buy(visit);
      const paid = { body: { orders: [{ order_number }] } };
      await unwrap(visit.dashboard.POST('/api/dashboard/orders/mark-paid', paid));
      await visit.open(`/orders/${id}`);
      await visit.press('Ship');
      await visit.seesDialog();
    },
    ...{ save: 'Ship', message: 'Shipped. The customer receives an e-mail.', shows: 'Parcels' },
  },
];

for (const { what, begin, save, message, shows } of changes) {
  inPanel(`after saving, ${what} never shows its old value`, async (visit) => {
    await begin(visit);
    const wrong = await watchFor(
      visit,
      `!document.querySelector('.dialog') && !shown.includes(${JSON.stringify(shows)})`,
    );
    await visit.press(save);
    await visit.sees(message);
    await visit.seesNoDialog();
    expect(await wrong(), 'what showed once the dialog was gone').toEqual([]);
  });
}

inPanel('a deleted product is no longer in the list of products', async (visit) => {
  const { open, press, sees, tab, dashboard, width } = visit;
  const name = `Deleted vase ${width}`;
  await unwrap(dashboard.POST('/api/dashboard/products', { body: { name, price: '5.00' } }));
  await open('/products');
  await press(name, 'link');
  await press('Delete');
  const wrong = await watchFor(
    visit,
    `document.querySelector('h1')?.textContent === 'Products' && document.querySelector('.data-table')?.innerText.includes('${name}')`,
  );
  await press('Delete product');
  await sees(`${name} is deleted.`);
  await tab.waitForSelector('.data-table');
  expect(await wrong()).toEqual([]);
});

inPanel(
  "typing in a list's search does not navigate away from an entry that was opened in the meantime",
  async (visit) => {
    const { open, sees, tab, dashboard, width } = visit;
    const body = { email: `found-${width}@customer.example`, first_name: 'Found', last_name: `${width}` };
    const { id } = await unwrap(dashboard.POST('/api/dashboard/customers', { body }));
    await open('/customers');
    // Delays scripts, so that the screen of the customer loads slowly.
    await tab.setRequestInterception(true);
    tab.on('request', (request) => {
      const go = () => request.continue().catch(() => undefined);
      if (request.url().endsWith('.js')) setTimeout(go, 1_500);
      else go();
    });
    await tab.locator('::-p-aria([name="Search"])').click();
    await tab.keyboard.press('f');
    await tab.evaluate(`document.querySelector('a[href$="/customers/${id}"]').click()`);
    await sees('Contact');
    expect(new URL(tab.url()).pathname).toBe(`/panel/customers/${id}`);
  },
);

inPanel('the capture setting shows the saved choice, and the form keeps input that was rejected', async (visit) => {
  const { open, fill, press, sees, tab, width } = visit;
  const chosen = () => tab.$eval('select[name="capture"]', (select) => (select as unknown as { value: string }).value);
  const other = width > 500 ? 'manual' : 'automatic';
  await open('/settings/payments');
  await fill('Secret key', 'no key at all');
  await press('Save keys');
  await tab.waitForSelector('.error');
  expect(await tab.$eval('input[name="secret_key"]', ({ value }) => value)).toBe('no key at all');
  await fill('Secret key', '');
  await fill('Payment is captured', other);
  await press('Save keys');
  await sees('Saved.');
  expect(await chosen()).toBe(other);
});

inPanel('leaving a screen without changes does not ask for confirmation', async (visit) => {
  const { open, press, tab, width } = visit;
  for (const [path, field, ...keys] of [
    ['/discounts/new', 'Code', 'X', 'Backspace'],
    ['/discounts/new', 'Add a product', 'm', 'u', 'g'],
    ['/collections/new', 'Title', 'X', 'Backspace'],
    ['/settings/general', 'Name', 'End', 'Space'],
  ] as const) {
    await open(path);
    await tab.locator(`::-p-aria([name="${field}"])`).click();
    for (const key of keys) await tab.keyboard.press(key);
    if (width < 896) await tab.locator('.menu-button').click();
    await press('Customers', 'link');
    await tab.waitForFunction(`document.querySelector('h1')?.textContent === 'Customers'`);
  }
});

inPanel('an ambiguous weight is rejected', async (visit) => {
  const { open, fill, press, sees, dashboard, width } = visit;
  const name = `Anvil ${width}`;
  await open('/products/new');
  await fill('Name', name);
  await fill('Price', '1.299,00');
  await fill('Weight', '1,250');
  await sees('1,250 can mean 1');
  await press('Save as draft');
  expect(await visit.text()).not.toContain('Saved as a draft.');
  await fill('Weight', '1,25');
  await press('Save as draft');
  await sees('Saved as a draft.');
  const { products } = await unwrap(
    dashboard.GET('/api/dashboard/products', { params: { query: { q: name, limit: 1 } } }),
  );
  expect(products[0]).toMatchObject({ name, price: '1299.00' });
  expect(Number(products[0]?.variants[0]?.weight)).toBe(1.25);
});

/**
 * Delays all responses to reads. After each change of the screen, evaluates `condition`, with the visible text as
 * `shown`. The returned function returns the texts for which the condition was true.
 */
async function watchFor({ tab }: Visit, condition: string): Promise<() => Promise<unknown>> {
  await tab.evaluate(`{
    const { fetch } = window;
    window.fetch = async (request, ...rest) => {
      const answer = await fetch(request, ...rest);
      if (request.method === 'GET') await new Promise((resolve) => setTimeout(resolve, 700));
      return answer;
    };
    window.wrong = [];
    new MutationObserver(() => {
      const shown = document.body.innerText;
      if (${condition}) window.wrong.push(shown.slice(0, 1_000));
    }).observe(document.body, { subtree: true, childList: true, characterData: true, attributes: true });
  }`);
  return () => tab.evaluate('window.wrong');
}
