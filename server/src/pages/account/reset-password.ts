import type { Language } from '../../language/language.ts';
import * as registration from '../../shop/account/registration.ts';
import * as codes from '../../shop/customers/codes.ts';
import { ShopError } from '../../shop/errors.ts';
import { resetLink } from '../../shop/links.ts';
import type { Shop } from '../../shop/shop.ts';
import { page } from '../parts/document.ts';
import type { FormBody } from '../parts/form-body.ts';
import { csrfField, type Mistake, mistakeSummary, passwordField } from '../parts/form-parts.ts';
import { html } from '../parts/html.ts';
import { newPasswordMistake, PASSWORD_RULES } from '../parts/new-password.ts';
import type { PageAnswer, PageRoute } from '../parts/route.ts';
import { count, runAction } from '../parts/visit.ts';
import { paragraphs, rich } from '../parts/words.ts';
import { countLook, followLink, LINK_NOTICES, type LinkVisit, linkNotice, toAccess, toLogin } from './mailed-link.ts';

/** The page behind the mailed link for customers who forgot their password. */
export const resetPasswordPage: PageRoute<LinkVisit> = {
  path: resetLink('', ':site_id', ':token'),
  where: 'account',
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
  const { front, shop, code, path, guard, req, res, language } = visit;
  const { say } = language;
  const title = say('account.reset');
  const form = { language, entered: {}, mistakes };
  const name = html`<span dir="auto">${shop}</span>`;
  const main = html`
<section class="notice">
<h1>${title}</h1>
${mistakeSummary(say('account.reset_check'), mistakes)}
<form method="post" action="${path}" novalidate>
${csrfField(guard.csrfFor(req, res, formOf(visit)))}
<div class="field">
<label for="email">${rich(language, 'account.reset_for', { shop: name })}</label>
<input id="email" type="email" value="${code.email}" autocomplete="username" readonly>
</div>
${passwordField(form, {
  name: 'new_password',
  label: say('account.reset_new'),
  autocomplete: 'new-password',
  hint: say('account.reset_hint', { count: PASSWORD_RULES.minLength }),
})}
${passwordField(form, { name: 'new_password_again', label: say('account.reset_again'), autocomplete: 'new-password' })}
<button class="primary" name="action" value="reset_password">${say('account.reset_button')}</button>
<p class="after-button">${say('account.reset_after')}</p>
</form>
</section>`;
  return page({ language, title, mistaken: mistakes.length > 0, front, where: 'account', main });
}

/** Sets the password. Of several concurrent posts only one succeeds. */
async function post(visit: LinkVisit, body: FormBody): Promise<PageAnswer> {
  const { db, tenant, actor, token, path, code, guard, res } = visit;
  if (code.state !== 'alive') return code.state === 'used' ? usedBefore(visit) : expired(visit);
  await count(visit, 'storefront.resetPassword');
  const new_password = body.get('new_password') ?? '';
  const mistakes = await passwordMistakes(visit.language, new_password, body.get('new_password_again') ?? '');
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

async function passwordMistakes(language: Language, password: string, again: string): Promise<Mistake<FieldName>[]> {
  const { say } = language;
  const message = await newPasswordMistake(language, password);
  if (message) return [{ field: 'new_password', message }];
  if (again === password) return [];
  const repeated = again === '' ? say('account.reset_once_more') : say('account.reset_different');
  return [{ field: 'new_password_again', message: repeated }];
}

/** Explains an error: the link was used or replaced in the meantime. */
function refusal(visit: LinkVisit, error: unknown): PageAnswer {
  if (error instanceof ShopError && error.code === 'reset_token_invalid') return usedBefore(visit);
  throw error;
}

function done(visit: LinkVisit): PageAnswer {
  const { language, shop } = visit;
  return linkNotice(visit, 200, {
    title: language.say('account.reset_done'),
    sentences: paragraphs(language.say('account.reset_done_text', { shop })),
    link: toLogin(visit),
  });
}

function usedBefore(visit: LinkVisit): PageAnswer {
  const { language, shop } = visit;
  return linkNotice(visit, 410, {
    title: language.say('account.reset_used'),
    sentences: paragraphs(language.say('account.reset_used_text', { shop })),
    link: toLogin(visit),
  });
}

function expired(visit: LinkVisit): PageAnswer {
  const { language, shop } = visit;
  const life = language.duration(codes.LIFETIMES.reset_password);
  return linkNotice(visit, 410, {
    title: language.say('account.reset_expired'),
    sentences: paragraphs(language.say('account.reset_expired_text', { shop, life })),
    link: toAccess(visit, 'forgot'),
  });
}
