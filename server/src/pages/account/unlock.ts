import { addUnlockPass, unlockPasses } from '../../http/callers/unlock-cookie.ts';
import type { Language } from '../../language/language.ts';
import { ShopError } from '../../shop/errors.ts';
import { findTenant } from '../../shop/in-shop.ts';
import { unlockLink } from '../../shop/links.ts';
import { findUnlock, LINK_LIFE, type UnlockState, useUnlock } from '../../shop/login-unlocks.ts';
import { type Notice, noticePage, page } from '../parts/document.ts';
import { csrfField } from '../parts/form-parts.ts';
import { html } from '../parts/html.ts';
import { noticeOf } from '../parts/notices.ts';
import type { PageAnswer, PageRequest, PageRoute } from '../parts/route.ts';
import { paragraphs } from '../parts/words.ts';
import { LINK_NOTICES } from './mailed-link.ts';

interface UnlockVisit extends PageRequest {
  path: string;
  token: string;
  state: UnlockState;
}

/** The page behind the link that is mailed to people who cannot log in because strangers guess their password. */
export const unlockPage: PageRoute<UnlockVisit> = {
  path: unlockLink('', ':token'),
  where: 'account',
  arrive,
  formOf: ({ path }) => `unlock ${path}`,
  show,
  post,
  notices: LINK_NOTICES,
};

async function arrive(request: PageRequest): Promise<UnlockVisit> {
  const token = String(request.req.params.token);
  const { db, req, hosts, checkoutDeps } = request;
  const found = await findUnlock(db, token, unlockPasses(req, checkoutDeps.baseUrl));
  // Staff work for several shops, so their links are not served at a shop's own host.
  if (!found || (found.site_id === null && hosts.siteAt(req) !== undefined)) {
    throw new ShopError('not_found', 'This link is not valid.');
  }
  const tenant = found.site_id === null ? undefined : await findTenant(db, found.site_id);
  return { ...request, path: unlockLink('', token), token, state: found.state, ...(tenant && { tenant }) };
}

async function show(visit: UnlockVisit): Promise<PageAnswer> {
  const { language } = visit;
  const { say } = language;
  if (visit.state === 'passed') return notice(language, 200, noticeOf(language, 'account.unlock_passed'));
  if (visit.state === 'used') return used(language, 200);
  if (visit.state === 'expired') return expired(language);
  const { path, guard, req, res } = visit;
  const title = say('account.unlock');
  const main = html`
<section class="notice">
<h1>${title}</h1>
<p>${say('account.unlock_why')}</p>
<form method="post" action="${path}">
${csrfField(guard.csrfFor(req, res, `unlock ${path}`))}
<button class="primary" name="action" value="unlock">${say('account.unlock_button')}</button>
<p class="after-button">${say('account.unlock_after')}</p>
</form>
</section>`;
  return { status: 200, html: page({ language, title, front: undefined, where: 'account', main }) };
}

async function post(visit: UnlockVisit): Promise<PageAnswer> {
  const { db, req, res, checkoutDeps, token, path, guard, language } = visit;
  const pass = await useUnlock(db, token);
  if (!pass) return visit.state === 'expired' ? expired(language) : used(language, 410);
  addUnlockPass(req, res, checkoutDeps.baseUrl, pass);
  guard.renew(res);
  return { redirect: path };
}

function used(language: Language, status: number): PageAnswer {
  return notice(language, status, noticeOf(language, 'account.unlock_used'));
}

function expired(language: Language): PageAnswer {
  const life = language.duration(LINK_LIFE);
  const sentences = paragraphs(language.say('account.unlock_expired_text', { life }));
  return notice(language, 410, { title: language.say('account.unlock_expired'), sentences });
}

function notice(language: Language, status: number, words: Notice): PageAnswer {
  return { status, html: noticePage(words, { language, front: undefined, where: 'account' }) };
}
