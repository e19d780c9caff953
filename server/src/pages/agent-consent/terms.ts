/** Shows an agent's request as fields in which the customer can allow less. */

import type { AgentConsent, AgentToken, BudgetPeriod } from '@commerce-backend/spec';
import type { Language } from '../../language/language.ts';
import { budgetInWords, budgetOfPeriod, SCOPES } from '../parts/agent-words.ts';
import { errorLine, type FormState, focusAt, radios, textField } from '../parts/form-parts.ts';
import { type Html, html } from '../parts/html.ts';
import { moment, rich } from '../parts/words.ts';
import { type ConsentField, type ConsentForm, offeredCategories, periodsWithin } from './form.ts';

type State = FormState<ConsentField>;

/** `asksBudget` means that the request names no budget, so no maximum spending is shown. */
export function termsFields(state: State, consent: AgentConsent, form: ConsentForm, asksBudget: boolean): Html {
  return html`
${scopesField(state, consent, form)}
${budgetFields(state, consent, asksBudget)}
${categoriesField(state, consent, form)}`;
}

function scopesField(state: State, { scopes }: AgentConsent, form: ConsentForm): Html {
  const { say } = state.language;
  return html`
<fieldset class="choices">
<legend>${say('consent.it_may')}</legend>
${scopes.map((scope, i) => checkbox(state, `scope_${i}`, scope, say(SCOPES[scope]), form.scopes.includes(scope)))}
</fieldset>`;
}

const PERIODS = {
  once: 'consent.period_once',
  week: 'consent.period_week',
  month: 'consent.period_month',
} as const satisfies Record<BudgetPeriod, string>;

function budgetFields(state: State, consent: AgentConsent, asksBudget: boolean): Html {
  const { language } = state;
  const { say } = language;
  const { currency, budget_cents, budget_period, max_per_order_cents: most } = consent;
  const amount = budgetOfPeriod(language, budget_cents, budget_period, currency);
  const periods = periodsWithin(budget_period).map((value) => ({ value, label: say(PERIODS[value]) }));
  const hint =
    most === null
      ? say('consent.per_order_none')
      : say('consent.per_order_hint', { amount: budgetInWords(language, most, currency) });
  return html`
${textField(state, {
  ...{ name: 'budget', label: say('consent.budget', { currency }), maximum: 16, autocomplete: 'off' },
  hint: say('consent.budget_hint', { amount }),
})}
${periods.length > 1 && radios(state, { name: 'budget_period', legend: say('consent.period'), choices: periods })}
${textField(state, {
  ...{ name: 'max_per_order', label: say('consent.per_order', { currency }), maximum: 16, autocomplete: 'off' },
  ...{ optional: most === null, hint },
})}
${budget_cents > 0 && !asksBudget && worstCase(language, consent)}`;
}

/**
 * Shows the highest amount that the agent can spend if the customer changes nothing. A weekly budget adds up to more
 * than customers may expect.
 */
function worstCase(language: Language, { worst_case_cents, currency, token_expires_at }: AgentConsent): Html {
  const amount = html`<strong>${budgetInWords(language, worst_case_cents, currency)}</strong>`;
  return html`<p class="worst-case">${rich(language, 'consent.worst_case', { amount, moment: moment(language, token_expires_at) })}</p>`;
}

/** Category checkboxes. The requested ones are ticked; if the agent requested all, none is. */
function categoriesField(state: State, consent: AgentConsent, form: ConsentForm): Html | undefined {
  const { language } = state;
  const { say } = language;
  const { categories, category_choices, unknown_categories } = consent;
  const offered = offeredCategories(consent);
  if (offered.length === 0) return undefined;
  const titles = new Map(category_choices.map(({ value, title }) => [value.toLowerCase(), title]));
  const titleOf = (name: string) =>
    unknown_categories.includes(name)
      ? say('consent.category_unknown', { name })
      : (titles.get(name.toLowerCase()) ?? name);
  const boxes = offered.map((name, i) =>
    checkbox(state, `category_${i}`, name, titleOf(name), form.categories.includes(name)),
  );
  const isAsked = categories.length > 0;
  return html`
<fieldset class="choices">
<legend>${say(isAsked ? 'consent.categories_asked' : 'consent.categories')}</legend>
${!isAsked && html`<p class="hint">${say('consent.categories_hint')}</p>`}
${boxes}
</fieldset>`;
}

/** Lists the differences between the request and the permissions that the agent already has. */
export function changesSection(language: Language, consent: AgentConsent): Html | undefined {
  const { replaces } = consent;
  if (!replaces) return undefined;
  const { say } = language;
  const changes = changesOf(language, consent, replaces);
  return html`
<div class="changes" role="note">
<h2>${say('consent.changes')}</h2>
<p>${say('consent.changes_why')}</p>
${changes.length > 0 ? html`<dl class="facts">${changes}</dl>` : html`<p>${say('consent.changes_none')}</p>`}
</div>`;
}

function changesOf(language: Language, consent: AgentConsent, before: AgentToken): Html[] {
  const { say } = language;
  const { currency } = consent;
  const budget = ({ budget_cents, budget_period }: AgentConsent | AgentToken) =>
    budgetOfPeriod(language, budget_cents, budget_period, currency);
  const perOrder = ({ max_per_order_cents: most }: AgentConsent | AgentToken) =>
    most === null ? say('consent.no_limit') : budgetInWords(language, most, currency);
  const only = ({ categories }: AgentConsent | AgentToken) =>
    categories.length === 0 ? say('consent.everything') : categories.toSorted().join(', ');
  const added = consent.scopes.filter((scope) => !before.scopes.includes(scope));
  const lost = before.scopes.filter((scope) => !consent.scopes.includes(scope));
  const scopes = (of: typeof added) => of.map((scope) => say(SCOPES[scope])).join(', ');
  const rows: [string, Html | string | false][] = [
    [say('consent.change_new'), added.length > 0 && scopes(added)],
    [say('consent.change_lost'), lost.length > 0 && scopes(lost)],
    [say('consent.change_budget'), change(language, budget(before), budget(consent))],
    [say('consent.change_per_order'), change(language, perOrder(before), perOrder(consent))],
    [say('consent.change_categories'), change(language, only(before), only(consent))],
    [
      say('consent.until'),
      rich(language, 'consent.change', {
        before: moment(language, before.expires_at),
        after: moment(language, consent.token_expires_at),
      }),
    ],
  ];
  return rows.flatMap(([name, value]) =>
    value === false ? [] : html`<div><dt>${name}</dt><dd dir="auto">${value}</dd></div>`,
  );
}

function change(language: Language, before: string, after: string): Html | false {
  if (before === after) return false;
  return rich(language, 'consent.change', {
    before: html`<span dir="auto">${before}</span>`,
    after: html`<strong dir="auto">${after}</strong>`,
  });
}

export function checkbox(state: State, name: ConsentField, value: string, label: string, checked: boolean): Html {
  const { language, mistakes } = state;
  const message = mistakes.find(({ field }) => field === name)?.message;
  return html`
${message && errorLine(language, name, message)}
<div class="choice">
<input type="checkbox" id="${name}" name="${name}" value="${value}"${checked && html` checked`}${message && html` aria-invalid="true" aria-describedby="${name}-error"`}${focusAt(state, name)}>
<label for="${name}"><span class="label" dir="auto">${label}</span></label>
</div>`;
}
