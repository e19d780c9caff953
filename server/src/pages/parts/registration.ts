/** Form that requests an account. Neither the response nor its duration reveals whether the e-mail address has one. */

import { valueErrors } from '../../http/contract/validator.ts';
import type { Language } from '../../language/language.ts';
import * as registration from '../../shop/account/registration.ts';
import * as codes from '../../shop/customers/codes.ts';
import { hashPassword, logins } from '../../shop/passwords/passwords.ts';
import type { Shop } from '../../shop/shop.ts';
import type { CustomerVisit } from './customer-visit.ts';
import { page } from './document.ts';
import { type Place, sentPage } from './forgotten-password.ts';
import type { FormBody } from './form-body.ts';
import { csrfField, type Entered, type Mistake, mistakeSummary, passwordField, textField } from './form-parts.ts';
import { html } from './html.ts';
import { marketingBox, marketingWording } from './marketing.ts';
import { newPasswordMistake, PASSWORD_RULES } from './new-password.ts';
import { accessPath } from './paths.ts';
import type { PageAnswer } from './route.ts';
import { count, runAction } from './visit.ts';
import { rich } from './words.ts';

const NAMES = ['first_name', 'last_name', 'email'] as const;

type FieldName = (typeof NAMES)[number] | 'new_password' | 'marketing';

interface Retry {
  entered?: Entered<FieldName>;
  mistakes?: readonly Mistake<FieldName>[];
  status?: number;
}

export function registerPage(
  { front, path, guard, req, res, language }: CustomerVisit,
  { form, where }: Place,
  { entered = {}, mistakes = [], status = 200 }: Retry = {},
): PageAnswer {
  const { say } = language;
  const title = say('access.register');
  const state = { language, entered, mistakes };
  const main = html`
<section class="notice">
<h1>${title}</h1>
<p>${rich(language, 'access.register_why', { shop: html`<span dir="auto">${front.name}</span>` })}</p>
${mistakeSummary(say('access.check'), mistakes)}
<form method="post" action="${accessPath(path, 'register')}" novalidate>
${csrfField(guard.csrfFor(req, res, form))}
${textField(state, { name: 'first_name', label: say('checkout.first_name'), autocomplete: 'given-name', optional: true, maximum: 255 })}
${textField(state, { name: 'last_name', label: say('checkout.last_name'), autocomplete: 'family-name', optional: true, maximum: 255 })}
${textField(state, { name: 'email', label: say('page.login_email'), type: 'email', autocomplete: 'username', maximum: 254 })}
${passwordField(state, {
  name: 'new_password',
  label: say('page.login_password'),
  autocomplete: 'new-password',
  hint: say('account.reset_hint', { count: PASSWORD_RULES.minLength }),
})}
${marketingBox<FieldName>(state, language, front)}
<button class="primary" name="action" value="register">${say('access.register_button')}</button>
<p class="after-button">${say('access.register_after')}</p>
</form>
<p class="after-button"><a href="${path}">${say('access.have_account')}</a></p>
</section>`;
  return { status, html: page({ language, title, mistaken: mistakes.length > 0, front, where, main }) };
}

/** Stores the request, and sends a mail with the next step. */
export async function requestAccount(visit: CustomerVisit, place: Place, body: FormBody): Promise<PageAnswer> {
  const entered: Entered<FieldName> = Object.fromEntries(
    NAMES.flatMap((name) => (body.has(name) ? [[name, body.get(name)]] : [])),
  );
  const { email = '', first_name, last_name } = entered;
  const shown = { ...entered, ...(body.get('marketing') === 'yes' && { marketing: 'yes' }) };
  const password = body.get('new_password') ?? '';
  const mistakes = await registrationMistakes(visit.language, entered, password);
  if (mistakes.length > 0) return registerPage(visit, place, { entered: shown, mistakes, status: 422 });
  await count(visit, 'storefront.registerCustomer', {}, { email });
  const password_hash = await logins.take(() => hashPassword(password));
  const act = { operation_id: 'storefront.registerCustomer', action: 'register', body } as const;
  const work = async (shop: Shop) => {
    const profile = { first_name, last_name, locale: visit.language.locale, ...consentIn(visit, body) };
    await registration.register(shop, { email, password_hash, profile });
    return { redirect: accessPath(visit.path, 'register_sent') };
  };
  return runAction(visit, act, work, async (_shop, error) => {
    throw error;
  });
}

export function registerSentPage(visit: CustomerVisit, place: Place): PageAnswer {
  const life = visit.language.duration(codes.LIFETIMES.register);
  return sentPage(visit, place, visit.language.say('access.register_sent_text', { shop: visit.front.name, life }));
}

function consentIn({ front, language }: CustomerVisit, body: FormBody) {
  if (!front.ask_for_marketing || body.get('marketing') !== 'yes') return {};
  return { marketing_opt_in: true, marketing_wording: marketingWording(language, front) };
}

async function registrationMistakes(
  language: Language,
  entered: Entered<FieldName>,
  password: string,
): Promise<Mistake<FieldName>[]> {
  const wrong = new Set(valueErrors('CustomerInput', entered).map(({ instancePath }) => instancePath.split('/')[2]));
  const mistakes: Mistake<FieldName>[] = NAMES.filter((name) => wrong.has(name)).map((field) => ({
    field,
    message: wordsFor(language, field),
  }));
  if (!entered.email) mistakes.push({ field: 'email', message: language.say('page.login_no_email') });
  const message = await newPasswordMistake(language, password);
  return message ? [...mistakes, { field: 'new_password', message }] : mistakes;
}

function wordsFor({ say }: Language, field: (typeof NAMES)[number]): string {
  if (field === 'email') return say('checkout.ask_email_form');
  return say('checkout.too_long', { field: say(`checkout.${field}`) });
}
