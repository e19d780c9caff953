import { createHash } from 'node:crypto';
import type { Operation } from '../../server/src/http/contract/contract.ts';
import { type Effect, ENDS_ITS_CREDENTIAL, isReplay, MUTATIONS, unexpected } from '../testing/idempotent-requests.ts';
import { type Figures, type Proof, pick, type Trial } from '../testing/proof.ts';
import { type Chance, chanceOf } from '../testing/random.ts';
import type { Call, Reply } from '../testing/raw-requests.ts';
import type { World } from '../testing/tenant.ts';
import { inWorld } from '../testing/three-tenants.ts';
import { validCall } from '../testing/valid-requests.ts';
import { isCommit } from './database-proxy.ts';
import {
  effectOf,
  isDefinite,
  lanesFor,
  type ProxiedLane,
  playRound,
  sendOnce,
  sendThrough,
  settle,
  withLanes,
} from './serial-server.ts';

/**
 * Loses the connection before a COMMIT arrives or before its confirmation arrives. The server cannot distinguish these
 * two cases.
 */
export const C4: Proof = {
  id: 'C4',
  promise:
    'If the connection is lost during COMMIT, the response is 503 or correct, and the retry agrees with the database.',
  run: (trial) =>
    inWorld(trial, (world) =>
      withLanes(world, trial.databaseUrl, LANES_PER_TENANT, async (lanes) => {
        const chance = chanceOf(trial.seed);
        const goal = pick(trial.size, 18, 500);
        const targets = new Map<Operation, Target>();
        const sum: Tally = { tried: 0, committed: 0, definite: 0 };
        while (sum.tried < goal) {
          const operation = chance.of(MUTATIONS);
          const target = targets.get(operation) ?? (await targetOf(world, lanes[0] as ProxiedLane, operation));
          targets.set(operation, target);
          const tally = await loseCommits(world, lanesFor(lanes, operation), target, LOSSES[trial.size], chance);
          for (const [what, count] of Object.entries(tally)) sum[what as keyof Tally] += count;
          trial.progress(`${operation.id}: ${sum.tried} lost`);
        }
        const { tried, committed, definite } = sum;
        const note = `${committed} had taken place and ${tried - committed} had not; ${tried - definite} answered by 503 first; ${targets.size} operations`;
        return { tried, unit: 'commits lost', violations: world.violations.list, note } satisfies Figures;
      }),
    ),
};

const LANES_PER_TENANT = 2;

/**
 * `confirmation`: the COMMIT arrives, but its confirmation does not. `statement`: the COMMIT does not arrive.
 * `silence`: the confirmation does not arrive, and the connection stays open until the server's timeout.
 */
type Loss = 'confirmation' | 'statement' | 'silence';

/** `silence` is rare, because each one takes the 6 s that the server waits for a response of PostgreSQL. */
const ALL_LOSSES: Loss[] = [...Array<Loss>(12).fill('confirmation'), ...Array<Loss>(12).fill('statement'), 'silence'];
const LOSSES: Record<Trial['size'], Loss[]> = {
  short: ['confirmation', 'statement'],
  tenth: ALL_LOSSES,
  full: ALL_LOSSES,
};

interface Tally {
  tried: number;
  committed: number;
  definite: number;
}

interface Target {
  operation: Operation;
  effect: Effect;
  /** The number of transactions that the operation commits in sequence. */
  commits: number;
}

async function targetOf(world: World, lane: ProxiedLane, operation: Operation): Promise<Target> {
  const effect = await effectOf(world, lane.tenant, operation);
  const call = await validCall(world, lane.tenant, operation);
  let commits = 0;
  lane.proxy.verdictOn = (message) => {
    if (isCommit(message)) commits += 1;
    return 'pass';
  };
  await sendOnce(world, lane, call);
  lane.proxy.verdictOn = () => 'pass';
  return { operation, effect, commits };
}

/** Loses one commit of a call on each lane, compares the responses with the database, and counts the results. */
function loseCommits(
  world: World,
  lanes: ProxiedLane[],
  target: Target,
  losses: Loss[],
  chance: Chance,
): Promise<Tally> {
  const { operation, effect, commits } = target;
  const tally: Tally = { tried: 0, committed: 0, definite: 0 };
  const plan = lanes.map(() => ({ loss: chance.of(losses), commit: 1 + Math.floor(chance.next() * commits) }));
  const attack = async (lane: ProxiedLane, call: Call) => {
    const { loss, commit } = plan[lanes.indexOf(lane)] as (typeof plan)[number];
    lose(lane, loss, commit);
    const first = await sendOnce(world, lane, call);
    lane.proxy.verdictOn = () => 'pass';
    await settle(lane);
    const truth = await isAnswered(world, call);
    const retry = await sendThrough(world, lane, call);
    tally.tried += 1;
    if (truth) tally.committed += 1;
    if (isDefinite(first)) tally.definite += 1;
    const how = `commit ${commit} of ${commits}, ${loss} lost, ${truth ? '' : 'not '}in the database`;
    if (!isHonest(first, operation, truth)) unexpected(world, call, `${how}: the answer`, first);
    const gone = truth && retry.status === 401 && ENDS_ITS_CREDENTIAL.includes(operation.id);
    const agrees = retry.status === operation.status && isReplay(retry) === truth;
    if (!gone && !agrees) unexpected(world, call, `${how}: the retry`, retry);
  };
  const what = plan.map(({ loss, commit }) => `${loss} of commit ${commit}`).join(', ');
  return playRound(world, lanes, { operation, effect, what: `lost: ${what}`, attack }).then(() => tally);
}

/** Makes this lane lose the n-th commit in this way. */
function lose({ proxy }: ProxiedLane, loss: Loss, n: number): void {
  let seen = 0;
  // PostgreSQL executes a bound statement only when the following Sync arrives.
  let bound = false;
  proxy.verdictOn = (message) => {
    if (bound) {
      bound = message.from !== 'server' || message.type !== 'S';
      return bound ? 'pass' : 'cut after';
    }
    if (seen === n) return loss === 'silence' && message.from === 'database' ? 'swallow' : 'pass';
    if (!isCommit(message)) return 'pass';
    seen += 1;
    if (seen < n || loss === 'silence') return 'pass';
    bound = loss === 'confirmation' && message.type === 'B';
    if (bound) return 'pass';
    return loss === 'confirmation' ? 'cut after' : 'cut before';
  };
}

/** Whether the database contains the response for the call's key, and therefore the call's effect. */
async function isAnswered({ owner }: World, { headers }: Call): Promise<boolean> {
  const keyHash = createHash('sha256').update(String(headers['Idempotency-Key'])).digest();
  const { rowCount } = await owner.query(
    'select from commerce.idempotency_keys where key_hash = $1 and status is not null',
    [keyHash],
  );
  return rowCount === 1;
}

function isHonest(reply: Reply, { status }: Operation, truth: boolean): boolean {
  if (isDefinite(reply)) return truth && reply.status === status;
  const { retryable } = JSON.parse(reply.text) as { retryable?: boolean };
  return reply.status === 503 && retryable === true && reply.headers['retry-after'] !== undefined;
}
