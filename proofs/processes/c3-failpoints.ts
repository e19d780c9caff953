import { setTimeout as sleep } from 'node:timers/promises';
import type { Operation } from '../../server/src/http/contract.ts';
import type { Call, Reply } from '../client.ts';
import { type Figures, type Proof, pick, type Trial } from '../frame.ts';
import { ENDS_ITS_CREDENTIAL, MUTATIONS, unexpected } from '../idempotent.ts';
import { type Chance, chanceOf } from '../random.ts';
import { operationOf, type Tenant, type World } from '../tenant.ts';
import { inWorld } from '../world.ts';
import type { Failpoint, FailpointNews, Fault } from './failpoints.ts';
import { effectOf, isDefinite, type Lane, lanesFor, playRound, sendOnce } from './lanes.ts';
import { freePort, ServerProcess, withDirectory } from './server-process.ts';

/** The server itself fails after the first answer of the database, after the second, and so on to the last. */
export const C3: Proof = {
  id: 'C3',
  promise:
    'A mutation in which the server throws, ends or hangs for 10 s at any place leaves nothing half done, and its retry does it once.',
  run: (trial) =>
    withDirectory((directory) =>
      inWorld(trial, async (world) => {
        const lanes = await openLanes(world, trial, directory);
        try {
          return await attackAll(world, trial, lanes);
        } finally {
          await Promise.all(lanes.map((lane) => lane.close()));
        }
      }),
    ),
};

const FAULTS: Fault[] = ['throw', 'exit', 'hang'];
/** Without waiting for what hangs. */
const QUICK_FAULTS: Fault[] = ['throw', 'exit', 'throw'];

async function attackAll(world: World, trial: Trial, lanes: FailingLane[]): Promise<Figures> {
  const count = { throw: 0, exit: 0, hang: 0 };
  const chance = chanceOf(trial.seed);
  const operations = pick(trial.size, [...ALWAYS.map(operationOf), chance.of(MUTATIONS)], MUTATIONS);
  const left = operations.entries();
  // Each tenant at an operation of its own: what hangs and what starts again takes time, and little else.
  const work = async (tenant: Tenant) => {
    const own = lanes.filter((lane) => lane.tenant === tenant);
    for (const [i, operation] of left) {
      const failpoints = pick(trial.size, someFailpoints(chance, i === 0 ? FAULTS : QUICK_FAULTS), allFailpoints());
      await failEverywhere(world, own, operation, failpoints, count);
      trial.progress(`${operation.id}: ${JSON.stringify(count)}`);
    }
  };
  await Promise.all(world.tenants.map(work));
  const where = pick(trial.size, 'some answers', 'every answer of the database');
  const note = `${operations.length} operations, after ${where}: thrown ${count.throw} times, ended ${count.exit}, hung ${count.hang}`;
  return { tried: count.throw + count.exit + count.hang, unit: 'failures', violations: world.violations.list, note };
}

const ALWAYS = ['storefront.completeCheckout', 'dashboard.markOrderPaid'];

function* allFailpoints(): Generator<Failpoint, undefined> {
  for (let after = 1; ; after += 1) for (const fault of FAULTS) yield { after, fault };
}

function* someFailpoints(chance: Chance, faults: Fault[]): Generator<Failpoint, undefined> {
  for (const fault of faults) yield { after: 1 + Math.floor(chance.next() * 8), fault };
}

/** Calls an operation by turns on all lanes, and fails each call at the next place, until there are no more places. */
async function failEverywhere(
  world: World,
  own: FailingLane[],
  operation: Operation,
  failpoints: Generator<Failpoint, undefined>,
  count: Record<Fault, number>,
): Promise<void> {
  const lanes = lanesFor(own, operation);
  const { tenant } = own[0] as FailingLane;
  const effect = await effectOf(world, tenant, operation);
  for (let goesOn = true; goesOn; ) {
    const planned = lanes.flatMap(() => failpoints.next().value ?? []);
    const last = planned.at(-1)?.after;
    goesOn = false;
    const attack = async (lane: FailingLane, call: Call) => {
      const failpoint = planned[lanes.indexOf(lane)];
      if (!failpoint || !(await fail(world, lane, call, failpoint))) return;
      if (failpoint.after === last) goesOn = true;
      count[failpoint.fault] += 1;
    };
    const what = planned.map(({ after, fault }) => `${fault} after answer ${after}`).join(', ');
    await playRound(world, lanes.slice(0, planned.length), { operation, effect, what, attack });
  }
}

/** Sends a call that fails at a place; tells whether there is such a place. */
async function fail(world: World, lane: FailingLane, call: Call, failpoint: Failpoint): Promise<boolean> {
  await lane.arm(failpoint);
  const first = sendOnce(world, lane, call).catch(() => undefined);
  const impatient = failpoint.fault === 'hang' ? retryMeanwhile(world, lane, call) : undefined;
  const [reply, meanwhile] = await Promise.all([first, impatient]);
  const reached = await lane.disarm();
  for (const each of [reply, meanwhile]) {
    if (each && !isHonest(each, call, failpoint))
      unexpected(world, call, `${failpoint.fault} after answer ${failpoint.after}`, each);
  }
  return reached;
}

/** As a client does that has waited long enough: the first may be at work still. */
async function retryMeanwhile(world: World, lane: FailingLane, call: Call): Promise<Reply | undefined> {
  await sleep(1_000);
  return lane.reached ? sendOnce(world, lane, call) : undefined;
}

function isHonest(reply: Reply, { operation }: Call, { fault }: Failpoint): boolean {
  if (reply.status === operation.status || !isDefinite(reply)) return true;
  return fault === 'throw' ? reply.status === 500 : reply.status === 401 && ENDS_ITS_CREDENTIAL.includes(operation.id);
}

const LANES_PER_TENANT = { short: 1, full: 10 };

async function openLanes(world: World, { size, databaseUrl }: Trial, directory: string): Promise<FailingLane[]> {
  const env = { DATABASE_URL: databaseUrl, DATA_DIR: directory, RATE_LIMITS: 'off', LOG_LEVEL: 'fatal', ROLE: 'api' };
  const tenants = Array.from({ length: LANES_PER_TENANT[size] }, () => world.tenants).flat();
  const lanes: FailingLane[] = [];
  for (const tenant of tenants) lanes.push(await FailingLane.open(tenant, env));
  return lanes;
}

/** A server of its own, which fails when it is told to, and is started again when it has ended. */
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

  /** Tells whether the place was reached; afterwards the server runs, and fails no more. */
  async disarm(): Promise<boolean> {
    const { reached } = this;
    const ended = await Promise.race([this.#server.exited, this.arm({ after: 0, fault: 'throw' })]);
    if (ended) this.#server = await start(this.#env);
    return reached || ended !== undefined;
  }

  async close(): Promise<void> {
    await this.#server.end('SIGKILL');
  }
}

async function start(env: Record<string, string>): Promise<ServerProcess> {
  return new ServerProcess(await freePort(), env, 'failpoints.ts').readyAtLast();
}
