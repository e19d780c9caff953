import { openPool } from '../../server/src/db/connect.ts';
import { freePort } from '../../server/src/db/free-port.ts';
import { takeTransfers } from '../testing/products-and-checkouts.ts';
import { type Proof, pick, type Trial, Violations } from '../testing/proof.ts';
import { ServerProcess, withDirectory } from '../testing/server-process.ts';
import { openTenant } from '../testing/site.ts';
import { OpenShop, type Premises } from '../testing/test-server.ts';
import { DEADLINES, type Scene } from './deadlines.ts';
import { MovableClock } from './movable-clock.ts';

/**
 * Three servers, two of them with wrong clocks, run in different time zones and use one database, whose clock is moved
 * to each deadline.
 */
export const C14: Proof = {
  id: 'C14',
  promise: 'Deadlines are exact to the millisecond, whatever the clocks and time zones of the servers are.',
  run: (trial) => withDirectory((directory) => attack(trial, directory)),
};

/** The offset of each server's clock in hours, and its time zone. */
const SERVERS = [
  { hours: 25, zone: 'America/New_York' },
  { hours: -25, zone: 'Pacific/Apia' },
  { hours: 0, zone: 'Europe/Berlin' },
];

/**
 * Start times: just before daylight saving time changes in the zone of a server or the database, at the end of February
 * in leap years and in 2100, which is not one, and at New Year.
 */
const BEGINNINGS = [
  '2027-03-28T00:59:59.500Z',
  '2027-10-31T00:30:00Z',
  '2027-03-14T06:45:00Z',
  '2028-02-28T23:30:00Z',
  '2028-02-29T12:00:00Z',
  '2028-12-31T23:59:59.999Z',
  '2100-02-28T12:00:00Z',
];

async function attack({ size, seed, databaseUrl, progress }: Trial, directory: string) {
  const clock = await MovableClock.create(databaseUrl);
  const db = openPool({ url: clock.url, max: 4, pooling: 'session' });
  const servers: ServerProcess[] = [];
  const violations = new Violations();
  const chosen = pick(size, [BEGINNINGS[seed % BEGINNINGS.length] as string], BEGINNINGS);
  let tried = 0;
  try {
    const started = SERVERS.slice(0, pick(size, 2, SERVERS.length)).map(({ hours, zone }) =>
      start(clock.url, directory, hours, zone),
    );
    servers.push(...(await Promise.all(started)));
    const { staff, ...credentials } = await openTenant(clock.url);
    const { site_id, merchant_id } = credentials;
    const tenant = {
      site_id,
      merchant_id,
      currency: 'EUR',
      currency_digits: 2,
      show_stock: 'exact',
      catalog_version: '',
    } as const;
    const premises = { db, owner: clock.owner, violations, causes: new Map() };
    const shops = servers.map(
      ({ baseUrl }) => new OpenShop({ ...premises, baseUrl } as Premises, tenant, { ...credentials, staff }),
    );
    await takeTransfers(shops[0] as OpenShop);
    for (const beginning of chosen) {
      const scene: Scene = { now: Date.parse(beginning), staff };
      tried += await pass(clock, shops, scene, violations);
      progress(`from ${beginning} on: ${tried} decisions`);
    }
    const note = `${Object.keys(DEADLINES).length} deadlines from ${chosen.length} moments, asked 1 ms before and at each; servers ${SERVERS.map(({ hours }) => hours).join(', ')} h off`;
    return { tried, unit: 'decisions', violations: violations.list, note };
  } finally {
    await Promise.all(servers.map((server) => server.end('SIGTERM')));
    await db.end();
    await clock.end();
  }
}

function start(databaseUrl: string, directory: string, hours: number, zone: string): Promise<ServerProcess> {
  const preload = new URL(`./shifted-date.ts?hours=${hours}`, import.meta.url).href;
  const env = {
    DATABASE_URL: databaseUrl,
    DATA_DIR: directory,
    RATE_LIMITS: 'off',
    LOG_LEVEL: 'warn',
    ROLE: 'api',
    TZ: zone,
    NODE_OPTIONS: `--import ${preload}`,
  };
  return freePort().then((port) => new ServerProcess(port, env).readyAtLast());
}

/**
 * Starts each deadline on each server twice: one copy is checked a millisecond before the deadline, the other at the
 * deadline. Returns the number of checks.
 */
async function pass(clock: MovableClock, shops: OpenShop[], scene: Scene, violations: Violations): Promise<number> {
  await clock.set(scene.now);
  const questions: { at: number; ask(): Promise<void> }[] = [];
  for (const [what, { after, begin }] of Object.entries(DEADLINES)) {
    for (const [expected, at] of [
      ['before', scene.now + after * 1_000 - 1],
      ['after', scene.now + after * 1_000],
    ] as const) {
      for (const [i, shop] of shops.entries()) {
        // The deadline is started on another server than the one that checks it.
        const ask = await begin(shops[(i + 1) % shops.length] as OpenShop, scene);
        questions.push({
          at,
          async ask() {
            const standing = await ask(shop);
            if (standing === expected) return;
            const { hours } = SERVERS[i] as (typeof SERVERS)[number];
            const moment = new Date(at).toISOString();
            violations.add(`${what}, ${moment}, by a server ${hours} h off: ${standing}, not ${expected}`);
          },
        });
      }
    }
  }
  questions.sort((a, b) => a.at - b.at);
  for (const question of questions) {
    await clock.set(question.at);
    await question.ask();
  }
  return questions.length;
}
