import type { AgentConsent, ConsentStatus } from '@commerce-backend/spec';
import { sanitizeMerchantText } from '../../shop/merchant-text.ts';
import { budgetInWords, DECIDED, decimalOf, digitsOf, SCOPES } from '../parts/agent-words.ts';
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
import type { PageAnswer } from '../parts/route.ts';
import { moment } from '../parts/words.ts';
import type { ConsentVisit } from './visit.ts';

/** The pages of a request for consent. What the agent says about itself is marked as unverified. */

export type ConsentField = 'budget' | 'categories' | `category_${number}` | 'same_code' | 'password';

export interface ConsentForm {
  /** As typed. */
  budget: string;
  categories: string[];
}

/** The agent chooses this text, so it is kept too short for persuasion. */
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
  { shop, path }: ConsentVisit,
  csrf: string,
  { typed = '', message, status = 200 }: CodeRetry = {},
): PageAnswer {
  const mistakes: Mistake<'user_code'>[] = message ? [{ field: 'user_code', message }] : [];
  const form = { entered: { user_code: typed }, mistakes };
  const title = 'Enter the code of the assistant';
  const main = html`
<section class="notice">
<h1>${title}</h1>
<p>It shows you a code of eight letters. Only enter a code that you asked for yourself: someone who sends you a code may want to shop in your name.</p>
${mistakeSummary('Please check the code', mistakes)}
<form method="post" action="${path}" novalidate>
${csrfField(csrf)}
${textField(form, { name: 'user_code', label: 'Code', maximum: 16, autocomplete: 'off', hint: 'Such as WDJB-MJHT' })}
<button class="primary" name="action" value="enter_code">Go on</button>
</form>
</section>`;
  return { status, html: page({ title: message ? `Mistake: ${title}` : title, shop, where: 'Consent', main }) };
}

export function decidedPage(
  { shop }: ConsentVisit,
  status: Exclude<ConsentStatus, 'pending'>,
  account: string,
): PageAnswer {
  const { title, sentence } = DECIDED[status];
  const main = html`
<section class="notice">
<h1>${title}</h1>
<p>${sentence}</p>
<p><a href="${account}">See and revoke assistants in your account</a></p>
</section>`;
  return { status: 200, html: page({ title, shop, where: 'Consent', main }) };
}

export function consentForm(
  visit: ConsentVisit,
  csrf: string,
  consent: AgentConsent,
  { form, mistakes = [], status = 200 }: FormRetry = {},
): PageAnswer {
  const { shop, path, session } = visit;
  const title = 'May this assistant shop for you?';
  const budget = form?.budget ?? decimalOf(consent.budget_cents, digitsOf(consent.currency));
  const state: FormState<ConsentField> = {
    entered: { budget, categories: (form?.categories ?? []).join(', ') },
    mistakes,
  };
  const main = html`
<section class="notice consent">
<h1>${title}</h1>
${mistakeSummary('Please check', mistakes)}
<p class="asker"><strong dir="auto">${consent.agent_name}</strong> <span class="hint">is the name it gives itself. Nobody has verified it.</span></p>
<p>It asks to act for <strong>${session?.email}</strong> at <strong dir="auto">${consent.shop_name}</strong>. It never pays: every purchase waits until you confirm it.</p>
${asked(consent)}
<form method="post" action="${path}" novalidate>
${csrfField(csrf)}
${textField(state, {
  name: 'budget',
  label: `Budget in ${consent.currency}`,
  maximum: 16,
  autocomplete: 'off',
  hint: `At most ${budgetInWords(consent.budget_cents, consent.currency)}, in total. You can allow less. With 0 it can only browse.`,
})}
${categoriesField(state, consent, form)}
<div class="code"><p class="hint" id="code-label">Code</p><p class="user-code" aria-labelledby="code-label">${consent.user_code}</p></div>
${checkbox(state, 'same_code', 'yes', 'My assistant shows the same code, and I asked for it', false)}
${
  consent.password_required &&
  passwordField(state, { name: 'password', label: 'Your password again', autocomplete: 'current-password' })
}
<div class="buttons">
<button class="primary" name="action" value="approve">Allow</button>
<button class="secondary" name="action" value="deny">Refuse</button>
</div>
<p class="after-button">You can see what it does, and revoke it, in your account.</p>
</form>
<form method="post" action="${path}">${csrfField(csrf)}<p class="after-button">Not you? <button class="link" name="action" value="log_out">Log out</button></p></form>
</section>`;
  return {
    status,
    html: page({ title: mistakes.length > 0 ? `Mistake: ${title}` : title, shop, where: 'Consent', main }),
  };
}

function asked({ scopes, token_expires_at, requested_at, requested_from }: AgentConsent): Html {
  const place = requested_from.ip ? html`from the network of ${requested_from.ip}` : 'from an unknown network';
  const software = sanitizeMerchantText(requested_from.user_agent, LONGEST_SOFTWARE);
  return html`
<dl class="facts">
<div><dt>It may</dt><dd><ul class="bullets">${scopes.map((scope) => html`<li>${SCOPES[scope]}</li>`)}</ul></dd></div>
<div><dt>Until</dt><dd>${moment(token_expires_at)}</dd></div>
<div><dt>Asked</dt><dd>${moment(requested_at)}, ${place}${software && html`. It says that its software is <q dir="auto">${software}</q>, which nobody has verified`}</dd></div>
</dl>`;
}

/** Categories that it asked for can be unticked; if it asked for everything, it can be limited to some. */
function categoriesField(state: FormState<ConsentField>, { categories }: AgentConsent, form?: ConsentForm): Html {
  if (categories.length === 0) {
    return textField(state, {
      name: 'categories',
      label: 'Only these kinds of products',
      maximum: 1_000,
      optional: true,
      hint: 'Types of products or collections, separated by commas. Leave empty for everything.',
    });
  }
  const kept = form?.categories ?? categories;
  return html`
<fieldset class="choices">
<legend>Kinds of products it may buy</legend>
${categories.map((name, i) => checkbox(state, `category_${i}`, 'yes', name, kept.includes(name)))}
</fieldset>`;
}

function checkbox(
  { mistakes }: FormState<ConsentField>,
  name: ConsentField,
  value: string,
  label: string,
  checked: boolean,
): Html {
  const message = mistakes.find(({ field }) => field === name)?.message;
  return html`
${message && html`<p class="error" id="${name}-error"><span class="unseen">Mistake:</span> ${message}</p>`}
<div class="choice">
<input type="checkbox" id="${name}" name="${name}" value="${value}"${checked && html` checked`}${message && html` aria-invalid="true" aria-describedby="${name}-error"`}>
<label for="${name}"><span class="label" dir="auto">${label}</span></label>
</div>`;
}
