import type { StorefrontClient } from '@commerce-backend/sdk';
import { type Html, html } from './html.ts';
import type { Page } from './pages/page.ts';
import { headOf, inLanguage } from './search-engines.ts';
import { collectionsOf, textOf, type Visit } from './visit.ts';
import { type Key, LANGUAGES } from './words.ts';

export interface Storefront {
  shop: StorefrontClient;
  /** Where the pictures and the hosted checkout are. */
  baseUrl: string;
  name: string;
}

const GOOD: Key[] = ['added', 'check_mail'];
const NOTICES: Key[] = [...GOOD, 'insufficient_stock', 'invalid_credentials', 'code_refused', 'form_refused'];

/** The whole document around a page. */
export async function layout(visit: Visit, { name }: Storefront, page: Page): Promise<Html> {
  const { title, main } = page;
  const { t, language, to, req } = visit;
  const collections = await collectionsOf(visit).catch(() => []);
  const notice = NOTICES.find((key) => key === textOf(req.query, 'notice'));
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
  <nav class="actions" aria-label="${t('account')}">
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
${notice && html`<p class="notice${GOOD.includes(notice) ? '' : ' refusal'}" role="status">${t(notice)}</p>`}
${main}
</main>
<footer class="site-footer">
  <ul class="promises"><li>${t('promise_delivery')}</li><li>${t('promise_return')}</li><li>${t('promise_payment')}</li></ul>
  <nav class="languages" aria-label="${t('language')}"><ul>${Object.entries(LANGUAGES).map(
    ([code, text]) =>
      html`<li><a href="${inLanguage(visit, code)}" hreflang="${code}" lang="${code}"${code === language && html` aria-current="true"`}>${text}</a></li>`,
  )}</ul></nav>
  <p>${t('footer')}</p>
</footer>
</body>
</html>`;
}

function here({ req }: Visit, path: string): Html | false {
  return req.baseUrl + req.path === path && html` aria-current="page"`;
}
