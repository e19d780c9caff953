import type { AgentConsent } from '@commerce-backend/spec';
import { agentsInTheWay } from '../../shop/agents/authorization-codes.ts';
import * as requests from '../../shop/agents/authorization-requests.ts';
import { OAuthRefusal } from '../../shop/agents/oauth-refusal.ts';
import { policySourceOf } from '../../shop/agents/redirect-uris.ts';
import { ShopError } from '../../shop/errors.ts';
import { authorizationPage } from '../../shop/links.ts';
import * as agentTokens from '../../shop/mandates/tokens.ts';
import { arriveInShop } from '../parts/customer-visit.ts';
import type { FormBody } from '../parts/form-body.ts';
import { letFormsLeadTo } from '../parts/headers.ts';
import type { PageAnswer, PageRequest } from '../parts/route.ts';
import { count, inShopOfVisit, runAction } from '../parts/visit.ts';
import { fullHousePage } from './views.ts';
import type { ConsentVisit } from './visit.ts';

/**
 * What is different on the page when a client of OAuth sent the browser there: no code to compare, since nothing is shown
 * elsewhere, and a way back, which only somebody who has logged in is led (RFC 9700 §4.11.2).
 */
export const DENIED = new OAuthRefusal('access_denied', 'The customer has refused.');
const LATE = new OAuthRefusal('access_denied', 'The customer did not decide in time. Ask again.');
const NOT_ALLOWED = new OAuthRefusal('access_denied', 'The shop does not allow agents.');

/** The visit of the page by its secret address. Throws `not_found` when it leads to no request. */
export async function arriveWithAuthorization(request: PageRequest, secret: string): Promise<ConsentVisit> {
  const visit = await arriveInShop(request, (site_id) => authorizationPage('', site_id, encodeURIComponent(secret)));
  const authorization = await inShopOfVisit(visit, (shop) => requests.find(shop, secret));
  if (!authorization) throw new ShopError('not_found', 'There is no such request.');
  letFormsLeadTo(request.res, policySourceOf(authorization.redirect_uri));
  return { ...visit, user_code: secret, sealed: true, authorization };
}

/** What is answered in place of the form: that the customer has too many agents, or the way back when nothing can be decided. */
export async function showBeforeForm(
  visit: ConsentVisit,
  csrf: string,
  authorization: requests.AuthorizationRequest,
  { status }: AgentConsent,
): Promise<PageAnswer | undefined> {
  const undecided = status === 'pending' || (status === 'expired' && !authorization.approved);
  if (!undecided) return undefined;
  if (!authorization.enabled) return { redirect: requests.addressOfRefusal(authorization, NOT_ALLOWED) };
  if (status === 'expired') return { redirect: requests.addressOfRefusal(authorization, LATE) };
  const agents = await inShopOfVisit(visit, agentsInTheWay);
  return agents.length > 0 ? fullHousePage(visit, csrf, agents) : undefined;
}

/** Ends another agent, so that there is a place for this one. */
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
