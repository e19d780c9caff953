/** Input must be saved or stay on the screen, even if the user leaves the form or types during a save. */

import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { unwrap } from '@commerce-backend/sdk';
import { afterAll, expect, onTestFinished } from 'vitest';
import type { Jobs } from '../../server/src/jobs/run.ts';
import { workJobs } from '../../server/test/jobs.ts';
import { PATIENCE_MS } from '../../server/test/tab.ts';
import { inPanel, inPanelAndOnPhone, type Visit } from './visit.ts';

interface Editor {
  where: string;
  /** Opens the screen and changes something. */
  begin(visit: Visit): Promise<void>;
  /** The label of the field in which the user continues to type. */
  field: string;
  save: string;
  message: string;
}

/** One for each frame of a form (panel/src/ui/form/frames.tsx): a screen, a card, a dialog. */
const editors: Editor[] = [
  {
    where: 'a product',
    begin: async ({ open, fill, dashboard, width }) => {
      const body = { name: `Kept jug ${width}`, price: '12.00' };
      const { id } = await unwrap(dashboard.POST('/api/dashboard/products', { body }));
      await open(`/products/${id}`);
      await fill('Vendor', 'Potter');
    },
    ...{ field: 'Name', save: 'Save', message: 'Saved.' },
  },
  {
    where: 'settings',
    begin: async ({ open, fill, width }) => {
      await open('/settings/legal');
      await fill('Privacy policy', `https://shop.example/privacy-${width}`);
    },
    ...{ field: 'Imprint', save: 'Save', message: 'Saved.' },
  },
  {
    where: 'a way of delivery',
    begin: async ({ open, press, fill, width }) => {
      await open('/settings/delivery');
      await press('Add an option');
      await fill('Name', `By balloon ${width}`);
      await fill('Price in EUR', '99.00');
      await fill('Country to add', 'AT');
      await press('Add');
    },
    ...{ field: 'Name', save: 'Save', message: `By balloon` },
  },
];

for (const { where, begin, field, save, message } of editors) {
  inPanel(`${where} cannot be edited while it is being saved`, async (visit) => {
    const { tab, press, sees } = visit;
    await begin(visit);
    const answer = await holdChanges(visit);
    await press(save);
    await answer.isAwaited;
    const before = await contentOf(visit, field);
    await tab.evaluate(`${fieldOf(field)}.focus()`);
    await tab.keyboard.type('LOST');
    expect(await contentOf(visit, field), 'what was typed meanwhile').toBe(before);
    await answer.letGo();
    await sees(message);
    expect(await visit.text()).not.toContain('LOST');
  });
}

inPanel('saving with Enter keeps the focus in the field', async (visit) => {
  const { open, fill, tab, sees, width } = visit;
  await open('/settings/legal');
  await fill('Imprint', `https://shop.example/by-key-${width}`);
  const answer = await holdChanges(visit);
  // Waits until the panel has noticed the change, because until then Enter does nothing.
  await tab.waitForSelector('button[type="submit"]:not([aria-disabled])');
  await tab.keyboard.press('Enter');
  await answer.isAwaited;
  await answer.letGo();
  await sees('Saved.');
  await tab.waitForFunction(`document.activeElement?.labels?.[0]?.textContent === 'Imprint'`);
});

inPanel('stock cannot be edited while it is being saved', async (visit) => {
  const { open, fill, press, sees, tab, dashboard, width } = visit;
  const name = `Held bowl ${width}`;
  const body = { name, price: '8.00', inventory_quantity: 10 };
  await unwrap(dashboard.POST('/api/dashboard/products', { body }));
  await open('/stock');
  await fill('Search', name);
  await fill(`Available, ${name}`, '7');
  const answer = await holdChanges(visit);
  await press('Save');
  await answer.isAwaited;
  await tab.$eval(`input[aria-label="Available, ${name}"]`, (input) => input.focus());
  await tab.keyboard.type('99');
  await tab.evaluate(`{
    const { fetch } = window;
    window.fetch = async (...sent) => {
      const answer = await fetch(...sent);
      if (answer.url.includes('/inventory?')) await new Promise((resolve) => setTimeout(resolve, 1_000));
      return answer;
    };
  }`);
  const seen = tab.evaluate(`new Promise((resolve) => {
    const seen = new Set();
    const until = Date.now() + 2_500;
    const look = () => {
      seen.add(document.querySelector('input[aria-label="Available, ${name}"]').value);
      if (Date.now() < until) requestAnimationFrame(look);
      else resolve([...seen]);
    };
    look();
  })`);
  await answer.letGo();
  await sees('1 quantity saved.');
  expect(await seen, 'shown while and after it is saved, with slow reads').toEqual(['7']);
  const { inventory } = await unwrap(
    dashboard.GET('/api/dashboard/inventory', { params: { query: { q: name, limit: 1 } } }),
  );
  expect(inventory[0]?.inventory_quantity).toBe(7);
  expect(await tab.$eval(`input[aria-label="Available, ${name}"]`, (input) => input.value)).toBe('7');
});

let jobs: Jobs | undefined;
afterAll(() => jobs?.stop());

inPanel('changes of brand settings made during the upload of the logo are saved with it', async (visit) => {
  const { open, fill, press, sees, tab, dashboard, demo, width } = visit;
  // Background jobs process the uploaded images.
  jobs ??= await workJobs({ baseUrl: demo.base_url });
  const folder = await mkdtemp(join(tmpdir(), 'panel-logo-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const path = join(folder, 'logo.png') as `${string}.png`;
  await open('/settings/brand');
  await tab.screenshot({ path, clip: { x: 0, y: 0, width: 200, height: 150 } });
  await fill('Address of the logo', '');
  const answer = await holdChanges(visit);
  const input = (await tab.evaluateHandle(fieldOf('Or upload a logo'))) as Awaited<ReturnType<typeof tab.$<'input'>>>;
  await input?.uploadFile(path);
  await answer.isAwaited;
  await fill('Support phone', `+49 30 ${width}`);
  await fill('Support e-mail', `help-${width}@shop.example`);
  await answer.letGo();
  await tab.waitForFunction(`${fieldOf('Address of the logo')}.value.includes('/files/')`, { polling: 100 });
  await press('Save');
  await sees('Saved.');
  const { brand } = await unwrap(dashboard.GET('/api/dashboard/settings'));
  expect(brand).toMatchObject({
    logo_url: expect.stringContaining('/files/'),
    support_phone: `+49 30 ${width}`,
    support_email: `help-${width}@shop.example`,
  });
});

inPanelAndOnPhone('leaving changed settings or discount codes asks for confirmation', async (visit) => {
  const { open, fill, press, sees, tab, width } = visit;
  for (const [path, field, value] of [
    ['/settings/general', 'Low stock threshold', '3'],
    ['/discounts/new', 'Code', 'NEVER'],
  ] as const) {
    await open(path);
    await fill(field, value);
    if (width < 896) await tab.locator('.menu-button').click();
    await press('Customers', 'link');
    await sees('Leave without saving?');
    await press('Cancel');
    expect(await contentOf(visit, field)).toBe(value);
    // On a phone, the menu is still open.
    await press('Customers', 'link');
    await press('Leave without saving');
    await tab.waitForFunction(`document.querySelector('h1')?.textContent === 'Customers'`);
  }
});

inPanel('leaving an import after choosing a file or during the import asks for confirmation', async (visit) => {
  const { open, press, sees, tab, dashboard, width } = visit;
  const folder = await mkdtemp(join(tmpdir(), 'panel-leaving-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const path = join(folder, 'products.csv');
  const rows = Array.from({ length: 120 }, (_, i) => `leaving-${width}-${i},Leaving ${width} ${i},5.00`);
  await writeFile(path, ['Handle,Title,Variant Price', ...rows].join('\n'));
  const isIn = async () => {
    const query = { q: `Leaving ${width}`, limit: 1 };
    return (await unwrap(dashboard.GET('/api/dashboard/products', { params: { query } }))).products.length > 0;
  };
  const leave = async (question: string) => {
    await press('Customers', 'link');
    await sees(question);
  };

  await open('/products/import');
  const input = await tab.waitForSelector('input[aria-label="File of products"]');
  await (input as Awaited<ReturnType<typeof tab.$<'input'>>>)?.uploadFile(path);
  await press('Try it first (dry run)');
  await sees('Preview of the import');
  if (width < 896) await tab.locator('.menu-button').click();
  await leave('Leave without importing?');
  await press('Cancel');

  const answer = await holdChanges(visit);
  await press(`Import ${rows.length} products`);
  await answer.isAwaited;
  await leave('Stop the import and leave?');
  await press('Cancel');
  await leave('Stop the import and leave?');
  await press('Stop and leave');
  await tab.waitForFunction(`document.querySelector('h1')?.textContent === 'Customers'`);
  await answer.letGo();
  await expect.poll(isIn, { message: 'the upload has finished', timeout: PATIENCE_MS }).toBe(true);
});

inPanel(
  'a change by somebody else is reported on saving, even if the panel has fetched it in the meantime',
  async (visit) => {
    const { open, fill, press, sees, tab, dashboard, width } = visit;
    const [mine, theirs] = [`https://shop.example/m-${width}`, `https://shop.example/t-${width}`];
    await open('/settings/legal');
    await fill('Right of withdrawal', mine);
    const { legal } = await unwrap(dashboard.GET('/api/dashboard/settings'));
    await unwrap(dashboard.PATCH('/api/dashboard/settings', { body: { legal: { ...legal, withdrawal_url: theirs } } }));
    // Simulates that the user returns to the window later, so that the panel fetches the settings again.
    await tab.evaluate('{ const now = Date.now; Date.now = () => now() + 60_000; }');
    const isRead = tab.waitForResponse((response) => response.url().endsWith('/api/dashboard/settings'));
    await tab.evaluate(`window.dispatchEvent(new Event('visibilitychange'))`);
    await isRead;
    await press('Save');
    await sees('Somebody else changed this meanwhile');
    await sees(theirs);
    await press('Take theirs');
    const kept = await unwrap(dashboard.GET('/api/dashboard/settings'));
    expect(kept.legal.withdrawal_url).toBe(theirs);
  },
);

/**
 * Delays all writing requests, as on a slow network. `isAwaited` resolves when the first one is sent; `letGo` sends all
 * of them.
 */
async function holdChanges({ tab }: Visit) {
  const held: (() => Promise<void>)[] = [];
  let isLetGo = false;
  await tab.setRequestInterception(true);
  const isAwaited = tab.waitForRequest((request) => request.method() !== 'GET', { timeout: PATIENCE_MS });
  isAwaited.catch(() => {});
  tab.on('request', (request) => {
    // Ignores the error of a request that is still delayed when the tab is closed.
    const go = () => request.continue().catch(() => undefined);
    if (isLetGo || request.method() === 'GET') return go();
    held.push(go);
  });
  const letGo = async () => {
    isLetGo = true;
    await Promise.all(held.map((go) => go()));
  };
  return { isAwaited, letGo };
}

/** Returns an expression that finds the field with this label in the page. */
function fieldOf(label: string): string {
  const labels = `[...document.querySelectorAll('label')]`;
  return `${labels}.filter(({ textContent }) => textContent.replace(/ \\*$/, '') === ${JSON.stringify(label)}).at(-1).control`;
}

async function contentOf({ tab }: Visit, label: string): Promise<string> {
  return String(await tab.evaluate(`${fieldOf(label)}.value`));
}
