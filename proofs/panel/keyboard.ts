/** Tests the most frequent tasks with the keyboard only. The focus must be visible on each element that a task uses. */

import { unwrap } from '@commerce-backend/sdk';
import { expect } from 'vitest';
import { buy } from './purchases.ts';
import { inPanel, type Visit } from './visit.ts';

inPanel('an order can be marked as paid and shipped with the keyboard only', async (visit) => {
  const { open, sees, seesNoDialog, tab, dashboard } = visit;
  const { id, order_number } = await buy(visit);
  await open('/orders?payment_status=awaiting_payment&sort=newest');
  await tabTo(visit, order_number);
  await tab.keyboard.press('Enter');
  await sees('Timeline');
  await tabTo(visit, 'Mark as paid');
  await tab.keyboard.press('Enter');
  await visit.seesDialog();
  await tabTo(visit, 'Mark as paid');
  await tab.keyboard.press('Enter');
  await sees(`Order ${order_number} is paid.`);
  await seesNoDialog();
  await tabTo(visit, 'Ship');
  await tab.keyboard.press('Enter');
  await visit.seesDialog();
  await tabTo(visit, 'Carrier');
  await tab.keyboard.type('DHL');
  await tab.keyboard.press('Tab');
  await tab.keyboard.type('0034');
  await tab.keyboard.press('Enter');
  await sees('Shipped. The customer receives an e-mail.');

  const order = await unwrap(dashboard.GET('/api/dashboard/orders/{order_id}', { params: { path: { order_id: id } } }));
  expect(order).toMatchObject({ payment_status: 'paid', fulfillment_status: 'fulfilled' });
  expect(order.fulfillments).toMatchObject([{ carrier: 'DHL', tracking_number: '0034' }]);
});

inPanel(
  'the further actions of an order are reached with the keyboard, and Escape returns to their button',
  async (visit) => {
    const { open, sees, look, tab } = visit;
    const { id } = await buy(visit);
    const focused = (name: string) => tab.waitForFunction(`document.activeElement.textContent === '${name}'`);
    await open(`/orders/${id}`);
    await tabTo(visit, 'More');
    await tab.keyboard.press('Enter');
    await sees('Resend mail');
    await look('order-more-open');
    await tab.keyboard.press('ArrowUp');
    await focused('Packing slip');
    await tab.keyboard.press('ArrowUp');
    await focused('Cancel order');
    await tab.keyboard.press('Enter');
    await visit.seesDialog();
    await tab.keyboard.press('Escape');
    await focused('More');
  },
);

inPanel('a product can be changed with the keyboard only', async (visit) => {
  const { open, sees, tab, dashboard, width } = visit;
  const made = await unwrap(
    dashboard.POST('/api/dashboard/products', { body: { name: `Kettle ${width}`, price: '30.00' } }),
  );
  await open(`/products/${made.id}`);
  await tabTo(visit, 'Vendor');
  await tab.keyboard.type('Smith');
  await tabTo(visit, 'Price');
  await selectAll(visit);
  await tab.keyboard.type('31.50');
  await tabTo(visit, 'Save');
  await tab.keyboard.press('Enter');
  await sees('Saved.');
  const path = { product_id: made.id };
  const product = await unwrap(dashboard.GET('/api/dashboard/products/{product_id}', { params: { path } }));
  expect(product).toMatchObject({ vendor: 'Smith', price: '31.50' });
});

inPanel('a collection can be sorted with the keyboard only', async (visit) => {
  const { open, sees, tab, dashboard, width } = visit;
  const query = { limit: 3, status: 'active' as const, sort: 'name_asc' as const };
  const { products } = await unwrap(dashboard.GET('/api/dashboard/products', { params: { query } }));
  const [a, b, c] = products.map(({ name }) => name);
  const body = { title: `By key ${width}`, product_ids: products.map(({ id }) => id) };
  const { id: collection_id } = await unwrap(dashboard.POST('/api/dashboard/collections', { body }));
  await open(`/collections/${collection_id}`);
  await tabTo(visit, `Move ${a} down`);
  // The focus moves with the product, so a second press moves the product one position further.
  await tab.keyboard.press('Space');
  await tab.keyboard.press('Space');
  await tabTo(visit, 'Save');
  await tab.keyboard.press('Enter');
  await sees('Saved.');
  const params = { path: { collection_id } };
  const saved = await unwrap(dashboard.GET('/api/dashboard/collections/{collection_id}', { params }));
  expect(saved.products.map(({ name }) => name)).toEqual([b, c, a]);
});

const MOST_TABS = 150;

/** Presses Tab until the element with this name has the focus, and expects that the focus is visible. */
async function tabTo({ tab }: Visit, name: string): Promise<void> {
  await tab.bringToFront();
  const passed: string[] = [];
  for (let count = 0; count < MOST_TABS; count += 1) {
    await tab.keyboard.press('Tab');
    const focused = (await tab.evaluate(FOCUSED)) as { name: string; isSeen: boolean };
    passed.push(focused.name);
    if (focused.name !== name) continue;
    expect(focused.isSeen, `the focus on ${name} is in sight`).toBe(true);
    return;
  }
  throw new Error(`Tab does not lead to ${name}, but to: ${passed.join(', ')}`);
}

/**
 * Returns the name of the focused element, and whether it has a focus ring and is not covered or outside of the window.
 */
const FOCUSED = `(() => {
  const focused = document.activeElement;
  const label = focused.labels?.[0]?.textContent.replace(/ \\*$/, '');
  const { top, bottom, width } = focused.getBoundingClientRect();
  const at = document.elementFromPoint(focused.getBoundingClientRect().left + width / 2, (top + bottom) / 2);
  const { outlineStyle, outlineWidth } = getComputedStyle(focused);
  return {
    name: focused.getAttribute('aria-label') ?? label ?? focused.textContent.trim(),
    isSeen: outlineStyle !== 'none' && outlineWidth !== '0px' && (focused.contains(at) || at?.contains(focused)),
  };
})()`;

async function selectAll({ tab }: Visit): Promise<void> {
  await tab.keyboard.down('Control');
  await tab.keyboard.press('a');
  await tab.keyboard.up('Control');
}
