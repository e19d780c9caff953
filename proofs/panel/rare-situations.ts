/** Tests rare situations of a merchant: failures, pending work, and changes by other people. */

import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { unwrap } from '@commerce-backend/sdk';
import { afterAll, expect, onTestFinished } from 'vitest';
import type { Jobs } from '../../server/src/jobs/run.ts';
import { workJobs } from '../../server/test/jobs.ts';
import { PATIENCE_MS } from '../../server/test/tab.ts';
import { join as joinStaff, PASSWORD } from './invitation.ts';
import { buy, pickUp, reserve } from './purchases.ts';
import { inPanel, type Visit } from './visit.ts';

let jobs: Jobs | undefined;
afterAll(() => jobs?.stop());

inPanel('a pickup order is marked as pickup, and shows nothing about delivery', async (visit) => {
  const { open, look, sees, text } = visit;
  const { id } = await pickUp(visit);
  await open(`/orders/${id}`);
  await sees('The customer fetches it');
  await look('order-pick-up');
  expect(await text()).not.toContain('Deliver to');
  await open(`/orders/slips?ids=${id}`);
  await sees('Pick-up: ');
});

inPanel('an authorized payment is captured', async (visit) => {
  const { open, look, press, sees, dashboard } = visit;
  jobs ??= await workJobs({ baseUrl: visit.demo.base_url });
  const { id } = await reserve(visit);
  await open(`/orders/${id}`);
  await press('Capture payment');
  await look('order-capture');
  await press('Capture');
  await sees('The payment is being captured.');
  const read = () => unwrap(dashboard.GET('/api/dashboard/orders/{order_id}', { params: { path: { order_id: id } } }));
  await expect.poll(async () => (await read()).payment_status, { timeout: 240_000 }).toBe('paid');
});

inPanel('orders are filtered by days in the shop’s time zone, not in the device’s', async (visit) => {
  const { open, fill, look, sees, tab, dashboard } = visit;
  const settings = await unwrap(dashboard.GET('/api/dashboard/settings'));
  const change = (time_zone: string) => dashboard.PATCH('/api/dashboard/settings', { body: { time_zone } });
  const { order_number, created_at } = await buy(visit);
  try {
    // The two zones differ by 25 hours, so that the same moment is on different days.
    await unwrap(change('Pacific/Kiritimati'));
    await tab.emulateTimezone('Pacific/Pago_Pago');
    const dayIn = (timeZone: string, moment: Date) => new Intl.DateTimeFormat('en-CA', { timeZone }).format(moment);
    const day = dayIn('Pacific/Kiritimati', new Date(created_at));
    // Two days, because the demo shop's orders were placed minutes ago, which may be the day before.
    const before = dayIn('Pacific/Kiritimati', new Date(Date.parse(created_at) - 2 * 86_400_000));
    await open('/orders?sort=newest');
    await sees(order_number);
    await fillDay(visit, 'Placed from', day);
    await fillDay(visit, 'Placed until', day);
    await sees(order_number);
    await look('orders-days');
    await fillDay(visit, 'Placed from', before);
    await fillDay(visit, 'Placed until', before);
    await sees('No matching orders');
    await fill('Search orders', '');
    expect(new URL(tab.url()).searchParams.get('created_to')).toBe(
      new Date(Date.parse(`${before}T00:00:00+14:00`) + 86_400_000).toISOString(),
    );
  } finally {
    await unwrap(change(settings.time_zone));
  }
});

inPanel('rejected pictures are listed with the reason, and the product keeps its valid pictures', async (visit) => {
  const { open, fill, press, sees, look, tab, dashboard, width } = visit;
  jobs ??= await workJobs({ baseUrl: visit.demo.base_url });
  const { id } = await unwrap(
    dashboard.POST('/api/dashboard/products', { body: { name: `Pictured ${width}`, price: '5.00' } }),
  );
  const folder = await mkdtemp(join(tmpdir(), 'panel-failures-'));
  const files = {
    'no-picture.jpg': 'These are words.',
    'drawing.svg': '<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>',
    'empty.png': '',
  };
  try {
    for (const [name, content] of Object.entries(files)) await writeFile(join(folder, name), content);
    const good = join(folder, 'good.png') as `${string}.png`;
    await tab.screenshot({ path: good, clip: { x: 0, y: 0, width: 120, height: 90 } });
    await open(`/products/${id}`);
    await fill('Vendor', 'Still typed');
    const input = await tab.waitForSelector('input[type="file"][aria-label="Pictures to upload"]');
    const chosen = [...Object.keys(files).map((name) => join(folder, name)), good];
    // Starts waiting before the upload, because the message is shown only for a short time.
    const isTold = sees('Pictures are still uploading.');
    await (input as Awaited<ReturnType<typeof tab.$<'input'>>>)?.uploadFile(...chosen);
    await isTold;
    await sees('drawing.svg is not a JPEG, PNG or WebP picture.');
    await sees('empty.png is empty.');
    await tab.waitForSelector('.images li img', { timeout: 60_000 });
    await tab.waitForFunction(`!document.body.innerText.includes('Pictures are still uploading.')`);
    await sees('no-picture.jpg: ');
    await look('pictures-failed');
    await press('Save');
    await sees('Saved.');
  } finally {
    await rm(folder, { recursive: true });
  }
  const product = await unwrap(
    dashboard.GET('/api/dashboard/products/{product_id}', { params: { path: { product_id: id } } }),
  );
  expect(product.vendor).toBe('Still typed');
  expect(product.images).toHaveLength(1);
});

inPanel('a picture is not added if changes are discarded during its upload', async (visit) => {
  const { open, press, sees, tab, dashboard, width } = visit;
  jobs ??= await workJobs({ baseUrl: visit.demo.base_url });
  const body = { name: `Discarded ${width}`, price: '5.00' };
  const { id } = await unwrap(dashboard.POST('/api/dashboard/products', { body }));
  const folder = await mkdtemp(join(tmpdir(), 'panel-discarded-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const file = join(folder, 'late.png') as `${string}.png`;
  await tab.screenshot({ path: file, clip: { x: 0, y: 0, width: 120, height: 90 } });
  await open(`/products/${id}`);
  // Delays the response about the file until `go` is called.
  await tab.evaluate(`{
    const { fetch } = window;
    window.letGo = new Promise((resolve) => { window.go = resolve; });
    window.fetch = async (request, ...rest) => {
      const answer = await fetch(request, ...rest);
      if (!answer.url.includes('/api/dashboard/files/')) return answer;
      await window.letGo;
      if ((await answer.clone().json()).url) setTimeout(() => { window.isMade = true; }, 100);
      return answer;
    };
  }`);
  const input = await tab.waitForSelector('input[type="file"][aria-label="Pictures to upload"]');
  await (input as Awaited<ReturnType<typeof tab.$<'input'>>>)?.uploadFile(file);
  await sees('Pictures are still uploading.');
  await press('Discard');
  await tab.waitForFunction(`!document.querySelector('.save-bar')`);
  await tab.evaluate('window.go()');
  await tab.waitForFunction('window.isMade');
  expect(await tab.$$eval('.images li, .save-bar', (found) => found.length)).toBe(0);
});

inPanel(
  'an open panel becomes read-only when its user loses the permission to save, and editable when the user gets it back',
  async (visit) => {
    const { press, sees, width, open, fill, dashboard } = visit;
    const email = `kim-${width}@staff.example`;
    const roleNow = async () =>
      (await unwrap(dashboard.GET('/api/dashboard/staff'))).staff.find((one) => one.email === email)?.role;
    await joinStaff(visit, email, 'manager', async (other) => {
      await other.open('/settings/legal');
      await other.fill('Imprint', `https://shop.example/kim-${width}`);
      await open('/settings/staff');
      await fill('Role of Noor Finch', 'viewer');
      await sees('The role is changed.');
      // Saving is rejected, and the screen becomes read-only.
      await other.press('Save');
      await other.tab.waitForFunction(`document.querySelector('form fieldset:disabled')`);
      expect(await other.text()).not.toContain('Discard');
      // When the role allows changes again, the next screen is editable again.
      await fill('Role of Noor Finch', 'manager');
      // The message about the first change may still be visible.
      await expect.poll(roleNow, { timeout: PATIENCE_MS }).toBe('manager');
      await other.tab.evaluate('{ const now = Date.now; Date.now = () => now() + 60_000; }');
      await other.press('General', 'link');
      await other.press('Leave without saving');
      await other.sees('Save');
      // When the session ends, the screen is hidden, but the input is kept.
      await other.fill('Low stock threshold', '41');
      await press('Remove Noor Finch');
      await press('Remove');
      await sees('Removed.');
      await other.press('Save');
      await other.sees('Log in again');
      await other.look('login-again');
      expect(await other.text()).not.toContain('Low stock threshold');
    });
  },
);

inPanel('unsaved input is kept when the session ends and the user logs in again', async (visit) => {
  const email = `lee-${visit.width}@staff.example`;
  await joinStaff(visit, email, 'manager', async (other) => {
    await other.open('/products/new');
    await other.fill('Name', `Outlives ${visit.width}`);
    await other.fill('Price', '9.00');
    await endSession(other);
    await other.press('Save as draft');
    await other.sees('Log in again');
    // Pressing Escape by accident must not lose the input either.
    await other.tab.keyboard.press('Escape');
    await other.fill('E-mail', email);
    await other.fill('Password', PASSWORD);
    await other.press('Log in');
    await other.tab.waitForFunction(`!document.querySelector('.login-again')`);
    await other.press('Save as draft');
    await other.sees('Saved as a draft.');
  });
});

/** Ends the session by a logout, as another window with the same cookie would. */
async function endSession({ tab }: Visit): Promise<void> {
  const ended = `fetch('/api/dashboard/auth/logout', {
    method: 'POST',
    headers: { 'X-Panel': '1', 'Idempotency-Key': crypto.randomUUID() },
  }).then(({ status }) => status)`;
  expect(await tab.evaluate(ended)).toBe(204);
}

/** Types a date as people do, part by part. The filter is applied once the date is complete. */
async function fillDay({ tab }: Visit, label: string, day: string): Promise<void> {
  const [year, month, date] = day.split('-');
  await tab.focus(`::-p-aria([name="${label}"])`);
  await tab.keyboard.type(`${month}${date}${year}`);
  await tab.waitForFunction(`document.activeElement.value === '${day}'`);
}
