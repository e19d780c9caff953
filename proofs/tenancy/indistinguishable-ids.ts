import { operationTable } from '../../server/src/http/contract/contract.ts';
import { agentTools } from '../../server/src/mcp/tools.ts';
import type { FunctionName } from '../../server/src/ucp/functions.ts';
import { publishProfile } from '../../server/test/ucp.ts';
import { forgetGuesses } from '../testing/agents.ts';
import { withNewKey } from '../testing/idempotent-requests.ts';
import { callTool } from '../testing/mcp.ts';
import { type Figures, type Proof, pick } from '../testing/proof.ts';
import { type Chance, chanceOf } from '../testing/random.ts';
import { type Call, comparable, type Reply, send } from '../testing/raw-requests.ts';
import { withValue } from '../testing/request-values.ts';
import { watchStatements } from '../testing/statements.ts';
import type { Kind, Tenant, World } from '../testing/tenant.ts';
import { inWorld } from '../testing/three-tenants.ts';
import { type Asked, askOverMcp, askOverRest, type Speaker } from '../testing/ucp.ts';
import { validCall } from '../testing/valid-requests.ts';
import { idPlaces, nothingLike } from './id-places.ts';
import { rankSumTest } from './ranks.ts';

/**
 * Puts ids of other tenants, unknown ids and misspelt ids of both kinds in the places that accept an id, also over MCP
 * and UCP. The responses and the server's SQL statements must be the same, and in the full form the response times too.
 */
export const A7: Proof = {
  id: 'A7',
  promise: 'Response, work and time are the same for an id of another tenant and one that never existed.',
  run: (trial) =>
    inWorld(trial, async (world) => {
      const chance = chanceOf(trial.seed);
      const count: Count = { compared: 0, pairs: 0 };
      for (const operation of pick(trial.size, chance.some(operationTable, 20), operationTable)) {
        const places = await placesOf(world, operation);
        for (const place of places)
          await compareAnswers(world, place, chance, count, pick(trial.size, 1, MISSPELT.length));
        if (trial.size === 'full') {
          for (const place of places) await compareTimes(world, place, PAIRS / places.length, chance, count);
        }
        trial.progress(`${operation.id}: ${count.compared} comparisons, ${count.pairs} pairs timed`);
      }
      const protocols = await openProtocols(world);
      try {
        for (const place of pick(trial.size, chance.some(protocols.places, 8), protocols.places)) {
          await compareAnswers(world, place, chance, count, pick(trial.size, 1, MISSPELT.length));
          if (trial.size === 'full') await compareTimes(world, place, PAIRS_OF_PROTOCOLS, chance, count);
          trial.progress(`${place.where}: ${count.compared} comparisons, ${count.pairs} pairs timed`);
        }
      } finally {
        await protocols.close();
      }
      const tried = count.compared + count.pairs;
      return { tried, unit: 'pairs of ids', violations: world.violations.list } satisfies Figures;
    }),
};

interface Count {
  compared: number;
  pairs: number;
}

/** The place of an id in an otherwise valid call. */
interface Place {
  where: string;
  /** Ids of other tenants, and the same number of ids in the same form that never existed. */
  foreign: string[];
  absent: string[];
  /** Prepares the call with this id; the returned function sends it. */
  prepare(id: string): Promise<() => Promise<Reply>>;
}

const POOL = 12;

function idsOf(others: readonly Tenant[], kind: Kind): Pick<Place, 'foreign' | 'absent'> {
  const foreign = others.flatMap(({ ids }) => ids[kind].slice(0, POOL / 2));
  return { foreign, absent: foreign.map((id) => nothingLike(kind, id)) };
}

type Sending = (call: Call) => Promise<Reply>;

async function placesOf(
  world: World,
  operation: Call['operation'],
  sendIt: Sending = (call) => send(world.baseUrl, call),
): Promise<Place[]> {
  const [tenant, ...others] = world.tenants;
  const call = await validCall(world, tenant, operation, { full: true });
  return idPlaces(operation, call.body).flatMap(({ slot, kinds }) =>
    kinds.map((kind) => ({
      where: `${operation.id}: ${slot.in} /${slot.at.join('/')} as ${kind}`,
      ...idsOf(others, kind),
      async prepare(id) {
        if ('user_code' in call.path) await forgetGuesses(world, tenant);
        const attack = withNewKey(withValue(call, slot, id));
        return () => sendIt(attack);
      },
    })),
  );
}

/** UCP requests that contain an id, with the kinds of object it may identify. */
const IN_UCP: [FunctionName, Kind, (id: string) => Partial<Asked>][] = [
  ['get_product', 'product', (id) => ({ body: { id } })],
  ['get_product', 'variant', (id) => ({ body: { id } })],
  ['lookup_catalog', 'variant', (id) => ({ body: { ids: [id] } })],
  ['create_cart', 'variant', (id) => ({ body: { line_items: [{ item: { id }, quantity: 1 }] } })],
  ['get_cart', 'agent_cart', (id) => ({ id })],
  ['update_cart', 'agent_cart', (id) => ({ id, body: { line_items: [] } })],
  ['cancel_cart', 'agent_cart', (id) => ({ id })],
  ['create_checkout', 'agent_cart', (id) => ({ body: { cart_id: id } })],
  ['get_checkout', 'agent_checkout', (id) => ({ id })],
  ['update_checkout', 'agent_checkout', (id) => ({ id, body: { line_items: [] } })],
  ['complete_checkout', 'agent_checkout', (id) => ({ id })],
  ['cancel_checkout', 'agent_checkout', (id) => ({ id })],
  ['get_order', 'agent_order', (id) => ({ id })],
];

/** Lists the places of ids in the agent protocols: in each MCP tool, and in each UCP function over both transports. */
async function openProtocols(world: World): Promise<{ places: Place[]; close(): Promise<void> }> {
  const [tenant, ...others] = world.tenants;
  const secret = tenant.secrets.AgentToken;
  const places: Place[] = [];
  for (const { operation } of agentTools().values()) {
    // Skipped, because this operation would revoke the token that the proof uses for all calls.
    if (operation.id === 'agent.revokeToken') continue;
    const over = await placesOf(world, operation, (call) => callTool(world, tenant, secret, call));
    places.push(...over.map((place) => ({ ...place, where: `${place.where} over MCP` })));
  }
  const profile = await publishProfile();
  const speaker: Speaker = { baseUrl: world.baseUrl, site_id: tenant.site_id, profile: profile.url, secret };
  // Makes the server fetch the agent's profile now, so that none of the compared requests does.
  await askOverRest(speaker, { name: 'search_catalog', body: {} });
  for (const [way, ask] of Object.entries({ REST: askOverRest, MCP: askOverMcp })) {
    for (const [name, kind, withId] of IN_UCP) {
      const where = `${name} of UCP over ${way} as ${kind}`;
      const prepare = async (id: string) => () => ask(speaker, { name, ...withId(id) });
      places.push({ where, ...idsOf(others, kind), prepare });
    }
  }
  return { places, close: profile.close };
}

const asItIs = (id: string) => id;
/** Ways to misspell a UUID. */
const MISSPELT: ((id: string) => string)[] = [
  (id) => id.slice(0, -1),
  (id) => `${id}0`,
  (id) => id.replace(/^./, 'g'),
  (id) => id.replaceAll('-', ''),
  (id) => `{${id}}`,
  (id) => `${id} `,
];

async function compareAnswers(
  world: World,
  place: Place,
  chance: Chance,
  count: Count,
  misspelt: number,
): Promise<void> {
  const at = Math.floor(chance.next() * place.foreign.length);
  const [foreign, absent] = [place.foreign[at] ?? '', place.absent[at] ?? ''];
  const spellings = /^[0-9a-f]{8}-/.test(foreign) ? [asItIs, ...chance.some(MISSPELT, misspelt)] : [asItIs];
  for (const spell of spellings) {
    let one = await observed(place, spell(foreign));
    let other = await observed(place, spell(absent));
    if (one.work !== other.work) {
      // The first call may fill a cache, such as that of the shop's words. A real difference would appear again.
      one = await observed(place, spell(foreign));
      other = await observed(place, spell(absent));
    }
    count.compared += 1;
    const [id, none] = [spell(foreign), spell(absent)];
    if (one.answerText !== other.answerText)
      world.violations.add(`${place.where}: ${id} gets ${one.answerText}, ${none} ${other.answerText}`);
    if (one.work !== other.work)
      world.violations.add(`${place.where}: the work for ${id} is ${one.work}, for ${none} ${other.work}`);
  }
}

async function observed(place: Place, id: string): Promise<{ answerText: string; work: string }> {
  const statements: string[] = [];
  const ask = await place.prepare(id);
  const stop = watchStatements((text) => statements.push(text.replaceAll(/\s+/g, ' ')));
  try {
    const reply = await ask();
    // Leaves out statements with last_used_at, because that column is written outside of requests (last-used.ts).
    const work = statements.filter((text) => !text.includes('last_used_at'));
    return { answerText: comparable(reply, [id]), work: JSON.stringify(work) };
  } finally {
    stop();
  }
}

/**
 * Pairs of requests for each operation. A suspicious result is measured again with other ids, because it may be due to
 * chance.
 */
const PAIRS = 500;
/** Pairs of requests for each place in a protocol. Fewer, because each such request runs several operations. */
const PAIRS_OF_PROTOCOLS = 150;
const PAIRS_OF_SUSPECTS = 5_000;
const SUSPICIOUS = 0.05;
const P = 0.01;

async function compareTimes(world: World, place: Place, pairs: number, chance: Chance, count: Count): Promise<void> {
  let p = await series(place, Math.ceil(pairs), chance, count);
  if (p <= SUSPICIOUS) {
    p = await series(place, PAIRS_OF_SUSPECTS, chance, count);
    if (p <= P) p = Math.max(p, await series(place, PAIRS_OF_SUSPECTS, chance, count));
  }
  if (p <= P)
    world.violations.add(`${place.where}: the response time distinguishes a foreign id from an unknown one (p = ${p})`);
}

/** Returns the p-value of a test whether requests with foreign ids and with absent ids take different times. */
async function series(place: Place, pairs: number, chance: Chance, count: Count): Promise<number> {
  const times = { foreign: [] as number[], absent: [] as number[] };
  for (let pair = 0; pair < pairs; pair += 1) {
    const at = pair % place.foreign.length;
    // Sends the foreign and the unknown id in random order.
    for (const kind of chance.some(['foreign', 'absent'] as const, 2)) {
      const ask = await place.prepare(place[kind][at] ?? '');
      const started = performance.now();
      await ask();
      times[kind].push(performance.now() - started);
    }
  }
  count.pairs += pairs;
  return rankSumTest(times.foreign, times.absent);
}
