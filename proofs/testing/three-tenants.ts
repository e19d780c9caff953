/**
 * Three tenants in one database behind one server, with objects of every kind, and orders in several states. The texts
 * of a tenant contain its marker, which shows whose data a response contains.
 */

import { randomUUID } from 'node:crypto';
import type { AppDeps } from '../../server/src/app.ts';
import { inTransaction } from '../../server/src/db/transaction.ts';
import { createSite, mintPassword } from '../../server/src/shop/merchant/sites.ts';
import { hashToken, mintToken, type TokenKind } from '../../server/src/shop/tokens.ts';
import { brokenInvariants } from '../../server/test/invariants.ts';
import { KEY_SCOPES } from '../../server/test/key-scopes.ts';
import { startServer, stopServer } from '../../server/test/server.ts';
import { buryAgents, forgetGuesses } from './agents.ts';
import { buryCustomers } from './customers.ts';
import { leaksIn } from './leaks.ts';
import { MAKERS, makeAll } from './objects.ts';
import { keepingViolations, type Trial, Violations } from './proof.ts';
import { type Call, exchange, send } from './raw-requests.ts';
import { carryOn } from './sales.ts';
import { hire, openStaffSession } from './staff.ts';
import { callAs, type Ids, type Kind, SCHEMES, type Tenant, type World } from './tenant.ts';

/**
 * Runs `work` with three seeded tenants, then checks the database's invariants. Only the full form of a proof seeds its
 * own tenants. Shorter forms share them, because seeding would take most of their time.
 */
export async function inWorld<T>(trial: Trial, work: (world: World) => Promise<T>): Promise<T> {
  if (trial.size === 'full') await closeWorld();
  open ??= openWorld(trial);
  const { world } = await open;
  world.violations = new Violations();
  world.answers = 0;
  // A session counts as confirmed for only 15 minutes, but proofs run for hours.
  await world.owner.query("update commerce.staff_sessions set confirmed_at = now() + interval '1 day'");
  try {
    const result = await keepingViolations(world, () => work(world));
    for (const { rule, rows } of await brokenInvariants(world.owner)) {
      world.violations.add(`invariant broken: ${rule} ${JSON.stringify(rows)}`);
    }
    return result;
  } finally {
    if (trial.size === 'full') await closeWorld();
  }
}

let open: ReturnType<typeof openWorld> | undefined;

/** Closes the shared world, if it is open. */
export async function closeWorld(): Promise<void> {
  const closing = open;
  open = undefined;
  if (closing) await stopServer((await closing).server);
}

async function openWorld(trial: Trial) {
  const causes: World['causes'] = new Map();
  const server = await startServer(trial.databaseUrl, { logger: loggerInto(causes), trustProxy: 1 }, trial.databaseUrl);
  return { server, world: await seedWorld({ ...server, causes }, trial.seed, ['A', 'B', 'C'], trial.size) };
}

/** A logger that only keeps the causes of 5xx responses. */
export function loggerInto(causes: World['causes']): AppDeps['logger'] {
  return {
    info() {},
    error: (line: { request_id: string; cause: unknown }) => causes.set(line.request_id, line.cause),
  } as unknown as AppDeps['logger'];
}

/** Creates tenants behind a running server. */
export async function seedWorld(
  server: Pick<World, 'baseUrl' | 'db' | 'owner' | 'causes'>,
  seed: number,
  names: Tenant['name'][],
  size: Trial['size'] = 'short',
): Promise<World> {
  const world = watched({
    ...server,
    tenants: [] as unknown as World['tenants'],
    violations: new Violations(),
    answers: 0,
  });
  for (const name of names) world.tenants.push(await seedTenant(world, name, seed, size));
  return world;
}

/** Returns the tenants behind another server of the same database, by default with separate violations. */
export function behind(
  world: World,
  { baseUrl, db }: Pick<World, 'baseUrl' | 'db'>,
  violations = new Violations(),
): World {
  return watched({ ...world, baseUrl, db, violations, answers: 0 });
}

function watched(seen: Omit<World, 'send' | 'look'>): World {
  const world: World = {
    ...seen,
    async send(call, as) {
      if (as && 'user_code' in call.path) await forgetGuesses(world, as);
      const reply = await send(world.baseUrl, call);
      // Removes filters that the response repeats, because they are not data of another tenant.
      const text = filtersIn(call).reduce((rest, sent) => rest.replaceAll(sent, '<sent>'), reply.text);
      world.look({ ...reply, text }, as, call.operation.id);
      return reply;
    },
    look(reply, as, what) {
      world.answers += 1;
      const shown = `${JSON.stringify(reply.headers)} ${reply.text}`.toLowerCase();
      for (const other of world.tenants) {
        // Without a credential, this operation may return the shop's data to a client that sends a device code of that
        // shop.
        const invited = !as && what === 'agent.pollConsent';
        const foreign = other.name !== as?.name && !invited && shown.includes(other.canary);
        if (foreign)
          world.violations.add(`${what}: tenant ${as?.name ?? 'nobody'} sees ${other.name}: ${shown.slice(0, 500)}`);
      }
      if (reply.status >= 400) for (const leak of leaksIn(reply)) world.violations.add(`${what}: ${leak}`);
    },
  };
  return world;
}

/**
 * Returns the collection handles that an agent's call filters by. They are the only ids that a response repeats as they
 * were sent.
 */
function filtersIn({ query, body }: Call): string[] {
  return [query, body as Record<string, unknown> | undefined].flatMap((sent) =>
    typeof sent?.collection === 'string' ? [sent.collection] : [],
  );
}

/** How many objects of each kind a tenant has, if not one. Calls name several products; orders have several states. */
const FEW: Partial<Record<keyof typeof MAKERS, number>> = { product: 3, order: 2 };
const MANY: typeof FEW = {
  ...{ product: 10, collection: 5, customer: 3, discount: 3, order: 5 },
  ...{ staff_member: 2, staff_session: 2, file: 2, invitation: 2, api_key: 2, storefront_token: 2 },
  ...{
    shipping_option: 2,
    cart: 2,
    checkout: 2,
    agent_token: 2,
    shipped_order: 2,
    return: 2,
    withdrawal: 2,
    document: 2,
  },
  ...{ draft_order: 2, user_code: 2, agent_cart: 2, agent_checkout: 2, agent_order: 2, sync_order: 2 },
  ...{ statement_run: 2, webhook: 2, listener: 2 },
};

async function seedTenant(world: World, name: Tenant['name'], seed: number, size: Trial['size']): Promise<Tenant> {
  const canary = `zz${name}${seed}q${randomUUID().slice(0, 8)}`.toLowerCase();
  const email = `${canary}@example.com`;
  const minted = await mintPassword();
  const { credentials } = await inTransaction(world.db, (connection) =>
    createSite(connection, {
      name: `${canary} shop`,
      currency: 'EUR',
      staff: { email, name: `${canary} staff` },
      password: minted,
      key_scopes: KEY_SCOPES,
    }),
  );
  const password = credentials.staff.password ?? '';
  const tenant: Tenant = {
    name,
    canary,
    site_id: credentials.site_id,
    merchant_id: credentials.merchant_id,
    ids: { ...emptyIds(), merchant: [credentials.merchant_id] },
    staff: [{ email, password }, await hire(world, credentials.site_id, canary)],
    secrets: {
      StaffSession: (await openStaffSession(world, email)).secret,
      ApiKey: credentials.api_key,
      StorefrontToken: credentials.storefront_token,
      CustomerToken: '',
      AgentToken: '',
      SyncSecret: credentials.sync_secret,
    },
    dead: [],
    readOnlyKey: '',
  };
  await world.owner.query(
    `update commerce.tokens set scopes = scopes || array['catalog:write'] where site_id = $1 and kind = 'sync'`,
    [tenant.site_id],
  );
  for (const kind of Object.keys(MAKERS) as (keyof typeof MAKERS)[]) {
    await makeAll(world, tenant, { [kind]: (size === 'full' ? MANY : FEW)[kind] ?? 1 });
    if (kind === 'customer') tenant.secrets.CustomerToken = tenant.ids.customer_token[0] ?? '';
  }
  await callAs(world, tenant, 'dashboard.updateSettings', { allowed_origins: [`https://${canary}.example`] });
  await moveOrders(world, tenant);
  await buryCredentials(world, tenant);
  return tenant;
}

function emptyIds(): Ids {
  const kinds = new Set<Kind>(['merchant', ...(Object.values(MAKERS).flatMap(({ makes }) => makes) as Kind[])]);
  return Object.fromEntries([...kinds].map((kind) => [kind, [] as string[]])) as unknown as Ids;
}

/** Logs in a member of staff. Returns the session token. */
export async function openSession(
  { baseUrl }: Pick<World, 'baseUrl'>,
  email: string,
  password: string,
): Promise<string> {
  const headers = { 'Idempotency-Key': randomUUID(), 'Content-Type': 'application/json' };
  const body = JSON.stringify({ email, password });
  const { status, text } = await exchange(baseUrl, 'POST', '/api/dashboard/auth/login', headers, body);
  if (status !== 200) throw new Error(`The login of the proof was refused: ${status} ${text}`);
  return (JSON.parse(text) as { access_token: string }).access_token;
}

/** Refunds one order and cancels another. Orders of other kinds are paid or shipped, or await their payment. */
async function moveOrders(world: World, tenant: Tenant): Promise<void> {
  const [refunded = '', cancelled = ''] = tenant.ids.order;
  await carryOn(world, tenant, refunded, 'refunded');
  const body = { reason: 'staff', note: tenant.canary };
  await callAs(world, tenant, 'dashboard.cancelOrder', body, { order_id: cancelled });
}

/** Adds credentials that were never issued or no longer work to `dead`, and creates the read-only key. */
async function buryCredentials(world: World, tenant: Tenant): Promise<void> {
  const { dead } = tenant;
  for (const { kind } of Object.values(SCHEMES)) dead.push({ kind, why: 'never issued', secret: mintToken(kind) });
  const makers = { api_key: 'dashboard.createApiKey', storefront: 'dashboard.createStorefrontToken' } as const;
  for (const [kind, operation] of Object.entries(makers)) {
    for (const why of ['revoked', 'expired']) {
      const scopes = kind === 'api_key' ? { scopes: ['read', 'write'] } : {};
      const body = { description: `${tenant.canary} ${why}`, ...scopes };
      const { id, secret } = (await callAs(world, tenant, operation, body)) as { id: string; secret: string };
      dead.push({ kind: kind as TokenKind, why, secret });
      await endToken(world, id, why);
    }
  }
  for (const why of ['revoked', 'expired']) {
    const { id, secret } = (await callAs(world, tenant, 'dashboard.createSyncKey', {
      description: `${tenant.canary} ${why}`,
    })) as { id: string; secret: string };
    dead.push({ kind: 'sync', why, secret });
    await endToken(world, id, why);
  }
  for (const why of ['revoked', 'expired']) {
    const { secret } = await openStaffSession(world, tenant.staff[0]?.email ?? '');
    dead.push({ kind: 'staff', why, secret });
    await world.owner.query(`update commerce.staff_sessions set ${ENDS[why]} where token_hash = $1`, [
      hashToken(secret),
    ]);
  }
  await buryCustomers(world, tenant);
  await buryAgents(world, tenant);
  const { secret } = (await callAs(world, tenant, 'dashboard.createApiKey', {
    description: `${tenant.canary} reads`,
    scopes: ['read'],
  })) as { secret: string };
  tenant.readOnlyKey = secret;
}

const ENDS: Record<string, string> = {
  revoked: 'revoked_at = now()',
  expired: `expires_at = now() - interval '1 second'`,
};

async function endToken({ owner }: World, id: string, why: string): Promise<void> {
  await owner.query(`update commerce.tokens set ${ENDS[why]} where id = $1`, [id]);
}
