import type { CustomerVisit } from './customer-visit.ts';
import { askForLink, forgotPage, forgotSentPage } from './forgotten-password.ts';
import type { FormBody } from './form-body.ts';
import { type LoginWords, logIn, loginPage } from './login.ts';
import { ACCESS_VIEWS } from './paths.ts';
import { registerPage, registerSentPage, requestAccount } from './registration.ts';
import type { PageAnswer } from './route.ts';

/**
 * Returns the login, registration or forgotten-password page for visitors who are not logged in. A form token is valid
 * only for forms with the same `form`.
 */
export function showAccess(visit: CustomerVisit, form: string, words: LoginWords): PageAnswer {
  const wanted = visit.req.query.login;
  const place = { form, where: words.where };
  switch (ACCESS_VIEWS.find((view) => view === wanted)) {
    case 'forgot':
      return forgotPage(visit, place);
    case 'forgot_sent':
      return forgotSentPage(visit, place);
    case 'register':
      return registerPage(visit, place);
    case 'register_sent':
      return registerSentPage(visit, place);
    default:
      return loginPage(visit, form, words);
  }
}

/** Handles the login and registration forms; undefined for other forms of the page. */
export function postAccess(
  visit: CustomerVisit,
  form: string,
  words: LoginWords,
  body: FormBody,
): Promise<PageAnswer> | undefined {
  const place = { form, where: words.where };
  switch (body.get('action')) {
    case 'log_in':
      return logIn(visit, form, words, body);
    case 'request_reset':
      return askForLink(visit, place, body);
    case 'register':
      return requestAccount(visit, place, body);
    default:
      return undefined;
  }
}
