import { type Html, html } from '../html.ts';
import type { Visit } from '../visit.ts';
import type { Page } from './page.ts';

const SECTIONS = { '/account': 'orders', '/account/profile': 'profile', '/account/addresses': 'addresses' } as const;

/** An account page with links to the other account pages. */
export function ofAccount(visit: Visit, title: string, content: Html, heading = title): Page {
  const { t, to, req } = visit;
  const links = Object.entries(SECTIONS).map(
    ([path, key]) =>
      html`<li><a href="${to(path)}"${req.path === path && html` aria-current="page"`}>${t(key)}</a></li>`,
  );
  const main = html`<header class="page-header"><h1>${heading}</h1></header>
<div class="account">
  <nav aria-label="${t('account_menu')}"><ul>${links}</ul>
    <form method="post" action="${to('/logout')}"><button class="plain">${t('logout')}</button></form></nav>
  <div>${content}</div>
</div>`;
  return { title, main, isPrivate: true, trail: req.path === '/account' ? [] : [[t('account'), '/account']] };
}
