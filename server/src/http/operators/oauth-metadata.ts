import { type RequestHandler, Router } from 'express';
import type { Pool } from 'pg';
import sql from 'sql-template-tag';
import { queryAlone } from '../../db/transaction.ts';
import { notFound } from '../../shop/errors.ts';
import type { SiteHosts } from '../callers/site-hosts.ts';
import { document } from '../contract/contract.ts';
import { answerTo } from '../pipeline/errors.ts';
import type { Notes } from '../pipeline/notes.ts';

/**
 * How standard OAuth clients find the consent of a shop: the metadata of RFC 8414, for the issuer `/sites/{site_id}`, whose
 * path the well-known address ends with.
 */
interface MetadataDeps {
  db: Pool;
  baseUrl: string;
  hosts: SiteHosts;
}

export function oauthMetadata(deps: MetadataDeps): Router {
  const router = Router({ caseSensitive: true, strict: true });
  router.get(
    `${WELL_KNOWN}/sites/:site_id`,
    describe(deps, ({ params }) => String(params.site_id)),
  );
  router.get(
    WELL_KNOWN,
    describe(deps, (req) => String(req.query.site_id ?? req.get('X-Site-ID') ?? '')),
  );
  return router;
}

const WELL_KNOWN = '/.well-known/oauth-authorization-server';
const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
const DEVICE_CODE = 'urn:ietf:params:oauth:grant-type:device_code';

function describe(
  { db, baseUrl, hosts }: MetadataDeps,
  siteIn: (req: Parameters<RequestHandler>[0]) => string,
): RequestHandler {
  return async (req, res) => {
    try {
      const site_id = siteIn(req).toLowerCase();
      const atHost = hosts.siteAt(req) ?? site_id;
      if (atHost !== site_id || !(await isSite(db, site_id))) throw notFound('shop');
      res.json(metadataOf(baseUrl, site_id));
    } catch (error) {
      const { status, body, headers = {} } = answerTo(error, (res.locals as Notes).request_id);
      res.status(status).set(headers).type('application/json').send(body);
    }
  };
}

async function isSite(db: Pool, site_id: string): Promise<boolean> {
  if (!UUID.test(site_id)) return false;
  const { rows } = await queryAlone(db, sql`select from sites where site_id = ${site_id}`);
  return rows.length > 0;
}

function metadataOf(baseUrl: string, site_id: string) {
  return {
    issuer: `${baseUrl}/sites/${site_id}`,
    device_authorization_endpoint: `${baseUrl}/api/agent/consent/request?site_id=${site_id}`,
    token_endpoint: `${baseUrl}/api/agent/consent/poll`,
    token_endpoint_auth_methods_supported: ['none'],
    grant_types_supported: [DEVICE_CODE],
    response_types_supported: [],
    scopes_supported: document.components.schemas?.AgentScope?.enum,
    service_documentation: `${baseUrl}/docs`,
  };
}
