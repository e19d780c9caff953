import express, { type Express } from 'express';
import type { Pool } from 'pg';
import type { Logger } from 'pino';
import type { RedisClientType } from 'redis';
import { lastResort } from './app.ts';
import type { FileStore } from './files/store.ts';
import { SECURITY_HEADERS, setHeaders } from './http/callers/headers.ts';
import { arriveInTime } from './http/express/arrive-in-time.ts';
import { refuseWhileReadOnly } from './http/express/read-only.ts';
import { requestId, requestLog } from './http/express/request-log.ts';
import { refuseUnreadable } from './http/express/unreadable.ts';
import { operatorCalls } from './http/operators/operator-calls.ts';
import { DEADLINES } from './http/pipeline/deadline.ts';
import { createLimits } from './http/pipeline/limits.ts';
import { recorderFor } from './http/pipeline/log.ts';

export interface OperatorAppDeps {
  /** Pool of the login that owns the tables. */
  owner: Pool;
  logger: Logger;
  baseUrl: string;
  /** The card provider for all shops, if the server has one. */
  card: { name: string } | undefined;
  secretKey: string;
  files: FileStore;
  rateLimits: boolean;
  /** Shares rate limit counters between processes. */
  redis: RedisClientType | undefined;
  validateResponses: boolean;
}

/** Creates the listener for operators, which serves no pages, health checks or shop operations. */
export function createOperatorApp(deps: OperatorAppDeps): Express {
  const app = express();
  app.disable('x-powered-by');
  app.disable('etag');
  app.set('query parser', 'simple');
  app.use(requestId, requestLog(recorderFor(deps.logger, () => undefined)), (_req, res, next) => {
    setHeaders(res, SECURITY_HEADERS);
    next();
  });
  app.use(refuseUnreadable, arriveInTime(DEADLINES), refuseWhileReadOnly(deps.owner));
  const limits = createLimits({ db: deps.owner, redis: deps.redis, enabled: deps.rateLimits, baseUrl: '' });
  const handlers = async () => (await import('./operator/sites.ts')).handlers;
  app.use(operatorCalls({ ...deps, limits, deadlines: DEADLINES, handlers }));
  app.use(lastResort);
  return app;
}
