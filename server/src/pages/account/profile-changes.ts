/** Changes of the profile, the e-mail address and the password. */

import type { Customer } from '@commerce-backend/spec';
import { valueErrors } from '../../http/contract/validator.ts';
import { LANGUAGES } from '../../language/locales.ts';
import * as account from '../../shop/account/account.ts';
import { isPhone } from '../../shop/address-rules.ts';
import * as sessions from '../../shop/customers/sessions.ts';
import { foldEmail } from '../../shop/emails.ts';
import { ShopError } from '../../shop/errors.ts';
import { promiseNoChange } from '../../shop/in-shop.ts';
import type { Shop } from '../../shop/shop.ts';
import type { FormBody } from '../parts/form-body.ts';
import type { Mistake } from '../parts/form-parts.ts';
import { newPasswordMistake } from '../parts/new-password.ts';
import { accountViewPath } from '../parts/paths.ts';
import type { PageAnswer } from '../parts/route.ts';
import { count, type FormAction, inShopOfVisit, runAction } from '../parts/visit.ts';
import { type ProfileField, type ProfileForm, profileView } from './profile.ts';
import { type AccountVisit, accountForm, type Done, doneAt } from './visit.ts';

type Session = sessions.PageSession;

export async function showProfile(visit: AccountVisit, csrf: string): Promise<PageAnswer> {
  await count(visit, 'storefront.getCustomer');
  return profileView(visit, csrf, await readProfile(visit));
}

function readProfile(visit: AccountVisit): Promise<Customer> {
  return inShopOfVisit(visit, async (shop) => {
    await promiseNoChange(shop);
    return account.profile(shop);
  });
}

async function showAgain(visit: AccountVisit, form: ProfileForm): Promise<PageAnswer> {
  return formAgain(visit, form, await readProfile(visit));
}

function formAgain(visit: AccountVisit, form: ProfileForm, profile: Customer): PageAnswer {
  return profileView(visit, visit.guard.csrfFor(visit.req, visit.res, accountForm(visit)), profile, form);
}

/** Saves names, phone number and language. Empty fields are removed. */
export async function saveProfile(visit: AccountVisit, body: FormBody): Promise<PageAnswer> {
  const { say } = visit.language;
  const names = ['first_name', 'last_name', 'phone', 'locale'] as const;
  const patch = Object.fromEntries(names.map((name) => [name, body.get(name) ?? null]));
  await count(visit, 'storefront.updateCustomer');
  if (patch.locale && !LANGUAGES.some((code) => code === patch.locale)) {
    throw new ShopError('invalid_request', 'The form names an unknown language.');
  }
  const mistakes: Mistake<ProfileField>[] = (['first_name', 'last_name', 'phone'] as const).flatMap((field) => {
    const value = patch[field];
    if (!value) return [];
    if ([...value].length > (field === 'phone' ? 64 : 255)) {
      return [{ field, message: say('checkout.too_long', { field: say(`checkout.${field}`) }) }];
    }
    return field === 'phone' && !isPhone(value, null) ? [{ field, message: say('checkout.ask_phone') }] : [];
  });
  const entered = Object.fromEntries(names.flatMap((name) => (body.has(name) ? [[name, body.get(name)]] : [])));
  if (mistakes.length > 0) return showAgain(visit, { entered, mistakes, status: 422 });
  // A region of the stored language, such as de-AT, is kept unless another language is chosen.
  const { locale, ...rest } = patch;
  const isKept = locale !== null && locale === visit.session?.locale?.slice(0, 2);
  const act = { operation_id: 'storefront.updateCustomer', action: 'save_profile', body } as const;
  return perform(visit, act, 'saved', (shop) => account.update(shop, isKept ? rest : patch));
}

/**
 * Mails a link to the new address. The page does not reveal whether another account has the address. Wrong passwords
 * count as failed logins.
 */
export async function changeEmail(visit: AccountVisit, body: FormBody, { email: own }: Session): Promise<PageAnswer> {
  const { say } = visit.language;
  const email = body.get('new_email') ?? '';
  const password = body.get('password_for_email') ?? '';
  const wrong = email === '' ? say('page.login_no_email') : emailMistake(visit, email, own);
  const mistakes: Mistake<ProfileField>[] = [
    ...(wrong ? [{ field: 'new_email' as const, message: wrong }] : []),
    ...(password ? [] : [{ field: 'password_for_email' as const, message: say('profile.password_empty') }]),
  ];
  await count(visit, 'storefront.updateCustomer', {}, { email });
  const entered = { new_email: email };
  if (mistakes.length > 0) return showAgain(visit, { entered, mistakes, status: 422 });
  const verified = await verifyPassword(visit, 'password_for_email', password);
  if ('mistake' in verified) return showAgain(visit, { entered, mistakes: [verified.mistake], status: 401 });
  const act = { operation_id: 'storefront.updateCustomer', action: 'change_email', body } as const;
  return perform(visit, act, 'email_sent', (shop) => account.update(shop, { email }));
}

function emailMistake({ language: { say } }: AccountVisit, email: string, own: string): string | undefined {
  if (valueErrors('EmailInput', email).length > 0) return say('checkout.ask_email_form');
  return foldEmail(email) === own ? say('profile.email_same') : undefined;
}

/** Changes the password and ends all other sessions. */
export async function changePassword(visit: AccountVisit, body: FormBody, session: Session): Promise<PageAnswer> {
  const { db, tenant, actor, language, guard, res } = visit;
  const { say } = language;
  const current_password = body.get('current_password') ?? '';
  const new_password = body.get('new_password') ?? '';
  const again = body.get('new_password_again') ?? '';
  await count(visit, 'storefront.changePassword');
  const unfit = await newPasswordMistake(language, new_password);
  const repeated = say(again === '' ? 'account.reset_once_more' : 'account.reset_different');
  const mistakes: Mistake<ProfileField>[] = [
    ...(current_password ? [] : [{ field: 'current_password' as const, message: say('profile.password_empty') }]),
    ...(unfit ? [{ field: 'new_password' as const, message: unfit }] : []),
    ...(!unfit && again !== new_password ? [{ field: 'new_password_again' as const, message: repeated }] : []),
  ];
  if (mistakes.length > 0) return showAgain(visit, { entered: {}, mistakes, status: 422 });
  const refused = (error: unknown): ProfileForm => {
    return { entered: {}, mistakes: [wrongPassword(visit, 'current_password', error)], status: 401 };
  };
  const preparing = account.preparePasswordChange(db, tenant, actor, { current_password, new_password });
  const change = await preparing.catch((error: unknown) => showAgain(visit, refused(error)));
  if (!('new_hash' in change)) return change;
  const act = { operation_id: 'storefront.changePassword', action: 'change_password', body } as const;
  const answer = await runAction(
    visit,
    act,
    async (shop) => {
      await account.changePassword(shop, change, session.session_id);
      return { redirect: doneAt(accountViewPath(visit.path, 'profile'), 'password_changed') };
    },
    async (shop, error) => formAgain(visit, refused(error), await account.profile(shop)),
  );
  if ('redirect' in answer) guard.renew(res);
  return answer;
}

/** Verifies the password of the logged-in customer. Failures are throttled like those of logins (`rate_limited`). */
export async function verifyPassword<Field extends string>(
  visit: AccountVisit,
  field: Field,
  password: string,
): Promise<sessions.VerifiedLogin | { mistake: Mistake<Field> }> {
  const { db, tenant, actor } = visit;
  return sessions
    .verifyAgain(db, tenant, actor, password)
    .catch((error: unknown) => ({ mistake: wrongPassword(visit, field, error) }));
}

function wrongPassword<Field extends string>(visit: AccountVisit, field: Field, error: unknown): Mistake<Field> {
  if (!(error instanceof ShopError && error.code === 'invalid_credentials')) throw error;
  return { field, message: visit.language.say('profile.password_wrong') };
}

function perform(
  visit: AccountVisit,
  act: FormAction,
  done: Done,
  work: (shop: Shop) => Promise<unknown>,
): Promise<PageAnswer> {
  return runAction(
    visit,
    act,
    async (shop) => {
      await work(shop);
      return { redirect: doneAt(accountViewPath(visit.path, 'profile'), done) };
    },
    (_shop, error) => Promise.reject(error),
  );
}
