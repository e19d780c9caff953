import type { Request, Response } from 'express';
import { isUuid } from '../http/callers/claims.ts';
import type { SiteHosts } from '../http/callers/site-hosts.ts';
import { agentTokenIn } from '../http/pipeline/audit.ts';
import type { AgentProfile } from '../shop/agents/profiles.ts';
import { ShopError } from '../shop/errors.ts';
import { findTenant, inShop } from '../shop/in-shop.ts';
import { type Front, readFront } from '../shop/merchant/front.ts';
import { SYSTEM, type Tenant } from '../shop/shop.ts';
import { profileAt, requireVersion } from './agent.ts';
import { UcpCall, type UcpDeps } from './call.ts';
import { FUNCTIONS, type FunctionName } from './functions.ts';
import { type Asker, invalidToken } from './identity.ts';
import { intersection, ProtocolError } from './protocol.ts';
import { type Received, requireSignature } from './signatures.ts';

export interface OpeningDeps extends UcpDeps {
  hosts: SiteHosts;
  /** Encrypts the keys that sign requests to platforms. */
  secretKey: string;
}

/** Returns the shop of a request, by its host or its path. Throws 404. */
export async function shopOf({ db, hosts }: OpeningDeps, req: Request): Promise<Tenant> {
  const named = req.params.site_id === undefined ? undefined : String(req.params.site_id).toLowerCase();
  const at = hosts.siteAt(req);
  const site_id = named ?? at;
  const known = site_id !== undefined && isUuid(site_id) && (at === undefined || at === site_id);
  const tenant = known ? await findTenant(db, site_id) : undefined;
  if (!tenant) throw new ProtocolError(404, 'not_found', 'There is no such shop.');
  return tenant;
}

/** The base URL of the shop's UCP endpoints: its host in the request, otherwise a path of the server's base URL. */
export function issuerOf({ hosts, baseUrl }: OpeningDeps, req: Request, { site_id }: Tenant): string {
  return hosts.siteAt(req) === site_id ? hosts.originAt(req) : `${baseUrl}/sites/${site_id}`;
}

interface Named {
  name: FunctionName;
  /** The URL of the agent's profile. */
  profile_url: string;
  key: string | undefined;
  /** The bytes of the request's body, if it was read. */
  body: Buffer | undefined;
  resource: '' | '/ucp/mcp';
}

export async function open(deps: OpeningDeps, req: Request, res: Response, named: Named): Promise<UcpCall> {
  const tenant = await shopOf(deps, req);
  const { key, resource, name } = named;
  if (key !== undefined && !isUuid(key))
    throw new ProtocolError(400, 'invalid_request', 'The Idempotency-Key must be a UUID.');
  const front = await inShop(deps.db, tenant, SYSTEM, readFront);
  const { profile, isSigned } = await signerOf(deps, tenant, { req, body: named.body }, named.profile_url, front).catch(
    (error: unknown) => refuse(deps, req, error),
  );
  requireVersion(profile);
  const { root } = FUNCTIONS[name];
  const asker = { resource, root, version: profile.version, issuer: issuerOf(deps, req, tenant) };
  return new UcpCall(deps, {
    ...asker,
    ...{
      tenant,
      front,
      profile,
      isSigned,
      key,
      token: tokenIn(req, asker),
      origin: deps.hosts.addressOf(tenant.site_id),
    },
    served: { req, res, protocol: 'ucp' },
    agreed: intersection(profile.capabilities, profile.version),
  });
}

/** Verifies the caller's signature, if there is one. Fetches a profile again that lacks the key of the signature. */
async function signerOf(
  deps: OpeningDeps,
  tenant: Tenant,
  received: Received,
  profile_url: string,
  { require_ucp_signatures }: Front,
): Promise<{ profile: AgentProfile; isSigned: boolean }> {
  const { ip } = received.req;
  const profile = await profileAt(deps, tenant, profile_url, ip);
  try {
    return { profile, isSigned: requireSignature(received, profile.keys, require_ucp_signatures) };
  } catch (error) {
    if (!(error instanceof ProtocolError && error.code === 'key_not_found' && profile.is_refreshable)) throw error;
  }
  const fresh = await profileAt(deps, tenant, profile_url, ip, { refresh: true });
  return { profile: fresh, isSigned: requireSignature(received, fresh.keys, require_ucp_signatures) };
}

/** Counts a refused signature like every invalid credential. Above the limit, the response is 429 instead of 401. */
async function refuse({ limits }: OpeningDeps, req: Request, error: unknown): Promise<never> {
  if (!(error instanceof ProtocolError && error.status === 401)) throw error;
  const { refusal } = await limits.countFailure(req, 'signature');
  throw refusal ?? error;
}

/** Returns the agent token, if there is one. Rejects other credentials, because senders expect them to be used. */
function tokenIn(req: Request, asker: Asker): string | undefined {
  if (req.headers.authorization === undefined) return undefined;
  const token = agentTokenIn(req);
  if (token !== undefined) return token;
  throw invalidToken(asker, { content: 'Send Authorization: Bearer agt_…, or none.' });
}

/** Records a call with a credential in the audit if it failed before it reached an operation. */
export async function recordRefusal(
  { callOperation }: OpeningDeps,
  call: UcpCall | undefined,
  req: Request,
  res: Response,
  error: unknown,
): Promise<void> {
  const { authorization } = req.headers;
  if (call?.asked || authorization === undefined) return;
  const refusal = error instanceof ProtocolError ? new ShopError('invalid_request', error.message) : error;
  await callOperation.refuse({ req, res, protocol: 'ucp' }, { headers: { authorization } }, refusal as Error);
}
