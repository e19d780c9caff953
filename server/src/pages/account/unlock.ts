import { addUnlockPass, unlockPasses } from '../../http/callers/unlock-cookie.ts';
import { ShopError } from '../../shop/errors.ts';
import { unlockLink } from '../../shop/links.ts';
import { LINK_LIFE, stateOfUnlock, type UnlockState, useUnlock } from '../../shop/login-unlocks.ts';
import { type Notice, noticePage, page } from '../parts/document.ts';
import { csrfField } from '../parts/form-parts.ts';
import { html } from '../parts/html.ts';
import type { PageAnswer, PageRequest, PageRoute } from '../parts/route.ts';
import { LINK_NOTICES } from './mailed-link.ts';

interface UnlockVisit extends PageRequest {
  path: string;
  token: string;
  state: UnlockState;
}

/** Where the link leads that is mailed to those whom strangers keep out by guessing at their password. */
export const unlockPage: PageRoute<UnlockVisit> = {
  path: unlockLink('', ':token'),
  where: 'Your account',
  arrive,
  formOf: ({ path }) => `unlock ${path}`,
  show,
  post,
  notices: LINK_NOTICES,
};

async function arrive(request: PageRequest): Promise<UnlockVisit> {
  const token = String(request.req.params.token);
  const { db, req, checkoutDeps } = request;
  const state = await stateOfUnlock(db, token, unlockPasses(req, checkoutDeps.baseUrl));
  if (!state) throw new ShopError('not_found', 'This link is not valid.');
  return { ...request, path: unlockLink('', token), token, state };
}

async function show(visit: UnlockVisit): Promise<PageAnswer> {
  if (visit.state === 'passed') return notice(200, PASSED);
  if (visit.state === 'used') return notice(200, USED);
  if (visit.state === 'expired') return notice(410, EXPIRED);
  const { path, guard, req, res } = visit;
  const title = 'Log in without waiting';
  const main = html`
<section class="notice">
<h1>${title}</h1>
<p>Somebody has tried wrong passwords for your account, so logging in to it is delayed. This browser need not wait: press
the button, and log in as you always do. Your password is still asked for.</p>
<form method="post" action="${path}">
${csrfField(guard.csrfFor(req, res, `unlock ${path}`))}
<button class="primary" name="action" value="unlock">Do not delay this browser</button>
<p class="after-button">It holds for 24 hours. The link works once.</p>
</form>
</section>`;
  return { status: 200, html: page({ title, shop: undefined, where: 'Your account', main }) };
}

async function post(visit: UnlockVisit): Promise<PageAnswer> {
  const { db, req, res, checkoutDeps, token, path, guard } = visit;
  const pass = await useUnlock(db, token);
  if (!pass) return visit.state === 'expired' ? notice(410, EXPIRED) : notice(410, USED);
  addUnlockPass(req, res, checkoutDeps.baseUrl, pass);
  guard.renew(res);
  return { redirect: path };
}

function notice(status: number, words: Notice): PageAnswer {
  return { status, html: noticePage(words, { shop: undefined, where: 'Your account' }) };
}

const PASSED: Notice = {
  title: 'You can log in now',
  sentences: ['This browser is not delayed for 24 hours: go back to where you log in, and enter your password.'],
};

const USED: Notice = {
  title: 'This link has been used',
  sentences: [
    'The browser that used it is not delayed for 24 hours: go back to where you log in, and try again there.',
    'If it was not you who used it, choose a new password.',
  ],
};

const EXPIRED: Notice = {
  title: 'This link has expired',
  sentences: [
    `It worked for ${LINK_LIFE}. Try to log in again when the delay is over.`,
    'While wrong passwords are being tried, a new link is mailed once an hour.',
  ],
};
