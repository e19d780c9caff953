/** The account page: pending confirmations, then agents, then orders. */

import type { AgentToken, AuditEvent, Customer, Order } from '@commerce-backend/spec';
import type { Language } from '../../language/language.ts';
import type { WaitingCheckout } from '../../shop/account/overview.ts';
import { inWords } from '../../shop/audit/words.ts';
import { assistantNamed, budgetInWords, budgetOfPeriod, endInWords, SCOPES } from '../parts/agent-words.ts';
import { page } from '../parts/document.ts';
import { csrfField } from '../parts/form-parts.ts';
import { type Html, html } from '../parts/html.ts';
import { orderPath, withQuery } from '../parts/paths.ts';
import type { PageAnswer } from '../parts/route.ts';
import { moment, money, rich } from '../parts/words.ts';
import { consentSection } from './consent.ts';
import type { AccountVisit } from './visit.ts';

interface Overview {
  profile: Customer;
  agents: AgentToken[];
  orders: Order[];
  orders_total: number;
  waiting: WaitingCheckout[];
}

export function overviewView(visit: AccountVisit, csrf: string, overview: Overview): PageAnswer {
  const { front, path, tenant, language } = visit;
  const { say } = language;
  const { profile, agents, orders, orders_total, waiting } = overview;
  const title = say('account.title');
  const email = html`<strong>${profile.email}</strong>`;
  const main = html`
<div class="account">
<h1>${title}</h1>
<form method="post" action="${path}" class="who">${csrfField(csrf)}<p>${rich(language, 'account.logged_in', { email })} <button class="link" name="action" value="log_out">${say('page.log_out')}</button></p></form>
${waiting.length > 0 && waitingSection(language, waiting, tenant.currency)}
${agentsSection(visit, csrf, agents)}
${ordersSection(visit, orders, orders_total)}
${consentSection(visit, csrf, profile.marketing_opt_in)}
${safetySection(visit, csrf)}
</div>`;
  return { status: 200, html: page({ language, title, front, where: 'account', main }) };
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

function agentsSection(visit: AccountVisit, csrf: string, agents: AgentToken[]): Html {
  const { say } = visit.language;
  const cards = html`<ul class="cards">${agents.map((agent) => agentCard(visit, csrf, agent))}</ul>`;
  return html`
<section aria-labelledby="agents">
<h2 id="agents">${say('account.agents')}</h2>
${agents.length > 0 ? cards : html`<p>${say('account.agents_none')}</p>`}
</section>`;
}

function agentCard({ language, path }: AccountVisit, csrf: string, agent: AgentToken): Html {
  const { say } = language;
  const { id, agent_name, status, currency, scopes, categories, expires_at } = agent;
  const amount = (name: string, cents: number) =>
    html`<div><dt>${name}</dt><dd>${budgetInWords(language, cents, currency)}</dd></div>`;
  const until = status === 'active' ? 'account.until' : 'account.was_to_end';
  const only = html`<span dir="auto">${categories.join(', ')}</span>`;
  return html`
<li class="card">
<p class="card-title"><strong dir="auto">${agent_name}</strong> <span class="state ${status}">${say(`consent.status_${status}`)}</span></p>
<p class="hint">${say('account.calls_itself')}</p>
<dl class="amounts">
<div><dt>${say('account.budget')}</dt><dd>${budgetOfPeriod(language, agent.budget_cents, agent.budget_period, currency)}</dd></div>
${amount(say('account.used'), agent.budget_used_cents)}
${amount(say('account.held'), agent.budget_pending_cents)}
${amount(say('account.left'), agent.budget_remaining_cents)}
${agent.max_per_order_cents !== null && amount(say('account.per_order'), agent.max_per_order_cents)}
${agent.budget_period !== 'once' && amount(say('account.spent_total'), agent.spent_total_cents)}
</dl>
<details><summary>${say('account.may_do')}</summary><ul class="bullets">${scopes.map((scope) => html`<li>${say(SCOPES[scope])}</li>`)}</ul>
${categories.length > 0 && html`<p>${rich(language, 'account.only', { categories: only })}</p>`}</details>
${budgetAnew(language, agent)}
<p class="hint">${rich(language, until, { moment: moment(language, expires_at) })}</p>
<div class="buttons">
<a href="${withQuery(path, 'agent', id)}">${say('account.activity_link')}</a>
${
  status === 'active' &&
  html`<form method="post" action="${path}">${csrfField(csrf)}<input type="hidden" name="agent" value="${id}"><button class="secondary" name="action" value="revoke" aria-label="${say('account.revoke_agent', { name: agent_name })}">${say('account.revoke')}</button></form>`
}
</div>
</li>`;
}

/** States when the budget resets, if that is before the agent's token expires. */
function budgetAnew(language: Language, { status, budget_resets_at, expires_at }: AgentToken): Html | undefined {
  if (status !== 'active' || budget_resets_at === null || budget_resets_at >= expires_at) return undefined;
  return html`<p class="hint">${rich(language, 'account.resets', { moment: moment(language, budget_resets_at) })}</p>`;
}

function ordersSection(visit: AccountVisit, orders: Order[], total: number): Html {
  const { say } = visit.language;
  const latest = say('account.orders_latest', { shown: orders.length, total });
  return html`
<section aria-labelledby="orders">
<h2 id="orders">${say('account.orders')}</h2>
${orders.length > 0 ? html`<ul class="cards">${orders.map((order) => orderCard(visit, order))}</ul>` : html`<p>${say('account.orders_none')}</p>`}
${total > orders.length && html`<p class="hint">${latest}</p>`}
</section>`;
}

function orderCard({ language, path }: AccountVisit, order: Order): Html {
  const { id, order_number: number, created_at, total, currency } = order;
  return html`
<li class="card">
<p class="card-title"><strong><a href="${orderPath(path, id)}">${language.say('account.order', { number })}</a></strong> <span>${money(language, total, currency)}</span></p>
<p class="hint">${moment(language, created_at)}</p>
<p>${orderState(language, order)}</p>
</li>`;
}

function safetySection({ language: { say }, path }: AccountVisit, csrf: string): Html {
  return html`
<section aria-labelledby="safety">
<h2 id="safety">${say('account.safety')}</h2>
<p class="hint">${say('account.log_out_everywhere_why')}</p>
<form method="post" action="${path}" class="buttons">${csrfField(csrf)}<button class="secondary" name="action" value="log_out_everywhere">${say('account.log_out_everywhere')}</button></form>
</section>`;
}

function orderState({ say }: Language, { status, payment_status, fulfillment_status }: Order): string {
  if (status === 'cancelled') return say('account.order_cancelled');
  return say('account.order_state', {
    payment: say(`account.payment_${payment_status}`),
    delivery: say(`account.delivery_${fulfillment_status}`),
  });
}

/** Lists an agent's actions, newest first. */
export function activityView(visit: AccountVisit, agent: AgentToken, operations: AuditEvent[]): PageAnswer {
  const { front, path, language } = visit;
  const { say } = language;
  const title = say('account.activity');
  const assistant = assistantNamed(language, agent.agent_name);
  const intro =
    operations.length >= 50
      ? rich(language, 'account.activity_last', { assistant, count: operations.length })
      : rich(language, 'account.activity_all', { assistant });
  const rows = operations.map(
    (work) =>
      html`<li><span dir="auto">${inWords(language, work, 'customer')}</span> <span class="hint">${moment(language, work.created_at)}</span></li>`,
  );
  const main = html`
<div class="account">
<h1>${title}</h1>
<p>${intro}</p>
${operations.length > 0 ? html`<ol class="operations">${rows}</ol>` : html`<p>${say('account.activity_none')}</p>`}
<p><a href="${path}">${say('account.back')}</a></p>
</div>`;
  return { status: 200, html: page({ language, title, front, where: 'account', main }) };
}
