import { type Operation, operationTable } from '../../server/src/http/contract/contract.ts';
import { rowsRefused } from '../input/contract-fuzz.ts';
import { type Proof, pick, type Trial } from '../testing/proof.ts';
import { type Chance, chanceOf } from '../testing/random.ts';
import { type Call, type Reply, send } from '../testing/raw-requests.ts';
import { type Mutation, mutationsIn } from '../testing/request-mutations.ts';
import { slotsOf } from '../testing/request-values.ts';
import type { Tenant, World } from '../testing/tenant.ts';
import { inWorld } from '../testing/three-tenants.ts';
import { validCall } from '../testing/valid-requests.ts';
import { type Finding, findingsOf, type Prism, SPOIL, startPrism } from './prism.ts';
import { playFlows } from './respect.ts';

/**
 * Checks the server with validators that share no code with it. Respect runs the flows of `spec/flows`. Prism forwards
 * these requests, and valid and invalid calls of every operation, and checks requests and responses.
 */
export const H7: Proof = {
  id: 'H7',
  promise: 'Independent validators of the contract find no response and no accepted request that violates it.',
  run: (trial) =>
    inWorld(trial, async (world) => {
      const prism = await startPrism(world.baseUrl);
      try {
        const played = await playFlows(world, prism.baseUrl);
        const exchanges = await judgeOperations(world, prism, trial);
        const { flows, steps, checks } = played;
        const note = `${flows} flows of ${steps} steps with ${checks} checks`;
        return { tried: steps + exchanges, unit: 'exchanges', violations: world.violations.list, note };
      } finally {
        await prism.stop();
      }
    }),
};

async function judgeOperations(world: World, prism: Prism, trial: Trial): Promise<number> {
  const chance = chanceOf(trial.seed);
  let exchanges = 0;
  for (const operation of chance.some(operationTable, pick(trial.size, 10, operationTable.length))) {
    exchanges += await judge(world, prism, operation, pick(trial.size, 1, 40), chance);
  }
  return exchanges;
}

async function judge(world: World, prism: Prism, operation: Operation, wrong: number, chance: Chance): Promise<number> {
  const [tenant] = world.tenants;
  const call = await validCall(world, tenant, operation, { full: operation.method === 'get' });
  const { reply, findings } = await exchange(world, prism, call, tenant);
  if (reply.status !== operation.status) report(world, 'a valid call', call, reply, [`expected ${operation.status}`]);
  if (findings.length > 0) report(world, 'a valid call', call, reply, findings.map(inWords));

  const spoilt = await sendThrough(prism, { ...call, headers: { ...call.headers, ...SPOIL } });
  // A response without a body is left out, because the spoiler cannot make it invalid.
  if (operation.status !== 204 && !findingsOf(spoilt).some(({ location }) => location[0] === 'response')) {
    report(world, 'a spoilt answer', call, spoilt, ['Prism does not look at the answers of this operation']);
  }

  const stranger = { ...call, headers: {} };
  const mutations = slotsOf(operation, call.body)
    .flatMap((slot) => mutationsIn(call, slot))
    .filter(isDecodable);
  const others = [stranger, ...chance.some(mutations, wrong).map((mutation) => withFreshKey(mutation.call, call))];
  for (const other of others) {
    const { reply, findings } = await exchange(world, prism, other, other === stranger ? undefined : tenant);
    const accepted = reply.status < 400 && !rowsRefused(reply);
    const counted = accepted ? findings : findings.filter(({ location }) => location[0] !== 'request');
    if (counted.length > 0) report(world, 'a mutated call', other, reply, counted.map(inWords));
  }
  return 2 + others.length;
}

/** Prism closes the connection if it cannot decode the URL; A9 and H6 check the server's responses to such URLs. */
function isDecodable({ call: { path, query } }: Mutation): boolean {
  return [...Object.values(path), ...Object.values(query).flat()].every((text) => text.isWellFormed());
}

/** Uses a new idempotency key, unless the mutation changed the key. */
function withFreshKey(mutated: Call, { headers }: Call): Call {
  if (mutated.headers['Idempotency-Key'] !== headers['Idempotency-Key'] || !headers['Idempotency-Key']) return mutated;
  return { ...mutated, headers: { ...mutated.headers, 'Idempotency-Key': crypto.randomUUID() } };
}

async function exchange(world: World, prism: Prism, call: Call, as: Tenant | undefined) {
  const reply = await sendThrough(prism, call);
  world.look(reply, as, call.operation.id);
  return { reply, findings: findingsOf(reply) };
}

/** Opens a new connection for each request, because Prism could close an idle one at the moment of the next request. */
function sendThrough({ baseUrl }: Prism, call: Call): Promise<Reply> {
  return send(baseUrl, { ...call, headers: { ...call.headers, Connection: 'close' } }).catch((cause: Error) => {
    const { operation, path, query } = call;
    throw new Error(`Prism gave no answer to ${operation.id} with ${JSON.stringify({ path, query })}`, { cause });
  });
}

function inWords({ location, message }: Finding): string {
  return `${location.join('/')}: ${message}`;
}

function report(
  world: World,
  what: string,
  { operation, path, query, body }: Call,
  reply: Reply,
  found: string[],
): void {
  const shown = JSON.stringify({ path, query, body }).slice(0, 500);
  const findings = found.join('; ').slice(0, 600);
  world.violations.add(
    `${operation.id}: ${what}: ${findings}: ${reply.status} ${reply.text.slice(0, 300)} for ${shown}`,
  );
}
