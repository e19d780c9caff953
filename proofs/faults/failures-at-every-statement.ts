import { setTimeout as sleep } from 'node:timers/promises';
import { freePort } from '../../server/src/db/free-port.ts';
import type { Operation } from '../../server/src/http/contract/contract.ts';
import type { Failpoint, FailpointNews, Fault } from '../testing/failpoints.ts';
import {
  type Effect,
  ENDS_ITS_CREDENTIAL,
  effectBetween,
  MUTATIONS,
  unexpected,
} from '../testing/idempotent-requests.ts';
import { holdingsOf } from '../testing/owner-queries.ts';
import { type Figures, type Proof, pick, type Trial } from '../testing/proof.ts';
import { chanceOf } from '../testing/random.ts';
import type { Call, Reply } from '../testing/raw-requests.ts';
import { ServerProcess, withDirectory } from '../testing/server-process.ts';
import { operationOf, type Tenant, type World } from '../testing/tenant.ts';
import { inWorld } from '../testing/three-tenants.ts';
import { effectOf, isDefinite, type Lane, lanesFor, playRound, sendOnce } from './serial-server.ts';

/**
 * Makes the server fail after each response of the database during a call; in the short form only after some responses.
 */
export const C3: Proof = {
  id: 'C3',
  promise:
    'If the server throws, exits or hangs for 10 s at any place in a mutation, a retry completes it exactly once, never partially.',
  run: (trial) =>
    withDirectory((directory) =>
      inWorld(trial, async (world) => {
        const lanes: FailingLane[] = [];
        try {
          await openLanes(lanes, world, trial, directory);
          return await attackAll(world, trial, lanes);
        } finally {
          await Promise.all(lanes.map((lane) => lane.close()));
        }
      }),
    ),
};

/** C2 covers the fourth fault, `cut`: a lost connection to the database. */
const FAULTS: Fault[] = ['throw', 'exit', 'hang'];
/** The faults for most operations of the short form, without `hang`, which takes 10 s. */
const QUICK_FAULTS: Fault[] = ['throw', 'exit', 'throw'];

async function attackAll(world: World, trial: Trial, lanes: FailingLane[]): Promise<Figures> {
  const count = { throw: 0, exit: 0, hang: 0, cut: 0 };
  let operations = 0;
  const plan = planOf(trial).values();
  // Each tenant tests another operation at the same time, because hanging and restarting take time but little CPU.
  const work = async (tenant: Tenant) => {
    const own = lanes.filter((lane) => lane.tenant === tenant);
    for (const { operation, failpoints } of plan) {
      operations += 1;
      await failEverywhere(world, own, operation, failpoints, count);
      trial.progress(`${operation.id}: ${JSON.stringify(count)}`);
    }
  };
  await Promise.all(world.tenants.map(work));
  const where = pick(trial.size, 'some answers', 'every answer of the database');
  const note = `${operations} operations, after ${where}: thrown ${count.throw} times, ended ${count.exit}, hung ${count.hang}`;
  return { tried: count.throw + count.exit + count.hang, unit: 'failures', violations: world.violations.list, note };
}

interface Step {
  operation: Operation;
  /**
   * The places at which to fail. Except in the short form the series is endless: it has each response of the database
   * with each fault.
   */
  failpoints: Iterable<Failpoint>;
}

function planOf({ size, seed }: Trial): Step[] {
  const chance = chanceOf(seed);
  if (size !== 'short') {
    const chosen = chance.some(MUTATIONS, pick(size, 1, MUTATIONS.length));
    return chosen.map((operation) => ({ operation, failpoints: allFailpoints() }));
  }
  const some = (operation: Operation, faults: Fault[]): Step => ({
    operation,
    failpoints: faults.map((fault) => ({ after: 1 + Math.floor(chance.next() * 8), fault })),
  });
  return [
    some(operationOf('storefront.completeCheckout'), FAULTS),
    some(operationOf('dashboard.markOrderPaid'), QUICK_FAULTS),
    some(chance.of(MUTATIONS), QUICK_FAULTS),
  ];
}

function* allFailpoints(): Generator<Failpoint> {
  for (let after = 1; ; after += 1) for (const fault of FAULTS) yield { after, fault };
}

/** Calls an operation on all lanes, and makes each call fail at the next place, until no place is left. */
async function failEverywhere(
  world: World,
  own: FailingLane[],
  operation: Operation,
  failpoints: Iterable<Failpoint>,
  count: Record<Fault, number>,
): Promise<void> {
  const lanes = lanesFor(own, operation);
  const { tenant } = own[0] as FailingLane;
  const effect = await effectOf(world, tenant, operation);
  const places = failpoints[Symbol.iterator]();
  for (let goesOn = true; goesOn; ) {
    const planned: Failpoint[] = [];
    for (let next = places.next(); !next.done; next = places.next()) {
      planned.push(next.value);
      if (planned.length === lanes.length) break;
    }
    goesOn = false;
    const attack = async (lane: FailingLane, call: Call) => {
      const failpoint = planned[lanes.indexOf(lane)] as Failpoint;
      const before = lanes.length === 1 ? await holdingsOf(world.owner, tenant.site_id) : undefined;
      const reached = await fail(world, lane, call, failpoint);
      if (before)
        judgeHalves(
          world,
          call,
          failpoint,
          effect,
          effectBetween(before, await holdingsOf(world.owner, tenant.site_id)),
        );
      if (reached) count[failpoint.fault] += 1;
      if (reached || Array.isArray(failpoints)) goesOn = true;
    };
    const what = planned.map(({ after, fault }) => `${fault} after answer ${after}`).join(', ');
    if (planned.length > 0) await playRound(world, lanes.slice(0, planned.length), { operation, effect, what, attack });
  }
}

/**
 * Checks before the retry that the call had its complete effect or none. Possible only if no other call runs in the
 * shop.
 */
function judgeHalves(
  world: World,
  { operation }: Call,
  { after, fault }: Failpoint,
  whole: Effect,
  found: Effect,
): void {
  const [expected, gained] = [whole, found].map((effect) => JSON.stringify(effect));
  if (gained !== '{}' && gained !== expected)
    world.violations.add(
      `${operation.id}, ${fault} after answer ${after}: partly written, ${gained} instead of ${expected}`,
    );
}

/** Sends a call that fails at this place. Returns whether the place was reached. */
async function fail(world: World, lane: FailingLane, call: Call, failpoint: Failpoint): Promise<boolean> {
  await lane.arm(failpoint);
  const first = sendOnce(world, lane, call).catch(() => undefined);
  const impatient = failpoint.fault === 'hang' ? retryMeanwhile(world, lane, call) : undefined;
  const replies = await Promise.all([first, impatient]);
  const { reached, ended } = await lane.disarm();
  const what = `${failpoint.fault} after answer ${failpoint.after}`;
  for (const each of replies) {
    if (each && !isHonest(each, call, failpoint)) unexpected(world, call, what, each);
  }
  if (ended && failpoint.fault !== 'exit') world.violations.add(`${call.operation.id}, ${what}: the server ended`);
  return reached || ended;
}

/** Retries like a client after its timeout, while the first request may still be running. */
async function retryMeanwhile(world: World, lane: FailingLane, call: Call): Promise<Reply | undefined> {
  await sleep(1_000);
  return lane.reached ? sendOnce(world, lane, call) : undefined;
}

function isHonest(reply: Reply, { operation }: Call, { fault }: Failpoint): boolean {
  if (reply.status === operation.status || !isDefinite(reply)) return true;
  return fault === 'throw' ? reply.status === 500 : reply.status === 401 && ENDS_ITS_CREDENTIAL.includes(operation.id);
}

const LANES_PER_TENANT = { short: 1, tenth: 2, full: 10 };

async function openLanes(lanes: FailingLane[], world: World, { size, databaseUrl }: Trial, directory: string) {
  const env = { DATABASE_URL: databaseUrl, DATA_DIR: directory, RATE_LIMITS: 'off', LOG_LEVEL: 'fatal', ROLE: 'api' };
  const tenants = Array.from({ length: LANES_PER_TENANT[size] }, () => world.tenants).flat();
  for (const tenant of tenants) lanes.push(await FailingLane.open(tenant, env));
}

/** A lane with its own server, which fails on request, and is restarted if it has ended. */
class FailingLane implements Lane {
  readonly tenant: Tenant;
  reached = false;
  readonly #env: Record<string, string>;
  #server: ServerProcess;

  private constructor(tenant: Tenant, env: Record<string, string>, server: ServerProcess) {
    this.tenant = tenant;
    this.#env = env;
    this.#server = server;
  }

  static async open(tenant: Tenant, env: Record<string, string>): Promise<FailingLane> {
    return new FailingLane(tenant, env, await start(env));
  }

  get baseUrl(): string {
    return this.#server.baseUrl;
  }

  async arm(failpoint: Failpoint): Promise<void> {
    this.reached = false;
    await new Promise<void>((armed) => {
      this.#server.order<FailpointNews>(failpoint, (news) => {
        if (news === 'armed') armed();
        else this.reached = true;
      });
    });
  }

  /**
   * Ends the fault and, if needed, restarts the server. Returns whether the place was reached, and whether the server
   * had ended.
   */
  async disarm(): Promise<{ reached: boolean; ended: boolean }> {
    const { reached } = this;
    const exit = await Promise.race([this.#server.exited, this.arm({ after: 0, fault: 'throw' })]);
    if (exit) this.#server = await start(this.#env);
    return { reached, ended: exit !== undefined };
  }

  async close(): Promise<void> {
    await this.#server.end('SIGKILL');
  }
}

async function start(env: Record<string, string>): Promise<ServerProcess> {
  return new ServerProcess(await freePort(), env, 'failpoints.ts').readyAtLast();
}
