import type { Browser, Page } from '../../server/test/chromium.ts';
import { inChromium, press } from '../testing/chromium.ts';
import { type Figures, type Proof, pick, type Trial } from '../testing/proof.ts';
import { payloadsOf } from '../testing/script-payloads.ts';
import { onPremises, type Premises } from '../testing/test-server.ts';
import { PAGES } from './page-list.ts';
import { arrangeFor, type Furnished, furnish, logInTo, TEXT_NAMES, type TextName, type Texts } from './page-shops.ts';

/**
 * Puts payloads into the texts of the pages, including URLs and rejected forms, and opens every page in a browser with
 * scripts enabled. In the full form, each payload is in half of the texts; the seed determines which ones. Violations
 * are scripts that run, resources that the content security policy blocks, requests to other servers, and elements that
 * our pages do not contain.
 */
export const F9: Proof = {
  id: 'F9',
  promise: 'No text of merchants or shoppers, and no URL, runs, loads or becomes markup on a page.',
  run: (trial) => onPremises(trial, (premises) => attack(trial, premises)),
};

const PAYLOADS = 500;

async function attack(trial: Trial, premises: Premises): Promise<Figures> {
  const payloads = payloadsOf(trial.seed, PAYLOADS);
  const rounds = pick(trial.size, 2, PAYLOADS / 2);
  let [shown, placed] = [0, 0];
  const browser = await inChromium(trial, async (chromium) => {
    for (let round = 0; round < rounds; round += 1) {
      const shop = await furnish(await premises.openShop(), 'x', textsOf(payloads, round));
      placed += TEXT_NAMES.length;
      const tab = await openTab(chromium, premises);
      // Each round of the short form opens half of the pages.
      const pages = pick(
        trial.size,
        PAGES.filter((_, page) => page % rounds === round),
        PAGES,
      );
      shown += await showAll(tab, premises, shop, payloads[round] ?? '', pages).catch((error: Error) => {
        if (!chromium.connected) throw error;
        premises.violations.add(`a page with a hostile text cannot be used: ${error.message}, at ${tab.url()}`);
        return 1;
      });
      await tab.close();
    }
  });
  const violations = premises.violations.list;
  const note = `${Math.min(PAYLOADS, placed)} payloads on ${shown.toLocaleString('en')} pages in ${browser}`;
  return { tried: placed, unit: 'payloads placed', violations, note };
}

/**
 * In round r, text number t contains payload r + 24 · t. After all rounds of the full form, each payload has been in
 * half of the texts.
 */
export function textsOf(payloads: string[], round: number): Texts {
  const texts = TEXT_NAMES.map((name, index): [TextName, string] => {
    const payload = payloads[(round + index * 24) % payloads.length] ?? '';
    return [name, FORMS[name]?.(payload) ?? payload.slice(0, 255)];
  });
  return Object.fromEntries(texts) as Texts;
}

/** Adapts a payload to the form that the contract requires of some texts. */
const FORMS: Partial<Record<TextName, (payload: string) => string>> = {
  email: (payload) => `x${payload.replaceAll(/[\s@"<>()[\],;:\\\u202e]/g, '').slice(0, 40)}@example.com`.toLowerCase(),
  variant_image: (payload) => `https://img.example/${payload}?${payload}#${payload}`.replaceAll(/\s/g, '+'),
  discount_code: (payload) => payload.slice(0, 64).trim(),
  // A fixed number, because the shop accepts only phone numbers that are valid in their country.
  phone: () => '+49 30 1234567',
  postal_code: (payload) => payload.slice(0, 32),
  agent_name: (payload) => payload.slice(0, 90),
};

/** Opens a tab that reports scripts that run or are blocked, and that sends no requests to other servers. */
async function openTab(browser: Browser, { baseUrl, violations }: Premises): Promise<Page> {
  const tab = await browser.newPage();
  await tab.evaluateOnNewDocument(`
    for (const name of ['alert', 'confirm', 'prompt', 'print']) window[name] = () => console.error('executed: ' + name);
    addEventListener('securitypolicyviolation', ({ violatedDirective, blockedURI, sample }) => {
      console.error('policy: ' + violatedDirective + ' ' + blockedURI + ' ' + sample);
    });`);
  tab.on('console', (message) => {
    const text = message.text();
    const isOrdinary = /^Failed to load resource: the server responded with a status of 4\d\d/.test(text);
    if (!isOrdinary) violations.add(`${tab.url()} reports a script error or a policy violation: ${text}`);
  });
  tab.on('dialog', (dialog) => {
    violations.add(`${tab.url()} opens a dialog: ${dialog.message()}`);
    dialog.dismiss().catch(() => undefined);
  });
  await tab.setRequestInterception(true);
  tab.on('request', (request) => {
    const { origin, host } = new URL(request.url());
    const answered =
      origin === baseUrl
        ? request.continue()
        : host === 'img.example'
          ? request.respond({
              status: 200,
              contentType: 'image/svg+xml',
              body: '<svg xmlns="http://www.w3.org/2000/svg"/>',
            })
          : request.abort();
    answered.catch(() => undefined);
    if (origin !== baseUrl && host !== 'img.example')
      violations.add(`${tab.url()} loads ${request.url()} from another server`);
  });
  return tab;
}

async function showAll(
  tab: Page,
  premises: Premises,
  shop: Furnished,
  payload: string,
  pages: typeof PAGES,
): Promise<number> {
  const { baseUrl } = premises;
  let shown = 0;
  const look = async (what: string, isOfShop: boolean) => {
    shown += 1;
    const found = (await tab
      .evaluate(`(${STRANGERS})(${JSON.stringify(baseUrl)})`)
      .catch(() => ['the page went away'])) as string[];
    for (const stranger of found) premises.violations.add(`${what} ${tab.url()}: ${stranger}`);
    if (!isOfShop) return;
    const name = await tab.$eval('.shop', ({ textContent }) => textContent).catch(() => 'none');
    if (name !== shop.texts.shop)
      premises.violations.add(`${what}: the shop's name is shown as ${name} instead of ${shop.texts.shop}`);
  };
  for (const page of pages) {
    const { path, login } = await arrangeFor(page, shop);
    await logInTo(tab.browserContext(), login);
    await tab.goto(baseUrl + path);
    await look(page.name, !page.ofNoShop);
    for (const work of page.operations.filter(({ action }) => action === 'save')) {
      const refused = { ...work.entries(shop), email: payload, shipping_country: 'DE', discount_code: payload };
      await press(tab, { ...work, entries: () => refused }, shop);
      await look(`${page.name}, refused,`, true);
    }
  }
  const odd = encodeURIComponent(payload);
  const { site_id } = shop.shop;
  for (const path of [
    `/checkout/${odd}`,
    `/account/${odd}/reset/${odd}?${odd}`,
    `/account/${site_id}/verify-email/${odd}`,
  ]) {
    await tab.goto(baseUrl + path);
    await look('an address', false);
  }
  return shown;
}

/** Finds elements and attributes that our pages never contain. */
const STRANGERS = `(baseUrl) => {
  const known = new Set(${JSON.stringify('html head meta title link body a header main div p h1 h2 ol ul li nav section form fieldset legend label input select option textarea button aside img data time progress dl dt dd details summary strong span figure figcaption')}.split(' '));
  const found = [];
  for (const element of document.querySelectorAll('*')) {
    const name = element.localName;
    const isOfCode = ['svg', 'rect', 'path'].includes(name) && element.closest('figure.scan > svg.qr-code') !== null;
    const isOurScript = name === 'script' && /^\\/assets\\/(?:copy|checkout)-[0-9a-f]{16}\\.js$/.test(element.getAttribute('src')) && element.integrity !== '' && element.text === '';
    if (!known.has(name) && !isOfCode && !isOurScript) found.push('<' + name + '>');
    if (name === 'meta' && element.httpEquiv) found.push('a meta that acts');
    for (const { name: attribute, value } of element.attributes) {
      if (/^on|^style$|^srcdoc$|^ping$/.test(attribute)) found.push(name + ' ' + attribute);
      if (!['href', 'src', 'action', 'formaction', 'data', 'poster', 'background'].includes(attribute)) continue;
      const { origin, protocol, pathname } = new URL(value, document.baseURI);
      if (attribute === 'formaction' && pathname !== location.pathname) found.push(name + ' sends the form to ' + pathname);
      if (origin !== baseUrl && !(name === 'img' && origin === 'https://img.example')) {
        found.push(name + ' ' + attribute + ' leads to ' + protocol + ' ' + origin);
      }
    }
  }
  return found;
}`;
