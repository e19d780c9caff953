import type { Server } from 'node:http';
import express, { type Express } from 'express';
import type pg from 'pg';
import type { Logger } from 'pino';
import { createApp } from '../app.ts';
import type { Config } from '../config.ts';
import { openPool } from '../db/connect.ts';
import type { Standbys } from '../db/standby.ts';
import { type DemoCredentials, holdsShops, reopenDemo } from '../demo/stored.ts';
import type { EgressPolicy } from '../egress/addresses.ts';
import { openStore } from '../files/open-store.ts';
import { createLastUsed, type LastUsed } from '../http/callers/last-used.ts';
import { openSiteHosts, type SiteHosts } from '../http/callers/site-hosts.ts';
import { healthz, openProbe, readyz } from '../http/operators/health.ts';
import { createMetrics, type Metrics } from '../http/operators/metrics.ts';
import { type CatalogueCache, createCatalogueCache } from '../http/pipeline/cache.ts';
import { createLogger } from '../http/pipeline/log.ts';
import type { Readiness } from '../http/pipeline/readiness.ts';
import { measureLoad } from '../http/pipeline/shedding.ts';
import type { Jobs } from '../jobs/run.ts';
import { connectRedis } from '../redis.ts';
import { openAuditKey } from '../shop/audit/keys.ts';
import type { PaymentProvider } from '../shop/payments/provider.ts';
import { createUsageCounter, USAGE_ADDED_EVERY_SECONDS, type UsageCounter } from '../shop/usage.ts';
import type { Database } from './database.ts';
import { CONNECTIONS } from './doctor-connections.ts';
import { unsafeDurability } from './durability.ts';
import { listen } from './listen.ts';
import { isUnboundLogin } from './login-role.ts';
import { openStandbys } from './open-standbys.ts';
import { faultOfRequests } from './request-path.ts';
import { refuseUndeclaredPooler } from './undeclared-pooler.ts';

const FLUSH_EVERY_MS = 60_000;

export type Stop = () => Promise<unknown>;

export interface Started {
  config: Config;
  /** Whether the process is one of several that share PORT. The process that started them merges their metrics. */
  isOneOfMany: boolean;
  logger: Logger;
  /** The migrated database. */
  database: Database;
  readiness: Readiness;
  /** Functions that stop the parts of the process, called in this order. */
  stops: Stop[];
}

export interface Serving {
  server: Server;
  db: pg.Pool;
  demo: DemoCredentials | undefined;
  metrics: Metrics;
  usage: UsageCounter;
}

/** Starts serving requests, and resolves once the server accepts them. */
export async function serve(started: Started): Promise<Serving> {
  const { config, isOneOfMany, logger, database, readiness, stops } = started;
  const { databasePooling: pooling, skippedNumbers } = config;
  const db = openPool({ url: database.url, max: config.databasePoolMax, pooling, skippedNumbers });
  const probe = openProbe({ url: database.url, pooling });
  stops.unshift(() => Promise.all([db.end(), probe.end()]));
  db.on('error', (cause) => {
    if (!readiness.draining) logger.warn({ cause }, 'an idle database connection broke');
  });
  // Reads the hosts on the connection of the probe, while the checks use another connection.
  const hosts = config.role === 'worker' ? undefined : openSiteHosts({ db: probe, baseUrl: config.baseUrl, logger });
  stops.unshift(async () => (await hosts)?.stop());
  await refuseUndeclaredPooler(db, pooling);
  const fault = await faultOfRequests(db);
  if (fault) throw new Error(`${fault}. Run commerce-server doctor.`);
  await refuseUnsafe(db, config, logger);
  const demo =
    database.embedded && config.demoShop !== 'off' ? await openDemo(config, db, database.directUrl) : undefined;
  const lastUsed = createLastUsed(db);
  const usage = createUsageCounter(db);
  const cache = createCatalogueCache({ enabled: config.catalogueCache });
  const standbys = config.role === 'worker' ? undefined : await openStandbys(db, config, { logger, stops });
  const redis = config.redisUrl ? await connectRedis(config.redisUrl, logger) : undefined;
  const metrics = createMetrics({ db, cache, redis, dataDir: config.dataDir });
  if (redis) stops.unshift(async () => redis.destroy());
  const app = await appFor(
    {
      config,
      isOneOfMany,
      redis,
      demoSiteId: demo?.site_id,
      logger,
      db,
      probe,
      hosts: await hosts,
      readiness,
      lastUsed,
      usage,
      cache,
      standbys,
      metrics,
    },
    stops,
  );
  // A worker is ready when its jobs run. A process that also serves requests is ready when it serves them.
  if (config.role === 'worker') await runJobs(started, { db, usage });
  if (isOneOfMany) metrics.answerPrimary();
  else if (config.metricsPort) await exposeMetrics(metrics, config, config.metricsPort, stops);
  if (config.operatorPort && config.role !== 'worker') {
    await listenToOperators(started, config.operatorPort, redis);
  }
  const server = await listen(app, config);
  flushRegularly(lastUsed, FLUSH_EVERY_MS, 'last_used_at was not written', { logger, stops });
  flushRegularly(usage, USAGE_ADDED_EVERY_SECONDS * 1000, 'usage was not added', { logger, stops });
  return { server, db, demo, metrics, usage };
}

type Working = Pick<Serving, 'db' | 'usage'>;

/** Runs the jobs. Their code is loaded only in processes that run them, to keep start time and memory low. */
export async function runJobs(started: Started, serving: Working): Promise<void> {
  const jobs = startedJobs(started, serving);
  // The stop function is added before the jobs have started, because the process may be stopped while they start.
  started.stops.unshift(() => jobs.then(({ stop }) => stop()).catch(() => undefined));
  await jobs;
}

async function startedJobs({ config, logger, database }: Started, { db, usage }: Working): Promise<Jobs> {
  const [{ startJobs }, { runWhileWritable }, { createMailer }, { openEgress }] = await Promise.all([
    import('../jobs/run.ts'),
    import('../jobs/while-writable.ts'),
    import('../jobs/mailer.ts'),
    import('../egress/post.ts'),
  ]);
  const card = await cardOf(config, db);
  const mailer = createMailer(config);
  const files = await openStore(config);
  const deps = { ...config, url: database.directUrl, db, card, mailer, files, logger, usage };
  // The jobs close their egress when they stop.
  return runWhileWritable(db, logger, () => startJobs({ ...deps, egress: openEgress(egressPolicyOf(config)) }));
}

/**
 * Opens the demo shop, or creates it; if there are other shops already, only if the configuration requests it. Sends
 * the mails of a new demo shop here, so that their log lines do not hide the greeting.
 */
async function openDemo(config: Config, db: pg.Pool, url: string): Promise<DemoCredentials | undefined> {
  const stored = await reopenDemo({ ...config, db });
  if (stored) return stored;
  if (config.demoShop === 'if_empty' && (await holdsShops(db))) return undefined;
  const { seedDemo } = await import('../demo/seed.ts');
  const { demo, seeded } = await seedDemo({ ...config, db });
  if (seeded && config.role !== 'api' && !config.smtpUrl) {
    const [{ sendQueuedMails }, { createMailer }] = await Promise.all([
      import('../jobs/run.ts'),
      import('../jobs/mailer.ts'),
    ]);
    await sendQueuedMails({ ...config, url, db, mailer: createMailer(config), logger: createLogger('silent') });
  }
  return demo;
}

interface Parts {
  config: Config;
  isOneOfMany: boolean;
  redis: Awaited<ReturnType<typeof connectRedis>> | undefined;
  demoSiteId: string | undefined;
  logger: Logger;
  db: pg.Pool;
  probe: pg.Pool;
  /** Undefined for a worker. */
  hosts: SiteHosts | undefined;
  readiness: Readiness;
  lastUsed: LastUsed;
  usage: UsageCounter;
  cache: CatalogueCache;
  standbys: Standbys | undefined;
  metrics: Metrics;
}

/** The whole API; for a worker only health and metrics. */
async function appFor(parts: Parts, stops: Stop[]): Promise<Express> {
  const { config, isOneOfMany, redis, db, probe, hosts, readiness, metrics } = parts;
  const { production, metricsPort, metricsToken } = config;
  const metricsAccess = {
    open: !production && !metricsPort && !isOneOfMany,
    token: isOneOfMany ? undefined : metricsToken,
  };
  if (hosts) {
    const { openEgress } = await import('../egress/post.ts');
    const egress = openEgress(egressPolicyOf(config));
    stops.unshift(() => egress.close());
    return createApp({
      ...config,
      ...parts,
      hosts,
      auditKey: await openAuditKey(db, config.secretKey),
      metricsAccess,
      card: await cardOf(config, parts.db),
      egress,
      files: await openStore(config),
      load: measureLoad(db),
      pooling: config.databasePooling,
    });
  }
  const app = express();
  app.disable('x-powered-by');
  app.get('/healthz', healthz);
  app.get('/readyz', readyz({ db, probe, redis, readiness }));
  app.get('/metrics', metrics.expose(metricsAccess));
  return app;
}

/**
 * Serves operators on a separate port and with separate database connections, so that their calls do not take
 * connections from shops.
 */
async function listenToOperators(
  { config, database, logger, stops }: Started,
  port: number,
  redis: Parts['redis'],
): Promise<void> {
  const { createOperatorApp } = await import('../operator-app.ts');
  const { databasePooling: pooling, skippedNumbers } = config;
  const owner = openPool({ url: database.directUrl, max: CONNECTIONS.operators, pooling, skippedNumbers });
  stops.unshift(() => owner.end());
  const { TEST_PROVIDER } = await import('../shop/payments/test-provider.ts');
  const card = config.cardProvider === 'test' ? { name: TEST_PROVIDER } : undefined;
  const files = await openStore(config);
  const app = createOperatorApp({ ...config, owner, logger, card, redis, files });
  const server = await listen(app, { ...config, host: config.operatorHost, port });
  stops.unshift(async () => {
    server.closeAllConnections();
    server.close();
  });
}

/** Serves the metrics, and nothing else, on a separate port. */
async function exposeMetrics(metrics: Metrics, config: Config, port: number, stops: Stop[]): Promise<void> {
  const app = express();
  app.disable('x-powered-by');
  app.get('/metrics', metrics.expose({ open: true, token: config.metricsToken }));
  const server = await listen(app, { ...config, host: config.metricsHost, port });
  stops.unshift(async () => {
    server.closeAllConnections();
    server.close();
  });
}

async function cardOf({ cardProvider, baseUrl }: Config, db: pg.Pool): Promise<PaymentProvider | undefined> {
  if (cardProvider !== 'test') return undefined;
  const { createTestProvider } = await import('../shop/payments/test-provider.ts');
  return createTestProvider({ db, baseUrl });
}

/**
 * Throws in production, and otherwise warns, if the database may lose committed transactions or the login has unlimited
 * rights.
 */
async function refuseUnsafe(db: pg.Pool, { production }: Config, logger: Logger): Promise<void> {
  const sentences: string[] = [];
  const unsafe = await unsafeDurability(db);
  if (unsafe.length > 0) {
    sentences.push(
      `A crash of the database may lose committed transactions: ${unsafe.join(', ')}. Turn these settings on.`,
    );
  }
  if (await isUnboundLogin(db)) {
    sentences.push(
      'The login of DATABASE_URL is a superuser or bypasses row-level security. Use the owner of the database.',
    );
  }
  if (production && sentences.length > 0) throw new Error(sentences.join('\n'));
  for (const sentence of sentences) logger.warn(sentence);
}

interface Flushing {
  logger: Logger;
  stops: Stop[];
}

/** Calls `flush` at an interval and when the process stops. */
function flushRegularly(
  kept: { flush(): Promise<void> },
  everyMs: number,
  failure: string,
  { logger, stops }: Flushing,
): void {
  const flush = () => kept.flush().catch((cause) => logger.warn({ cause }, failure));
  const timer = setInterval(flush, everyMs).unref();
  stops.unshift(async () => {
    clearInterval(timer);
    await flush();
  });
}

function egressPolicyOf({ webhookPrivateAddresses, baseUrl }: Config): EgressPolicy {
  return { allowPrivate: webhookPrivateAddresses, ownHost: new URL(baseUrl).hostname };
}
