import { randomBytes } from 'node:crypto';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { prepareSchema } from '../../server/src/commands/schema.ts';
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

/**
 * Backs up an embedded and an external database with the `backup` command and the server's own login, while shoppers
 * buy without pause.
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

/** A shop with purchases, and how an operator reaches its database. */
interface Market {
  name: string;
  env: Record<string, string>;
  /** The URL of a login that bypasses row-level security. */
  superuserUrl: string;
  /** The URL of the tables' owner, for migrations; absent if only the server has that login. */
  ownerUrl?: string;
  server: ServerProcess;
  close(): Promise<void>;
}

async function attack(trial: Trial, directory: string): Promise<Figures> {
  const violations = new Violations();
  const made: Made[] = [];
  let orders = 0;
  let reads = 0;
  for (const open of [openEmbedded, openOutside]) {
    const market = await open(await folderIn(directory));
    try {
      const sold = await sellAndBackUp(trial, market, directory, violations, made);
      orders += sold.orders;
      reads += sold.reads;
    } finally {
      await market.close();
    }
  }
  // The short form restores one of the two, because a restore takes longer than everything else.
  const restored = trial.size === 'short' ? chanceOf(trial.seed).some(made, 1) : made;
  for (const [i, backup] of restored.entries()) {
    trial.progress(`${i} of ${restored.length} backups restored`);
    await restoreAndJudge(backup, await folderIn(directory), violations);
  }
  const slowest = Math.max(...made.map(({ seconds }) => seconds));
  const note = `embedded and outside, by an ordinary login; ${orders} orders acknowledged; slowest backup ${slowest.toFixed(1)} s; ${reads} reads while the newest migration went down and up`;
  return { tried: made.length, unit: 'backups under load, restored', violations: violations.list, note };
}

let folders = 0;

async function folderIn(directory: string): Promise<string> {
  folders += 1;
  const folder = join(directory, `data-${folders}`);
  await mkdir(folder, { mode: 0o711 });
  return folder;
}

const SECRET_KEY = randomBytes(32).toString('base64');
const ENV = { SECRET_KEY, RATE_LIMITS: 'off', LOG_LEVEL: 'warn', DEMO_SHOP: 'off', CATALOG_CACHE: 'off' };

/** Opens a server with an embedded database, which is backed up while it runs. */
async function openEmbedded(folder: string): Promise<Market> {
  const env = { ...ENV, DATA_DIR: folder };
  const server = await new ServerProcess(await freePort(), env).readyAtLast();
  const superuserUrl = Object.assign(new URL(runningEmbeddedUrl(folder)), { username: 'postgres' }).href;
  return { name: 'embedded', env, superuserUrl, server, close: async () => void (await server.end('SIGTERM')) };
}

/** Opens a server with an external database and a login that is not a superuser. */
async function openOutside(folder: string): Promise<Market> {
  const { url, superuserUrl, stop } = await startEmbedded({ dataDir: folder });
  try {
    await prepareSchema(url);
    const env = { ...ENV, DATA_DIR: folder, DATABASE_URL: url };
    const server = await new ServerProcess(await freePort(), env).readyAtLast();
    const close = async () => {
      await server.end('SIGTERM');
      await stop();
    };
    return { name: 'outside', env, superuserUrl, ownerUrl: url, server, close };
  } catch (error) {
    await stop();
    throw error;
  }
}

async function sellAndBackUp(
  { size, seed, progress }: Trial,
  market: Market,
  directory: string,
  violations: Violations,
  made: Made[],
): Promise<{ orders: number; reads: number }> {
  const servers = () => [market.server.baseUrl];
  const chance = chanceOf(seed);
  const shoppers = await Shoppers.open({ databaseUrl: market.superuserUrl, servers, shoppers: 8, seed });
  shoppers.begin();
  let reads = 0;
  try {
    for (let count = pick(size, 1, 3); count > 0; count -= 1) {
      const file = join(directory, `${market.name}-${count}.backup`);
      made.push(await backUp(market, file, shoppers, chance, violations));
      progress(`${market.name}: ${made.length} backups; ${shoppers.orders} orders`);
    }
  } finally {
    await shoppers.rest();
  }
  // No shopper buys during the migration, because a purchase may need the newest schema. The shoppers only read.
  if (market.ownerUrl) reads = await migrateUnderLoad(market.ownerUrl, shoppers, violations);
  await shoppers.judge(violations);
  return { orders: shoppers.orders, reads };
}

async function backUp(
  { name, env }: Market,
  file: string,
  shoppers: Shoppers,
  chance: Chance,
  violations: Violations,
): Promise<Made> {
  await shoppers.moreAnswers(Math.ceil(chance.next() * MOST_ANSWERS_BETWEEN) + 50);
  const orders = shoppers.orderIds;
  const begun = performance.now();
  const { code, output } = await runCommand(['backup', file], env, COMMAND_WITHIN_MS);
  if (code !== 0) violations.add(`${name}: the backup ended with ${code}: ${output}`);
  if (shoppers.orders === orders.length) await shoppers.moreAnswers(1);
  return { file, orders, seconds: (performance.now() - begun) / 1_000 };
}

/**
 * The maximum duration of a read. A read is faster even on a busy machine, unless it waits for a lock until the statement
 * timeout of 5 s.
 */
const LONGEST_READ_MS = 4_500;

/**
 * Rolls back the newest migration and applies it again while the catalogue is read. Meanwhile a read may fail with status 500,
 * or 503 if the server is busy, but must not hang on a lock (`LONGEST_READ_MS`); the read afterwards must succeed. Returns the
 * number of reads.
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
