/** The first page of the account: purchases that wait for a confirmation, then the orders. */

import type { Order, OrderPage } from '@commerce-backend/spec';
import type { Language } from '../../language/language.ts';
import type { WaitingCheckout } from '../../shop/account/overview.ts';
import { assistantNamed, endInWords } from '../parts/agent-words.ts';
import { type Html, html } from '../parts/html.ts';
import { orderState } from '../parts/order-state.ts';
import { imageSource } from '../parts/order-summary.ts';
import { orderPath, withQuery } from '../parts/paths.ts';
import type { PageAnswer } from '../parts/route.ts';
import { moment, money, rich } from '../parts/words.ts';
import { accountFrame } from './frame.ts';
import type { AccountVisit } from './visit.ts';

interface Overview {
  found: OrderPage;
  waiting: WaitingCheckout[];
}

export function overviewView(visit: AccountVisit, csrf: string, { found, waiting }: Overview): PageAnswer {
  const { language, tenant } = visit;
  const main = html`
${waiting.length > 0 && waitingSection(language, waiting, tenant.currency)}
${ordersSection(visit, found)}`;
  return accountFrame(visit, csrf, { title: language.say('account.title'), section: 'orders', main });
}

function waitingSection(language: Language, waiting: WaitingCheckout[], currency: string): Html {
  const { say } = language;
  const card = ({ agent_name, agent_status, revoked_by, total, expires_at, path }: WaitingCheckout) => html`
<li class="card">
<p>${rich(language, 'account.waiting_purchase', { assistant: assistantNamed(language, agent_name), total: money(language, total, currency) })} ${endInWords(language, { status: agent_status, revoked_by })}</p>
<p class="hint">${rich(language, 'account.until', { moment: moment(language, expires_at) })}</p>
<p><a class="button" href="${path}">${say('account.decide')}</a></p>
</li>`;
  return html`
<section aria-labelledby="waiting">
<h2 id="waiting">${say('account.waiting')}</h2>
<ul class="cards">
${waiting.map(card)}
</ul>
</section>`;
}

function ordersSection(visit: AccountVisit, { orders, page, pages }: OrderPage): Html {
  const { path, language } = visit;
  const { say } = language;
  const none = visit.front.storefront_url
    ? html`<p><a class="button" href="${visit.front.storefront_url}" rel="noreferrer">${say('page.back_to_shop', { shop: visit.front.name })}</a></p>`
    : false;
  const to = (number: number, label: string) =>
    html`<a href="${withQuery(path, 'page', String(number))}#orders">${label}</a>`;
  return html`
<section aria-labelledby="orders">
<h2 id="orders">${say('account.orders')}</h2>
${orders.length > 0 ? html`<ul class="cards">${orders.map((order) => orderCard(visit, order))}</ul>` : html`<p>${say('account.orders_none')}</p>${none}`}
${pages > 1 && html`<p class="pager">${page > 1 && to(page - 1, say('profile.newer'))} <span class="hint">${say('profile.page', { page, pages })}</span> ${page < pages && to(page + 1, say('profile.older'))}</p>`}
</section>`;
}

function orderCard({ language, path, checkoutDeps }: AccountVisit, order: Order): Html {
  const { say } = language;
  const { id, order_number: number, created_at, total, currency, line_items } = order;
  const source = imageSource(line_items.find(({ image_url }) => image_url)?.image_url ?? null, checkoutDeps.baseUrl);
  const state = orderState(order);
  return html`
<li class="card order-card">
<div class="picture">${source && html`<img src="${source}" alt="" width="64" height="64" loading="lazy" referrerpolicy="no-referrer">`}</div>
<div class="what">
<p class="standing is-${state}">${say(`order.state_${state}`)}</p>
<p class="name"><a href="${orderPath(path, id)}">${say('account.order', { number })}</a></p>
<p class="items">${itemsInWords(language, order)}</p>
<p class="hint"><time datetime="${created_at}">${language.day(created_at)}</time></p>
</div>
<p class="line-total">${money(language, total, currency)}</p>
</li>`;
}

/** Names the first item, and counts the others. */
function itemsInWords(language: Language, { line_items: [first, ...others] }: Order): Html {
  if (!first) return html``;
  const name = html`<span dir="auto">${first.name}</span>`;
  return others.length > 0 ? rich(language, 'profile.and_more', { name, count: others.length }) : name;
}
