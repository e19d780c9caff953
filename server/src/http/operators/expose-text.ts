import { hash, timingSafeEqual } from 'node:crypto';
import type { Request, RequestHandler } from 'express';
import { Registry } from '../../metrics/kinds.ts';
import { ShopError } from '../../shop/errors.ts';
import { contextOf } from '../express/context.ts';
import { answerTo } from '../pipeline/errors.ts';

export interface MetricsAccess {
  /** Whether the metrics are public if no token is set. */
  open: boolean;
  /** Bearer token with which the metrics can be read. */
  token: string | undefined;
}

/**
 * Serves metrics as text. Answers 401 without the token, and 404 if the metrics are neither public nor have a token.
 */
export function exposeText(access: MetricsAccess, read: () => Promise<string>): RequestHandler {
  return async (req, res, next) => {
    if (!access.token && !access.open) return next();
    if (access.token && !bears(req, access.token)) {
      const refusal = new ShopError('unauthorized', 'Send METRICS_TOKEN as a Bearer token.');
      const { status, headers, body } = answerTo(refusal, contextOf(res).request_id);
      res.status(status).set(headers).type('application/json').send(body);
      return;
    }
    res.type(Registry.PROMETHEUS_CONTENT_TYPE).send(await read());
  };
}

/**
 * Whether the request has the token. Compares hashes, which have the same length, so that the time reveals nothing
 * about the token.
 */
function bears(req: Request, token: string): boolean {
  const [scheme = '', given = ''] = (req.get('Authorization') ?? '').split(' ');
  return (
    scheme.toLowerCase() === 'bearer' &&
    timingSafeEqual(hash('sha256', given, 'buffer'), hash('sha256', token, 'buffer'))
  );
}
