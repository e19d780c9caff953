import { unwrap } from '@commerce-backend/sdk';
import { expect } from 'vitest';
import { leaveScreenshot, PATIENCE_MS } from '../../server/test/tab.ts';
import { buy, sendAgent } from './purchases.ts';
import { inPanel, inPanelAndOnPhone, type Visit } from './visit.ts';

/** A hostile text from a shopper. The panel must show it as typed and must not run it. */
const HOSTILE = '=HYPERLINK("x") <img src=x onerror="document.title=\'run\'">';

inPanelAndOnPhone(
  'the first screen shows the orders to ship, and the net sales of a chosen period with one click',
  async ({ open, look, sees, press, text, tab, dashboard }) => {
    await open('/');
    await sees('to be shipped');
    await sees('Net sales');
    await tab.locator('.chart canvas').wait();
    await tab.locator('.chart summary').click();
    await look('today');
    // The time zone of the demo shop is Berlin.
    const now = new Date(Date.now() - 86_400_000);
    const day = new Intl.DateTimeFormat('en-CA', { timeZone: 'Europe/Berlin' }).format(now);
    const query = { from: day, to: day };
    const { current } = await unwrap(dashboard.GET('/api/dashboard/reports/sales', { params: { query } }));
    await press('Yesterday');
    await tab.waitForFunction(`!document.querySelector('.chart canvas')`);
    const shown = /Net sales\s+(\S+)/.exec(await text())?.[1] ?? '';
    expect(shown.replaceAll(/[^\d]/g, '')).toBe(current.sales.replace('.', ''));
    await press('Own range');
    await sees('First day');
    await look('today-own-range');
  },
);

inPanel('`Try an order` simulates an order without storing one', async (visit) => {
  const { open, look, press, sees, tab, dashboard } = visit;
  const newest = async () => {
    const { orders } = await unwrap(dashboard.GET('/api/dashboard/orders', { params: { query: { limit: 1 } } }));
    return orders[0]?.id;
  };
  const before = await newest();
  await open('/');
  await press('Try an order');
  await sees('A test order');
  await tab.locator('.dialog .mail summary').click();
  await look('test-order');
  await press('Close');

  expect(await newest()).toBe(before);
});

inPanel('two selected orders are shipped in one step, each with its own tracking number', async (visit) => {
  const { open, press, fill, sees } = visit;
  const orders = [await buy(visit), await buy(visit)];
  const rows = orders.map(({ order_number }) => ({ order_number }));
  await unwrap(visit.dashboard.POST('/api/dashboard/orders/mark-paid', { body: { orders: rows } }));

  await open('/orders?waiting_for=shipping&sort=newest');
  for (const { order_number } of orders) await press(`Select order ${order_number}`, 'checkbox');
  await press('Ship 2');
  await fill('Carrier', 'DHL');
  await fill(`Tracking number of ${orders[1]?.order_number}, Ada Lovelace`, '0034');
  await press('Ship');
  await sees('2 shipped.');

  const [first, second] = await Promise.all(orders.map(({ id }) => orderOf(visit, id)));
  expect(first?.fulfillments).toMatchObject([{ carrier: 'DHL', tracking_number: null }]);
  expect(second?.fulfillments).toMatchObject([{ carrier: 'DHL', tracking_number: '0034' }]);
});

inPanelAndOnPhone(
  'an order is marked as paid, one of its items is shipped, and its mail is sent again',
  async (visit) => {
    const { open, look, press, fill, sees, seesNoDialog, tab } = visit;
    const { id, order_number } = await buy(visit, { note: HOSTILE });

    await open('/orders?payment_status=awaiting_payment');
    await press(`Select order ${order_number}`, 'checkbox');
    await look('orders-selected');
    await press('Mark 1 paid');
    await look('orders-mark-paid');
    await press('Mark as paid');
    await sees('1 marked as paid.');
    await press('All', 'link');
    await tab.locator(`::-p-aria([name="${order_number}"][role="link"])`).click();
    await sees(HOSTILE);
    await look('order');
    await press('Ship');
    await tab.locator('.pieces input').fill('1');
    await fill('Carrier', 'DHL');
    await fill('Tracking number', '0034');
    await fill('Tracking address', 'https://tracking.example/0034');
    await look('order-ship');
    await press('Ship');
    await sees('Shipped. The customer receives an e-mail.');
    await seesNoDialog();
    await sees('Parcels');
    await fill('Staff note', 'Fragile');
    await press('Save note');
    await sees('The note is saved.');
    await sees('Changed: staff note.');
    await press('More');
    await press('Resend mail');
    await fill('Mail', 'shipped');
    await look('order-mail');
    await press('Send');
    await sees('is on its way.');

    const order = await orderOf(visit, id);
    expect(order).toMatchObject({
      payment_status: 'paid',
      fulfillment_status: 'partially_fulfilled',
      staff_note: 'Fragile',
    });
    expect(order.fulfillments).toMatchObject([{ carrier: 'DHL', tracking_number: '0034', items: [{ quantity: 1 }] }]);
    expect(await tab.title()).toBe(`Order ${order_number} · Merchant panel`);
  },
);

inPanel('the address, e-mail address and tracking number of an order can be corrected', async (visit) => {
  const { open, look, press, fill, sees, seesNoDialog, dashboard, tab } = visit;
  const { id, order_number } = await buy(visit);
  await unwrap(dashboard.POST('/api/dashboard/orders/mark-paid', { body: { orders: [{ order_number }] } }));

  await open(`/orders/${id}`);
  await press('Correct');
  await tab.locator('.dialog [name="shipping_address.city"]').fill('');
  await press('Save');
  await sees('Delivery needs a valid city.');
  await look('order-correct');
  await tab.locator('.dialog [name="shipping_address.city"]').fill('Bremen');
  await fill('E-mail', 'ada.corrected@example.com');
  await press('Save');
  await sees('The order is corrected.');
  await sees('Bremen');
  await sees('Changed: email, shipping address.');
  await seesNoDialog();

  await press('Ship');
  await fill('Carrier', 'DHL');
  await fill('Tracking number', '0034');
  await press('Ship');
  await sees('Shipped. The customer receives an e-mail.');
  await seesNoDialog();
  await press('Correct tracking');
  await fill('Tracking number', '0035');
  await look('order-correct-tracking');
  await press('Save');
  await sees('The tracking is corrected.');

  expect(await orderOf(visit, id)).toMatchObject({
    email: 'ada.corrected@example.com',
    shipping_address: { city: 'Bremen' },
    fulfillments: [{ carrier: 'DHL', tracking_number: '0035', tracking_url: expect.stringContaining('0035') }],
  });
});

inPanel('a refund is calculated from the selected items, and restocks them', async (visit) => {
  const { open, look, press, fill, sees, tab, dashboard } = visit;
  const { id, order_number, line_items } = await buy(visit);
  await unwrap(dashboard.POST('/api/dashboard/orders/mark-paid', { body: { orders: [{ order_number }] } }));

  await open(`/orders/${id}`);
  await press('More');
  await press('Refund');
  await tab.locator('.pieces input').fill('2');
  await fill('Reason', 'damaged');
  await press('Restock these items', 'checkbox');
  await look('order-refund');
  await tab.locator('.dialog footer button[type="submit"]').click();
  await sees('The refund is recorded.');

  const order = await orderOf(visit, id);
  const [line] = line_items;
  const twice = (Number(line?.price) * 2).toFixed(2);
  expect(order.refunds).toMatchObject([
    { amount: twice, reason: 'damaged', line_items: [{ line_item_id: line?.id, quantity: 2, restock: true }] },
  ]);
});

inPanel('an order is cancelled with a reason', async (visit) => {
  const { open, look, press, fill, sees, tab } = visit;
  const { id } = await buy(visit);

  await open(`/orders/${id}`);
  await press('More');
  await look('order-more');
  await press('Cancel order');
  await fill('Reason', 'inventory');
  await look('order-cancel');
  await tab.locator('.dialog footer button[type="submit"]').click();
  await sees('is cancelled');

  expect(await orderOf(visit, id)).toMatchObject({ status: 'cancelled', cancel_reason: 'inventory' });
});

inPanel('a filtered list of orders is saved as a view, and its CSV export escapes formulas', async (visit) => {
  const { open, look, press, fill, sees, tab } = visit;
  const { order_number } = await buy(visit, { note: HOSTILE });

  await open('/orders?payment_method=bank_transfer');
  await press('Save this view');
  await fill('Name', 'Transfers');
  await look('orders-name-view');
  await press('Save');
  await press('All', 'link');
  await press('Transfers', 'link');
  await tab.evaluate(
    'URL.createObjectURL = (blob) => { blob.text().then((text) => { window.exported = text; }); return "#"; }',
  );
  await press('Export CSV');
  await sees(' exported.');
  await tab.waitForFunction('window.exported !== undefined');
  const rows = String(await tab.evaluate('window.exported')).split('\r\n');
  await press('Remove this view');

  expect(rows[0]).toContain('order_number,created_at,status');
  expect(rows.find((row) => row.startsWith(order_number))).toContain(`"'=HYPERLINK(""x"")`);
});

inPanel("packing slips are printed without the panel's menu", async (visit) => {
  const { open, look, tab, sees } = visit;
  const [first, second] = [await buy(visit), await buy(visit)];

  await open(`/orders/slips?ids=${first.id},${second.id}`);
  await sees(`Order ${second.order_number}`);
  await look('slips');
  await tab.emulateMediaType('print');
  await leaveScreenshot(tab, `panel-slips-print-${visit.width}`);
  const shown = await visit.text();
  await tab.emulateMediaType('screen');

  expect(shown).toContain('Ada Lovelace');
  expect(shown).not.toContain('Log out');
});

inPanel(
  "an agent's permissions and activity are shown, its access is revoked, and agents are switched off and on",
  async (visit) => {
    const { open, look, press, sees, tab, width } = visit;
    const name = `Helper ${width}`;
    await sendAgent(visit, name);

    await open('/agents');
    await sees('€50.00 a month');
    await look('agents');
    await press(name, 'link');
    await sees('Looked for: mug');
    const facts = await tab.$eval('.facts', (list) => list.textContent ?? '');
    for (const fact of [
      'OnlyMugs',
      'Budget€50.00 a month',
      'At most per order€20.00',
      'Budget resets',
      'Total spent',
    ]) {
      expect(facts).toContain(fact);
    }
    await look('agent');
    await press('Revoke access');
    await look('agent-revoke');
    await press('Revoke access');
    await sees('no longer has access.');
    await press('← Agents', 'link');
    await press('Change limits');
    await look('agents-limits');
    await press('Cancel');
    await press('Switch agents off');
    await press('Switch off');
    await sees('No customer can allow an agent.');
    await press('Switch agents on');
    await sees('A customer may allow an agent to spend');
  },
);

inPanel(
  '30 transfers of a bank statement are matched with 30 orders, which are marked as paid in one step',
  async (visit) => {
    const { open, look, press, fill, sees, text } = visit;
    const orders: Awaited<ReturnType<typeof buy>>[] = [];
    while (orders.length < 30) orders.push(await buy(visit));
    const lines = orders.map(({ order_number, total }) => `Ada Lovelace,Order ${order_number},${total},EUR`);

    await open('/orders');
    await press('Match a bank statement', 'link');
    await fill('Or paste it', ['Name,Reference,Amount,Currency', ...lines, 'Somebody,Rent,1.00,EUR', ''].join('\n'));
    await press('Show matches');
    await sees('30 transfers to mark');
    await look('statement');
    await press('Mark 30 orders as paid');
    await sees('30 orders marked as paid.');
    // The transfer without a match must remain, and orders that are marked as paid cannot be marked again.
    await sees('1 transfer to check');
    await expect.poll(text, { timeout: PATIENCE_MS }).not.toContain('30 transfers to mark');

    const states = await Promise.all(orders.map(({ id }) => orderOf(visit, id)));
    expect(new Set(states.map(({ payment_status }) => payment_status))).toEqual(new Set(['paid']));
  },
);

function orderOf({ dashboard }: Visit, order_id: string) {
  return unwrap(dashboard.GET('/api/dashboard/orders/{order_id}', { params: { path: { order_id } } }));
}
