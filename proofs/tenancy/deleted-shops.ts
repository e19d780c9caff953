import { createHash } from 'node:crypto';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { withClient } from '../../server/src/db/client.ts';
import { directoryStore } from '../../server/src/files/directory.ts';
import { type Operation, operationTable } from '../../server/src/http/contract/contract.ts';
import { deleteSite } from '../../server/src/shop/sites/deletion.ts';
import { suspendSite } from '../../server/src/shop/sites/state.ts';
import { FILES_DIR, startServer, stopServer } from '../../server/test/server.ts';
import { withOwnDatabase } from '../testing/own-database.ts';
import { type Figures, type Proof, pick, type Trial } from '../testing/proof.ts';
import { chanceOf } from '../testing/random.ts';
import { type Call, exchange } from '../testing/raw-requests.ts';
import { callAs, type Tenant, type World } from '../testing/tenant.ts';
import { seedWorld } from '../testing/three-tenants.ts';
import { validCall } from '../testing/valid-requests.ts';
import { withMoved } from './moved-shop.ts';
import { isOfShop, neighbourOf } from './neighbours.ts';
import { allRows, differences, filesIn, type Rows, rowsOf } from './whole-database.ts';

/**
 * A shop is suspended, moved to another server, and then deleted, while other shops continue. Before that, its
 * credentials, its URLs and one call of each operation are recorded. After the deletion, all tables, the queue and the
 * files are searched for its ids. The rows, files and responses of the other shops must be unchanged on both servers.
 */
export const L5: Proof = {
  id: 'L5',
  promise:
    'A suspended shop serves no requests, a moved one is complete on its new server, a deleted one leaves nothing behind, and no other shop is affected.',
  run: (trial) =>
    withOwnDatabase(trial.databaseUrl, (databaseUrl) =>
      withOwnDatabase(trial.databaseUrl, async (otherUrl) => {
        const server = await startServer(databaseUrl, { trustProxy: 1 }, databaseUrl);
        try {
          const names = pick(trial.size, ['A' as const, 'B' as const], ['A' as const, 'B' as const, 'C' as const]);
          const world = await seedWorld({ ...server, causes: new Map() }, trial.seed, names);
          return await attack({ ...trial, databaseUrl }, otherUrl, world);
        } finally {
          await stopServer(server);
        }
      }),
    ),
};

async function attack(trial: Trial, otherUrl: string, world: World): Promise<Figures> {
  for (const tenant of world.tenants) await upload(world, tenant);
  const [first, living, second] = world.tenants;
  let tried = 0;
  for (const victim of pick(trial.size, [first], [first, second]))
    tried += await remove(trial, otherUrl, world, { victim, living });
  return { tried, unit: 'calls of a suspended, moved or deleted shop', violations: world.violations.list };
}

interface Roles {
  victim: Tenant;
  living: Tenant;
}

/**
 * Rows that even a rejected call writes: the audit of agents, rate counts, and the stored rejection of `registerStaff`.
 * Only the invitation in the body of that call names the shop.
 */
const NOTED =
  /^\w+ commerce\.(audit_events|rate_counts) |^new commerce\.idempotency_keys .*"operation_id": "dashboard\.registerStaff"/;

/** Returns the number of calls of the shop. */
async function remove(trial: Trial, otherUrl: string, world: World, { victim, living }: Roles): Promise<number> {
  const { owner, violations } = world;
  const calls = await callsOf(trial, world, victim);
  await readBefore(world, victim, calls);
  const pages = pagesOf(victim);
  const neighbour = await neighbourOf(world, living);
  // Deletes people who left the shop earlier, because deleting a shop keeps the logins of former staff.
  await owner.query(
    `delete from commerce.staff s where email like $1
      and not exists (select from commerce.staff_memberships m where m.staff_id = s.id)`,
    [`${victim.canary}%`],
  );
  const open = await allRows(owner);
  await asOwner(trial, (client) => suspendSite(client, victim.site_id, null));
  const refused = calls.filter(({ operation }) => !staysOpen(operation));
  for (const call of refused) {
    const { status, text } = await world.send(call, victim);
    if (status !== 403 || !text.includes('"site_suspended"') || text.toLowerCase().includes(victim.canary))
      violations.add(
        `${call.operation.id} of a suspended shop: expected 403 site_suspended without its data, got ${status} ${text}`,
      );
  }
  await refusesPages(world, victim, pages, 403);
  for (const row of differences(open, await allRows(owner))) {
    if (!NOTED.test(row) && !/^\w+ commerce\.sites /.test(row))
      violations.add(`suspending the shop, or a call of the suspended shop, changed a row: ${row}`);
  }
  await neighbour.compare('while the shop was suspended');
  const before = await allRows(owner);
  await withMoved(trial, otherUrl, world, victim, async () => {
    for (const row of differences(before, await allRows(owner)))
      violations.add(`exporting the shop changed a row: ${row}`);
    const files = filesIn(FILES_DIR);
    await deleteDuringReads(trial, world, { victim, living });
    judgeRows(world, victim, before, await allRows(owner));
    judgeFiles(world, victim, files);
    await callDeleted(world, victim, calls, before);
    await refusesPages(world, victim, pages, 404);
  });
  await neighbour.compare('after the deletion');
  return refused.length + calls.length + 2 * pages.length;
}

/**
 * Returns a valid call of each operation of the shop, in the short form of a sample. Read operations come last, because
 * `readBefore` sends them immediately, and preparing a write could change what they read.
 */
async function callsOf({ size, seed }: Trial, world: World, victim: Tenant): Promise<Call[]> {
  const chance = chanceOf(seed);
  const calls: Call[] = [];
  for (const isSafe of [false, true]) {
    const operations = operationTable.filter((operation) => isOfShop(operation) && operation.safe === isSafe);
    for (const operation of chance.some(operations, pick(size, 15, operations.length)))
      calls.push(await validCall(world, victim, operation));
  }
  // Each new invitation invalidates the earlier ones, so registerStaff must use the same invitation as getInvitation.
  const invited = calls.find(({ operation }) => operation.id === 'dashboard.getInvitation');
  const registering = calls.find(({ operation }) => operation.id === 'dashboard.registerStaff');
  if (invited && registering) registering.body = { ...(registering.body as object), ...(invited.body as object) };
  return calls;
}

/** Whether the operation works while a shop is suspended: exports, and operations on the login of staff. */
function staysOpen(operation: Operation): boolean {
  return operation.whileSuspended || operation.merchantOptional || operation.id === 'dashboard.login';
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

async function refusesPages(world: World, victim: Tenant, pages: string[], expected: number): Promise<void> {
  for (const page of pages) {
    const { status, text } = await exchange(world.baseUrl, 'GET', page, {});
    if (status !== expected || text.toLowerCase().includes(victim.canary))
      world.violations.add(`${page} answered ${status} instead of ${expected}: ${text.slice(0, 500)}`);
  }
}

/** Deletes the shop while customers read the catalogue of another shop. These reads write nothing. */
async function deleteDuringReads(trial: Trial, world: World, { victim, living }: Roles): Promise<void> {
  const looks = operationTable.filter(({ cacheable, safe, surface }) => cacheable && safe && surface === 'storefront');
  const calls = await Promise.all(looks.map((operation) => validCall(world, living, operation)));
  let deleted = false;
  const store = directoryStore(FILES_DIR);
  const deletion = asOwner(trial, (client) =>
    deleteSite(client, store, victim.site_id, { now: true, force: true }),
  ).finally(() => {
    deleted = true;
  });
  do {
    for (const call of calls) {
      const { status, text } = await world.send(call, living);
      if (status >= 300)
        world.violations.add(`a call to another shop during the deletion: expected 2xx, got ${status} ${text}`);
    }
  } while (!deleted);
  await deletion;
}

function judgeRows({ violations }: World, victim: Tenant, before: Rows, after: Rows): void {
  const owns = rowsOf(victim, before);
  for (const [table, rows] of after) {
    for (const row of rows)
      if (owns(row)) violations.add(`a row of the deleted shop remains: ${table} ${shortened(row)}`);
  }
  for (const row of differences(before, after)) {
    if (!owns(row)) violations.add(`the deletion changed a row of another shop: ${row}`);
  }
}

function judgeFiles({ violations }: World, { site_id }: Tenant, before: Map<string, string>): void {
  const after = filesIn(FILES_DIR);
  const isTheirs = (path: string) => path.startsWith(site_id);
  for (const path of after.keys()) if (isTheirs(path)) violations.add(`a file of the deleted shop remains: ${path}`);
  for (const [path, bytes] of before) {
    if (!isTheirs(path) && after.get(path) !== bytes)
      violations.add(`the deletion changed a file of another shop: ${path}`);
  }
}

/** Sends the calls of the deleted shop. They must be rejected, and leave no row of it. */
async function callDeleted(world: World, victim: Tenant, calls: Call[], before: Rows): Promise<void> {
  for (const call of calls) {
    const { status, text } = await world.send(call, victim);
    if (status < 400 || status >= 500 || text.toLowerCase().includes(victim.canary))
      world.violations.add(
        `${call.operation.id} of a deleted shop: expected 4xx without its data, got ${status} ${text}`,
      );
  }
  const owns = rowsOf(victim, before);
  for (const [table, rows] of await allRows(world.owner)) {
    for (const row of rows)
      if (owns(row))
        world.violations.add(`calls after the deletion left a row of the shop: ${table} ${shortened(row)}`);
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

function asOwner<T>({ databaseUrl }: Trial, work: Parameters<typeof withClient<T>>[1]): Promise<T> {
  return withClient({ connectionString: databaseUrl }, work);
}

/** Returns the row without long values, which would hide the ids in a violation. */
function shortened(row: string): string {
  return row.replaceAll(/"[^"]{200,}"/g, '"…"');
}
