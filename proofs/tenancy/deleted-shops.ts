import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { PoolClient } from 'pg';
import { directoryStore } from '../../server/src/files/directory.ts';
import { type Operation, operationTable } from '../../server/src/http/contract/contract.ts';
import { deleteSite } from '../../server/src/shop/sites/deletion.ts';
import { suspendSite } from '../../server/src/shop/sites/state.ts';
import { FILES_DIR } from '../../server/test/server.ts';
import { type Figures, type Proof, pick, type Trial } from '../testing/proof.ts';
import { chanceOf } from '../testing/random.ts';
import { type Call, exchange } from '../testing/raw-requests.ts';
import { callAs, type Tenant, type World } from '../testing/tenant.ts';
import { closeWorld, inWorld } from '../testing/three-tenants.ts';
import { validCall } from '../testing/valid-requests.ts';
import { moveAway } from './moved-shop.ts';
import { isOfShop, neighbourOf } from './neighbours.ts';
import { allRows, differences, type Rows, rowsOf } from './whole-database.ts';

/**
 * A shop is suspended, moved to another server, and then deleted, while other shops continue. Before that, its
 * credentials, its URLs and one call of each operation are recorded. After the deletion, all tables, the queue and the
 * files are searched for its ids. The rows, files and responses of the other shops must be unchanged on both servers.
 */
export const L5: Proof = {
  id: 'L5',
  promise:
    'A suspended shop serves no requests, a moved one is complete on its new server, a deleted one leaves nothing behind, and no other shop is affected.',
  async run(trial) {
    // Uses its own set of tenants, because no other proof could use them afterwards.
    await closeWorld();
    try {
      return await inWorld(trial, (world) => attack(trial, world));
    } finally {
      await closeWorld();
    }
  },
};

async function attack(trial: Trial, world: World): Promise<Figures> {
  const count: Count = { calls: 0, removed: 0, compared: 0, neighbours: 0 };
  for (const tenant of world.tenants) await upload(world, tenant);
  const [first, living, second] = world.tenants;
  for (const victim of pick(trial.size, [first], [first, second]))
    await remove(trial, world, { victim, living }, count);
  return {
    tried: count.calls,
    unit: 'calls of a suspended, moved or deleted shop',
    violations: world.violations.list,
    note: `${count.removed} rows removed, ${count.compared} of others compared, ${count.neighbours} answers of a neighbour meanwhile`,
  };
}

interface Count {
  calls: number;
  removed: number;
  compared: number;
  neighbours: number;
}

/**
 * Rows that even a rejected call writes: the audit of agents, rate counts, and the stored rejection of `registerStaff`.
 * Only the invitation in the body of that call names the shop.
 */
const NOTED =
  /^\w+ commerce\.(audit_events|rate_counts) |^new commerce\.idempotency_keys .*"operation_id": "dashboard\.registerStaff"/;

interface Roles {
  victim: Tenant;
  living: Tenant;
}

async function remove(trial: Trial, world: World, { victim, living }: Roles, count: Count) {
  const { size, seed, progress } = trial;
  const { owner, violations } = world;
  const chance = chanceOf(seed);
  const writing = operationTable.filter((operation) => isOfShop(operation) && !operation.safe);
  const reading = operationTable.filter((operation) => isOfShop(operation) && operation.safe);
  // Read operations come last, because `readBefore` sends them immediately, and preparing a write could change what
  // they read.
  const operations = [
    ...pick(size, chance.some(writing, 15), writing),
    ...pick(size, chance.some(reading, 15), reading),
  ];
  const calls: Call[] = [];
  for (const operation of operations) calls.push(await validCall(world, victim, operation));
  shareInvitation(calls);
  await readBefore(world, victim, calls);
  const pages = pagesOf(victim);
  const neighbour = await neighbourOf(world, living);
  progress(`${calls.length} calls prepared`);

  // Deletes people who left the shop earlier, because deleting a shop keeps the logins of former staff.
  await owner.query(
    `delete from commerce.staff s where email like $1
      and not exists (select from commerce.staff_memberships m where m.staff_id = s.id)`,
    [`${victim.canary}%`],
  );
  const open = await allRows(owner);
  await withOwner(world, (client) => suspendSite(client, victim.site_id, null));
  const suspended = await allRows(owner);
  const touched = differences(open, suspended).filter((row) => !/^\w+ commerce\.sites /.test(row));
  for (const row of touched) violations.add(`suspending the shop changed a row: ${row}`);
  for (const call of calls.filter(({ operation }) => !staysOpen(operation))) {
    count.calls += 1;
    const reply = await world.send(call, victim);
    const refused = reply.status === 403 && reply.text.includes('"site_suspended"');
    if (!refused || reply.text.toLowerCase().includes(victim.canary))
      violations.add(
        `${call.operation.id} of a suspended shop: expected 403 site_suspended without its data, got ${reply.status} ${reply.text}`,
      );
  }
  await refusesPages(world, { victim, pages, expected: [403] }, count);
  const written = differences(suspended, await allRows(owner)).filter((row) => !NOTED.test(row));
  for (const row of written) violations.add(`a call of the suspended shop wrote: ${row}`);
  await neighbour.compare('while the shop was suspended');
  progress('suspended');
  const before = await allRows(owner);
  const moved = await moveAway(trial, world, victim);
  try {
    count.calls += await moved.refuses(calls.filter(({ operation }) => operation.id !== ASKS_WITHOUT_SECRET));
    for (const row of differences(before, await allRows(owner)))
      violations.add(`exporting the shop changed a row: ${row}`);
    progress('moved');
    await leave(world, { victim, living }, { calls, pages, before }, count);
    await moved.compare('after the deletion');
  } finally {
    await moved.close();
  }
  await neighbour.compare('after the deletion');
  count.neighbours += neighbour.answers();
  progress('deleted');
}

interface Kept {
  calls: Call[];
  pages: string[];
  before: Rows;
}

/** Deletes the shop and searches for its data. */
async function leave(world: World, roles: Roles, { calls, pages, before }: Kept, count: Count): Promise<void> {
  const { owner, violations } = world;
  const { victim } = roles;
  const files = filesNow();
  await deleteDuringReads(world, roles, count);
  const after = await allRows(owner);
  judgeRows(world, victim, before, after, count);
  judgeFiles(world, victim, files);
  for (const call of calls) {
    count.calls += 1;
    const reply = await world.send(call, victim);
    if (reply.status < 400 || reply.status >= 500 || reply.text.toLowerCase().includes(victim.canary))
      violations.add(
        `${call.operation.id} of a deleted shop: expected 4xx without its data, got ${reply.status} ${reply.text}`,
      );
  }
  await refusesPages(world, { victim, pages, expected: [404] }, count);
  const owns = rowsOf(victim, before);
  for (const [table, rows] of await allRows(owner)) {
    for (const row of rows)
      if (owns(row)) violations.add(`calls after the deletion left a row of the shop: ${table} ${shortened(row)}`);
  }
}

/** The operation that needs no secret of the shop, because any agent may ask any shop for consent. */
const ASKS_WITHOUT_SECRET = 'agent.requestConsent';

/** Whether the operation works while a shop is suspended: exports, and operations on the login of staff. */
function staysOpen(operation: Operation): boolean {
  return operation.whileSuspended || operation.merchantOptional || operation.id === 'dashboard.login';
}

/** Each new invitation invalidates the earlier ones, so registerStaff must use the same invitation as getInvitation. */
function shareInvitation(calls: Call[]): void {
  const invited = calls.find(({ operation }) => operation.id === 'dashboard.getInvitation');
  const registering = calls.find(({ operation }) => operation.id === 'dashboard.registerStaff');
  if (invited && registering) registering.body = { ...(registering.body as object), ...(invited.body as object) };
}

/**
 * Sends the reads twice, which fills the caches and shows that the calls are valid. The ETags of the responses are
 * kept, so that later calls request cached responses.
 */
async function readBefore(world: World, victim: Tenant, calls: Call[]): Promise<void> {
  for (const call of calls.filter(({ operation }) => operation.safe)) {
    for (let again = 0; again < 2; again += 1) {
      const reply = await world.send(call, victim);
      if (reply.status >= 400) throw new Error(`${call.operation.id} of the proof: ${reply.status} ${reply.text}`);
      if (reply.headers.etag) call.headers['If-None-Match'] = String(reply.headers.etag);
    }
  }
}

/** Returns URLs of a shop that are not in the contract. */
function pagesOf({ site_id, ids }: Tenant): string[] {
  const [token] = readdirSync(join(FILES_DIR, 'files', site_id));
  return [
    ...['llms.txt', 'skill.md', '.well-known/ucp', 'oauth/authorize'].map((page) => `/sites/${site_id}/${page}`),
    `/account?site_id=${site_id}`,
    `/.well-known/oauth-authorization-server/sites/${site_id}`,
    `/.well-known/oauth-protected-resource/sites/${site_id}/mcp`,
    `/files/${site_id}/${token}/320.webp`,
    `/sites/${site_id}/basket/${ids.cart[0]}`,
  ];
}

interface Asked {
  victim: Tenant;
  pages: string[];
  expected: number[];
}

async function refusesPages(world: World, { victim, pages, expected }: Asked, count: Count): Promise<void> {
  for (const page of pages) {
    count.calls += 1;
    const { status, text } = await exchange(world.baseUrl, 'GET', page, {});
    if (!expected.includes(status) || text.toLowerCase().includes(victim.canary))
      world.violations.add(`${page} answered ${status} instead of ${expected}: ${text.slice(0, 500)}`);
  }
}

/** Deletes the shop while customers read the catalogue of another shop. These reads write nothing. */
async function deleteDuringReads(world: World, { victim, living }: Roles, count: Count): Promise<void> {
  const looks = operationTable.filter(({ cacheable, safe, surface }) => cacheable && safe && surface === 'storefront');
  const calls = await Promise.all(looks.map((operation) => validCall(world, living, operation)));
  let deleted = false;
  const store = directoryStore(FILES_DIR);
  const deletion = withOwner(world, (client) =>
    deleteSite(client, store, victim.site_id, { now: true, force: true }),
  ).finally(() => {
    deleted = true;
  });
  do {
    for (const call of calls) {
      const { status, text } = await world.send(call, living);
      count.neighbours += 1;
      if (status >= 300)
        world.violations.add(`a call to another shop during the deletion: expected 2xx, got ${status} ${text}`);
    }
  } while (!deleted);
  await deletion;
}

function judgeRows({ violations }: World, victim: Tenant, before: Rows, after: Rows, count: Count): void {
  const owns = rowsOf(victim, before);
  for (const [table, rows] of before) {
    for (const row of rows) count[owns(row) ? 'removed' : 'compared'] += 1;
    for (const row of after.get(table) ?? [])
      if (owns(row)) violations.add(`a row of the deleted shop remains: ${table} ${shortened(row)}`);
  }
  for (const row of differences(before, after)) {
    if (!owns(row)) violations.add(`the deletion changed a row of another shop: ${row}`);
  }
}

/** Reads all files of the store, by path. */
function filesNow(): Map<string, string> {
  const paths = readdirSync(join(FILES_DIR, 'files'), { recursive: true, encoding: 'utf8' });
  const files = paths.filter((path) => statSync(join(FILES_DIR, 'files', path)).isFile());
  return new Map(files.map((path) => [path, readFileSync(join(FILES_DIR, 'files', path), 'base64')]));
}

function judgeFiles({ violations }: World, { site_id }: Tenant, before: Map<string, string>): void {
  const after = filesNow();
  const isTheirs = (path: string) => path.startsWith(site_id);
  if (![...before.keys()].some(isTheirs))
    violations.add('The shop had no file, so the proof shows nothing about files.');
  for (const path of after.keys()) if (isTheirs(path)) violations.add(`a file of the deleted shop remains: ${path}`);
  for (const [path, bytes] of before) {
    if (!isTheirs(path) && after.get(path) !== bytes)
      violations.add(`the deletion changed a file of another shop: ${path}`);
  }
}

async function upload(world: World, tenant: Tenant): Promise<void> {
  const content = `the picture of ${tenant.canary}`;
  const made = (await callAs(world, tenant, 'dashboard.createFile', {
    filename: `${tenant.canary}.jpg`,
    content_type: 'image/jpeg',
    bytes: content.length,
    sha256: createHash('sha256').update(content).digest('hex'),
  })) as { upload_url: string };
  const reply = await exchange(world.baseUrl, 'PUT', new URL(made.upload_url).pathname, {}, content);
  if (reply.status !== 200) throw new Error(`The upload of the proof was refused: ${reply.status} ${reply.text}`);
}

async function withOwner<T>({ owner }: World, work: (client: PoolClient) => Promise<T>): Promise<T> {
  const client = await owner.connect();
  try {
    return await work(client);
  } finally {
    client.release();
  }
}

/** Returns the row without long values, which would hide the ids in a violation. */
function shortened(row: string): string {
  return row.replaceAll(/"[^"]{200,}"/g, '"…"');
}
