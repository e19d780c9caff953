import { belowIssuer, type Issuer, issuerIn } from '../../http/callers/issuers.ts';
import { userAgentOf } from '../../http/pipeline/audit.ts';
import * as requests from '../../shop/agents/authorization-requests.ts';
import type { OAuthClient } from '../../shop/agents/oauth-clients.ts';
import { OAuthRefusal } from '../../shop/agents/oauth-refusal.ts';
import { isRegistered, placeOf } from '../../shop/agents/redirect-uris.ts';
import { ShopError } from '../../shop/errors.ts';
import { findTenant } from '../../shop/in-shop.ts';
import { authorizationPage } from '../../shop/links.ts';
import { type CustomerVisit, recognize } from '../parts/customer-visit.ts';
import { noticePage } from '../parts/document.ts';
import type { NoticeKey } from '../parts/notices.ts';
import { noticeOf } from '../parts/notices.ts';
import type { PageAnswer, PageRoute } from '../parts/route.ts';
import { count, inShopOfVisit } from '../parts/visit.ts';
import { findClient } from './client-documents.ts';

interface AuthorizeVisit extends CustomerVisit, Issuer {}

/**
 * The authorization endpoint for OAuth clients (RFC 6749 §4.1.1). It stores the request and redirects to the shop's
 * consent page. It never redirects to the client: anyone can register a redirect URI, and without a login the shop's
 * URL could lead visitors to any website (RFC 9700 §4.11.2). Mistakes in the request are explained on a page, with a
 * link to the client.
 */
export const authorizePage: PageRoute<AuthorizeVisit> = {
  path: belowIssuer('/oauth/authorize'),
  where: 'consent',
  stays: true,
  async arrive(request) {
    const { req, db, hosts, checkoutDeps } = request;
    const issuer = issuerIn({ hosts, baseUrl: checkoutDeps.baseUrl }, req);
    const tenant = issuer && (await findTenant(db, issuer.site_id));
    if (!tenant) throw new ShopError('not_found', 'There is no such shop.');
    return { ...request, ...issuer, path: req.path, tenant, ...(await recognize(request, tenant)) };
  },
  formOf: ({ path }) => path,
  show,
  async post() {
    throw new ShopError('method_not_allowed', 'Send the browser here with GET.', { allowed: ['GET'] });
  },
  notices: {},
};

async function show(visit: AuthorizeVisit): Promise<PageAnswer> {
  const { req, site_id, issuer, checkoutDeps, hosts } = visit;
  const { searchParams: fields } = new URL(req.originalUrl, checkoutDeps.baseUrl);
  // An image or script of another website must not use up the rate limit of the visitor's IP address.
  if ((req.headers['sec-fetch-dest'] ?? 'document') !== 'document') {
    throw new ShopError('invalid_request', 'Open this address in a browser window.');
  }
  const [client_id = '', ...otherIds] = fields.getAll('client_id');
  const client = otherIds.length > 0 ? undefined : await findClient(visit, client_id);
  if (!client) return told(visit, 'consent.unknown_client');
  const [redirect_uri = '', ...otherUris] = fields.getAll('redirect_uri');
  if (otherUris.length > 0 || !isRegistered(client.redirect_uris, redirect_uri)) {
    return told(visit, 'consent.unknown_address');
  }
  try {
    const asked = requests.parseAsked(checkoutDeps, site_id, fields, { client, redirect_uri });
    // The request is counted only after the client was found, because any website can make browsers send requests for
    // unknown clients.
    await count(visit, 'agent.requestConsent');
    const origin = { ip: req.ip ?? null, user_agent: userAgentOf(req) };
    const secret = await inShopOfVisit(visit, (shop) =>
      requests.insert(shop, { ...asked, client, redirect_uri, issuer }, origin),
    );
    return { redirect: authorizationPage(hosts.addressOf(site_id), site_id, secret) };
  } catch (error) {
    if (!(error instanceof OAuthRefusal)) throw error;
    return mistakenPage(visit, client, { redirect_uri, state: stateIn(fields), issuer }, error);
  }
}

function stateIn(fields: URLSearchParams): string | null {
  try {
    return requests.stateIn(fields.get('state'));
  } catch {
    return null;
  }
}

function told({ language, front }: AuthorizeVisit, key: NoticeKey): PageAnswer {
  return { status: 400, html: noticePage(noticeOf(language, key), { language, front, where: 'consent' }) };
}

/** The page that shows OAuth errors to the client's developer, with a link to the client. */
function mistakenPage(
  { language, front }: AuthorizeVisit,
  { client_name }: OAuthClient,
  back: Parameters<typeof requests.addressOfRefusal>[0],
  refusal: OAuthRefusal,
): PageAnswer {
  const { say } = language;
  const { title, sentences } = noticeOf(language, 'consent.mistaken_request');
  const place = placeOf(back.redirect_uri) ?? say('consent.this_device');
  const notice = {
    title,
    sentences: [...sentences, `${client_name}: ${refusal.error}. ${refusal.message}`],
    link: { href: requests.addressOfRefusal(back, refusal), label: say('consent.go_back', { place }) },
  };
  return { status: 400, html: noticePage(notice, { language, front, where: 'consent' }) };
}
