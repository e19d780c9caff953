/**
 * The consent page after a redirect from an OAuth client. The customer compares no user code, because no other device
 * shows one. The page returns to the client, but only after login (RFC 9700 §4.11.2).
 */

import type { AgentConsent } from '@commerce-backend/spec';
import * as agentTokens from '../../shop/agent-limits/tokens.ts';
import { agentsInTheWay, codeOf } from '../../shop/agents/authorization-codes.ts';
import * as requests from '../../shop/agents/authorization-requests.ts';
import * as consents from '../../shop/agents/consents.ts';
import { OAuthRefusal } from '../../shop/agents/oauth-refusal.ts';
import { placeOf } from '../../shop/agents/redirect-uris.ts';
import { ShopError } from '../../shop/errors.ts';
import { authorizationPage } from '../../shop/links.ts';
import { arriveInShop } from '../parts/customer-visit.ts';
import { page } from '../parts/document.ts';
import type { FormBody } from '../parts/form-body.ts';
import { html } from '../parts/html.ts';
import type { PageAnswer, PageRequest, PageRoute } from '../parts/route.ts';
import { count, inShopOfVisit, runAction } from '../parts/visit.ts';
import { fullHousePage } from './views.ts';
import type { ConsentVisit } from './visit.ts';

const DENIED = new OAuthRefusal('access_denied', 'The customer has refused.');
const LATE = new OAuthRefusal('access_denied', 'The customer did not decide in time. Ask again.');
const NOT_ALLOWED = new OAuthRefusal('access_denied', 'The shop does not allow agents.');

/** Finds the authorization request by the secret in the page's URL. Throws `not_found` if there is none. */
export async function arriveWithAuthorization(request: PageRequest, secret: string): Promise<ConsentVisit> {
  const visit = await arriveInShop(request, (site_id) => authorizationPage('', site_id, encodeURIComponent(secret)));
  const authorization = await inShopOfVisit(visit, (shop) => requests.find(shop, secret));
  if (!authorization) throw new ShopError('not_found', 'There is no such request.');
  return { ...visit, user_code: secret, sealed: true, authorization };
}

/**
 * The page to show instead of the form: the customer has too many agents, or the request cannot be decided. Undefined
 * otherwise.
 */
export async function showBeforeForm(
  visit: ConsentVisit,
  csrf: string,
  authorization: requests.AuthorizationRequest,
  { status }: AgentConsent,
): Promise<PageAnswer | undefined> {
  const undecided = status === 'pending' || (status === 'expired' && !authorization.approved);
  if (!undecided) return undefined;
  const refusal = refusalOf(authorization, status);
  if (refusal) return leadBack(visit, authorization, requests.addressOfRefusal(authorization, refusal));
  const agents = await inShopOfVisit(visit, agentsInTheWay);
  return agents.length > 0 ? fullHousePage(visit, csrf, agents) : undefined;
}

/** The error for the client if it can no longer get an authorization code; otherwise undefined. */
function refusalOf({ enabled, approved }: requests.AuthorizationRequest, status: AgentConsent['status']) {
  if (status === 'denied') return DENIED;
  if (approved) return undefined;
  if (!enabled) return NOT_ALLOWED;
  return status === 'expired' ? LATE : undefined;
}

/**
 * Redirects to the client's redirect URI. The consent form redirects to this page instead of to the client: browsers
 * apply `form-action 'self'` to redirects after a form, and the policy is not extended to URLs that anyone can
 * register. GET changes nothing here: the approval created the authorization code, and only the customer who approved
 * sees it.
 */
export const authorizationLeave: PageRoute<ConsentVisit> = {
  path: '/agent-consent/leave',
  where: 'consent',
  arrive: (request) => arriveWithAuthorization(request, String(request.req.query.request ?? '').slice(0, 64)),
  formOf: ({ path }) => `leave ${path}`,
  show: async (visit) => (await wayBack(visit)) ?? { redirect: visit.path },
  post: async ({ path }) => ({ redirect: path }),
  notices: { not_found: 'consent.dead' },
};

async function wayBack(visit: ConsentVisit): Promise<PageAnswer | undefined> {
  const { authorization, session, checkoutDeps } = visit;
  if (!session || !authorization) return undefined;
  await count(visit, 'storefront.getAgentConsent');
  const { secret } = authorization;
  const address = await inShopOfVisit(visit, async (shop) => {
    const code = await codeOf(shop, checkoutDeps, secret);
    if (code) return requests.addressOfCode(authorization, code);
    const { status } = await consents.get(shop, secret, { fresh: session.fresh, password: false });
    const refusal = refusalOf(authorization, status);
    return refusal && requests.addressOfRefusal(authorization, refusal);
  });
  return address === undefined ? undefined : leadBack(visit, authorization, address);
}

function leadBack(
  { language, front }: ConsentVisit,
  { redirect_uri }: requests.AuthorizationRequest,
  address: string,
): PageAnswer {
  const { say } = language;
  const place = placeOf(redirect_uri) ?? say('consent.this_device');
  const title = say('consent.leave');
  const main = html`
<section class="notice">
<h1>${title}</h1>
<p>${say('consent.leave_text', { place })}</p>
<div class="actions"><a class="primary" href="${address}" rel="noreferrer">${say('consent.go_back', { place })}</a></div>
</section>`;
  return { status: 200, html: page({ language, title, front, where: 'consent', main }), refresh: address };
}

/** Revokes another agent, because the customer has the maximum number of agents. */
export async function makeRoom(visit: ConsentVisit, body: FormBody): Promise<PageAnswer> {
  const { session, path } = visit;
  await count(visit, 'storefront.revokeAgent');
  return runAction(
    visit,
    { operation_id: 'storefront.revokeAgent', action: 'revoke', body },
    async (shop) => {
      const own = await agentTokens.listOfCustomer(shop, session?.customer_id ?? '');
      const chosen = own.find(({ id }) => id === body.get('agent'));
      if (chosen) await agentTokens.revoke(shop, chosen.id, 'customer', session?.customer_id);
      return { redirect: path };
    },
    async (_shop, error) => {
      throw error;
    },
  );
}
