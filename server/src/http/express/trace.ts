import type { RequestHandler } from 'express';
import { beginSpan } from '../../tracing/span.ts';
import { contextOf } from './context.ts';

/**
 * Starts a span for each request, named after its operation. Requests that match no operation are named after the
 * method.
 */
export const traceRequest: RequestHandler = (req, res, next) => {
  const span = beginSpan(() => ({
    name: req.method,
    kind: 'server',
    attributes: { 'http.request.method': req.method },
    headers: req.headers,
    public: true,
  }));
  if (!span) return next();
  res.once('close', () => {
    const { operation, caller, request_id, cached, error, protocol } = contextOf(res);
    if (operation) span.rename(`${req.method} ${operation.path}`);
    span.set({
      'http.route': operation?.path,
      'http.response.status_code': res.writableFinished ? res.statusCode : undefined,
      'commerce.operation_id': operation?.id,
      'commerce.site_id': caller?.tenant.site_id,
      'commerce.request_id': request_id,
      'commerce.protocol': protocol,
      'commerce.cached': cached,
      'commerce.error': error,
    });
    if (res.statusCode >= 500) span.fail({ code: error ?? String(res.statusCode) });
    span.end();
  });
  span.run(next);
};
