import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import pg from 'pg';
import { ignoreLostConnections, openPool } from '../../server/src/db/connect.ts';
import { freePort } from '../../server/src/db/free-port.ts';
import { type Operation, operationTable } from '../../server/src/http/contract/contract.ts';
import { asCustomer, openAccount, openCustomerSession } from '../testing/customers.ts';
import { underKey, withNewKey } from '../testing/idempotent-requests.ts';
import { withOwnDatabase } from '../testing/own-database.ts';
import { type Figures, type Proof, pick, type Trial, Violations } from '../testing/proof.ts';
import { chanceOf } from '../testing/random.ts';
import { type Call, exchange, targetOf, watchExchanges } from '../testing/raw-requests.ts';
import { ServerProcess, withDirectory } from '../testing/server-process.ts';
import { callAs, type Tenant, type World } from '../testing/tenant.ts';
import { seedWorld } from '../testing/three-tenants.ts';
import { validCall } from '../testing/valid-requests.ts';
import { Secrets, searchTables } from './sent-secrets.ts';

/** Calls the operations of a server, and then searches its tables, logs and mails for secrets. */
export const J1: Proof = {
  id: 'J1',
  promise: 'No issued or received secret is stored in clear text in a log, a table, or a mail that needs none.',
  run: (trial) =>
    withOwnDatabase(trial.databaseUrl, (databaseUrl) =>
      withDirectory((directory) => attack({ ...trial, databaseUrl }, directory)),
    ),
};

const ENOUGH_SECRETS = 50_000;

async function attack(trial: Trial, directory: string): Promise<Figures> {
  const { databaseUrl, size, progress } = trial;
  const env = {
    ...{ DATABASE_URL: databaseUrl, DATA_DIR: directory, RATE_LIMITS: 'off', DEMO_SHOP: 'off' },
    ...{ LOG_LEVEL: 'trace', CARD_PROVIDER: 'test' },
  };
  const secrets = new Secrets();
  const violations = new Violations();
  const server = await new ServerProcess(await freePort(), { ...env, ROLE: 'api' }).mustBeReady();
  let worker: ServerProcess | undefined;
  const db = openPool({ url: databaseUrl, max: 4, pooling: 'session' });
  const owner = ignoreLostConnections(new pg.Pool({ connectionString: databaseUrl, max: 2 }));
  const stop = watchExchanges((seen) => secrets.note(seen));
  try {
    const names = pick(size, ['A' as const], ['A' as const, 'B' as const, 'C' as const]);
    const world = await seedWorld({ baseUrl: server.baseUrl, db, owner, causes: new Map() }, trial.seed, names);
    // Sends the mails. Starts after the seeding, whose links it could replace while the seeding reads them from the
    // queue.
    worker = await new ServerProcess(await freePort(), { ...env, ROLE: 'worker' }).mustBeReady();
    for (const { staff } of world.tenants) for (const { password } of staff) secrets.add('a password', password);
    const operations = chanceOf(trial.seed).some(operationTable, pick(size, 25, operationTable.length));
    for (let round = 0; round < pick(size, 1, 3); round += 1) {
      for (const tenant of world.tenants) await useAll(world, tenant, operations);
      progress(`${secrets.count} secrets`);
    }
    if (size === 'full') await renewAll(world, secrets, progress);
    await mailsSent(owner);
    for (const path of orderPathsIn(await mailsIn(directory))) await exchange(world.baseUrl, 'GET', path, {});
  } finally {
    stop();
    await server.end('SIGTERM');
    await worker?.end('SIGTERM');
    await db.end();
  }
  const mails = await mailsIn(directory);
  for (const mail of mails) secrets.noteTokens(mail);
  const searchMails = secrets.search(MAILED);
  for (const mail of mails) searchMails.accuse(violations, 'a mail', mail);
  const search = secrets.search();
  for (const { output, errors } of [server, worker]) search.accuse(violations, 'a log', `${output}\n${errors}`);
  await searchTables(owner, search, violations);
  await owner.end();
  if (server.output.length === 0 || mails.length === 0)
    violations.add('There was no log or no mail to search, so the proof shows nothing');
  return { tried: secrets.count, unit: 'secrets', violations: violations.list };
}

/** Calls each operation correctly, again with the same idempotency key, and with secrets in wrong places. */
async function useAll(world: World, tenant: Tenant, operations: Operation[]): Promise<void> {
  for (const operation of operations) {
    const call = await validCall(world, tenant, operation);
    await world.send(call, tenant);
    if (operation.method !== 'get') await world.send(call, tenant);
    for (const stray of straysOf(call, tenant)) await world.send(stray, tenant);
    const method = operation.method.toUpperCase();
    await exchange(
      world.baseUrl,
      method,
      targetOf(call),
      underKey(call).headers,
      `{"password": "${tenant.secrets.ApiKey}"`,
    );
  }
}

const CHAINS = 8;

/** Customers renew their tokens, each with the previous one, until there are enough secrets. */
async function renewAll(world: World, secrets: Secrets, progress: Trial['progress']): Promise<void> {
  const [tenant] = world.tenants;
  const chain = async () => {
    const { id } = await openAccount(world, tenant);
    let token = await openCustomerSession(world, tenant, id);
    while (secrets.count <= ENOUGH_SECRETS) {
      const renewed = await callAs(world, asCustomer(tenant, token), 'storefront.refreshCustomerToken');
      token = (renewed as { access_token: string }).access_token;
    }
  };
  await Promise.all(Array.from({ length: CHAINS }, chain));
  progress(`${secrets.count} secrets`);
}

/**
 * Returns variants of the call with a secret in the query, in the path, in an unknown field, or in the header of
 * another credential.
 */
function straysOf(call: Call, { secrets }: Tenant): Call[] {
  const [name] = Object.keys(call.path);
  const { headers } = withNewKey(call);
  const strays: Call[] = [
    { ...call, headers, query: { ...call.query, access_token: secrets.StaffSession } },
    { ...call, headers: { ...headers, 'X-API-Key': secrets.StorefrontToken } },
    { ...call, headers: { ...headers, Authorization: `Bearer ${secrets.ApiKey}` } },
  ];
  if (name) strays.push({ ...call, headers, path: { ...call.path, [name]: secrets.ApiKey } });
  if (typeof call.body === 'object')
    strays.push({ ...call, headers, body: { ...call.body, secret: secrets.SyncSecret } });
  return strays;
}

/** Secrets that mails contain on purpose: the tokens in their links. */
const MAILED = /^a (?:rst|vrf|chk|ord)_|^a token$/;

const MAILS_WITHIN_MS = 120_000;

/** Waits until no mail is due. */
async function mailsSent(owner: pg.Pool): Promise<void> {
  const deadline = Date.now() + MAILS_WITHIN_MS;
  for (;;) {
    const { rowCount } = await owner.query(
      `select from graphile_worker._private_jobs j join graphile_worker._private_tasks t on t.id = j.task_id
       where t.identifier = 'send_mail' and j.run_at <= now()`,
    );
    if (rowCount === 0) return;
    if (Date.now() > deadline) throw new Error(`${rowCount} mails did not leave the queue.`);
    await new Promise((done) => setTimeout(done, 100));
  }
}

/** Returns the paths of order links in mails. They contain a secret, which no log may contain. */
function orderPathsIn(mails: string[]): Set<string> {
  return new Set(mails.flatMap((mail) => mail.match(/\/sites\/[0-9a-f-]{36}\/orders\/ord_[0-9A-Za-z]{38}/g) ?? []));
}

async function mailsIn(directory: string): Promise<string[]> {
  const outbox = join(directory, 'outbox');
  const names = (await readdir(outbox)).filter((name) => name.endsWith('.html') || name.endsWith('.eml'));
  return Promise.all(names.map((name) => readFile(join(outbox, name), 'utf8')));
}
