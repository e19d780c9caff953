import type { RedisClientType } from '@redis/client';
import type { RequestHandler } from 'express';
import type { Pool } from 'pg';
import { LATEST_MIGRATION } from '../../db/migrate.ts';
import type { Readiness } from '../pipeline/readiness.ts';

/** Liveness never touches a dependency; readiness asks the database, at most every two seconds (hazards §4.6). */
export const healthz: RequestHandler = (_req, res) => {
  res.json({ status: 'ok' });
};

const CACHED_MS = 2_000;

export function readyz(db: Pool, redis: RedisClientType | undefined, readiness: Readiness): RequestHandler {
  let asked = 0;
  let answer: Promise<{ ready: boolean; reason?: string }> | undefined;
  return async (_req, res) => {
    if (readiness.draining) {
      res.status(503).json({ status: 'draining' });
      return;
    }
    if (!answer || Date.now() - asked > CACHED_MS) {
      asked = Date.now();
      answer = ask(db);
    }
    const { ready, reason } = await answer;
    if (!ready) answer = undefined;
    const degraded = redis !== undefined && !redis.isReady;
    res.status(ready ? 200 : 503).json({ status: ready ? (degraded ? 'degraded' : 'ok') : 'unavailable', reason });
  };
}

async function ask(db: Pool): Promise<{ ready: boolean; reason?: string }> {
  try {
    const asking = db.query<{ name: string }>('select name from public.commerce_migrations order by id desc limit 1');
    const limit = new Promise<never>((_, reject) => setTimeout(() => reject(new Error('slow')), 1_000).unref());
    const { rows } = await Promise.race([asking, limit]);
    const applied = rows[0]?.name;
    if (applied === LATEST_MIGRATION) return { ready: true };
    return { ready: false, reason: 'The database has another schema version: run commerce-server migrate.' };
  } catch {
    return { ready: false, reason: 'The database does not answer.' };
  }
}
