/**
 * Form that requests a link for a new password. The response never reveals whether the e-mail address has an account.
 */

import { valueErrors } from '../../http/contract/validator.ts';
import * as registration from '../../shop/account/registration.ts';
import * as codes from '../../shop/customers/codes.ts';
import type { Shop } from '../../shop/shop.ts';
import type { CustomerVisit } from './customer-visit.ts';
import { noticePage, page, type Where } from './document.ts';
import type { FormBody } from './form-body.ts';
import { csrfField, type Mistake, mistakeSummary, textField } from './form-parts.ts';
import { html } from './html.ts';
import { accessPath } from './paths.ts';
import type { PageAnswer } from './route.ts';
import { count, runAction } from './visit.ts';
import { paragraphs, rich } from './words.ts';

/** The page that contains the form. */
export interface Place {
  /** Identifies the page's forms in form tokens. */
  form: string;
  where: Where;
}

interface Entered {
  email?: string;
  mistakes?: readonly Mistake<'email'>[];
  status?: number;
}

export function forgotPage(
  { front, path, guard, req, res, language }: CustomerVisit,
  { form, where }: Place,
  { email = '', mistakes = [], status = 200 }: Entered = {},
): PageAnswer {
  const { say } = language;
  const title = say('access.forgot_title');
  const state = { language, entered: { email }, mistakes };
  const main = html`
<section class="notice">
<h1>${title}</h1>
<p>${rich(language, 'access.forgot_why', { shop: html`<span dir="auto">${front.name}</span>` })}</p>
${mistakeSummary(say('access.check'), mistakes)}
<form method="post" action="${accessPath(path, 'forgot')}" novalidate>
${csrfField(guard.csrfFor(req, res, form))}
${textField(state, { name: 'email', label: say('page.login_email'), type: 'email', autocomplete: 'username', maximum: 254 })}
<button class="primary" name="action" value="request_reset">${say('access.forgot_button')}</button>
</form>
<p class="after-button"><a href="${path}">${say('access.back')}</a></p>
</section>`;
  return { status, html: page({ language, title, mistaken: mistakes.length > 0, front, where, main }) };
}

export async function askForLink(visit: CustomerVisit, place: Place, body: FormBody): Promise<PageAnswer> {
  const { say } = visit.language;
  const email = body.get('email') ?? '';
  if (email === '' || valueErrors('Email', email).length > 0) {
    const message = email ? say('checkout.ask_email_form') : say('page.login_no_email');
    return forgotPage(visit, place, { email, mistakes: [{ field: 'email', message }], status: 422 });
  }
  await count(visit, 'storefront.requestPasswordReset', {}, { email });
  const act = { operation_id: 'storefront.requestPasswordReset', action: 'request_reset', body } as const;
  const work = async (shop: Shop) => {
    await registration.requestReset(shop, email, visit.language.locale);
    return { redirect: accessPath(visit.path, 'forgot_sent') };
  };
  return runAction(visit, act, work, async (_shop, error) => {
    throw error;
  });
}

export function forgotSentPage(visit: CustomerVisit, place: Place): PageAnswer {
  const life = visit.language.duration(codes.LIFETIMES.reset_password);
  return sentPage(visit, place, visit.language.say('access.forgot_sent_text', { shop: visit.front.name, life }));
}

/** States that a mail will arrive if the e-mail address has an account. */
export function sentPage({ front, path, language }: CustomerVisit, { where }: Place, text: string): PageAnswer {
  const notice = {
    title: language.say('access.sent'),
    sentences: paragraphs(text),
    link: { href: path, label: language.say('access.back') },
  };
  return { status: 200, html: noticePage(notice, { language, front, where }) };
}
