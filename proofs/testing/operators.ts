import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { asOwner } from '../../server/src/db/as-owner.ts';
import { type Connection, openPool } from '../../server/src/db/connect.ts';
import { inTransaction } from '../../server/src/db/transaction.ts';
import { directoryStore } from '../../server/src/files/directory.ts';
import type { Operation } from '../../server/src/http/contract/contract.ts';
import { operatorDocument } from '../../server/src/http/contract/operator-contract.ts';
import { createOperatorApp } from '../../server/src/operator-app.ts';
import { createKey, revokeKey } from '../../server/src/shop/operators/keys.ts';
import { restoreJobs } from '../../server/src/shop/sites/postponed-jobs.ts';
import { FILES_DIR, SECRET_KEY } from '../../server/test/server.ts';
import type { Trial } from './proof.ts';
import { type Call, type Reply, send } from './raw-requests.ts';
import { headerOf, type Tenant, type World } from './tenant.ts';
import { behind, loggerInto } from './three-tenants.ts';

/** A listener for operators next to the tenants' server. */
export interface OperatorListener {
  /** The same tenants behind the listener. The listener's responses are searched for markers too. */
  world: World;
  key: string;
  /** Headers with keys that have ended, and with secrets of other kinds. */
  wrong: { what: string; headers: Record<string, string> }[];
}

/** Operations that concern all sites and may return data of each. */
export const ABOUT_ALL = ['operator.listSites', 'operator.createSite'];

/** A listener for operators on a database, which the caller has to close. */
export interface BareListener {
  baseUrl: string;
  mint(description: string): Promise<{ id: string; secret: string }>;
  revoke(id: string): Promise<void>;
  close(): Promise<void>;
}

export async function openListener(
  databaseUrl: string,
  { causes, configured = 'http://localhost' }: { causes: World['causes']; configured?: string },
): Promise<BareListener> {
  const owner = openPool({ url: databaseUrl, max: 4, pooling: 'session' });
  const app = createOperatorApp({
    ...{ owner, logger: loggerInto(causes), baseUrl: configured, card: undefined, redis: undefined },
    ...{ secretKey: SECRET_KEY, rateLimits: false, validateResponses: true, files: directoryStore(FILES_DIR) },
  });
  const server = createServer(app);
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  const asKeeper = <T>(work: (connection: Connection) => Promise<T>) =>
    inTransaction(owner, (connection) => asOwner(connection, () => work(connection)));
  return {
    baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    mint: (description) => asKeeper((connection) => createKey(connection, { description, days: 1 })),
    revoke: (id) => asKeeper((connection) => revokeKey(connection, id)),
    async close() {
      server.closeAllConnections();
      server.close();
      await owner.end();
    },
  };
}

/** Runs work with the listener, and adds its violations to those of the tenants' server. */
export async function withListener<T>(
  world: World,
  trial: Trial,
  work: (listener: OperatorListener) => Promise<T>,
): Promise<T> {
  const { baseUrl, mint, revoke, close } = await openListener(trial.databaseUrl, world);
  try {
    const [key, revoked, expired] = [await mint('proof'), await mint('revoked'), await mint('expired')];
    await revoke(revoked.id);
    await world.owner.query('update commerce.operator_keys set expires_at = now() where id = $1', [expired.id]);
    const ended = Object.entries({ revoked, expired }).map(([why, { secret }]) => ({
      what: `a key that is ${why}`,
      headers: { Authorization: `Bearer ${secret}` },
    }));
    const judged = behind(world, { baseUrl, db: world.db }, world.violations);
    return await work({ world: judged, key: key.secret, wrong: [...ended, ...secretsOfShops(world)] });
  } finally {
    await close();
  }
}

/** Returns headers with shops' credentials: in their own header, and in the header for operator keys. */
function secretsOfShops({ tenants }: World): OperatorListener['wrong'] {
  return tenants.flatMap(({ name, secrets, site_id }) =>
    Object.entries(secrets).flatMap(([scheme, secret]) => {
      const [header, value] = headerOf(scheme as keyof typeof secrets, secret);
      const what = `the ${scheme} of tenant ${name}`;
      const own = { [header]: value, 'X-Site-ID': site_id };
      return [
        { what, headers: own },
        { what: `${what} as an operator's`, headers: { Authorization: `Bearer ${secret}` } },
      ];
    }),
  );
}

interface Example {
  requestBody?: { content: { 'application/json': { examples: Record<string, { value: Record<string, unknown> }> } } };
  parameters?: { in: string; name: string; example?: unknown }[];
}

/** Builds a valid call of the operation for a tenant's site. */
export async function operatorCall(
  { world, key }: OperatorListener,
  tenant: Tenant,
  operation: Operation,
  { full = false } = {},
): Promise<Call> {
  const described = (operatorDocument.paths as unknown as Record<string, Record<string, Example>>)[operation.path];
  const { requestBody, parameters = [] } = described?.[operation.method] ?? {};
  const [example] = Object.values(requestBody?.content['application/json'].examples ?? {});
  const asked = parameters.filter((one) => full && one.in === 'query' && one.example !== undefined);
  const host = `h${randomUUID().slice(0, 8)}.${tenant.canary}.example`;
  const call: Call = {
    operation,
    path: { site_id: tenant.site_id, host },
    query: Object.fromEntries(asked.map(({ name, example: value }) => [name, String(value)])),
    headers: { Authorization: `Bearer ${key}`, ...(!operation.safe && { 'Idempotency-Key': randomUUID() }) },
    ...(example && { body: { ...example.value } }),
  };
  if (operation.id.endsWith('.addDomain')) call.body = { host, is_primary: false };
  if (operation.id.endsWith('.createSite')) call.body = { name: `${tenant.canary} further`, country: 'DE' };
  // Forces the deletion, because without `force` it is rejected if the site has pending payments.
  if (operation.id.endsWith('.deleteSite')) call.query.force = 'true';
  if (operation.id.endsWith('.removeDomain')) {
    await world.owner.query('insert into commerce.site_domains (host, site_id) values ($1, $2)', [
      host,
      tenant.site_id,
    ]);
  }
  return call;
}

/** Reverts the effects of calls on a tenant, so that other proofs can use it. */
export async function settle({ world }: OperatorListener, { site_id }: Tenant): Promise<void> {
  await world.owner.query('delete from commerce.site_domains where site_id = $1', [site_id]);
  await world.owner.query(
    `update commerce.sites set suspended_at = null, suspended_reason = null, moved_at = null, delete_at = null,
       delete_forced = false, limits = '{}' where site_id = $1`,
    [site_id],
  );
  await restoreJobs(world.owner, site_id);
}

/**
 * Sends a call to the listener. Responses are searched for other tenants' texts, unless the operation concerns all
 * sites.
 */
export async function ask({ world }: OperatorListener, call: Call, as: Tenant): Promise<Reply> {
  if (!ABOUT_ALL.includes(call.operation.id)) return world.send(call, as);
  world.answers += 1;
  return send(world.baseUrl, call);
}
