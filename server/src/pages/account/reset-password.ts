import { document } from '../../http/contract/contract.ts';
import { valueErrors } from '../../http/contract/validator.ts';
import * as registration from '../../shop/account/registration.ts';
import * as codes from '../../shop/customers/codes.ts';
import { ShopError } from '../../shop/errors.ts';
import { resetLink } from '../../shop/links.ts';
import type { Shop } from '../../shop/shop.ts';
import { page } from '../parts/document.ts';
import type { FormBody } from '../parts/form-body.ts';
import { csrfField, type Mistake, mistakeSummary, passwordField } from '../parts/form-parts.ts';
import { html } from '../parts/html.ts';
import type { PageAnswer, PageRoute } from '../parts/route.ts';
import { count, runAction } from '../parts/visit.ts';
import { countLook, followLink, LINK_NOTICES, type LinkVisit, linkNotice } from './mailed-link.ts';

/** Where the link in a mail leads with which a customer who forgot the password sets another. */
export const resetPasswordPage: PageRoute<LinkVisit> = {
  path: resetLink('', ':site_id', ':token'),
  where: 'Your account',
  arrive: (request) => followLink(request, ['reset_password'], (site_id, token) => resetLink('', site_id, token)),
  formOf,
  show,
  post,
  notices: LINK_NOTICES,
};

type FieldName = 'new_password' | 'new_password_again';

function formOf({ path }: LinkVisit): string {
  return `reset ${path}`;
}

async function show(visit: LinkVisit): Promise<PageAnswer> {
  await countLook(visit);
  switch (visit.code.state) {
    case 'used':
      return done(visit);
    case 'expired':
      return expired(visit);
    default:
      return { status: 200, html: passwordForm(visit, []) };
  }
}

function passwordForm(visit: LinkVisit, mistakes: readonly Mistake<FieldName>[]): string {
  const { shop, code, path, guard, req, res } = visit;
  const title = 'Choose a new password';
  const form = { entered: {}, mistakes };
  const main = html`
<section class="notice">
<h1>${title}</h1>
${mistakeSummary('Please check the password', mistakes)}
<form method="post" action="${path}" novalidate>
${csrfField(guard.csrfFor(req, res, formOf(visit)))}
<div class="field">
<label for="email">For your account at <span dir="auto">${shop}</span></label>
<input id="email" type="email" value="${code.email}" autocomplete="username" readonly>
</div>
${passwordField(form, {
  name: 'new_password',
  label: 'New password',
  autocomplete: 'new-password',
  hint: `At least ${RULES.minLength} characters. Several words are easy to remember and hard to guess.`,
})}
${passwordField(form, { name: 'new_password_again', label: 'Repeat the new password', autocomplete: 'new-password' })}
<button class="primary" name="action" value="reset_password">Set the new password</button>
<p class="after-button">You are then logged out everywhere, and log in with the new password.</p>
</form>
</section>`;
  return page({ title: mistakes.length > 0 ? `Mistake: ${title}` : title, shop, where: 'Your account', main });
}

/** Sets the password. Of parallel posts one does. */
async function post(visit: LinkVisit, body: FormBody): Promise<PageAnswer> {
  const { db, tenant, actor, token, path, code, guard, res } = visit;
  if (code.state !== 'alive') return code.state === 'used' ? usedBefore(visit) : expired(visit);
  await count(visit, 'storefront.resetPassword');
  const new_password = body.get('new_password') ?? '';
  const mistakes = passwordMistakes(new_password, body.get('new_password_again') ?? '');
  if (mistakes.length > 0) return { status: 422, html: passwordForm(visit, mistakes) };

  const act = { operation_id: 'storefront.resetPassword', action: 'reset_password', body } as const;
  const answer = await registration.prepareReset(db, tenant, actor, { token, new_password }).then(
    (password_hash) => {
      const work = async (shop: Shop) => {
        await registration.reset(shop, token, password_hash);
        return { redirect: path };
      };
      return runAction(visit, act, work, async (_shop, error) => refusal(visit, error));
    },
    (error: unknown) => refusal(visit, error),
  );
  if ('redirect' in answer) guard.renew(res);
  return answer;
}

const RULES = document.components.schemas?.NewPassword as { minLength: number; maxLength: number };

function passwordMistakes(password: string, again: string): Mistake<FieldName>[] {
  if (password === '') return [{ field: 'new_password', message: 'Enter a new password.' }];
  if (password.includes('\0')) return [{ field: 'new_password', message: 'Leave out what cannot be typed.' }];
  if (valueErrors('NewPassword', password).length > 0) {
    const length = [...password].length;
    const bound =
      length < RULES.minLength ? `at least ${RULES.minLength}` : `at most ${RULES.maxLength.toLocaleString('en')}`;
    return [{ field: 'new_password', message: `Use ${bound} characters: this has ${length.toLocaleString('en')}.` }];
  }
  if (again === '') return [{ field: 'new_password_again', message: 'Enter the new password once more.' }];
  return again === password
    ? []
    : [{ field: 'new_password_again', message: 'The two are not the same. Enter the new password twice.' }];
}

/** Another post was faster, or the link has been replaced meanwhile. */
function refusal(visit: LinkVisit, error: unknown): PageAnswer {
  if (error instanceof ShopError && error.code === 'reset_token_invalid') return usedBefore(visit);
  throw error;
}

function done(visit: LinkVisit): PageAnswer {
  return linkNotice(visit, 200, {
    title: 'Your password has been changed',
    sentences: [
      `Log in at ${visit.shop} with the new password. For your safety you have been logged out everywhere.`,
      'The link has been used, and works no more. If it was not you who used it, ask for a new password at the shop now.',
    ],
  });
}

function usedBefore(visit: LinkVisit): PageAnswer {
  return linkNotice(visit, 410, {
    title: 'This link has been used already',
    sentences: [
      'A link sets a password once. If you have just sent the form twice, your new password is set: log in with it.',
      `Otherwise ask for another link where you log in at ${visit.shop}.`,
    ],
  });
}

function expired(visit: LinkVisit): PageAnswer {
  return linkNotice(visit, 410, {
    title: 'This link has expired',
    sentences: [
      `It worked for ${codes.LIFETIMES.reset_password}. Your password has not been changed.`,
      `Ask for another link where you log in at ${visit.shop}.`,
    ],
  });
}
