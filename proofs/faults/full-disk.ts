import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { prepareSchema } from '../../server/src/commands/schema.ts';
import { startEmbedded } from '../../server/src/db/embedded.ts';
import { freePort } from '../../server/src/db/free-port.ts';
import { type Figures, type Proof, pick, Violations } from '../testing/proof.ts';
import { ServerProcess, withDirectory } from '../testing/server-process.ts';
import { openTenant } from '../testing/site.ts';
import { Callers, type CallResult } from './callers.ts';
import { type IsolatedTrial, isolated } from './isolated.ts';
import { Ballast, mountSmallDisk, unmount } from './local-faults.ts';
import { Shoppers } from './shoppers.ts';

const DISK_MB = 400;
/**
 * The time for which the disk stays full after the first error. The longest time uses up the log space that PostgreSQL
 * has reserved.
 */
const FULL_FOR_MS = { short: [2_000], full: [8_000, 20_000] };
/** A little less than the server's shortest time limit, the lock timeout of 2 s. */
const SHORTEST_LIMIT_MS = 1_900;

/**
 * The disk with PostgreSQL's data and log becomes full while people buy, and later gets free space. J5 checks the
 * readiness.
 */
export const C9: Proof = {
  id: 'C9',
  promise: 'A full disk under PostgreSQL is reported as such, loses nothing, and needs no restart afterwards.',
  run: (trial) => isolated('C9', trial),
};

export function attackByFullDisk({ size, seed, progress }: IsolatedTrial): Promise<Figures> {
  return withDirectory(async (directory) => {
    const violations = new Violations();
    const disk = join(directory, 'disk');
    mountSmallDisk(disk, DISK_MB);
    const { url, superuserUrl, stop } = await startEmbedded({ dataDir: disk });
    await prepareSchema(url);
    const own = join(directory, 'server');
    await mkdir(own);
    const env = { DATABASE_URL: url, DATA_DIR: own, RATE_LIMITS: 'off', LOG_LEVEL: 'warn', ROLE: 'all' };
    const server = new ServerProcess(await freePort(), { ...env, DEMO_SHOP: 'off' });
    const rounds = pick(size, 1, 6);
    const durations = pick(size, FULL_FOR_MS.short, FULL_FOR_MS.full);
    try {
      await server.readyAtLast();
      const servers = () => [server.baseUrl];
      const shoppers = await Shoppers.open({ databaseUrl: superuserUrl, servers, shoppers: 8, seed });
      const callers = new Callers(server.baseUrl, await openTenant(superuserUrl));
      const ballast = new Ballast(disk);
      let refused = 0;
      for (let round = 0; round < rounds; round += 1) {
        const stopWatching = watchDatabase(superuserUrl);
        shoppers.begin();
        callers.begin(2, ['large']);
        await shoppers.moreAnswers(50);
        ballast.fill();
        if (!(await callers.seeFullDisk()))
          violations.add('No call was rejected with 503 storage_full, so the proof shows nothing');
        await sleep(durations[round % durations.length]);
        const freed = performance.now();
        ballast.remove();
        if (!(await callers.servedAgain(freed))) violations.add('Nothing was served although the disk has space again');
        await Promise.all([shoppers.rest(), callers.rest()]);
        refused += judge(callers.results, await stopWatching(), violations);
        await shoppers.judge(violations);
        progress(`${round + 1} of ${rounds} times full; ${shoppers.summary()}`);
      }
      await findCorruption(superuserUrl, violations);
      if (!server.running) violations.add(`The server ended: ${server.errors}`);
      const note = `${refused} calls refused by storage_full; ${shoppers.summary()}`;
      return { tried: rounds, unit: 'times the disk was full', violations: violations.list, note };
    } finally {
      await server.end('SIGTERM');
      await stop();
      unmount(disk);
    }
  });
}

/** Returns the number of calls that were rejected because the disk was full. */
function judge(results: CallResult[], wasDown: boolean, violations: Violations): number {
  const failed = results.filter(({ status }) => status !== 201);
  const toText = ({ what, status, error }: CallResult) => `${status} ${error} to ${what}`;
  for (const one of failed)
    if (one.status !== 503) violations.add(`A call on the full disk: expected 201 or 503, got ${toText(one)}`);
  // A call that took as long as a time limit failed for another reason, because a full disk is reported immediately.
  const wrong = failed.find(({ error, begun, ended }) => error === 'unavailable' && ended - begun < SHORTEST_LIMIT_MS);
  if (wrong && !wasDown) violations.add(`PostgreSQL was reachable, but the response was ${toText(wrong)}`);
  return failed.filter(({ error }) => error === 'storage_full').length;
}

/** The returned function stops watching, and returns whether PostgreSQL was down at any time. */
function watchDatabase(url: string): () => Promise<boolean> {
  let going = true;
  let wasDown = false;
  const look = async () => {
    while (going) {
      const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 3_000 });
      client.on('error', () => {
        wasDown = true;
      });
      try {
        await client.connect();
        while (going) {
          await client.query('select 1');
          await sleep(50);
        }
      } catch {
        wasDown = true;
        await sleep(50);
      }
      await client.end().catch(() => undefined);
    }
  };
  const work = look();
  return async () => {
    going = false;
    await work;
    return wasDown;
  };
}

/** Makes PostgreSQL check every page of every table and B-tree. */
async function findCorruption(superuserUrl: string, violations: Violations): Promise<void> {
  const client = new pg.Client({ connectionString: superuserUrl });
  await client.connect();
  try {
    await client.query('create extension if not exists amcheck');
    const { rows: heaps } = await client.query<{ name: string; msg: string }>(
      `select c.oid::regclass::text as name, v.msg from pg_class c, lateral verify_heapam(c.oid) v
        where c.relkind in ('r', 't') and c.relpersistence = 'p'`,
    );
    for (const { name, msg } of heaps) violations.add(`Corrupt: ${name} ${msg}`);
    const { rows: trees } = await client.query<{ name: string }>(
      `select c.oid::regclass::text as name from pg_class c join pg_index i on i.indexrelid = c.oid join pg_am a on a.oid = c.relam
        where a.amname = 'btree' and i.indisvalid and c.relpersistence = 'p'`,
    );
    for (const { name } of trees) {
      await client.query('select bt_index_check($1::regclass, true)', [name]).catch((error: Error) => {
        violations.add(`Corrupt: ${name} ${error.message}`);
      });
    }
  } finally {
    await client.end();
  }
}
