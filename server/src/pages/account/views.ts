import type { AgentToken, AuditEvent, Customer, Order } from '@commerce-backend/spec';
import type { WaitingCheckout } from '../../shop/account/overview.ts';
import { assistantNamed, budgetInWords, deedInWords, endInWords, SCOPES, STATUSES } from '../parts/agent-words.ts';
import { page } from '../parts/document.ts';
import { csrfField } from '../parts/form-parts.ts';
import { type Html, html } from '../parts/html.ts';
import type { PageAnswer } from '../parts/route.ts';
import { moment, money } from '../parts/words.ts';
import type { AccountVisit } from './visit.ts';

/** The account: what waits for the customer first, then the agents, then the orders. */

interface Overview {
  profile: Customer;
  agents: AgentToken[];
  orders: Order[];
  orders_total: number;
  waiting: WaitingCheckout[];
}

export function overviewView(visit: AccountVisit, csrf: string, overview: Overview): PageAnswer {
  const { shop, path, tenant } = visit;
  const { profile, agents, orders, orders_total, waiting } = overview;
  const title = 'Your account';
  const main = html`
<div class="account">
<h1>${title}</h1>
<form method="post" action="${path}" class="who">${csrfField(csrf)}<p>Logged in as <strong>${profile.email}</strong> <button class="link" name="action" value="log_out">Log out</button></p></form>
${waiting.length > 0 && waitingSection(waiting, tenant.currency)}
${agentsSection(path, csrf, agents)}
${ordersSection(orders, orders_total)}
</div>`;
  return { status: 200, html: page({ title, shop, where: 'Your account', main }) };
}

function waitingSection(waiting: WaitingCheckout[], currency: string): Html {
  return html`
<section aria-labelledby="waiting">
<h2 id="waiting">Waiting for you to confirm</h2>
<ul class="cards">
${waiting.map(
  ({ agent_name, agent_status, revoked_by, total, expires_at, url }) => html`
<li class="card">
<p>${assistantNamed(agent_name)} prepared a purchase of ${money(total, currency)}. ${endInWords({ status: agent_status, revoked_by })}</p>
<p class="hint">Until ${moment(expires_at)}</p>
<p><a class="button" href="${url}">Look at it, and decide</a></p>
</li>`,
)}
</ul>
</section>`;
}

function agentsSection(path: string, csrf: string, agents: AgentToken[]): Html {
  const cards = html`<ul class="cards">${agents.map((agent) => agentCard(path, csrf, agent))}</ul>`;
  return html`
<section aria-labelledby="agents">
<h2 id="agents">Assistants that shop for you</h2>
${agents.length > 0 ? cards : html`<p>There are none. When an assistant asks for access, you decide on a page like this one.</p>`}
</section>`;
}

function agentCard(path: string, csrf: string, agent: AgentToken): Html {
  const { id, agent_name, status, currency, scopes, categories, expires_at } = agent;
  const amount = (cents: number) => budgetInWords(cents, currency);
  return html`
<li class="card">
<p class="card-title"><strong dir="auto">${agent_name}</strong> <span class="state ${status}">${STATUSES[status]}</span></p>
<p class="hint">It calls itself so. Nobody has verified that.</p>
<dl class="amounts">
<div><dt>Budget</dt><dd>${amount(agent.budget_cents)}</dd></div>
<div><dt>Used</dt><dd>${amount(agent.budget_used_cents)}</dd></div>
<div><dt>Waiting</dt><dd>${amount(agent.budget_pending_cents)}</dd></div>
<div><dt>Left</dt><dd>${amount(agent.budget_remaining_cents)}</dd></div>
</dl>
<details><summary>What it may do</summary><ul class="bullets">${scopes.map((scope) => html`<li>${SCOPES[scope]}</li>`)}</ul>
${categories.length > 0 && html`<p>Only: <span dir="auto">${categories.join(', ')}</span></p>`}</details>
<p class="hint">${status === 'active' ? 'Until' : 'It was to end'} ${moment(expires_at)}</p>
<div class="buttons">
<a href="${path}&amp;agent=${id}">See what it did</a>
${
  status === 'active' &&
  html`<form method="post" action="${path}">${csrfField(csrf)}<input type="hidden" name="agent" value="${id}"><button class="secondary" name="action" value="revoke" aria-label="Revoke ${agent_name}">Revoke</button></form>`
}
</div>
</li>`;
}

const PAYMENT: Record<string, string> = {
  awaiting_payment: 'awaiting payment',
  partially_refunded: 'partly refunded',
};
const FULFILLMENT: Record<string, string> = {
  partially_fulfilled: 'partly sent',
  fulfilled: 'sent',
  unfulfilled: 'not sent yet',
};

function ordersSection(orders: Order[], total: number): Html {
  const rows = orders.map(
    ({ order_number, created_at, total: amount, currency, status, payment_status, fulfillment_status }) => html`
<li class="card">
<p class="card-title"><strong>Order ${order_number}</strong> <span>${money(amount, currency)}</span></p>
<p class="hint">${moment(created_at)}</p>
<p>${status === 'cancelled' ? 'Cancelled' : html`Payment: ${PAYMENT[payment_status] ?? payment_status}. Delivery: ${FULFILLMENT[fulfillment_status] ?? fulfillment_status}.`}</p>
</li>`,
  );
  return html`
<section aria-labelledby="orders">
<h2 id="orders">Orders</h2>
${orders.length > 0 ? html`<ul class="cards">${rows}</ul>` : html`<p>There are none yet.</p>`}
${total > orders.length && html`<p class="hint">The latest ${orders.length} of ${total}.</p>`}
</section>`;
}

/** What an agent did, newest first. */
export function activityView({ shop, path }: AccountVisit, agent: AgentToken, operations: AuditEvent[]): PageAnswer {
  const title = 'What the assistant did';
  const rows = operations.map(
    (work) => html`<li><span>${deedInWords(work)}</span> <span class="hint">${moment(work.created_at)}</span></li>`,
  );
  const main = html`
<div class="account">
<h1>${title}</h1>
<p>${assistantNamed(agent.agent_name)}, newest first${operations.length >= 50 && html`: the last 50`}.</p>
${operations.length > 0 ? html`<ol class="operations">${rows}</ol>` : html`<p>Nothing yet.</p>`}
<p><a href="${path}">Back to your account</a></p>
</div>`;
  return { status: 200, html: page({ title, shop, where: 'Your account', main }) };
}
