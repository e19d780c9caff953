import { randomUUID } from 'node:crypto';
import type { Pool } from 'pg';
import { operationTable } from '../../server/src/http/contract/contract.ts';
import { operatorOperations } from '../../server/src/http/contract/operator-contract.ts';
import { agentTools } from '../../server/src/mcp/tools.ts';
import { orderLink } from '../../server/src/shop/links.ts';
import { hashToken, mintToken } from '../../server/src/shop/tokens.ts';
import { publishProfile } from '../../server/test/ucp.ts';
import { PAGES } from '../pages/page-list.ts';
import { arrangeFor, type Furnished, fillIn, furnish } from '../pages/page-shops.ts';
import { isAgentWithStorefront } from '../testing/agents.ts';
import { callTool } from '../testing/mcp.ts';
import { MAKERS } from '../testing/objects.ts';
import { ask, operatorCall, withListener } from '../testing/operators.ts';
import { type Figures, type Proof, pick, type Size, type Trial, type Violations } from '../testing/proof.ts';
import { exchange, targetOf } from '../testing/raw-requests.ts';
import { changed, type State, stateOf } from '../testing/table-digests.ts';
import { callAs, type Tenant, type World } from '../testing/tenant.ts';
import { onPremises } from '../testing/test-server.ts';
import { closeWorld, inWorld } from '../testing/three-tenants.ts';
import { validAsks, WAYS } from '../testing/ucp.ts';
import { validCall } from '../testing/valid-requests.ts';

/**
 * Sends every read-only request to a shop whose deadlines have all passed, but in which no job has run: operations of
 * the contract and of operators, agents' tools, UCP, and hosted pages. None of them may change the shop's rows.
 */
export const H10: Proof = {
  id: 'H10',
  promise: 'A request that only reads changes no business state, whatever is overdue.',
  async run(trial) {
    // Runs last in its file and closes the tenants, because no other proof could use tenants whose deadlines have
    // passed.
    try {
      const figures = await inWorld(trial, (world) => readAll(trial, world));
      const pages = await readPages(trial);
      const violations = [...figures.violations, ...pages.violations];
      return { ...figures, tried: figures.tried + pages.sent, note: `${pages.sent} of them of pages`, violations };
    } finally {
      await closeWorld();
    }
  },
};

interface Read {
  /** Names the request in violations. */
  what: string;
  /** Sends the request. If it consists of several requests, returns their number. */
  send(): Promise<unknown>;
}

/** Reads all hosted pages, and the page of an unpaid order, because PAGES only contains that of a paid one. */
function readPages(trial: Trial): Promise<{ sent: number; violations: string[] }> {
  return onPremises(trial, async ({ baseUrl, owner, openShop, violations }) => {
    const furnished = await furnish(await openShop(), `shop${randomUUID().slice(0, 8)}`);
    const { site_id } = furnished.shop;
    const readers = [{ name: 'an unpaid order', path: await linkToUnpaid(owner, furnished), login: '' }];
    for (const page of PAGES) readers.push({ name: page.name, ...(await arrangeFor(page, furnished)) });
    await passDeadlines(owner, site_id);
    const reads = readers.map(({ name, path, login }) => ({
      what: `GET ${name}`,
      send: () => exchange(baseUrl, 'GET', path, { Cookie: login }),
    }));
    const sent = await compare(owner, site_id, reads, violations);
    return { sent, violations: violations.list };
  });
}

async function linkToUnpaid(owner: Pool, furnished: Furnished): Promise<string> {
  const { shop } = furnished;
  const { id: checkout_id } = await fillIn(furnished);
  const { order } = await shop.must('storefront.completeCheckout', { path: { checkout_id }, body: {} });
  const token = mintToken('order');
  await owner.query('insert into commerce.order_links (site_id, token_hash, order_id) values ($1, $2, $3)', [
    ...[shop.site_id, hashToken(token), order.id],
  ]);
  return orderLink('', shop.site_id, token);
}

async function readAll(trial: Trial, world: World): Promise<Figures> {
  const [tenant] = world.tenants;
  const { owner, violations } = world;
  let tried = 0;
  await withListener(world, trial, async (listener) => {
    for (const when of pick(trial.size, ['overdue'], ['in time', 'overdue'])) {
      await makeThingsWithDeadlines(world, tenant);
      const reads = [...(await readsOfContract(world, tenant, trial.size)), ...(await readsByTools(world, tenant))];
      for (const operation of operatorOperations.filter(({ safe }) => safe)) {
        const call = await operatorCall(listener, tenant, operation);
        reads.push({ what: operation.id, send: () => ask(listener, call, tenant) });
      }
      const ucp = await readsOverUcp(world, tenant);
      reads.push(...ucp.reads);
      if (when === 'overdue') await passDeadlines(owner, tenant.site_id);
      const named = reads.map(({ what, send }) => ({ what: `${what} (${when})`, send }));
      tried += await compare(owner, tenant.site_id, named, violations);
      await ucp.close();
      trial.progress(`${tried} requests ${when}`);
    }
  });
  return { tried, unit: 'requests', violations: violations.list };
}

/** Creates objects with deadlines, and puts them first, so that the requests use them. */
async function makeThingsWithDeadlines(world: World, tenant: Tenant): Promise<void> {
  for (const kind of ['cart', 'checkout', 'order', 'agent_order', 'sync_order'] as const) {
    const made = await MAKERS[kind].make(world, tenant);
    tenant.ids[kind].unshift(...(made[kind] ?? []));
  }
  const path = { cart_id: tenant.ids.cart[0] ?? '' };
  await callAs(world, tenant, 'storefront.applyDiscount', { code: tenant.ids.discount_code[0] }, path);
}

const EXPIRED = /"(cart|checkout)_expired"/;

/** Returns the reading operations: with all query parameters, with each of their credentials, and as HEAD. */
async function readsOfContract(world: World, tenant: Tenant, size: Size): Promise<Read[]> {
  const reads: Read[] = [];
  for (const operation of operationTable.filter(({ safe }) => safe)) {
    const calls = [await validCall(world, tenant, operation, { full: true })];
    for (const [alternative, schemes] of operation.security.entries()) {
      if (!isAgentWithStorefront(schemes)) calls.push(await validCall(world, tenant, operation, { alternative }));
    }
    reads.push({
      what: operation.id,
      async send() {
        for (const call of calls) {
          const { status, text } = await world.send(call, tenant);
          const isRead = status < 400 || EXPIRED.test(text);
          if (!isRead)
            world.violations.add(
              `${operation.id} was rejected, so the proof shows nothing about it: ${status} ${text}`,
            );
        }
        const heads = pick(size, calls.slice(0, 1), calls);
        for (const call of heads) await exchange(world.baseUrl, 'HEAD', targetOf(call), call.headers);
        return calls.length + heads.length;
      },
    });
  }
  return reads;
}

async function readsByTools(world: World, tenant: Tenant): Promise<Read[]> {
  const reads: Read[] = [];
  for (const { operation } of agentTools().values()) {
    if (!operation.safe) continue;
    const call = await validCall(world, tenant, operation);
    const send = () => callTool(world, tenant, tenant.secrets.AgentToken, call);
    reads.push({ what: `the tool of ${operation.id}`, send });
  }
  return reads;
}

async function readsOverUcp(world: World, tenant: Tenant): Promise<{ reads: Read[]; close(): Promise<void> }> {
  const profile = await publishProfile();
  const { baseUrl } = world;
  const { site_id, ids, secrets } = tenant;
  const speaker = { baseUrl, site_id, profile: profile.url, secret: secrets.AgentToken };
  const [customer_id = ''] = ids.customer;
  const asks = await validAsks(world, tenant, { speaker, customer_id, isAlive: true });
  const reads = asks
    .filter(({ name }) => /^(get|search|lookup)_/.test(name))
    .flatMap((asked) =>
      Object.entries(WAYS).map(([way, by]) => {
        const { method, path, headers, message } = by(speaker, asked);
        const body = message === undefined ? undefined : JSON.stringify(message);
        return { what: `${asked.name} over ${way}`, send: () => exchange(baseUrl, method, path, headers, body) };
      }),
    );
  return { reads, close: profile.close };
}

/** Tables that any call may write as a side effect, such as counters and the audit. */
const IN_PASSING = new Set([
  ...[
    'audit_events',
    'audit_keys',
    'audit_seals',
    'signing_keys',
    'rate_counts',
    'login_throttles',
    'site_usage',
    'ucp_requests',
  ],
  // A cache of the profile documents of agents.
  'agent_profiles',
  // Fetching events keeps their listener open, which updates its row.
  'event_listeners',
]);

/** The rows are compared after this many requests, because a comparison takes much longer than a request. */
const COMPARED_AT_ONCE = 25;

/**
 * Sends the requests, and compares the shop's rows and queued jobs before and after. Returns the number of requests. A
 * violation names all requests since the previous comparison.
 */
async function compare(owner: Pool, site_id: string, reads: Read[], violations: Violations): Promise<number> {
  let sent = 0;
  let before = await businessState(owner, site_id);
  for (let at = 0; at < reads.length; at += COMPARED_AT_ONCE) {
    const some = reads.slice(at, at + COMPARED_AT_ONCE);
    for (const { send } of some) {
      const several = await send();
      sent += typeof several === 'number' ? several : 1;
    }
    const after = await businessState(owner, site_id);
    const tables = changed(before, after).filter((name) => !IN_PASSING.has(name));
    if (tables.length > 0) {
      violations.add(
        `one of these reads changed rows of ${tables.join(', ')}: ${some.map(({ what }) => what).join(', ')}`,
      );
    }
    before = after;
  }
  return sent;
}

async function businessState(owner: Pool, site_id: string): Promise<State> {
  const { rows } = await owner.query<{ jobs: string }>(
    `select count(*) as jobs from graphile_worker._private_jobs where payload::jsonb ->> 'site_id' = $1`,
    [site_id],
  );
  return { ...(await stateOf(owner, [site_id])), jobs: String(rows[0]?.jobs) };
}

/** Moves the deadlines of a shop's open objects into the past. Throws if one of the updates finds no row. */
async function passDeadlines(owner: Pool, site_id: string): Promise<void> {
  const passed = (column: string) => `${column} = now() - interval '1 minute'`;
  const updates = {
    orders: `set ${passed('payment_due_at')}, ${passed('payment_reminder_at')} where payment_status = 'awaiting_payment'`,
    checkouts: `set ${passed('expires_at')}, ${passed('reserved_until')} where status in ('open', 'ready', 'requires_escalation')`,
    carts: `set ${passed('expires_at')} where status = 'active'`,
    discount_redemptions: `set ${passed('expires_at')} where status = 'reserved'`,
  };
  for (const [table, update] of Object.entries(updates)) {
    const { rowCount } = await owner.query(`update commerce.${table} ${update} and site_id = $1`, [site_id]);
    if (!rowCount) throw new Error(`The shop has no ${table} that could be overdue.`);
  }
}
