/** Pages of a consent request. The agent's description of itself is marked as unverified. */

import type { AgentConsent, AgentToken, ConsentStatus } from '@commerce-backend/spec';
import type { Language } from '../../language/language.ts';
import type { AuthorizationRequest } from '../../shop/agents/authorization-requests.ts';
import { placeOf } from '../../shop/agents/redirect-uris.ts';
import { sanitizeMerchantText } from '../../shop/merchant-text.ts';
import { currencyDigits } from '../../shop/money.ts';
import { decimalOf } from '../parts/agent-words.ts';
import { page } from '../parts/document.ts';
import {
  csrfField,
  type FormState,
  type Mistake,
  mistakeSummary,
  passwordField,
  textField,
} from '../parts/form-parts.ts';
import { type Html, html } from '../parts/html.ts';
import { noticeOf } from '../parts/notices.ts';
import type { PageAnswer } from '../parts/route.ts';
import { moment, rich } from '../parts/words.ts';
import type { ConsentField, ConsentForm } from './form.ts';
import { changesSection, checkbox, termsFields } from './terms.ts';
import type { ConsentVisit } from './visit.ts';

/** Maximum length of the agent's text about itself, so that it cannot be used to persuade the customer. */
const LONGEST_SOFTWARE = 80;

interface FormRetry {
  form?: ConsentForm;
  mistakes?: Mistake<ConsentField>[];
  status?: number;
}

interface CodeRetry {
  typed?: string;
  message?: string;
  status?: number;
}

export function enterCodePage(
  { front, path, language }: ConsentVisit,
  csrf: string,
  { typed = '', message, status = 200 }: CodeRetry = {},
): PageAnswer {
  const mistakes: Mistake<'user_code'>[] = message ? [{ field: 'user_code', message }] : [];
  const { say } = language;
  const form = { language, entered: { user_code: typed }, mistakes };
  const title = say('consent.enter_code');
  const main = html`
<section class="notice">
<h1>${title}</h1>
<p>${say('consent.enter_code_why')}</p>
${mistakeSummary(say('consent.check_code'), mistakes)}
<form method="post" action="${path}" novalidate>
${csrfField(csrf)}
${textField(form, { name: 'user_code', label: say('consent.code'), maximum: 16, autocomplete: 'off', hint: say('consent.code_hint') })}
<button class="primary" name="action" value="enter_code">${say('consent.go_on')}</button>
</form>
</section>`;
  return { status, html: page({ language, title, mistaken: message !== undefined, front, where: 'consent', main }) };
}

export function decidedPage(
  { front, language }: ConsentVisit,
  status: Exclude<ConsentStatus, 'pending'>,
  account: string,
): PageAnswer {
  const { title, sentences } = noticeOf(language, `consent.${status}`);
  const main = html`
<section class="notice">
<h1>${title}</h1>
${sentences.map((sentence) => html`<p>${sentence}</p>`)}
<p><a href="${account}">${language.say('consent.to_account')}</a></p>
</section>`;
  return { status: 200, html: page({ language, title, front, where: 'consent', main }) };
}

/** The page for a customer who has the maximum number of agents and must revoke one first. */
export function fullHousePage({ front, path, language }: ConsentVisit, csrf: string, agents: AgentToken[]): PageAnswer {
  const { say } = language;
  const { title, sentences } = noticeOf(language, 'consent.full_house');
  const item = ({ id, agent_name, expires_at }: AgentToken) => html`
<li><p>${strong(agent_name)} <span class="hint">${say('consent.until')} ${moment(language, expires_at)}</span></p>
<form method="post" action="${path}">${csrfField(csrf)}<input type="hidden" name="agent" value="${id}"><button class="secondary" name="action" value="revoke" aria-label="${say('account.revoke_agent', { name: agent_name })}">${say('account.revoke')}</button></form></li>`;
  const main = html`
<section class="notice">
<h1>${title}</h1>
${sentences.map((sentence) => html`<p>${sentence}</p>`)}
<ul class="cards">${agents.map(item)}</ul>
<form method="post" action="${path}">${csrfField(csrf)}<div class="buttons"><button class="secondary" name="action" value="deny">${say('consent.refuse')}</button></div></form>
</section>`;
  return { status: 200, html: page({ language, title, front, where: 'consent', main }) };
}

export function consentForm(
  visit: ConsentVisit,
  csrf: string,
  consent: AgentConsent,
  { form, mistakes = [], status = 200 }: FormRetry = {},
): PageAnswer {
  const { front, path, session, language, authorization } = visit;
  const { say } = language;
  const title = say('consent.title');
  const filled = form ?? formOf(consent);
  const { budget, max_per_order, budget_period, lifetime_days = '' } = filled;
  const entered = { budget, max_per_order, budget_period, lifetime_days: String(lifetime_days) };
  const state: FormState<ConsentField> = { language, entered, mistakes };
  const main = html`
<section class="notice consent">
<h1>${title}</h1>
${mistakeSummary(say('consent.check'), mistakes)}
<p class="asker">${rich(language, authorization?.client_host ? 'consent.asker_host' : 'consent.asker', { name: strong(consent.agent_name), hint: (words) => html`<span class="hint">${words}</span>` })}</p>
<p>${rich(language, 'consent.asks', { email: strong(session?.email), shop: strong(consent.shop_name) })}</p>
${changesSection(language, consent)}
<form method="post" action="${path}" novalidate>
${csrfField(csrf)}
${!authorization && sameCode(state, consent)}
${termsFields(state, consent, filled)}
${asked(language, consent, authorization)}
${
  consent.password_required &&
  passwordField(state, { name: 'password', label: say('consent.password_again'), autocomplete: 'current-password' })
}
<div class="buttons">
<button class="primary" name="action" value="approve">${say('consent.allow')}</button>
<button class="secondary" name="action" value="deny">${say('consent.refuse')}</button>
</div>
<p class="after-button">${say('consent.after')}</p>
</form>
<form method="post" action="${path}">${csrfField(csrf)}<p class="after-button">${say('consent.not_you')} <button class="link" name="action" value="log_out">${say('page.log_out')}</button></p></form>
</section>`;
  return {
    status,
    html: page({ language, title, mistaken: mistakes.length > 0, front, where: 'consent', main }),
  };
}

/**
 * Initial values of the form: everything that was requested. If the agent requested all categories, none is ticked. If
 * the agent named no budget, the customer must enter one.
 */
function formOf(consent: AgentConsent): ConsentForm {
  const { budget_named, budget_cents, max_per_order_cents, budget_period, scopes, categories } = consent;
  const digits = currencyDigits(consent.currency);
  const max_per_order = max_per_order_cents === null ? '' : decimalOf(max_per_order_cents, digits);
  const budget = budget_named ? decimalOf(budget_cents, digits) : '';
  const [lifetime_days] = consent.lifetime_choices;
  return { budget, max_per_order, budget_period, lifetime_days, scopes, categories };
}

/**
 * Shows the user code, which the customer compares with that on the device. After a redirect from an OAuth client there
 * is no code to compare.
 */
function sameCode(state: FormState<ConsentField>, { user_code }: AgentConsent): Html {
  const { say } = state.language;
  return html`<div class="code"><p class="hint" id="code-label">${say('consent.code')}</p><p class="user-code" aria-labelledby="code-label">${user_code}</p></div>
${checkbox(state, 'same_code', 'yes', say('consent.same_code'), false)}`;
}

function strong(words: string | undefined): Html {
  return html`<strong dir="auto">${words}</strong>`;
}

function asked(
  language: Language,
  { requested_at, requested_from }: AgentConsent,
  authorization: AuthorizationRequest | undefined,
): Html {
  const { say } = language;
  const { ip: address } = requested_from;
  const at = moment(language, requested_at);
  const when = address
    ? rich(language, 'consent.from_network', { moment: at, address })
    : rich(language, 'consent.from_unknown', { moment: at });
  const named = sanitizeMerchantText(requested_from.user_agent, LONGEST_SOFTWARE);
  const software = named && rich(language, 'consent.software', { software: html`<q dir="auto">${named}</q>` });
  const back = authorization && (placeOf(authorization.redirect_uri) ?? say('consent.this_device'));
  return html`
<dl class="facts">
${back && html`<div><dt>${say('consent.leads_to')}</dt><dd dir="auto">${back}</dd></div>`}
<div><dt>${say('consent.asked')}</dt><dd>${when}${software && html`. ${software}`}</dd></div>
</dl>`;
}
