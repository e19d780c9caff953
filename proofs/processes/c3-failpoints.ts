import { setTimeout as sleep } from 'node:timers/promises';
import type { Operation } from '../../server/src/http/contract.ts';
import type { Call, Reply } from '../client.ts';
import { type Figures, type Proof, pick, type Trial } from '../frame.ts';
import { MUTATIONS, unexpected } from '../idempotent.ts';
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

interface Step {
  operation: Operation;
  fault: Fault;
  /** After which answers; after each from the first to the last when absent. */
  places?: number[];
}

const FAULTS: Fault[] = ['throw', 'exit', 'hang'];

async function attackAll(world: World, trial: Trial, lanes: FailingLane[]): Promise<Figures> {
  const count = { throw: 0, exit: 0, hang: 0 };
  const plan = planOf(trial, lanes.length);
  for (const step of plan) {
    count[step.fault] += await failEverywhere(world, lanes, step);
    trial.progress(`${step.operation.id}, ${step.fault}: ${JSON.stringify(count)}`);
  }
  const operations = new Set(plan.map(({ operation }) => operation)).size;
  const where = pick(trial.size, 'some answers', 'every answer of the database');
  const note = `${operations} operations, after ${where}: thrown ${count.throw} times, ended ${count.exit}, hung ${count.hang}`;
  return { tried: count.throw + count.exit + count.hang, unit: 'failures', violations: world.violations.list, note };
}

function planOf({ size, seed }: Trial, lanes: number): Step[] {
  if (size === 'full') return MUTATIONS.flatMap((operation) => FAULTS.map((fault) => ({ operation, fault })));
  const chance = chanceOf(seed);
  const some = (operation: Operation, fault: Fault) => ({ operation, fault, places: placesAtRandom(chance, lanes) });
  return [
    some(operationOf('storefront.completeCheckout'), 'exit'),
    some(operationOf('dashboard.markOrderPaid'), 'throw'),
    ...chance.some(MUTATIONS, 3).map((operation) => some(operation, 'throw')),
    some(chance.of(MUTATIONS), 'hang'),
  ];
}

function placesAtRandom(chance: Chance, count: number): number[] {
  return Array.from({ length: count }, () => 1 + Math.floor(chance.next() * 8));
}

/** Calls an operation by turns on all lanes, and fails each call at the next place; answers how often. */
async function failEverywhere(world: World, all: FailingLane[], { operation, fault, places }: Step): Promise<number> {
  const lanes = lanesFor(all, operation);
  const effect = await effectOf(world, world.tenants[0], operation);
  let done = 0;
  for (let from = 1, found = true; found; from += lanes.length) {
    found = false;
    const attack = async (lane: FailingLane, call: Call) => {
      const at = lanes.indexOf(lane);
      const after = places ? places[at] : from + at;
      if (after === undefined || !(await fail(world, lane, call, { after, fault }))) return;
      found = places === undefined;
      done += 1;
    };
    const what = `${fault} after answer ${(places ?? [`${from} to ${from + lanes.length - 1}`]).join(', ')}`;
    await playRound(world, lanes, { operation, effect, what, attack });
  }
  return done;
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
  return reply.status === operation.status || !isDefinite(reply) || (fault === 'throw' && reply.status === 500);
}

const LANES_PER_TENANT = { short: 1, full: 5 };

async function openLanes(world: World, { size, databaseUrl }: Trial, directory: string): Promise<FailingLane[]> {
  const env = { DATABASE_URL: databaseUrl, DATA_DIR: directory, RATE_LIMITS: 'off', LOG_LEVEL: 'fatal', ROLE: 'api' };
  const tenants = Array.from({ length: LANES_PER_TENANT[size] }, () => world.tenants).flat();
  return Promise.all(tenants.map((tenant) => FailingLane.open(tenant, env)));
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
  return new ServerProcess(await freePort(), env, 'failpoints.ts').mustBeReady();
}
