import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { pino } from 'pino';
import { type AppDeps, createApp } from '../src/app.ts';
import { ignoreLostConnections, openPool } from '../src/db/connect.ts';
import { openEgress } from '../src/egress/post.ts';
import { directoryStore } from '../src/files/directory.ts';
import { createLastUsed } from '../src/http/callers/last-used.ts';
import { openSiteHosts, type SiteHosts } from '../src/http/callers/site-hosts.ts';
import { openProbe } from '../src/http/operators/health.ts';
import { createMetrics } from '../src/http/operators/metrics.ts';
import { createCatalogueCache } from '../src/http/pipeline/cache.ts';
import { openAuditKey } from '../src/shop/audit/keys.ts';
import { createTestProvider } from '../src/shop/payments/test-provider.ts';
import { createUsageCounter } from '../src/shop/usage.ts';
import { databaseUrl, pooledUrl, renewDatabase, superuserUrl } from './worker-database.ts';

/** The folder for the files that this worker's servers and jobs store. */
export const FILES_DIR = mkdtempSync(join(tmpdir(), 'commerce-files-'));
process.once('exit', () => rmSync(FILES_DIR, { recursive: true, force: true }));

export const SECRET_KEY = 'a secret of the tests, long enough to be one';

/** A real server in this process, on the PostgreSQL of the test run. Responses are validated against the contract. */
export interface TestServer {
  baseUrl: string;
  /** A pool with the role of requests, under row-level security. */
  db: pg.Pool;
  /** The pool that `/readyz` uses. */
  probe: pg.Pool;
  /** A pool that bypasses row-level security, to set times and read internal state. */
  owner: pg.Pool;
  /** The hosts of sites. Call `reload` after changing them. */
  hosts: SiteHosts;
}

let running: Awaited<ReturnType<typeof startServer>> | undefined;
let asked = false;

/**
 * Returns the server that all test files of this worker share, and starts it on first use. A server for each file would
 * take a seventh of the tests' time, because each new connection reads PostgreSQL's catalogue and plans every statement
 * again.
 */
export async function testServer(): Promise<TestServer> {
  asked = true;
  running ??= await startServer(databaseUrl());
  return running;
}

/** The owner's pool, if the server was used since the last call of this function. */
export function ownerPoolIfAsked(): pg.Pool | undefined {
  const pool = asked ? running?.owner : undefined;
  asked = false;
  return pool;
}

const MANY_SHOPS = 150;

/** Whether the database of the test server has so many shops that it should be replaced. */
export async function isLarge(owner: pg.Pool): Promise<boolean> {
  const { rows } = await owner.query<{ shops: number }>('select count(*)::int as shops from commerce.sites');
  return (rows[0]?.shops ?? 0) >= MANY_SHOPS;
}

/**
 * Replaces the database of this worker by an empty one. The time of background jobs and of the checks of invariants
 * grows with the shops of a database, so the shops of hundreds of earlier files would slow down the later ones.
 */
export async function renewServer(): Promise<void> {
  if (running) await stopServer(running);
  running = undefined;
  await renewDatabase();
}

/**
 * Starts a server with other settings. The caller stops it. If the tests use a pooler, this server uses it too, unless
 * `settings` contains a pool.
 */
export async function startServer(
  directUrl: string,
  settings: Partial<AppDeps> = {},
  ownerUrl = superuserUrl(),
  givenPort = 0,
) {
  const pooled = settings.db ? undefined : pooledUrl(directUrl);
  const url = pooled ?? directUrl;
  const pooling = settings.pooling ?? (pooled ? 'transaction' : 'session');
  const db = openPool({ url, max: 10, pooling });
  const probe = openProbe({ url, pooling });
  const owner = ignoreLostConnections(new pg.Pool({ connectionString: ownerUrl, max: 2 }));
  const cache = createCatalogueCache({ enabled: true });
  const baseUrl = settings.baseUrl ?? 'http://localhost';
  // No timer reloads the hosts during a test. Tests reload them after a change.
  const logger = pino({ level: process.env.TEST_LOG ?? 'silent' });
  const hosts = await openSiteHosts({ db: probe, baseUrl, logger, everySeconds: 24 * 60 * 60 });
  const egress = openEgress({ allowPrivate: true, ownHost: 'localhost' });
  const app = createApp({
    db,
    probe,
    cache,
    metrics: createMetrics({ db, cache }),
    metricsAccess: { open: true, token: undefined },
    redis: undefined,
    logger,
    readiness: { draining: false },
    lastUsed: createLastUsed(db),
    usage: createUsageCounter(db),
    load: () => 0,
    baseUrl,
    hosts,
    secretKey: SECRET_KEY,
    auditKey: settings.auditKey ?? (await openAuditKey(probe, settings.secretKey ?? SECRET_KEY)),
    card: createTestProvider({ db, baseUrl }),
    stripeApiUrl: 'http://127.0.0.1:9',
    stripePlatformKey: undefined,
    egress,
    files: directoryStore(FILES_DIR),
    pooling,
    trustProxy: 0,
    dashboardOrigins: [],
    rateLimits: false,
    validateResponses: true,
    ...settings,
  });
  const server = createServer(app);
  // Never closes idle connections, because one could be closed at the moment a client uses it again.
  server.keepAliveTimeout = 0;
  await new Promise<void>((listening) => server.listen(givenPort, '127.0.0.1', listening));
  const { port } = server.address() as AddressInfo;
  return { baseUrl: `http://127.0.0.1:${port}`, db, probe, owner, hosts, server };
}

export async function stopServer({ db, probe, owner, hosts, server }: TestServer & { server: Server }): Promise<void> {
  hosts.stop();
  server.closeAllConnections();
  await new Promise((closed) => server.close(closed));
  await Promise.all([db.end(), probe.end(), owner.end()]);
}
