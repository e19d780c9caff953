import { readFileSync } from 'node:fs';
import { expect } from 'vitest';
import { buy } from './purchases.ts';
import { inPanel, type Visit } from './visit.ts';

const GERMAN = JSON.parse(readFileSync(new URL('../../panel/src/language/de.json', import.meta.url), 'utf8')) as Record<
  string,
  string
>;

/**
 * Texts of the German panel that are English texts too: data of the demo shop, the name of a language, and a German
 * word.
 */
const DATA = ['Standard delivery', 'English', 'Tag'];

/** Returns all texts that the screen shows, or that screen readers read. */
const SHOWN = `(() => {
  const texts = [document.title];
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) texts.push(walker.currentNode.data);
  for (const each of document.querySelectorAll('[aria-label], [placeholder], [title], [alt]'))
    for (const name of ['aria-label', 'placeholder', 'title', 'alt']) texts.push(each.getAttribute(name) ?? '');
  return texts.map((text) => text.replace(/\\s+/g, ' ').trim());
})()`;

async function englishOn({ tab }: Visit): Promise<string[]> {
  const shown = (await tab.evaluate(SHOWN)) as string[];
  return shown.filter((text) => text in GERMAN && GERMAN[text] !== text && !DATA.includes(text));
}

async function choose({ open, tab }: Visit, language: 'en' | 'de' | 'fr'): Promise<void> {
  await open('/account');
  await tab.locator('select:has(option[lang])').fill(language);
  await tab.waitForFunction(`document.documentElement.lang === '${language}' && document.querySelector('h1')`);
}

inPanel('after a staff member chooses German, no text on the screens stays in English', async (visit) => {
  const { open, look, sees, dashboard, tab } = visit;
  const order = await buy(visit);
  const { data: found } = await dashboard.GET('/api/dashboard/products', { params: { query: { limit: 1 } } });
  try {
    await choose(visit, 'de');
    await sees('Ihr Konto');
    const screens = {
      today: '/',
      orders: '/orders',
      order: `/orders/${order.id}`,
      products: '/products',
      product: `/products/${found?.products[0]?.id}`,
      stock: '/stock',
      customers: '/customers',
      settings: '/settings',
      general: '/settings/general',
      delivery: '/settings/delivery',
    };
    const english: Record<string, string[]> = {};
    for (const [name, path] of Object.entries(screens)) {
      await open(path);
      const found = await englishOn(visit);
      if (found.length > 0) english[name] = found;
      await look(`german-${name}`);
    }
    expect(english).toEqual({});

    await dashboard.POST('/api/dashboard/products', { body: { name: 'Kanne', price: '10.00' } });
    await open('/audit');
    const texts = `[...document.querySelectorAll('td')].map((cell) => cell.textContent)`;
    await tab.waitForFunction(`${texts}.includes('Produkt anlegen')`);
    await look('german-audit');

    await choose(visit, 'fr');
    await open('/orders');
    await sees('Commandes');
    await look('french-orders');
  } finally {
    await choose(visit, 'en');
  }
  await sees('Your account');
});
