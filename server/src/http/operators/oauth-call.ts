import express, { type Request, type RequestHandler, type Response } from 'express';
import type { Pool } from 'pg';
import { OAuthRefusal } from '../../shop/agents/oauth-refusal.ts';
import type { AuditKey } from '../../shop/audit/keys.ts';
import { notFound, ShopError } from '../../shop/errors.ts';
import { findTenant } from '../../shop/in-shop.ts';
import type { LinkDeps } from '../../shop/links.ts';
import type { Actor, Tenant } from '../../shop/shop.ts';
import { type Issuer, issuerIn } from '../callers/issuers.ts';
import type { SiteHosts } from '../callers/site-hosts.ts';
import { isDecodable } from '../contract/storable.ts';
import { contextOf } from '../express/context.ts';
import { Deadline, type Deadlines } from '../pipeline/deadline.ts';
import { answerTo } from '../pipeline/errors.ts';
import type { Limits } from '../pipeline/limits.ts';

/**
 * Dependencies of the OAuth endpoints. They are not in the contract, because OAuth standards define their requests and
 * errors.
 */
export interface OAuthDeps extends Pick<LinkDeps, 'baseUrl' | 'secretKey'> {
  /** Signs audit rows. */
  auditKey: AuditKey;
  db: Pool;
  hosts: SiteHosts;
  limits: Limits;
  deadlines: Deadlines;
}

export interface OAuthCall extends OAuthDeps, Issuer, RawOAuthCall {
  tenant: Tenant;
  actor: Actor;
}

interface Reply {
  status: number;
  json?: unknown;
  /** Redirects the browser. */
  location?: string;
  /** A page for a person. */
  html?: string;
  headers?: Record<string, string>;
}

/** A call whose issuer is not known yet. */
export interface RawOAuthCall {
  req: Request;
  res: Response;
  /** The undecoded request body. */
  text: string;
  deadline: Deadline;
}

const LARGEST_BYTES = 16 * 1024;

/** Reads a call of a shop's issuer and sends the response that `reply` returns. */
export function oauthCall(deps: OAuthDeps, reply: (call: OAuthCall) => Promise<Reply>): RequestHandler[] {
  return rawOAuthCall(deps, (raw) => arrive(deps, raw).then(reply));
}

/** Reads a call and sends the response that `reply` returns. */
export function rawOAuthCall(
  { deadlines }: Pick<OAuthDeps, 'deadlines'>,
  reply: (call: RawOAuthCall) => Promise<Reply>,
): RequestHandler[] {
  const read = express.text({ type: () => true, limit: LARGEST_BYTES, inflate: false });
  return [
    (req, res, next) => read(req, res, (error?: unknown) => (error === undefined ? next() : refuse(res, tooLarge()))),
    async (req, res) => {
      const deadline = new Deadline(deadlines.request);
      try {
        const text = typeof req.body === 'string' ? req.body : '';
        const {
          status,
          json,
          location,
          html,
          headers = {},
        } = await deadline.limit(decoded({ req, res, text, deadline }).then(reply));
        // RFC 6749 §5.1 requires this header. Cache-Control is already no-store for all responses.
        res.status(status).set('Pragma', 'no-cache');
        if (location !== undefined) res.set('Location', location);
        res.set(headers);
        if (html !== undefined) res.send(html);
        else if (json === undefined) res.end();
        else res.json(json);
      } catch (error) {
        refuse(res, error);
      }
    },
  ];
}

async function decoded(call: RawOAuthCall): Promise<RawOAuthCall> {
  if (!isDecodable(call.text)) throw new OAuthRefusal('invalid_request', 'The body is not valid UTF-8.');
  return call;
}

async function arrive(deps: OAuthDeps, raw: RawOAuthCall): Promise<OAuthCall> {
  const issuer = issuerIn(deps, raw.req);
  const tenant = issuer && (await findTenant(deps.db, issuer.site_id));
  if (!tenant) throw notFound('shop');
  const actor: Actor = { type: 'anonymous', id: tenant.site_id, customer_id: null };
  return { ...deps, ...issuer, ...raw, tenant, actor };
}

/** Parses a form. Each field may occur only once (RFC 6749 §3.2). */
export function formIn({ req, text }: Pick<OAuthCall, 'req' | 'text'>): URLSearchParams {
  const type = req.get('Content-Type')?.split(';')[0]?.trim().toLowerCase();
  if (type !== 'application/x-www-form-urlencoded') {
    throw new OAuthRefusal('invalid_request', 'Send a form as application/x-www-form-urlencoded.');
  }
  const fields = new URLSearchParams(text);
  const twice = [...fields.keys()].find((name, i, all) => all.indexOf(name) !== i);
  if (twice !== undefined) throw new OAuthRefusal('invalid_request', `${twice.slice(0, 40)} is sent more than once.`);
  return fields;
}

function tooLarge(): OAuthRefusal {
  return new OAuthRefusal('invalid_request', `The body cannot be read or exceeds ${LARGEST_BYTES} bytes.`);
}

/** Answers methods other than POST with 405 (RFC 6749 §3.2, RFC 7591 §3, RFC 7009 §2). */
export const onlyPost: RequestHandler = (_req, res) => {
  refuse(res, new ShopError('method_not_allowed', 'Send this request with POST.', { allowed: ['POST'] }));
};

/** The status of an OAuth error (RFC 6749 §5.2). */
export function statusOf({ error }: OAuthRefusal): number {
  return error === 'invalid_client' ? 401 : 400;
}

/** Sends an error with the OAuth fields and, for an API error, the API's fields. */
function refuse(res: Response, error: unknown): void {
  const context = contextOf(res);
  if (res.headersSent) return;
  if (error instanceof OAuthRefusal) {
    context.error = error.error;
    res
      .status(statusOf(error))
      .json({ error: error.error, error_description: error.message, request_id: context.request_id });
    return;
  }
  const { status, body, headers = {} } = answerTo(error, context.request_id);
  if (status >= 500) context.cause = error;
  const said = JSON.parse(String(body)) as { error: string; message: string };
  context.error = said.error;
  const known = error instanceof ShopError || status >= 500;
  res
    .status(status)
    .set(headers)
    .json({ ...said, ...(known && { error_description: said.message }) });
}
