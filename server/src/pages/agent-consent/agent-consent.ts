import type { AgentConsent } from '@commerce-backend/spec';
import { actorOf } from '../../http/callers/callers.ts';
import { approveForCode, TooManyAgents } from '../../shop/agents/authorization-codes.ts';
import * as consents from '../../shop/agents/consents.ts';
import * as userCodes from '../../shop/agents/user-codes.ts';
import * as sessions from '../../shop/customers/sessions.ts';
import { ShopError, ValidationError } from '../../shop/errors.ts';
import { assistantsLink, authorizationLeavePage, consentPage } from '../../shop/links.ts';
import type { Shop } from '../../shop/shop.ts';
import { postAccess, showAccess } from '../parts/access.ts';
import { arriveInShop } from '../parts/customer-visit.ts';
import type { FormBody } from '../parts/form-body.ts';
import type { Mistake } from '../parts/form-parts.ts';
import { type LoginWords, logOut } from '../parts/login.ts';
import { setSessionCookie } from '../parts/page-session.ts';
import type { PageAnswer, PageRoute } from '../parts/route.ts';
import { count, inShopOfVisit, runAction } from '../parts/visit.ts';
import { arriveWithAuthorization, makeRoom, showBeforeForm } from './authorization.ts';
import { approvalOf, type ConsentField, type ConsentForm, consentMistakes, mistakesOf, parseForm } from './form.ts';
import { consentForm, decidedPage, enterCodePage } from './views.ts';
import type { ConsentVisit } from './visit.ts';

const FORM = 'agent consent';
function loginWords({ language: { say } }: ConsentVisit): LoginWords {
  return { where: 'consent', title: say('consent.login'), why: say('consent.login_why') };
}

/**
 * The page on which customers decide on an agent's consent request (RFC 8628 §3.3). After login they compare the user
 * code, see the agent and its request, and approve all or part of it, or deny it. Opening the page changes nothing.
 */
export const agentConsentPage: PageRoute<ConsentVisit> = {
  path: '/agent-consent',
  where: 'consent',
  async arrive(request) {
    const typed = String(request.req.query.user_code ?? '').slice(0, 64);
    const user_code = typed || undefined;
    const code = userCodes.parseUserCode(typed);
    const seal = String(request.req.query.seal ?? '').slice(0, 64);
    const isSealed = (site_id: string) =>
      code !== undefined && userCodes.isSealed(request.checkoutDeps.secretKey, site_id, code, seal);
    const pathOf = (site_id: string) => consentPath(site_id, code, isSealed(site_id) ? seal : undefined);
    const secret = request.req.query.request;
    if (secret !== undefined) return arriveWithAuthorization(request, String(secret).slice(0, 64));
    const visit = await arriveInShop(request, pathOf);
    return { ...visit, user_code, sealed: isSealed(visit.tenant.site_id), authorization: undefined };
  },
  formOf: ({ session, path }) => `${FORM} ${session?.session_id ?? ''} ${path}`,
  show,
  post,
  notices: {
    not_found: 'consent.dead',
    agents_not_allowed: 'consent.not_allowed',
    rate_limited: 'consent.too_many_codes',
  },
};

function consentPath(site_id: string, user_code: string | undefined, seal?: string): string {
  return `${consentPage('', site_id)}${user_code ? `&user_code=${user_code}` : ''}${seal ? `&seal=${seal}` : ''}`;
}

async function show(visit: ConsentVisit): Promise<PageAnswer> {
  const { session, user_code } = visit;
  if (!session) return showAccess(visit, agentConsentPage.formOf(visit), loginWords(visit));
  if (!user_code) return enterCodePage(visit, csrfOf(visit));
  const consent = await readRequest(visit, user_code);
  if ('html' in consent || 'redirect' in consent) return consent;
  const answer = visit.authorization && (await showBeforeForm(visit, csrfOf(visit), visit.authorization, consent));
  if (answer) return answer;
  return consent.status === 'pending'
    ? consentForm(visit, csrfOf(visit), consent)
    : decidedPage(visit, consent.status, assistantsLink('', visit.tenant.site_id));
}

function csrfOf(visit: ConsentVisit): string {
  return visit.guard.csrfFor(visit.req, visit.res, agentConsentPage.formOf(visit));
}

/** Finds the request with this user code. An unknown user code counts as a guess, and the page asks for it again. */
async function readRequest(visit: ConsentVisit, user_code: string): Promise<AgentConsent | PageAnswer> {
  const { db, tenant, caller, session, sealed, req } = visit;
  await count(visit, 'storefront.getAgentConsent');
  try {
    if (!sealed) await userCodes.limitGuesses(db, { tenant, actor: actorOf(caller), ip: req.ip ?? null }, user_code);
    const proof = { fresh: session?.fresh ?? false, password: false };
    return await inShopOfVisit(visit, (shop) => consents.get(shop, user_code, proof));
  } catch (error) {
    if (!(error instanceof ShopError) || error.code !== 'not_found') throw error;
    const message = visit.language.say('consent.code_unknown');
    return enterCodePage(visit, csrfOf(visit), { typed: user_code, message, status: 404 });
  }
}

async function post(visit: ConsentVisit, body: FormBody): Promise<PageAnswer> {
  const action = body.get('action') ?? '';
  const entering = postAccess(visit, agentConsentPage.formOf(visit), loginWords(visit), body);
  if (entering) return entering;
  if (action === 'log_out') return logOut(visit, body);
  if (!visit.session) return { redirect: visit.path };
  if (action === 'enter_code') return enterCode(visit, body);
  const user_code = visit.user_code ?? '';
  const consent = await readRequest(visit, user_code);
  if ('html' in consent || 'redirect' in consent) return consent;
  if (consent.status !== 'pending') return { redirect: visit.path };
  if (action === 'revoke' && visit.authorization) return makeRoom(visit, body);
  if (action === 'approve') return approve(visit, body, consent);
  if (action === 'deny') return deny(visit, body, consent);
  throw new ShopError('invalid_request', 'There is no such action.');
}

async function enterCode(visit: ConsentVisit, body: FormBody): Promise<PageAnswer> {
  const typed = body.get('user_code') ?? '';
  const code = userCodes.parseUserCode(typed);
  if (code) return { redirect: consentPath(visit.tenant.site_id, code) };
  const message = visit.language.say('consent.code_form');
  return enterCodePage(visit, csrfOf(visit), { typed: typed.slice(0, 64), message, status: 422 });
}

/** Approves the request within the limits entered in the form, and replaces the browser's session token. */
async function approve(visit: ConsentVisit, body: FormBody, consent: AgentConsent): Promise<PageAnswer> {
  const { db, tenant, actor, session, res, checkoutDeps } = visit;
  const form = parseForm(body, consent);
  const mistakes = consentMistakes(visit, body, form, consent);
  if (mistakes.length > 0) return showFormAgain(visit, consent, form, mistakes, 422);
  const password = body.get('password');
  const failed = await verifyPassword(visit, password);
  if (failed) return showFormAgain(visit, consent, form, [failed], 401);
  const proof = { fresh: session?.fresh ?? false, password: password !== undefined };
  let token = '';
  const answer = await runAction(
    { ...visit, db, tenant, actor },
    { operation_id: 'storefront.approveAgentConsent', action: 'approve', body },
    async (shop) => {
      const redirect = await approveAsAsked(visit, shop, consent, form, proof);
      token = await sessions.replace(shop, session?.token_id ?? '');
      return { redirect };
    },
    (_shop, error) => showRefusal(visit, consent, form, error),
  );
  if (token && 'redirect' in answer) setSessionCookie(res, checkoutDeps.baseUrl, tenant.site_id, token);
  return answer;
}

/** Approves the request. Returns the path for the redirect. */
async function approveAsAsked(
  visit: ConsentVisit,
  shop: Shop,
  consent: AgentConsent,
  form: ConsentForm,
  proof: consents.Proof,
): Promise<string> {
  const approval = approvalOf(form, consent);
  const { authorization, checkoutDeps } = visit;
  if (authorization) await approveForCode(shop, checkoutDeps, authorization.secret, approval, proof);
  else await consents.approve(shop, consent.user_code, approval, proof);
  return pathAfter(visit);
}

/**
 * Path of the page that returns to the OAuth client. Without an OAuth client it is the path of this page, which then
 * shows the decision.
 */
function pathAfter({ authorization, path, tenant }: ConsentVisit): string {
  return authorization ? authorizationLeavePage(tenant.site_id, authorization.secret) : path;
}

async function verifyPassword(
  { db, tenant, actor, language }: ConsentVisit,
  password: string | undefined,
): Promise<Mistake<ConsentField> | undefined> {
  if (password === undefined) return undefined;
  try {
    await sessions.verifyAgain(db, tenant, actor, password);
    return undefined;
  } catch (error) {
    if (!(error instanceof ShopError) || error.code !== 'invalid_credentials') throw error;
    return { field: 'password', message: language.say('consent.wrong_password') };
  }
}

function showFormAgain(
  visit: ConsentVisit,
  consent: AgentConsent,
  form: ConsentForm,
  mistakes: Mistake<ConsentField>[],
  status: number,
): PageAnswer {
  return consentForm(visit, csrfOf(visit), consent, { form, mistakes, status });
}

async function showRefusal(
  visit: ConsentVisit,
  consent: AgentConsent,
  form: ConsentForm,
  error: unknown,
): Promise<PageAnswer> {
  if (error instanceof ValidationError) {
    return showFormAgain(visit, consent, form, mistakesOf(error), 422);
  }
  const code = error instanceof ShopError ? error.code : undefined;
  if (code === 'password_required') {
    const asked = { ...consent, password_required: true };
    return showFormAgain(
      visit,
      asked,
      form,
      [{ field: 'password', message: visit.language.say('consent.password_for_budget') }],
      403,
    );
  }
  // The request was decided in the meantime, or cannot be decided now. The page shows why.
  const isToBeShown = code === 'consent_not_pending' || code === 'consent_expired' || error instanceof TooManyAgents;
  if (isToBeShown || (visit.authorization && code === 'agents_not_allowed')) return { redirect: visit.path };
  throw error;
}

function deny(visit: ConsentVisit, body: FormBody, consent: AgentConsent): Promise<PageAnswer> {
  const proof = { fresh: true, password: false };
  return runAction(
    visit,
    { operation_id: 'storefront.denyAgentConsent', action: 'deny', body },
    async (shop) => {
      await consents.deny(shop, visit.authorization?.secret ?? consent.user_code, proof);
      return { redirect: pathAfter(visit) };
    },
    (_shop, error) => showRefusal(visit, consent, parseForm(body, consent), error),
  );
}
