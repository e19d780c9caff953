import express, { type ErrorRequestHandler, type Express, type RequestHandler, Router } from 'express';
import type { Pool } from 'pg';
import type { Logger } from 'pino';
import type { RedisClientType } from 'redis';
import type { Standbys } from './db/standby.ts';
import type { Egress } from './egress/post.ts';
import type { FileStore } from './files/store.ts';
import type { Claim } from './http/callers/caller.ts';
import { preflight } from './http/callers/cors.ts';
import { SECURITY_HEADERS, setHeaders } from './http/callers/headers.ts';
import type { LastUsed } from './http/callers/last-used.ts';
import { SharedLookUps } from './http/callers/shared-look-ups.ts';
import type { SiteHosts } from './http/callers/site-hosts.ts';
import type { Operation } from './http/contract/contract.ts';
import type { Deps } from './http/deps.ts';
import { api } from './http/express/api.ts';
import { arriveInTime } from './http/express/arrive-in-time.ts';
import { contextOf } from './http/express/context.ts';
import { refuseWhileReadOnly } from './http/express/read-only.ts';
import { requestId, requestLog } from './http/express/request-log.ts';
import { traceRequest } from './http/express/trace.ts';
import { refuseUnreadable } from './http/express/unreadable.ts';
import { handle, identify } from './http/handle.ts';
import { type CallOperation, openCalls } from './http/in-process.ts';
import { demoImages } from './http/operators/demo-images.ts';
import type { MetricsAccess } from './http/operators/expose-text.ts';
import { healthz, readyz } from './http/operators/health.ts';
import type { Metrics } from './http/operators/metrics.ts';
import { unprefixedPaths } from './http/operators/unprefixed-paths.ts';
import type { CatalogueCache } from './http/pipeline/cache.ts';
import { DEADLINES, type Deadlines } from './http/pipeline/deadline.ts';
import { type Answer, answerTo } from './http/pipeline/errors.ts';
import { createLimits } from './http/pipeline/limits.ts';
import { recorderFor } from './http/pipeline/log.ts';
import type { Readiness } from './http/pipeline/readiness.ts';
import type { Load } from './http/pipeline/shedding.ts';
import type { ApiRequest } from './http/request.ts';
import { surfaces, whenAsked } from './later.ts';
import type { PublicMcpDeps } from './mcp/public-endpoint.ts';
import type { AuditKey } from './shop/audit/keys.ts';
import { ShopError } from './shop/errors.ts';
import { openAccounts } from './shop/payments/accounts/providers.ts';
import type { PaymentProvider } from './shop/payments/provider.ts';
import type { ProviderDeadlines } from './shop/payments/provider-deadlines.ts';
import type { UsageCounter } from './shop/usage.ts';

export interface AppDeps {
  db: Pool;
  /** Connection pool for `/readyz`. */
  probe: Pool;
  redis: RedisClientType | undefined;
  logger: Logger;
  readiness: Readiness;
  /** Default: `DEADLINES`. */
  deadlines?: Deadlines;
  cache: CatalogueCache;
  /** Databases that may serve reads of the catalogue. */
  standbys?: Standbys | undefined;
  metrics: Metrics;
  /** The callers that may read the metrics on this port. */
  metricsAccess: MetricsAccess;
  lastUsed: LastUsed;
  usage: UsageCounter;
  load: Load;
  baseUrl: string;
  hosts: SiteHosts;
  secretKey: string;
  /** Signs audit rows. */
  auditKey: AuditKey;
  /** Undefined if the server accepts no card payments. */
  card: PaymentProvider | undefined;
  /** Replaces Stripe's API URL. Never set in production. */
  stripeApiUrl?: string | undefined;
  /** The platform's Stripe key, for sites with a connected account. */
  stripePlatformKey?: string | undefined;
  /** Time limits for calls to payment providers. Default: `PROVIDER_DEADLINES`. */
  providerDeadlines?: ProviderDeadlines;
  /** Sends HTTP requests to URLs that tenants or callers choose, such as webhooks and profiles of UCP platforms. */
  egress: Egress;
  files: FileStore;
  pooling: 'session' | 'transaction';
  trustProxy: number;
  dashboardOrigins: string[];
  rateLimits: boolean;
  validateResponses: boolean;
  /** Id of the demo shop's site, if there is one. */
  demoSiteId?: string;
}

/**
 * Creates the Express app with all routes. Operations of the contract run through `handle`; other routes have their own
 * adapters.
 */
export function createApp(deps: AppDeps): Express {
  const { metrics, cache } = deps;
  const limits = createLimits({
    ...{ db: deps.db, redis: deps.redis, enabled: deps.rateLimits, baseUrl: deps.baseUrl },
  });
  const app = express();
  app.disable('x-powered-by');
  app.disable('etag');
  app.enable('case sensitive routing');
  app.enable('strict routing');
  app.set('trust proxy', deps.trustProxy);
  app.set('query parser', 'simple');

  const deadlines = deps.deadlines ?? DEADLINES;
  const { hosts } = deps;
  const record = recorderFor(deps.logger, metrics.observe);
  app.use(requestId, traceRequest, requestLog(record), securityHeaders(hosts), refuseUnreadable);
  app.use(arriveInTime(deadlines));
  const accounts = openAccounts(deps.db, deps);
  const handling: Deps = {
    db: deps.db,
    pooling: deps.pooling,
    baseUrl: deps.baseUrl,
    hosts,
    secretKey: deps.secretKey,
    auditKey: deps.auditKey,
    card: deps.card,
    accounts,
    egress: deps.egress,
    limits,
    cache,
    standbys: deps.standbys,
    lastUsed: deps.lastUsed,
    lookUps: new SharedLookUps(deps.db, deps.pooling === 'transaction'),
    usage: deps.usage,
    load: deps.load,
    readiness: deps.readiness,
    deadlines,
    validateResponses: deps.validateResponses,
    surfaces,
  };
  const answer: Handle = (request) => handle(handling, request);
  const calls = openCalls(answer, record);
  app.use(unlessApi(besideApi(deps, { handling, answer, calls })));
  app.use(preflight(deps.dashboardOrigins), refuseWhileReadOnly(deps.db));
  app.use(api(answer));
  app.use(lastResort);
  return app;
}

type Handle = (request: ApiRequest) => Promise<Answer>;

interface BesideApi {
  handling: Deps;
  answer: Handle;
  calls: CallOperation;
}

/** Routes that are not in the contract. */
function besideApi(deps: AppDeps, { handling, answer, calls }: BesideApi): Router {
  const { limits, accounts, deadlines } = handling;
  const named = (claim: Claim, operation: Operation) => identify(handling, claim, operation);
  const { db, baseUrl, hosts, secretKey, auditKey, card, metrics, lastUsed, egress } = deps;
  const router = Router({ caseSensitive: true, strict: true });
  router.get('/healthz', healthz);
  router.get('/readyz', readyz(deps));
  router.get('/metrics', metrics.expose(deps.metricsAccess));
  router.use(refuseWhileReadOnly(db));
  router.get(
    ['/openapi.json', '/docs', '/docs/*file'],
    whenAsked(async () => (await import('./pages/docs/docs.ts')).docs()),
  );
  router.get('/demo-images/:name', demoImages);
  router.get(
    ['/panel', '/panel/', '/panel/*path'],
    whenAsked(async () => (await import('./pages/panel/panel.ts')).panel(hosts)),
  );
  const { files, dashboardOrigins } = deps;
  router.get(
    '/files/:site_id/:name/:part',
    whenAsked(async () => (await import('./http/operators/stored-files.ts')).storedFiles({ db, files, hosts })),
  );
  const upload = whenAsked(async () => {
    const { uploads } = await import('./http/operators/uploads.ts');
    return uploads({ db, files, hosts, deadlines, dashboardOrigins });
  });
  router.route('/uploads/:site_id/:token').put(upload).options(upload);
  router.post(
    '/webhooks/stripe/:site_id',
    whenAsked(async () => {
      const { paymentWebhooks } = await import('./http/operators/payment-webhooks.ts');
      return paymentWebhooks({ db, secretKey, hosts, accounts, deadlines });
    }),
  );
  router.use(mcpRoutes(deps, { handling, answer, calls }));
  router.use(unprefixedPaths());
  const ucp = whenAsked(async () => {
    const { rest } = await import('./ucp/rest.ts');
    return rest({ db, egress: deps.egress, limits, baseUrl, hosts, secretKey, callOperation: calls, identify: named });
  });
  router.use(onlyAt(UCP_PATH, ucp));
  const checkoutDeps = { baseUrl, hosts, secretKey, card, accounts };
  router.use(
    whenAsked(async () => {
      const { pages } = await import('./pages/pages.ts');
      return pages({ db, limits, hosts, checkoutDeps, auditKey, lastUsed, deadlines, egress }, deps.demoSiteId);
    }),
  );
  router.use(
    whenAsked(async () => {
      const { oauthMetadata } = await import('./http/operators/oauth-metadata.ts');
      return oauthMetadata({ db, baseUrl, hosts });
    }),
    whenAsked(async () => {
      const { oauthEndpoints } = await import('./http/operators/oauth-endpoints.ts');
      return oauthEndpoints({ db, baseUrl, hosts, secretKey, auditKey, limits, deadlines });
    }),
  );
  return router;
}

/** MCP for agents of customers and assistants of staff, and the OAuth issuer of the latter. */
function mcpRoutes(deps: AppDeps, { handling, answer, calls }: BesideApi): Router {
  const { db, baseUrl, hosts, secretKey } = deps;
  const { limits, deadlines } = handling;
  const named = (claim: Claim, operation: Operation) => identify(handling, claim, operation);
  const mcpDeps: PublicMcpDeps = { db, hosts, handle: answer, identify: named, calls, limits };
  const router = Router({ caseSensitive: true, strict: true });
  router.all(
    ['/mcp', '/sites/:site_id/mcp'],
    whenAsked(async () => (await import('./mcp/endpoint.ts')).mcp(mcpDeps)),
  );
  router.all(
    ['/mcp/public', '/sites/:site_id/mcp/public'],
    whenAsked(async () => (await import('./mcp/public-endpoint.ts')).publicMcp(mcpDeps)),
  );
  router.all(
    '/mcp/merchant',
    whenAsked(async () => (await import('./mcp/merchant/endpoint.ts')).merchantMcp(mcpDeps)),
  );
  router.use(
    onlyAt(
      ASSISTANTS_PATH,
      whenAsked(async () => {
        const { assistantOAuth } = await import('./http/operators/assistant-oauth.ts');
        const { assistantMistake: mistakePage } = await import('./pages/agent-consent/assistant-mistake.ts');
        return assistantOAuth({ db, baseUrl, secretKey, hosts, limits, deadlines, mistakePage });
      }),
    ),
  );
  return router;
}

const UCP_PATH = /^(?:\/sites\/[^/]+)?\/(?:ucp\/|\.well-known\/ucp(?:[/?]|$))/;

/** The OAuth endpoints and metadata for assistants of staff. */
const ASSISTANTS_PATH =
  /^\/(?:merchant\/|\.well-known\/oauth-(?:authorization-server\/merchant|protected-resource\/mcp\/merchant)$)/;

function onlyAt(path: RegExp, handler: RequestHandler): RequestHandler {
  return (req, res, next) => (path.test(req.url) ? handler(req, res, next) : next());
}

/**
 * Skips the router for API calls, because matching them against all page routes would take longer than handling them.
 */
function unlessApi(router: Router): RequestHandler {
  return (req, res, next) => (req.url.startsWith('/api/') ? next() : router(req, res, next));
}

/**
 * Sets headers for JSON that browsers must not render, cache or frame; pages set their own. Strict-Transport-Security
 * includes the subdomains of the configured host. For a shop's own host it does not, because the subdomains belong to
 * the shop.
 */
function securityHeaders(hosts: SiteHosts): RequestHandler {
  return (req, res, next) => {
    const transport = hosts.isConfigured(req) ? '; includeSubDomains' : '';
    setHeaders(res, SECURITY_HEADERS);
    res.setHeader('Strict-Transport-Security', `max-age=63072000${transport}`);
    next();
  };
}

/**
 * Handles errors that no other handler has handled. Express's default response is HTML, and outside of production it
 * contains the stack.
 */
export const lastResort: ErrorRequestHandler = (error, _req, res, _next) => {
  const context = contextOf(res);
  const refusal = !(error instanceof ShopError) && (error as { status?: number }).status === 400 ? badRequest() : error;
  const { status, body } = answerTo(refusal, context.request_id);
  if (status >= 500) context.cause = error;
  if (!res.headersSent) res.status(status).type('application/json');
  res.end(body);
};

function badRequest(): ShopError {
  return new ShopError('invalid_request', 'The address cannot be read.');
}
