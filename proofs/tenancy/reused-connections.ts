import { randomUUID } from 'node:crypto';
import { openPool } from '../../server/src/db/connect.ts';
import { operationTable } from '../../server/src/http/contract/contract.ts';
import { createCatalogueCache } from '../../server/src/http/pipeline/cache.ts';
import { startServer, stopServer } from '../../server/test/server.ts';
import { tablesWithSite } from '../testing/owner-queries.ts';
import { type Figures, type Proof, pick, type Trial } from '../testing/proof.ts';
import { type Chance, chanceOf } from '../testing/random.ts';
import type { Call, Reply } from '../testing/raw-requests.ts';
import { operationOf, type Tenant, type World } from '../testing/tenant.ts';
import { behind, inWorld, loggerInto } from '../testing/three-tenants.ts';
import { unique, validCall } from '../testing/valid-requests.ts';
import { type Disturbed, disturb } from './disturbed-connections.ts';

/**
 * Two connections serve three tenants concurrently, while statements fail, time out, are cancelled and killed, and
 * callers hang up. The next request on a connection must see the rows of its own tenant and of no other.
 */
export const A6: Proof = {
  id: 'A6',
  promise:
    'A reused database connection shows each request only the rows of its own tenant, however the previous request ended.',
  run: (trial) =>
    inWorld(trial, async (world) => {
      const chance = chanceOf(trial.seed);
      const calls = await callsOf(world, trial, chance);
      const before = await misplaced(world);
      const requests = pick(trial.size, 500, 10_000);
      const { seen, statuses } = await traffic(world, trial, calls, requests);
      for (const [table, rows] of await misplaced(world)) {
        const added = rows - (before.get(table) ?? 0);
        if (added > 0) world.violations.add(`${added} rows of ${table} hold texts of another tenant`);
      }
      const answers = [...statuses].sort(([a], [b]) => a - b).map(([status, count]) => `${count} × ${status}`);
      const note =
        `${answers.join(', ')}; ${seen.failed} statements failed; ${seen.connections} connections passed from tenant to ` +
        `tenant ${seen.passedOn} times; ${seen.statements} statements looked at`;
      return { tried: requests, unit: 'requests', note, violations: world.violations.list } satisfies Figures;
    }),
};

const WRITES = [
  ...['dashboard.createProduct', 'dashboard.createCollection', 'dashboard.updateProduct', 'dashboard.updateCollection'],
  ...['storefront.createCart', 'storefront.addCartItem'],
];

/** Calls that succeed for each tenant: one of each reading operation, and some that write. */
type Calls = Map<Tenant, { reads: Call[]; writes: Call[] }>;

async function callsOf(world: World, { size }: Trial, chance: Chance): Promise<Calls> {
  const reads = operationTable.filter(({ method, security }) => method === 'get' && security.length > 0);
  const chosen = [...chance.some(reads, pick(size, 15, reads.length)), operationOf('dashboard.listProducts')];
  const calls: Calls = new Map();
  for (const tenant of world.tenants) {
    const made = { reads: [] as Call[], writes: [] as Call[] };
    for (const operation of chosen) made.reads.push(await validCall(world, tenant, operation));
    for (const id of WRITES) made.writes.push(await validCall(world, tenant, operationOf(id)));
    calls.set(tenant, made);
  }
  return calls;
}

const CALLERS = 6;

/** Sends requests of all tenants through two connections, several at a time. */
async function traffic(
  world: World,
  trial: Trial,
  calls: Calls,
  requests: number,
): Promise<{ seen: Disturbed; statuses: Map<number, number> }> {
  const db = openPool({ url: trial.databaseUrl, max: 2, pooling: 'session' });
  const chance = chanceOf(trial.seed);
  const { owner, violations, tenants } = world;
  const seen = disturb(db, { chance, share: 0.03, owner, violations, sites: tenants.map(({ site_id }) => site_id) });
  const settings = {
    db,
    cache: createCatalogueCache({ enabled: false }),
    logger: loggerInto(world.causes),
    trustProxy: 1,
  };
  const server = await startServer(trial.databaseUrl, settings, trial.databaseUrl);
  const view = behind(world, server, violations);
  const statuses = new Map<number, number>();
  let left = requests;
  const caller = async () => {
    while (left > 0) {
      left -= 1;
      if (left % 500 === 0) trial.progress(`${left} requests left`);
      const reply = await ask(view, calls, chance);
      if (reply) statuses.set(reply.status, (statuses.get(reply.status) ?? 0) + 1);
    }
  };
  try {
    await Promise.all(Array.from({ length: CALLERS }, caller));
  } finally {
    await stopServer(server);
    await db.end();
  }
  return { seen, statuses };
}

async function ask(view: World, calls: Calls, chance: Chance): Promise<Reply | undefined> {
  const tenant = chance.of(view.tenants);
  const { reads = [], writes = [] } = calls.get(tenant) ?? {};
  const kind = chance.next();
  if (kind < 0.6) return view.send(chance.of(reads), tenant);
  const write = freshly(chance.of(writes), tenant);
  if (kind < 0.85) return view.send(write, tenant);
  if (kind < 0.9) return view.send({ ...write, body: { nothing: 'known' } }, tenant);
  const read = chance.of(reads);
  if (kind < 0.95) return view.send({ ...read, headers: { ...read.headers, ...NO_CREDENTIALS } }, tenant);
  await abandon(view, tenant, chance);
  return undefined;
}

const NO_CREDENTIALS = { Authorization: 'Bearer nothing', 'X-API-Key': 'nothing' };

/** Returns the call with a new idempotency key and with texts of this tenant. */
function freshly(call: Call, tenant: Tenant): Call {
  const body = unique(call.body) as Record<string, unknown> | undefined;
  const named = body && 'name' in body ? { ...body, name: `${tenant.canary} again` } : body;
  return { ...call, headers: { ...call.headers, 'Idempotency-Key': randomUUID() }, body: named };
}

/** Disconnects after some milliseconds, at a random stage of the request. */
async function abandon({ baseUrl }: World, tenant: Tenant, chance: Chance): Promise<void> {
  const headers = {
    Authorization: `Bearer ${tenant.secrets.StaffSession}`,
    'X-Site-ID': tenant.site_id,
    'Idempotency-Key': randomUUID(),
    'Content-Type': 'application/json',
  };
  const body = JSON.stringify({ name: `${tenant.canary} abandoned`, price: '1.00' });
  const signal = AbortSignal.timeout(1 + Math.floor(chance.next() * 30));
  await fetch(`${baseUrl}/api/dashboard/products`, { method: 'POST', headers, body, signal }).catch(() => undefined);
}

/** Counts, for each table, the rows of a tenant that contain another tenant's marker. */
async function misplaced({ owner, tenants }: World): Promise<Map<string, number>> {
  const found = new Map<string, number>();
  const values = [tenants.map(({ site_id }) => site_id), tenants.map(({ canary }) => canary)];
  for (const table of await tablesWithSite(owner)) {
    const { rows } = await owner.query<{ count: number }>(
      `select count(*)::int as count from commerce.${table} t
       join unnest($1::uuid[], $2::text[]) as other (site_id, canary) on other.site_id <> t.site_id
       where t.site_id = any($1::uuid[]) and strpos(lower(t::text), other.canary) > 0`,
      values,
    );
    found.set(table, rows[0]?.count ?? 0);
  }
  return found;
}
