import type { RequestHandler } from 'express';
import type { Pool } from 'pg';
import type { RedisClientType } from 'redis';
import { openPool, type PoolOptions } from '../../db/connect.ts';
import { LATEST_MIGRATION } from '../../db/migrate.ts';
import { type JobBacklog, readQueue } from '../../db/queue-state.ts';
import { findReadOnly, isReadOnly } from '../../db/read-only.ts';
import { takesWrites } from '../../db/storage.ts';
import { isLostConnection } from '../../db/transaction.ts';
import type { SiteHosts } from '../callers/site-hosts.ts';
import type { Readiness } from '../pipeline/readiness.ts';

/** Liveness: answers without checking anything. `/readyz` checks the database. */
export const healthz: RequestHandler = (_req, res) => {
  res.json({ status: 'ok' });
};

const CACHED_MS = 2_000;

interface Verdict {
  ready: boolean;
  reason?: string;
  /** Waiting jobs; undefined if they could not be read in time, which does not affect readiness. */
  queue?: JobBacklog[];
}

const WITHIN_MS = 1_000;

/**
 * Opens a pool with a single connection for `/readyz`, because all connections of the request pool may be in use while
 * the database works.
 */
export function openProbe(options: Pick<PoolOptions, 'url' | 'pooling'>): Pool {
  return openPool({ ...options, max: 1, connectWithinMs: WITHIN_MS });
}

export interface ReadyzDeps {
  db: Pool;
  probe: Pool;
  redis: RedisClientType | undefined;
  readiness: Readiness;
  /** Undefined if the process serves neither pages nor the API. */
  hosts?: Pick<SiteHosts, 'isRead'>;
}

export function readyz({ db, probe, redis, readiness, hosts }: ReadyzDeps): RequestHandler {
  let asked = 0;
  let answer: Promise<Verdict> | undefined;
  return async (_req, res) => {
    if (readiness.draining) {
      res.status(503).json({ status: 'draining' });
      return;
    }
    if (!answer || isReadOnly(db) || Date.now() - asked > CACHED_MS) {
      asked = Date.now();
      answer = ask(db, probe);
    }
    const current = answer;
    const { ready, reason, queue } = await current.then((verdict) =>
      verdict.ready && hosts?.isRead() === false ? NO_HOSTS : verdict,
    );
    if (!ready && answer === current) answer = undefined;
    const degraded = redis !== undefined && !redis.isReady;
    res
      .status(ready ? 200 : 503)
      .json({ status: ready ? (degraded ? 'degraded' : 'ok') : 'unavailable', reason, queue });
  };
}

const SILENT = { ready: false, reason: 'The database does not answer.' };
const NO_HOSTS: Verdict = { ready: false, reason: 'The hosts of the sites have not been read yet.' };
const FULL = { ready: false, reason: 'The disk of the database is full: nothing can be written.' };
const READ_ONLY = { ready: false, reason: 'The database is read-only: it rejects every write.' };
const OLDER_SCHEMA = { ready: false, reason: 'The database has an older schema version: run commerce-server migrate.' };

async function ask(db: Pool, probe: Pool): Promise<Verdict> {
  const tooLate = new Promise<Verdict>((resolve) => setTimeout(resolve, WITHIN_MS, SILENT).unref());
  return Promise.race([judge(db, probe).catch(() => SILENT), tooLate]);
}

async function judge(db: Pool, probe: Pool): Promise<Verdict> {
  if (isReadOnly(db)) return READ_ONLY;
  if (!(await isMigrated(probe))) return OLDER_SCHEMA;
  if (await findReadOnly(db, probe)) return READ_ONLY;
  if (!(await takesWrites(db, probe, WITHIN_MS))) return FULL;
  const queue = await readQueue(probe).catch(() => undefined);
  return { ready: true, ...(queue && { queue }) };
}

/**
 * Whether the server's migrations are applied. A newer schema is accepted, because a newer release may be starting.
 * Retries once after a lost connection, which does not prove that the database is down.
 */
async function isMigrated(probe: Pool): Promise<boolean> {
  const statement = {
    text: 'select from public.commerce_migrations where name = $1',
    values: [LATEST_MIGRATION],
    // The probe ignores a result that arrives later.
    query_timeout: WITHIN_MS,
  };
  const begun = Date.now();
  const ask = () => probe.query(statement);
  const { rowCount } = await ask().catch((error: unknown) => {
    if (!isLostConnection(error) || Date.now() - begun >= WITHIN_MS) throw error;
    return ask();
  });
  return rowCount === 1;
}
