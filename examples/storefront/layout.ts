import { type Schemas, type StorefrontClient, unwrap } from '@commerce-backend/sdk';
import { type Html, html } from './html.ts';
import type { Page } from './pages/page.ts';
import { headOf, inLanguage } from './search-engines.ts';
import { collectionsOf, textOf, type Visit } from './visit.ts';
import { type Key, LANGUAGES } from './words.ts';

export interface Storefront {
  shop: StorefrontClient;
  /** Base URL of the server with the images and the hosted checkout. */
  baseUrl: string;
  name: string;
}

const GOOD: Key[] = ['added', 'check_mail', 'saved_changes', 'password_changed', 'return_requested'];
const REFUSALS: Key[] = [
  'insufficient_stock',
  'invalid_credentials',
  'wrong_password',
  'code_refused',
  'return_refused',
  'form_refused',
];
const NOTICES = [...GOOD, ...REFUSALS];

/** The complete HTML document for a page. */
export async function layout(visit: Visit, { name }: Storefront, page: Page): Promise<Html> {
  const { title, main } = page;
  const { t, language, to, req } = visit;
  const [collections, facts] = await Promise.all([
    collectionsOf(visit).catch(() => []),
    unwrap(visit.shop.GET('/api/storefront/shop')).catch(() => undefined),
  ]);
  const notice = page.refusal ?? NOTICES.find((key) => key === textOf(req.query, 'notice'));
  return html`<!doctype html>
<html lang="${language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title ? `${title} · ${name}` : name}</title>
<link rel="icon" href="/icon.svg" type="image/svg+xml">
<link rel="stylesheet" href="/style.css">
${headOf(visit, page, name)}
<script type="module" src="/suggest.js"></script>
</head>
<body>
<a class="skip" href="#main">${t('skip')}</a>
<header class="site-header">
  <a class="wordmark" href="${to('/')}">${name}</a>
  <form class="search" role="search" action="${to('/search')}" data-suggest="${to('/suggest')}">
    <label class="unseen" for="q">${t('search')}</label>
    <input type="search" id="q" name="q" value="${textOf(req.query, 'q')}" placeholder="${t('search_hint')}" maxlength="200" autocomplete="off">
    <button>${t('search')}</button>
    <div class="suggestions" hidden></div>
  </form>
  <nav class="actions" aria-label="${t('account')}, ${t('cart')}">
    <a href="${to(visit.isCustomer ? '/account' : '/login')}">${t(visit.isCustomer ? 'account' : 'login')}</a>
    <a class="cart-link" href="${to('/cart')}">${t('cart')} <span class="count" aria-hidden="true">${visit.pieces}</span>
      <span class="unseen">${t('pieces', { count: visit.pieces })}</span></a>
  </nav>
  <nav class="menu" aria-label="${t('menu')}"><ul>${collections.map(({ handle, title: text }) => {
    const path = to(`/collections/${handle}`);
    return html`<li><a href="${path}"${here(visit, path)}>${text}</a></li>`;
  })}</ul></nav>
</header>
<main id="main" tabindex="-1">
${page.trail && breadcrumbs(visit, [[t('home'), '/'], ...page.trail], title)}
${notice && html`<p class="notice${GOOD.includes(notice) ? '' : ' refusal'}" role="status">${t(notice)}</p>`}
${main}
</main>
<footer class="site-footer">
  <ul class="promises"><li>${t('promise_delivery')}</li><li>${t('promise_return')}</li><li>${t('promise_payment')}</li></ul>
  <div class="site-map">
    <nav aria-labelledby="map-shop"><h2 id="map-shop">${name}</h2><ul>
      <li><a href="${to('/search')}">${t('all_products')}</a></li>
      <li><a href="${to('/collections')}">${t('all_collections')}</a></li></ul></nav>
    <nav aria-labelledby="map-account"><h2 id="map-account">${t('account')}</h2><ul>${accountLinks(visit)}</ul></nav>
    ${facts && shopLinks(visit, facts)}
  </div>
  <nav class="languages" aria-label="${t('language')}"><ul>${Object.entries(LANGUAGES).map(
    ([code, text]) =>
      html`<li><a href="${inLanguage(visit, code)}" hreflang="${code}" lang="${code}"${code === language && html` aria-current="true"`}>${text}</a></li>`,
  )}</ul></nav>
  <p>${t('footer')}</p>
</footer>
</body>
</html>`;
}

/** Breadcrumbs. The last entry is the page itself. */
function breadcrumbs({ t, to }: Visit, above: readonly (readonly [string, string])[], title: string): Html {
  return html`<nav class="trail" aria-label="${t('breadcrumb')}"><ol>${above.map(
    ([text, path]) => html`<li><a href="${to(path)}">${text}</a></li>`,
  )}<li aria-current="page">${title}</li></ol></nav>`;
}

function accountLinks({ t, to, isCustomer }: Visit): Html[] {
  const own = [
    ['orders', '/account'],
    ['profile', '/account/profile'],
    ['addresses', '/account/addresses'],
  ] as const;
  const links = isCustomer
    ? own
    : ([
        ['login', '/login'],
        ['register', '/login#register'],
      ] as const);
  return links.map(([key, path]) => html`<li><a href="${to(path)}">${t(key)}</a></li>`);
}

const POLICIES = {
  terms: 'terms_url',
  privacy: 'privacy_url',
  withdrawal: 'withdrawal_url',
  imprint: 'imprint_url',
} as const;

/** Links to the shop's legal texts and contacts, if its settings contain them. */
function shopLinks({ t, serverUrl }: Visit, { withdrawal_form_path, ...facts }: Schemas['Shop']): Html {
  const { policies, support_email: email, support_phone: phone } = facts;
  const texts = Object.entries(POLICIES).flatMap(([key, field]) => {
    const address = policies[field];
    return address ? [html`<li><a href="${address}">${t(key as keyof typeof POLICIES)}</a></li>`] : [];
  });
  // EU law requires a link to the withdrawal page on each page.
  if (withdrawal_form_path) {
    texts.push(html`<li><a href="${new URL(withdrawal_form_path, serverUrl).href}">${t('withdraw')}</a></li>`);
  }
  return html`${texts.length > 0 && html`<nav aria-labelledby="map-legal"><h2 id="map-legal">${t('policies')}</h2><ul>${texts}</ul></nav>`}
    ${
      (email || phone) &&
      html`<section aria-labelledby="map-help"><h2 id="map-help">${t('help')}</h2><ul>
      ${email && html`<li><a href="mailto:${email}">${email}</a></li>`}
      ${phone && html`<li><a href="tel:${phone.replaceAll(/[^+\d]/g, '')}">${phone}</a></li>`}</ul></section>`
    }`;
}

function here({ req }: Visit, path: string): Html | false {
  return req.baseUrl + req.path === path && html` aria-current="page"`;
}
