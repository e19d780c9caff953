import { type Operation, operationTable } from '../../server/src/http/contract/contract.ts';
import { operatorOperations } from '../../server/src/http/contract/operator-contract.ts';
import { withNewKey } from '../testing/idempotent-requests.ts';
import { ABOUT_ALL, ask, operatorCall, settle, withListener } from '../testing/operators.ts';
import { type Figures, type Proof, pick, type Trial } from '../testing/proof.ts';
import { type Chance, chanceOf } from '../testing/random.ts';
import { mutationsIn } from '../testing/request-mutations.ts';
import { parameterSlotsOf, slotsOf } from '../testing/request-values.ts';
import type { Tenant, World } from '../testing/tenant.ts';
import { inWorld } from '../testing/three-tenants.ts';
import { validCall } from '../testing/valid-requests.ts';

/**
 * Each tenant calls every operation with valid requests, and GET operations also with invalid query parameters. As in
 * every other proof, all responses are searched for the markers of other tenants.
 */
export const A3: Proof = {
  id: 'A3',
  promise: 'No response contains a text of another tenant.',
  run: (trial) =>
    inWorld(trial, async (world) => {
      const chance = chanceOf(trial.seed);
      for (const [index, operation] of operationTable.entries()) {
        for (const tenant of tenantsFor(world, trial, index, operation.safe ? 2 : 1)) {
          const alternatives = Math.min(operation.security.length, pick(trial.size, 1, 10)) || 1;
          for (let alternative = 0; alternative < alternatives; alternative += 1) {
            await world.send(await validCall(world, tenant, operation, { alternative }), tenant);
          }
        }
        if (operation.method === 'get') {
          for (const tenant of tenantsFor(world, trial, index))
            await sendOddQueries(world, tenant, operation, trial, chance);
        }
        trial.progress(`${operation.id}, ${world.answers} answers`);
      }
      const tried = world.answers + (await lookAtListener(world, trial, chance));
      return { tried, unit: 'answers', violations: world.violations.list } satisfies Figures;
    }),
};

/** The tenants that call an operation: all of them, or in the short form a `few`, chosen by operation and seed. */
function tenantsFor({ tenants }: World, { size, seed }: Trial, operation: number, few = 1): Tenant[] {
  return tenants.filter((_, index) => size !== 'short' || (index + operation + seed) % tenants.length < few);
}

async function sendOddQueries(
  world: World,
  tenant: Tenant,
  operation: Operation,
  { size }: Trial,
  chance: Chance,
): Promise<void> {
  const full = await validCall(world, tenant, operation, { full: true });
  const odd = slotsOf(operation, undefined)
    .filter((slot) => slot.in === 'query')
    .flatMap((slot) => [
      ...mutationsIn({ ...full, query: {} }, slot).map(({ call }) => call),
      ...searchesIn(slot.name).map((words) => ({ ...full, query: { [slot.name]: words } })),
    ]);
  for (const call of chance.some(odd, pick(size, 3, 1_000))) await world.send(call, tenant);
}

/**
 * Sends valid and mutated calls about each site to the operators' listener, and searches the responses for texts of the
 * other tenants. Returns the number of responses.
 */
function lookAtListener(world: World, trial: Trial, chance: Chance): Promise<number> {
  return withListener(world, trial, async (listener) => {
    for (const [index, operation] of operatorOperations.entries()) {
      for (const tenant of tenantsFor(world, trial, index)) {
        for (const full of [false, true]) {
          await ask(listener, await operatorCall(listener, tenant, operation, { full }), tenant);
        }
        const call = await operatorCall(listener, tenant, operation, { full: true });
        const odd = parameterSlotsOf(operation).flatMap((slot) => mutationsIn(call, slot).map((one) => one.call));
        const isAboutAll = ABOUT_ALL.includes(operation.id) && operation.safe;
        for (const one of isAboutAll ? [] : chance.some(odd, pick(trial.size, 4, 300)))
          await ask(listener, withNewKey(one), tenant);
        await settle(listener, tenant);
      }
    }
    return listener.world.answers;
  });
}

/** Returns search words that all tenants have in common, and prefixes of their markers. */
function searchesIn(name: string): string[] {
  return name === 'q' ? ['mug', 'zz', 'zza', 'zzb', 'zzc', 'colour', 'mugg', 'slate'] : [];
}
