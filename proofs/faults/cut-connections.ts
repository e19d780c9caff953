import type { Operation } from '../../server/src/http/contract/contract.ts';
import { MUTATIONS, unexpected } from '../testing/idempotent-requests.ts';
import { type Figures, type Proof, pick, type Trial } from '../testing/proof.ts';
import { type Chance, chanceOf } from '../testing/random.ts';
import type { Call } from '../testing/raw-requests.ts';
import { operationOf, type World } from '../testing/tenant.ts';
import { inWorld } from '../testing/three-tenants.ts';
import { effectOf, isDefinite, lanesFor, type ProxiedLane, playRound, sendOnce, withLanes } from './serial-server.ts';

/** Cuts the connection to the database after each message of a call; in the short form only after some messages. */
export const C2: Proof = {
  id: 'C2',
  promise:
    'A mutation that loses its database connection after any message leaves no partial change, and its retry has exactly one effect.',
  run: (trial) =>
    inWorld(trial, (world) =>
      withLanes(world, trial.databaseUrl, pick(trial.size, 2, 5), async (lanes) => {
        let tried = 0;
        const plan = planOf(trial, lanes.length);
        for (const { operation, fault, cuts } of plan) {
          tried += await cutOff(world, lanes, operation, fault, cuts);
          trial.progress(`${operation.id}, ${fault}: ${tried} cuts`);
        }
        const operations = new Set(plan.map(({ operation }) => operation)).size;
        const where = pick(trial.size, 'some messages', 'every message');
        const note = `${operations} operations, after ${where} of each`;
        return { tried, unit: 'cuts', violations: world.violations.list, note } satisfies Figures;
      }),
    ),
};

/**
 * The duration of the outage. `for a moment`: the server can reconnect immediately. `until the retry`: the server can
 * reconnect only for the retry, which has the same key and is cut off again at a later message.
 */
type Fault = 'for a moment' | 'until the retry';

interface Step {
  operation: Operation;
  fault: Fault;
  /** The numbers of the messages after which to cut; all messages if absent. */
  cuts?: number[];
}

function planOf({ size, seed }: Trial, lanes: number): Step[] {
  const every = (operation: Operation): Step[] => [
    { operation, fault: 'until the retry' },
    { operation, fault: 'for a moment' },
  ];
  const chance = chanceOf(seed);
  if (size !== 'short') return chance.some(MUTATIONS, pick(size, 1, MUTATIONS.length)).flatMap(every);
  const whole = [operationOf('storefront.completeCheckout'), operationOf('dashboard.markOrderPaid')];
  const some = chance.some(MUTATIONS, 3);
  return [
    ...whole.map((operation): Step => ({ operation, fault: 'until the retry', cuts: cutsAtRandom(chance, lanes) })),
    ...some.map((operation): Step => ({ operation, fault: 'for a moment', cuts: cutsAtRandom(chance, lanes) })),
  ];
}

function cutsAtRandom(chance: Chance, count: number): number[] {
  return Array.from({ length: count }, () => 1 + Math.floor(chance.next() * 60));
}

/** Cuts off calls of an operation on all lanes. Returns the number of cuts. */
async function cutOff(
  world: World,
  all: ProxiedLane[],
  operation: Operation,
  fault: Fault,
  cuts?: number[],
): Promise<number> {
  const lanes = lanesFor(all, operation);
  const effect = await effectOf(world, world.tenants[0], operation);
  const next = cuts ? cuts.values() : counting();
  let done = 0;
  for (let found = true; found; ) {
    found = false;
    const first = lanes.map(() => next.next().value);
    if (first[0] === undefined) break;
    const attack = async (lane: ProxiedLane, call: Call) => {
      for (let k = first[lanes.indexOf(lane)]; k !== undefined; k = next.next().value) {
        const cut = await attempt(world, lane, call, fault, k);
        if (!cut.happened) break;
        found = true;
        done += 1;
        if (cut.answered || fault === 'for a moment') break;
      }
    };
    const what = `cut off ${fault} after message ${first.join(', ')}${fault === 'for a moment' ? '' : ' and later ones'}`;
    await playRound(world, lanes, { operation, effect, what, attack });
  }
  return done;
}

function* counting(): Generator<number> {
  for (let k = 1; ; k += 1) yield k;
}

/**
 * Cuts a call off after its k-th message. Returns whether there were that many messages, and whether the call got a
 * definite response.
 */
async function attempt(world: World, lane: ProxiedLane, call: Call, fault: Fault, k: number) {
  const { proxy } = lane;
  let seen = 0;
  proxy.verdictOn = () => {
    seen += 1;
    if (seen !== k) return 'pass';
    proxy.away = fault === 'until the retry';
    return 'cut after';
  };
  const reply = await sendOnce(world, lane, call);
  proxy.verdictOn = () => 'pass';
  proxy.away = false;
  const answered = isDefinite(reply);
  if (answered && reply.status >= 500) unexpected(world, call, `cut off ${fault} after message ${k}`, reply);
  return { happened: seen >= k, answered };
}
