/**
 * OAuth clients whose id is the URL of a document that describes them. The document is fetched like any URL from
 * strangers: without redirects, and not from private networks. The owner of the URL controls the client, so pages name
 * the client by its host.
 */

import type { EgressPolicy } from '../../egress/addresses.ts';
import { sendLimit } from '../../http/express/context.ts';
import * as clients from '../../shop/agents/oauth-clients.ts';
import { OAuthRefusal } from '../../shop/agents/oauth-refusal.ts';
import type { Visit } from '../parts/visit.ts';
import { inShopOfVisit } from '../parts/visit.ts';

const LIMITS = { mostBytes: 5 * 1024, milliseconds: 3_000 };
const LONGEST_KEPT_SECONDS = 24 * 60 * 60;
const SHORTEST_KEPT_SECONDS = 60;
const KEPT_SECONDS = 60 * 60;
/** Maximum length of an agent's name, which is the host here. */
const LONGEST_HOST = 100;
const CLIENT_ID = /^[!-~]{1,500}$/;

/** The OAuth client with this id, registered or described by a document; undefined if there is none. */
export async function findClient(visit: Visit, client_id: string): Promise<clients.OAuthClient | undefined> {
  if (!CLIENT_ID.test(client_id)) return undefined;
  const kept = await inShopOfVisit(visit, (shop) => clients.find(shop, client_id));
  if (kept || !isDocumentAddress(client_id, visit.egress.policy)) return kept;
  sendLimit(visit.res, await visit.limits.countClientDocument(visit.tenant.site_id, visit.req.ip));
  const document = await visit.egress.get(client_id, LIMITS);
  const metadata = document && describedBy(document.json, client_id);
  if (!metadata) return undefined;
  const seconds = Math.min(
    LONGEST_KEPT_SECONDS,
    Math.max(SHORTEST_KEPT_SECONDS, document.max_age_seconds ?? KEPT_SECONDS),
  );
  await inShopOfVisit(visit, (shop) => clients.keepDocument(shop, client_id, metadata, seconds));
  return { client_id, ...metadata, from_document: true };
}

/** Whether the client id is a URL in canonical form with a path. Two different ids never mean the same URL. */
function isDocumentAddress(client_id: string, { allowPrivate }: EgressPolicy): boolean {
  if (!URL.canParse(client_id)) return false;
  const { href, protocol, host, pathname, username, password, hash } = new URL(client_id);
  const isWeb = protocol === 'https:' || (allowPrivate && protocol === 'http:');
  const isPlain = href === client_id && username === '' && password === '' && hash === '';
  return isWeb && isPlain && pathname !== '/' && host.length <= LONGEST_HOST;
}

/**
 * The metadata in the document if it describes this client, and the client is public (has no secret); otherwise
 * undefined.
 */
function describedBy(said: unknown, client_id: string): clients.ClientMetadata | undefined {
  try {
    const metadata = clients.parseMetadata(said);
    const {
      client_id: own,
      client_secret,
      token_endpoint_auth_method: method = 'none',
    } = said as Record<string, unknown>;
    return own === client_id && client_secret === undefined && method === 'none' ? metadata : undefined;
  } catch (error) {
    if (error instanceof OAuthRefusal) return undefined;
    throw error;
  }
}
