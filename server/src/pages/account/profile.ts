/** The profile section: details, e-mail address, password, marketing mails, logout on all devices, and deletion. */

import type { Customer } from '@commerce-backend/spec';
import { LANGUAGES } from '../../language/locales.ts';
import {
  csrfField,
  type Entered,
  type FormState,
  type Mistake,
  passwordField,
  selectField,
  textField,
} from '../parts/form-parts.ts';
import { type Html, html } from '../parts/html.ts';
import { PASSWORD_RULES } from '../parts/new-password.ts';
import { accountViewPath } from '../parts/paths.ts';
import type { PageAnswer } from '../parts/route.ts';
import { rich } from '../parts/words.ts';
import { consentSection } from './consent.ts';
import { accountFrame, usernameField } from './frame.ts';
import type { AccountVisit } from './visit.ts';

/** Each form has its own name for the current password, because all are on one page. */
export type ProfileField =
  | 'first_name'
  | 'last_name'
  | 'phone'
  | 'locale'
  | 'new_email'
  | 'password_for_email'
  | 'current_password'
  | 'new_password'
  | 'new_password_again';

export interface ProfileForm {
  entered: Entered<ProfileField>;
  mistakes: readonly Mistake<ProfileField>[];
  status: number;
}

/** Without a form, the fields contain the stored profile. */
export function profileView(visit: AccountVisit, csrf: string, profile: Customer, form?: ProfileForm): PageAnswer {
  const { language, session } = visit;
  const { first_name, last_name, phone } = profile;
  const stored = { first_name, last_name, phone, locale: session?.locale?.slice(0, 2) };
  const filled = Object.entries(stored).filter(([, value]) => Boolean(value));
  const { entered = {}, mistakes = [], status = 200 } = form ?? {};
  const isOwn = mistakes.some(({ field }) => OWN.some((name) => name === field));
  const state = { language, entered: isOwn ? entered : { ...Object.fromEntries(filled), ...entered }, mistakes };
  const main = html`
${ownSection(visit, csrf, state)}
${emailSection(visit, csrf, state, profile.email)}
${passwordSection(visit, csrf, state)}
${consentSection(visit, csrf, profile.marketing_opt_in)}
${safetySection(visit, csrf)}
${deletionSection(visit)}`;
  return accountFrame(visit, csrf, {
    title: language.say('profile.title'),
    section: 'profile',
    main,
    mistakes,
    status,
  });
}

const OWN: ProfileField[] = ['first_name', 'last_name', 'phone', 'locale'];

function ownSection({ path, language: { say } }: AccountVisit, csrf: string, state: FormState<ProfileField>): Html {
  const name = (field: 'first_name' | 'last_name', autocomplete: string) =>
    textField(state, {
      name: field,
      label: say(`checkout.${field}`),
      autocomplete,
      optional: true,
      maximum: 255,
    });
  const names = { en: 'English', de: 'Deutsch', fr: 'Français' } as const;
  return html`
<section aria-labelledby="own">
<h2 id="own">${say('profile.own')}</h2>
<form method="post" action="${accountViewPath(path, 'profile')}" novalidate>
${csrfField(csrf)}
<div class="address">${name('first_name', 'given-name')}${name('last_name', 'family-name')}
${textField(state, { name: 'phone', label: say('checkout.phone'), type: 'tel', autocomplete: 'tel', optional: true, maximum: 64 })}
${selectField(state, { name: 'locale', label: say('profile.language'), empty: say('profile.language_auto'), choices: LANGUAGES.map((code) => ({ value: code, label: names[code] })) })}</div>
<div class="buttons"><button class="secondary" name="action" value="save_profile">${say('profile.save')}</button></div>
</form>
</section>`;
}

function emailSection(visit: AccountVisit, csrf: string, state: FormState<ProfileField>, email: string): Html {
  const { path, language } = visit;
  const { say } = language;
  return html`
<section aria-labelledby="email-heading">
<h2 id="email-heading">${say('profile.email')}</h2>
<p>${rich(language, 'profile.email_now', { email: html`<strong dir="auto">${email}</strong>` })}</p>
<details class="adjust"${isOpen(state, ['new_email', 'password_for_email'])}><summary>${say('profile.email_change')}</summary>
<form method="post" action="${accountViewPath(path, 'profile')}" novalidate>
${csrfField(csrf)}
${usernameField(visit)}
${textField(state, { name: 'new_email', label: say('profile.email_new'), type: 'email', autocomplete: 'email', maximum: 254 })}
${passwordField(state, { name: 'password_for_email', label: say('profile.password_current'), autocomplete: 'current-password' })}
<div class="buttons"><button class="secondary" name="action" value="change_email">${say('profile.email_change')}</button></div>
<p class="after-button">${say('profile.email_after')}</p>
</form></details>
</section>`;
}

function passwordSection(visit: AccountVisit, csrf: string, state: FormState<ProfileField>): Html {
  const { path, language } = visit;
  const { say } = language;
  const fields: ProfileField[] = ['current_password', 'new_password', 'new_password_again'];
  return html`
<section aria-labelledby="password-heading">
<h2 id="password-heading">${say('profile.password')}</h2>
<details class="adjust"${isOpen(state, fields)}><summary>${say('profile.password_change')}</summary>
<form method="post" action="${accountViewPath(path, 'profile')}" novalidate>
${csrfField(csrf)}
${usernameField(visit)}
${passwordField(state, { name: 'current_password', label: say('profile.password_current'), autocomplete: 'current-password' })}
${passwordField(state, {
  name: 'new_password',
  label: say('account.reset_new'),
  autocomplete: 'new-password',
  hint: say('account.reset_hint', { count: PASSWORD_RULES.minLength }),
})}
${passwordField(state, { name: 'new_password_again', label: say('account.reset_again'), autocomplete: 'new-password' })}
<div class="buttons"><button class="secondary" name="action" value="change_password">${say('profile.password_change')}</button></div>
<p class="after-button">${say('profile.password_after')}</p>
</form></details>
</section>`;
}

/** A form with mistakes stays open. */
function isOpen({ mistakes }: FormState<ProfileField>, fields: ProfileField[]): Html | false {
  return mistakes.some(({ field }) => field && fields.includes(field)) && html` open`;
}

function safetySection({ language: { say }, path }: AccountVisit, csrf: string): Html {
  return html`
<section aria-labelledby="safety">
<h2 id="safety">${say('account.safety')}</h2>
<p class="hint">${say('account.log_out_everywhere_why')}</p>
<form method="post" action="${path}" class="buttons">${csrfField(csrf)}<button class="secondary" name="action" value="log_out_everywhere">${say('account.log_out_everywhere')}</button></form>
</section>`;
}

function deletionSection({ language: { say }, path }: AccountVisit): Html {
  return html`
<section aria-labelledby="delete">
<h2 id="delete">${say('profile.delete')}</h2>
<p class="hint">${say('profile.delete_why')}</p>
<p><a class="danger" href="${accountViewPath(path, 'delete')}">${say('profile.delete_link')}</a></p>
</section>`;
}
