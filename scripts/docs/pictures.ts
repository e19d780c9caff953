/**
 * Takes the screenshots of the merchants' guide in the demo shop: `node scripts/docs/pictures.ts`. Needs Chromium and a
 * running demo shop, whose login is in .data/demo.json.
 */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { findChromium, openChromium, type Page } from '../../server/test/chromium.ts';
import { ROOT } from './pages.ts';

const FOLDER = join(ROOT, 'docs/pictures');
const SIZE = { width: 1280, height: 800 };
const MOST_BYTES = 60 * 1024;

/** Each screenshot: its file name, its path in the panel, and what to do before it is taken. */
const PICTURES: { name: string; path: string; prepare?: (tab: Page) => Promise<void> }[] = [
  { name: 'today', path: '/' },
  { name: 'orders', path: '/orders' },
  { name: 'order', path: '/orders?waiting_for=shipping', prepare: openFirst },
  { name: 'change-prices', path: '/products', prepare: changePrices },
  { name: 'product', path: '/products', prepare: openFirst },
];

async function openFirst(tab: Page): Promise<void> {
  const title = await tab.$eval('h1', (heading) => heading.textContent);
  await tab.locator('.data-table tbody a').click();
  await tab.waitForFunction(`(document.querySelector('h1')?.textContent ?? '${title}') !== '${title}'`, {
    polling: 200,
  });
}

async function changePrices(tab: Page): Promise<void> {
  await tab.locator('.data-table thead input[type="checkbox"]').click();
  await tab.locator('.product-bar .primary').click();
  await tab.locator('.price-change input').fill('5');
  await tab.locator('.price-preview').wait();
}

/** Waits until the content and all visible images have loaded. */
async function loaded(tab: Page): Promise<void> {
  const isVisible = (image: string) => `${image}.getBoundingClientRect().top < innerHeight`;
  await tab.waitForFunction(
    `document.querySelector('#main h1') && !document.querySelector('.loading, .skeleton, [aria-busy="true"]') &&
      [...document.images].every((image) => image.complete || !(${isVisible('image')}))`,
    { polling: 200 },
  );
}

async function picture(tab: Page): Promise<Uint8Array> {
  await loaded(tab);
  for (let quality = 80; ; quality -= 10) {
    const bytes = await tab.screenshot({ type: 'webp', quality });
    if (bytes.length <= MOST_BYTES || quality === 20) return bytes;
  }
}

const chromium = findChromium();
if (!chromium) throw new Error('Install Chromium.');
const { base_url, staff } = JSON.parse(readFileSync(join(ROOT, '.data/demo.json'), 'utf8'));
const browser = await openChromium(chromium);
try {
  const tab = await browser.newPage();
  await tab.setViewport(SIZE);
  await tab.goto(`${base_url}/panel/`);
  await tab.locator('input[name="email"]').fill(staff.email);
  await tab.locator('input[name="password"]').fill(staff.password);
  await tab.locator('form button[type="submit"]').click();
  await tab.locator('#main h1').wait();
  mkdirSync(FOLDER, { recursive: true });
  for (const { name, path, prepare } of PICTURES) {
    await tab.goto(`${base_url}/panel${path}`);
    await loaded(tab);
    await prepare?.(tab);
    const bytes = await picture(tab);
    writeFileSync(join(FOLDER, `${name}.webp`), bytes);
    console.log(`docs/pictures/${name}.webp, ${bytes.length} bytes`);
  }
} finally {
  await browser.close();
}
