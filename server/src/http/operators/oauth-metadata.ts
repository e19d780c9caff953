/**
 * Metadata by which OAuth clients discover a shop's endpoints: RFC 8414 for each issuer, RFC 9728 for the resources
 * below it. The issuer's path follows the well-known prefix.
 */

import { type Request, type RequestHandler, Router } from 'express';
import type { Pool } from 'pg';
import { DEFAULT_SCOPES, SCOPES } from '../../shop/agents/consent-requests.ts';
import { issuerOf, RESOURCE_PATHS, type ResourcePath } from '../../shop/agents/issuers.ts';
import { UCP_SCOPES } from '../../shop/agents/ucp-scopes.ts';
import { notFound } from '../../shop/errors.ts';
import { findTenant } from '../../shop/in-shop.ts';
import { openToAnyOrigin } from '../callers/any-origin.ts';
import { type Issuer, issuerIn } from '../callers/issuers.ts';
import type { SiteHosts } from '../callers/site-hosts.ts';
import { contextOf } from '../express/context.ts';
import { answerTo } from '../pipeline/errors.ts';

interface MetadataDeps {
  db: Pool;
  baseUrl: string;
  hosts: SiteHosts;
}

const SERVER = '/.well-known/oauth-authorization-server';
const RESOURCE = '/.well-known/oauth-protected-resource';
const DEVICE_CODE = 'urn:ietf:params:oauth:grant-type:device_code';

export function oauthMetadata(deps: MetadataDeps): Router {
  const router = Router({ caseSensitive: true, strict: true });
  router.use([SERVER, RESOURCE], openToAnyOrigin('GET'));
  const ofServer = describe(deps, (issuer) => serverMetadata(deps, issuer));
  router.get([`${SERVER}/sites/:site_id`, SERVER], ofServer);
  for (const path of RESOURCE_PATHS) {
    const ofResource = describe(deps, (issuer) => resourceMetadata(deps, issuer, path));
    router.get([`${RESOURCE}/sites/:site_id${path}`, `${RESOURCE}${path}`], ofResource);
  }
  return router;
}

function describe(deps: MetadataDeps, metadataOf: (issuer: Issuer) => unknown): RequestHandler {
  return async (req, res) => {
    try {
      const issuer = issuerNamed(deps, req);
      if (!issuer || !(await findTenant(deps.db, issuer.site_id))) throw notFound('shop');
      res.json(metadataOf(issuer));
    } catch (error) {
      const { status, body, headers = {} } = answerTo(error, contextOf(res).request_id);
      res.status(status).set(headers).type('application/json').send(body);
    }
  };
}

/** Returns the issuer in the URL. Also accepts a site id in the query or in the header X-Site-ID. */
function issuerNamed(deps: MetadataDeps, req: Request): Issuer | undefined {
  const named = req.query.site_id ?? req.get('X-Site-ID');
  if (named !== undefined && req.params.site_id === undefined) req.params.site_id = String(named);
  return issuerIn(deps, req);
}

const scopes = () => [...SCOPES, ...UCP_SCOPES];

function serverMetadata({ baseUrl }: MetadataDeps, { issuer, site_id }: Issuer) {
  const server = issuer === issuerOf(baseUrl, site_id) ? baseUrl : issuer;
  return {
    issuer,
    authorization_endpoint: `${issuer}/oauth/authorize`,
    token_endpoint: `${issuer}/oauth/token`,
    registration_endpoint: `${issuer}/oauth/register`,
    revocation_endpoint: `${issuer}/oauth/revoke`,
    device_authorization_endpoint: `${server}/api/agent/consent/request?site_id=${site_id}`,
    token_endpoint_auth_methods_supported: ['none'],
    revocation_endpoint_auth_methods_supported: ['none'],
    grant_types_supported: ['authorization_code', DEVICE_CODE],
    response_types_supported: ['code'],
    response_modes_supported: ['query'],
    code_challenge_methods_supported: ['S256'],
    authorization_response_iss_parameter_supported: true,
    client_id_metadata_document_supported: true,
    scopes_supported: scopes(),
    service_documentation: `${server}/docs`,
  };
}

function resourceMetadata({ baseUrl }: MetadataDeps, { issuer, site_id }: Issuer, path: ResourcePath) {
  const server = issuer === issuerOf(baseUrl, site_id) ? baseUrl : issuer;
  return {
    resource: issuer + path,
    authorization_servers: [issuer],
    // Clients request all scopes of this list if nothing else names scopes, so it contains only the default scopes.
    scopes_supported: DEFAULT_SCOPES,
    bearer_methods_supported: ['header'],
    resource_documentation: `${server}/docs`,
  };
}
