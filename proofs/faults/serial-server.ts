import { setTimeout as sleep } from 'node:timers/promises';
import type { Operation } from '../../server/src/http/contract/contract.ts';
import { startServer, stopServer } from '../../server/test/server.ts';
import { forgetGuesses } from '../testing/agents.ts';
import {
  type Effect,
  ENDS_ITS_CREDENTIAL,
  effectBetween,
  isReplay,
  sameAnswer,
  unexpected,
} from '../testing/idempotent-requests.ts';
import { kindsIn } from '../testing/objects.ts';
import { holdingsOf } from '../testing/owner-queries.ts';
import { type Call, type Reply, send } from '../testing/raw-requests.ts';
import type { Tenant, World } from '../testing/tenant.ts';
import { loggerInto } from '../testing/three-tenants.ts';
import { validCall } from '../testing/valid-requests.ts';
import { DatabaseProxy } from './database-proxy.ts';

/** A server for the calls of one tenant, which a proof can attack. */
export interface Lane {
  readonly tenant: Tenant;
  readonly baseUrl: string;
}

/** A lane whose connection to the database can fail. */
export interface ProxiedLane extends Lane {
  readonly proxy: DatabaseProxy;
}

/** Runs work with this many lanes for each tenant. */
export async function withLanes<T>(
  world: World,
  databaseUrl: string,
  perTenant: number,
  work: (lanes: ProxiedLane[]) => Promise<T>,
): Promise<T> {
  const open = async (tenant: Tenant) => {
    const proxy = await DatabaseProxy.before(databaseUrl);
    const server = await startServer(proxy.url, { logger: loggerInto(world.causes) }, databaseUrl);
    return { tenant, baseUrl: server.baseUrl, proxy, server };
  };
  const tenants = Array.from({ length: perTenant }, () => world.tenants).flat();
  const lanes = await Promise.all(tenants.map(open));
  try {
    return await work(lanes);
  } finally {
    await Promise.all(lanes.map(({ server }) => stopServer(server)));
    await Promise.all(lanes.map(({ proxy }) => proxy.end()));
  }
}

/** Kinds of objects with a low limit per shop. The new object of one lane would replace that of another lane. */
const SCARCE = ['api_key', 'storefront_token', 'sync_key', 'webhook', 'delivery', 'listener'] as const;
const MAKES_SCARCE = ['dashboard.createApiKey', 'dashboard.createStorefrontToken', 'dashboard.createSyncKey'];

/** Returns the lanes that may call an operation concurrently. */
export function lanesFor<L extends Lane>(lanes: L[], operation: Operation): L[] {
  const kinds = kindsIn(operation);
  const scarce = MAKES_SCARCE.includes(operation.id) || SCARCE.some((kind) => kinds.has(kind));
  return scarce ? lanes.filter(({ tenant }, i) => lanes.findIndex((lane) => lane.tenant === tenant) === i) : lanes;
}

/** Calls an operation without faults, and returns its effect. */
export async function effectOf(world: World, tenant: Tenant, operation: Operation): Promise<Effect> {
  const call = await validCall(world, tenant, operation);
  const before = await holdingsOf(world.owner, tenant.site_id);
  const reply = await world.send(call, tenant);
  if (reply.status !== operation.status) unexpected(world, call, 'when nothing fails', reply);
  return effectBetween(before, await holdingsOf(world.owner, tenant.site_id));
}

export interface Round<L extends Lane> {
  operation: Operation;
  effect: Effect;
  /** Describes the attack in violations. */
  what: string;
  /** Attacks the call of one lane. Retries then complete the call if it is unfinished. */
  attack(lane: L, call: Call): Promise<void>;
}

/**
 * Makes one call on each lane, attacks all calls concurrently, and retries each with its key until the response is
 * definite. Each must succeed, return the same response when it is repeated, and take effect once.
 */
export async function playRound<L extends Lane>(world: World, lanes: L[], round: Round<L>): Promise<void> {
  const { operation, effect, what, attack } = round;
  const calls: Call[] = [];
  for (const { tenant } of lanes) calls.push(await validCall(world, tenant, operation));
  const tenants = [...new Set(lanes.map(({ tenant }) => tenant))];
  const before = await Promise.all(tenants.map(({ site_id }) => holdingsOf(world.owner, site_id)));
  await Promise.all(
    lanes.map(async (lane, i) => {
      const call = calls[i] as Call;
      await attack(lane, call);
      await judgeEnd(world, lane, call, what);
    }),
  );
  for (const [i, tenant] of tenants.entries()) {
    const times = lanes.filter((lane) => lane.tenant === tenant).length;
    const once = Object.entries(effect).map(([table, rows]) => [table, rows * times]);
    const gained = effectBetween(before[i] ?? {}, await holdingsOf(world.owner, tenant.site_id));
    if (JSON.stringify(gained) === JSON.stringify(Object.fromEntries(once))) continue;
    const [one, many] = [effect, gained].map((rows) => JSON.stringify(rows));
    world.violations.add(`${operation.id}, ${what}: ${times} calls each make ${one}, but made ${many}`);
  }
}

async function judgeEnd(world: World, lane: Lane, call: Call, what: string): Promise<void> {
  const { operation } = call;
  const ended = (reply: Reply) => ENDS_ITS_CREDENTIAL.includes(operation.id) && reply.status === 401;
  const answer = await sendThrough(world, lane, call);
  if (answer.status !== operation.status && !ended(answer)) unexpected(world, call, `${what}, the answer`, answer);
  const again = await sendThrough(world, lane, call);
  if (ended(again)) return;
  if (!isReplay(again) || !sameAnswer(answer, again)) unexpected(world, call, `${what}, once more`, again);
}

const ATTEMPTS = 50;

/** Sends a call on a lane until the response is definite, at most 50 times. */
export async function sendThrough(world: World, lane: Lane, call: Call): Promise<Reply> {
  for (let attempt = 1; ; attempt += 1) {
    const reply = await sendOnce(world, lane, call);
    if (isDefinite(reply) || attempt === ATTEMPTS) return reply;
    await sleep(20);
  }
}

/** Sends a call on a lane once. */
export async function sendOnce(world: World, lane: Lane, call: Call): Promise<Reply> {
  // Each cut-off attempt counts as a guess of an unknown code, and a shop allows only few guesses an hour.
  if ('user_code' in call.path) await forgetGuesses(world, lane.tenant);
  const reply = await send(lane.baseUrl, call);
  world.look(reply, lane.tenant, call.operation.id);
  return reply;
}

export function isDefinite({ status, text }: Reply): boolean {
  return status !== 503 && !(status === 409 && text.includes('"idempotency_in_flight"'));
}

/** Waits until each statement that was cut off has taken effect or no longer can. */
export async function settle({ proxy }: ProxiedLane): Promise<void> {
  while (!proxy.settled) await sleep(1);
}
