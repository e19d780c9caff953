/** Shows an agent's request as fields in which the customer can allow less. */

import type { AgentConsent, AgentToken, BudgetPeriod } from '@commerce-backend/spec';
import type { Language } from '../../language/language.ts';
import { budgetInWords, budgetOfPeriod, SCOPES } from '../parts/agent-words.ts';
import { errorLine, type FormState, focusAt, radios, textField } from '../parts/form-parts.ts';
import { type Html, html } from '../parts/html.ts';
import { moment, rich } from '../parts/words.ts';
import { type ConsentField, type ConsentForm, offeredCategories, periodsWithin } from './form.ts';

type State = FormState<ConsentField>;

/**
 * The request in three lines, then the fields to allow less, collapsed. If the agent left the budget to the customer,
 * the budget field comes before the collapsed ones.
 */
export function termsFields(state: State, consent: AgentConsent, form: ConsentForm): Html {
  const { language, mistakes } = state;
  const asksBudget = !consent.budget_named;
  const unfolded: (ConsentField | undefined)[] = ['same_code', 'password', ...(asksBudget ? ['budget' as const] : [])];
  const isOpen = mistakes.some(({ field }) => !unfolded.includes(field));
  return html`
${inThreeLines(language, consent)}
${!asksBudget && consent.budget_cents > 0 && worstCase(language, consent)}
${asksBudget && budgetField(state, consent)}
<details class="adjust"${isOpen && html` open`}>
<summary>${language.say('consent.adjust')}</summary>
${scopesField(state, consent, form)}
${!asksBudget && budgetField(state, consent)}
${limitFields(state, consent)}
${lifetimeField(state, consent)}
${categoriesField(state, consent, form)}
</details>`;
}

function inThreeLines(language: Language, consent: AgentConsent): Html {
  const { say } = language;
  const { scopes, token_expires_at } = consent;
  return html`
<dl class="facts">
<div><dt>${say('consent.it_may')}</dt><dd><ul class="bullets">${scopes.map((scope) => html`<li>${say(SCOPES[scope])}</li>`)}</ul></dd></div>
<div><dt>${say('consent.up_to')}</dt><dd dir="auto">${upTo(language, consent)}</dd></div>
<div><dt>${say('consent.until')}</dt><dd>${moment(language, token_expires_at)}</dd></div>
</dl>`;
}

function upTo(language: Language, consent: AgentConsent): string {
  const { say } = language;
  const { budget_named, budget_cents, budget_period, max_per_order_cents: most, categories, currency } = consent;
  const isFree = budget_named && budget_cents === 0;
  const budget = budget_named ? budgetOfPeriod(language, budget_cents, budget_period, currency) : say('consent.chosen');
  const parts = [
    isFree ? say('consent.browses') : budget,
    !isFree && most !== null && say('consent.of_each_order', { amount: budgetInWords(language, most, currency) }),
    categories.length > 0 && say('consent.only_in', { categories: categories.toSorted().join(', ') }),
  ];
  return parts.filter((part) => part !== false).join(' · ');
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

function budgetField(state: State, { currency, budget_cents, budget_period }: AgentConsent): Html {
  const { language } = state;
  const { say } = language;
  const amount = budgetOfPeriod(language, budget_cents, budget_period, currency);
  return textField(state, {
    ...{ name: 'budget', label: say('consent.budget', { currency }), maximum: 16, autocomplete: 'off' },
    hint: say('consent.budget_hint', { amount }),
  });
}

function limitFields(state: State, consent: AgentConsent): Html {
  const { language } = state;
  const { say } = language;
  const { currency, budget_period, max_per_order_cents: most } = consent;
  const periods = periodsWithin(budget_period).map((value) => ({ value, label: say(PERIODS[value]) }));
  const hint =
    most === null
      ? say('consent.per_order_none')
      : say('consent.per_order_hint', { amount: budgetInWords(language, most, currency) });
  return html`
${periods.length > 1 && radios(state, { name: 'budget_period', legend: say('consent.period'), choices: periods })}
${textField(state, {
  ...{ name: 'max_per_order', label: say('consent.per_order', { currency }), maximum: 16, autocomplete: 'off' },
  ...{ optional: most === null, hint },
})}`;
}

function lifetimeField(state: State, { lifetime_choices }: AgentConsent): Html | undefined {
  if (lifetime_choices.length < 2) return undefined;
  const { say } = state.language;
  const choices = lifetime_choices.map((days) => ({ value: String(days), label: say('consent.days', { days }) }));
  return radios(state, { name: 'lifetime_days', legend: say('consent.lifetime'), choices });
}

/**
 * Shows the highest amount that the agent can spend if the customer changes nothing. A weekly budget adds up to more
 * than customers may expect.
 */
function worstCase(language: Language, { worst_case_cents, currency, token_expires_at }: AgentConsent): Html {
  const amount = html`<strong>${budgetInWords(language, worst_case_cents, currency)}</strong>`;
  return html`<p class="worst-case">${rich(language, 'consent.worst_case', { amount, moment: moment(language, token_expires_at) })}</p>`;
}

/** Category checkboxes. The requested categories are ticked. If the agent requested all categories, none is ticked. */
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
  const inOrder = offered
    .map((name) => ({ name, title: titleOf(name) }))
    .toSorted((one, other) => one.title.localeCompare(other.title, language.locale));
  const boxes = inOrder.map(({ name, title }, i) =>
    checkbox(state, `category_${i}`, name, title, form.categories.includes(name)),
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
    // Without a named budget, `budget_cents` is only the limit of the shop.
    [
      say('consent.change_budget'),
      consent.budget_named ? change(language, budget(before), budget(consent)) : say('consent.chosen'),
    ],
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
