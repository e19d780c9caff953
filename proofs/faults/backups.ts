import { randomBytes } from 'node:crypto';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { ignoreLostConnections } from '../../server/src/db/connect.ts';
import { startEmbedded } from '../../server/src/db/embedded.ts';
import { runningEmbeddedUrl } from '../../server/src/db/embedded-running.ts';
import { freePort } from '../../server/src/db/free-port.ts';
import { LATEST_MIGRATION, migrate, rollback } from '../../server/src/db/migrate.ts';
import { brokenInvariants } from '../../server/test/invariants.ts';
import { type Figures, type Proof, pick, type Trial, Violations } from '../testing/proof.ts';
import { type Chance, chanceOf } from '../testing/random.ts';
import { runCommand, ServerProcess, withDirectory } from '../testing/server-process.ts';
import { Shoppers } from './shoppers.ts';

const COMMAND_WITHIN_MS = 120_000;
const MOST_ANSWERS_BETWEEN = 200;
const READERS = 2;

const SECRET_KEY = randomBytes(32).toString('base64');
const ENV = { SECRET_KEY, RATE_LIMITS: 'off', LOG_LEVEL: 'warn', DEMO_SHOP: 'off', CATALOG_CACHE: 'off' };

/**
 * Backs up the embedded database of a running server with the `backup` command and the server's own login, while
 * shoppers buy without pause.
 */
export const J6: Proof = {
  id: 'J6',
  promise: 'A backup of a selling shop is consistent, restores completely into an empty cluster, and delays nobody.',
  run: (trial) => withDirectory((directory) => attack(trial, directory)),
};

/** A backup, with the orders that were acknowledged before it began. */
interface Made {
  file: string;
  orders: string[];
  seconds: number;
}

async function attack({ size, seed, progress }: Trial, directory: string): Promise<Figures> {
  const violations = new Violations();
  const chance = chanceOf(seed);
  const made: Made[] = [];
  const env = { ...ENV, DATA_DIR: await folderIn(directory, 'shop') };
  const server = await new ServerProcess(await freePort(), env).readyAtLast();
  let note = '';
  try {
    const url = runningEmbeddedUrl(env.DATA_DIR);
    const databaseUrl = Object.assign(new URL(url), { username: 'postgres' }).href;
    const shoppers = await Shoppers.open({ databaseUrl, servers: () => [server.baseUrl], shoppers: 8, seed });
    shoppers.begin();
    try {
      while (made.length < pick(size, 1, 6)) {
        const file = join(directory, `${made.length}.backup`);
        made.push(await backUp(env, file, shoppers, chance, violations));
        progress(`${made.length} backups; ${shoppers.orders} orders`);
      }
    } finally {
      await shoppers.rest();
    }
    // No shopper buys during the migration, because a purchase may need the newest schema. The shoppers only read.
    const reads = await migrateUnderLoad(url, shoppers, violations);
    await shoppers.judge(violations);
    note = `${shoppers.orders} orders acknowledged; ${reads} reads while the newest migration went down and up`;
  } finally {
    await server.end('SIGTERM');
  }
  for (const [i, backup] of made.entries()) {
    progress(`${i} of ${made.length} backups restored`);
    await restoreAndJudge(backup, await folderIn(directory, `restored-${i}`), violations);
  }
  const slowest = Math.max(...made.map(({ seconds }) => seconds));
  return {
    tried: made.length,
    unit: 'backups under load, restored',
    violations: violations.list,
    note: `slowest backup ${slowest.toFixed(1)} s; ${note}`,
  };
}

async function folderIn(directory: string, name: string): Promise<string> {
  const folder = join(directory, name);
  await mkdir(folder, { mode: 0o711 });
  return folder;
}

async function backUp(
  env: Record<string, string>,
  file: string,
  shoppers: Shoppers,
  chance: Chance,
  violations: Violations,
): Promise<Made> {
  await shoppers.moreAnswers(Math.ceil(chance.next() * MOST_ANSWERS_BETWEEN) + 50);
  const orders = shoppers.orderIds;
  const begun = performance.now();
  const { code, output } = await runCommand(['backup', file], env, COMMAND_WITHIN_MS);
  if (code !== 0) violations.add(`The backup ended with ${code}: ${output}`);
  if (shoppers.orders === orders.length) await shoppers.moreAnswers(1);
  return { file, orders, seconds: (performance.now() - begun) / 1_000 };
}

/**
 * The maximum duration of a read. A read is faster even on a busy machine, unless it waits for a lock until the
 * statement timeout of 5 s.
 */
const LONGEST_READ_MS = 4_500;

/**
 * Rolls back the newest migration and applies it again while the catalogue is read. Meanwhile a read may fail with
 * status 500, or 503 if the server is busy, but must not hang on a lock (`LONGEST_READ_MS`); the read afterwards must
 * succeed. Returns the number of reads.
 */
async function migrateUnderLoad(url: string, shoppers: Shoppers, violations: Violations): Promise<number> {
  let reading = true;
  let reads = 0;
  const read = async () => {
    while (reading) {
      const begun = performance.now();
      const status = await shoppers.look();
      const took = Math.round(performance.now() - begun);
      if (![200, 500, 503].includes(status) || took > LONGEST_READ_MS) {
        violations.add(`A read of the catalogue was answered ${status} after ${took} ms during a migration`);
      }
      reads += 1;
    }
  };
  const readers = Array.from({ length: READERS }, read);
  try {
    const client = new pg.Client(url);
    client.on('error', () => undefined);
    await client.connect();
    // Puts the newest migration in its own batch, because a rollback reverts the whole last batch.
    await client.query('update public.commerce_migrations set batch = batch + 1 where name = $1', [LATEST_MIGRATION]);
    await client.end();
    const undone = await rollback(url);
    if (undone.join() !== LATEST_MIGRATION)
      violations.add(`The rollback undid ${undone.join()} instead of ${LATEST_MIGRATION}`);
    await sleep(500);
    await migrate(url);
  } finally {
    reading = false;
    await Promise.all(readers);
  }
  const status = await shoppers.look();
  if (status !== 200) violations.add(`A read of the catalogue was answered ${status} after the migration`);
  return reads;
}

async function restoreAndJudge({ file, orders }: Made, folder: string, violations: Violations): Promise<void> {
  const env = { SECRET_KEY, DATA_DIR: folder };
  for (const args of [['restore', file, '--moved', 'none'], ['doctor']]) {
    const { code, output } = await runCommand(args, env, COMMAND_WITHIN_MS);
    if (code !== 0) {
      violations.add(`${args.join(' ')} ended with ${code}: ${output}`);
      return;
    }
  }
  const { superuserUrl, stop } = await startEmbedded({ dataDir: folder, durable: false });
  const owner = ignoreLostConnections(new pg.Pool({ connectionString: superuserUrl, max: 1 }));
  try {
    const { rows } = await owner.query<{ id: string }>('select id from commerce.orders');
    const found = new Set(rows.map(({ id }) => id));
    for (const id of orders) if (!found.has(id)) violations.add(`${file} lacks the acknowledged order ${id}`);
    for (const { rule, rows: broken } of await brokenInvariants(owner)) {
      violations.add(`${file}: invariant broken: ${rule} ${JSON.stringify(broken)}`);
    }
  } finally {
    await owner.end();
    await stop();
  }
}
