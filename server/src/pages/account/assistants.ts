/** The agents of a customer, with their budgets and activity. */

import type { AgentToken, AuditEvent } from '@commerce-backend/spec';
import type { Language } from '../../language/language.ts';
import { inWords } from '../../shop/audit/words.ts';
import { assistantNamed, budgetInWords, budgetOfPeriod, SCOPES } from '../parts/agent-words.ts';
import { page } from '../parts/document.ts';
import { csrfField } from '../parts/form-parts.ts';
import { type Html, html } from '../parts/html.ts';
import { accountViewPath, withQuery } from '../parts/paths.ts';
import type { PageAnswer } from '../parts/route.ts';
import { moment, rich } from '../parts/words.ts';
import { accountFrame } from './frame.ts';
import type { AccountVisit } from './visit.ts';

export function assistantsView(visit: AccountVisit, csrf: string, agents: AgentToken[]): PageAnswer {
  const { say } = visit.language;
  const cards = html`<ul class="cards">${agents.map((agent) => agentCard(visit, csrf, agent))}</ul>`;
  const main = agents.length > 0 ? cards : html`<p>${say('account.agents_none')}</p>`;
  return accountFrame(visit, csrf, { title: say('account.agents'), section: 'assistants', main });
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
${agent.budget_cents > 0 && budgetMeter(agent)}
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
  html`<form method="post" action="${accountViewPath(path, 'assistants')}">${csrfField(csrf)}<input type="hidden" name="agent" value="${id}"><button class="secondary" name="action" value="revoke" aria-label="${say('account.revoke_agent', { name: agent_name })}">${say('account.revoke')}</button></form>`
}
</div>
</li>`;
}

/** States when the budget resets, if that is before the agent's token expires. */
function budgetAnew(language: Language, { status, budget_resets_at, expires_at }: AgentToken): Html | undefined {
  if (status !== 'active' || budget_resets_at === null || budget_resets_at >= expires_at) return undefined;
  return html`<p class="hint">${rich(language, 'account.resets', { moment: moment(language, budget_resets_at) })}</p>`;
}

/** Shows the used share of the budget. The amounts below the bar state it in words. */
function budgetMeter({ budget_cents, budget_used_cents, budget_pending_cents }: AgentToken): Html {
  const used = Math.min(budget_cents, budget_used_cents + budget_pending_cents);
  return html`<progress class="budget-meter" max="${budget_cents}" value="${used}" aria-hidden="true"></progress>`;
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
<p class="back"><a href="${accountViewPath(path, 'assistants')}">${say('account.agents')}</a></p>
<h1>${title}</h1>
<p>${intro}</p>
${operations.length > 0 ? html`<ol class="operations">${rows}</ol>` : html`<p>${say('account.activity_none')}</p>`}
</div>`;
  return { status: 200, html: page({ language, title, front, where: 'account', main }) };
}
