/** Login and logout of customers on the pages. */

import { unlockPasses } from '../../http/callers/unlock-cookie.ts';
import * as sessions from '../../shop/customers/sessions.ts';
import { ShopError } from '../../shop/errors.ts';
import { logins } from '../../shop/passwords/passwords.ts';
import type { Shop } from '../../shop/shop.ts';
import type { CustomerVisit } from './customer-visit.ts';
import { page, type Where } from './document.ts';
import type { FormBody } from './form-body.ts';
import { csrfField, type Mistake, mistakeSummary, passwordField, textField } from './form-parts.ts';
import { html } from './html.ts';
import { clearSessionCookie, setSessionCookie } from './page-session.ts';
import { accessPath } from './paths.ts';
import type { PageAnswer } from './route.ts';
import { count, type FormAction, runAction } from './visit.ts';
import { rich } from './words.ts';

type FieldName = 'email' | 'password';

/** Texts of a login page. */
export interface LoginWords {
  where: Where;
  title: string;
  /** A sentence that explains why the login is needed. */
  why: string;
  /** Whether only existing customers can continue. Then no registration is offered. */
  known?: true;
}

interface Entered {
  email?: string;
  mistakes?: readonly Mistake<FieldName>[];
  status?: number;
}

/** The login page. `form` identifies the page's forms in form tokens. */
export function loginPage(
  { front, path, guard, req, res, language }: CustomerVisit,
  form: string,
  { where, title, why, known }: LoginWords,
  { email = '', mistakes = [], status = 200 }: Entered = {},
): PageAnswer {
  const { say } = language;
  const state = { language, entered: { email }, mistakes };
  const main = html`
<section class="notice">
<h1>${title}</h1>
<p>${why}</p>
${mistakeSummary(say('page.login_mistakes'), mistakes)}
<form method="post" action="${path}" novalidate>
${csrfField(guard.csrfFor(req, res, form))}
${textField(state, { name: 'email', label: say('page.login_email'), type: 'email', autocomplete: 'username', maximum: 254 })}
${passwordField(state, { name: 'password', label: say('page.login_password'), autocomplete: 'current-password' })}
<button class="primary" name="action" value="log_in">${say('page.login_button')}</button>
<p class="after-button">${rich(language, 'page.login_hint', { shop: html`<span dir="auto">${front.name}</span>` })}</p>
</form>
<ul class="ways">
<li><a href="${accessPath(path, 'forgot')}">${say('access.forgot')}</a></li>
${!known && html`<li><a href="${accessPath(path, 'register')}">${say('access.register')}</a></li>`}
</ul>
</section>`;
  return { status, html: page({ language, title, mistaken: mistakes.length > 0, front, where, main }) };
}

/** Logs in. Starts a new login session and a new form session; earlier ones are not reused. */
export async function logIn(
  visit: CustomerVisit,
  form: string,
  words: LoginWords,
  body: FormBody,
): Promise<PageAnswer> {
  const { db, tenant, actor, checkoutDeps, guard, req, res, path, language } = visit;
  const [email = '', password = ''] = [body.get('email'), body.get('password')];
  await count(visit, 'storefront.loginCustomer', {}, { email });
  const mistakes: Mistake<FieldName>[] = [
    ...(email ? [] : [{ field: 'email' as const, message: language.say('page.login_no_email') }]),
    ...(password ? [] : [{ field: 'password' as const, message: language.say('page.login_no_password') }]),
  ];
  if (mistakes.length > 0) return loginPage(visit, form, words, { email, mistakes, status: 422 });
  const act = { operation_id: 'storefront.loginCustomer', action: 'log_in', body } as const;
  const refused = async (error: unknown) => {
    if (!(error instanceof ShopError) || error.code !== 'invalid_credentials') throw error;
    const message = language.say('page.login_wrong');
    return loginPage(visit, form, words, { email, mistakes: [{ field: 'password', message }], status: 401 });
  };
  const verifying = logins.take(() =>
    sessions.verifyLogin(db, tenant, actor, { email, password, unlocks: unlockPasses(req, checkoutDeps.baseUrl) }),
  );
  const checked = await verifying.then(
    (verified) => ({ verified }),
    async (error: unknown) => ({ refusal: await refused(error) }),
  );
  if ('refusal' in checked) return checked.refusal;
  let token = '';
  const answer = await runAction(
    visit,
    act,
    async (shop) => {
      ({ access_token: token } = await sessions.openSession(shop, checked.verified));
      return { redirect: path };
    },
    (_shop, error) => refused(error),
  );
  if (token && 'redirect' in answer) {
    setSessionCookie(res, checkoutDeps.baseUrl, tenant.site_id, token);
    guard.renew(res);
  }
  return answer;
}

/** Ends this browser's login session, including in the API. */
export async function logOut(visit: CustomerVisit, body: FormBody): Promise<PageAnswer> {
  const { session } = visit;
  if (!session) return { redirect: visit.path };
  const act = { operation_id: 'storefront.logoutCustomer', action: 'log_out', body } as const;
  return leave(visit, act, (shop) => sessions.endSession(shop, session.session_id));
}

/** Ends all of the customer's login sessions in the shop, on every device. */
export async function logOutEverywhere(visit: CustomerVisit, body: FormBody, customer_id: string): Promise<PageAnswer> {
  const act = {
    operation_id: 'storefront.logoutCustomerEverywhere',
    action: 'log_out_everywhere',
    body,
  } as const;
  return leave(visit, act, (shop) => sessions.endAllSessions(shop, customer_id));
}

async function leave(visit: CustomerVisit, act: FormAction, end: (shop: Shop) => Promise<void>): Promise<PageAnswer> {
  const { checkoutDeps, tenant, res, guard, path } = visit;
  await count(visit, act.operation_id);
  const answer = await runAction(
    visit,
    act,
    async (shop) => {
      await end(shop);
      return { redirect: path };
    },
    async (_shop, error) => {
      throw error;
    },
  );
  clearSessionCookie(res, checkoutDeps.baseUrl, tenant.site_id);
  guard.renew(res);
  return answer;
}
