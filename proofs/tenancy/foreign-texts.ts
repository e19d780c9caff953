import { randomUUID } from 'node:crypto';
import { operationTable } from '../../server/src/http/contract/contract.ts';
import { operatorOperations } from '../../server/src/http/contract/operator-contract.ts';
import { ABOUT_ALL, ask, operatorCall, settle, withListener } from '../testing/operators.ts';
import { type Figures, type Proof, pick, type Trial } from '../testing/proof.ts';
import { type Chance, chanceOf } from '../testing/random.ts';
import type { Call } from '../testing/raw-requests.ts';
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
        for (const tenant of world.tenants) {
          const alternatives = Math.min(operation.security.length, pick(trial.size, 1, 10)) || 1;
          for (let alternative = 0; alternative < alternatives; alternative += 1) {
            await world.send(await validCall(world, tenant, operation, { alternative }), tenant);
          }
          if (operation.method !== 'get' || !sendsOdd(world, trial, index, tenant)) continue;
          const full = await validCall(world, tenant, operation, { full: true });
          const odd = slotsOf(operation, undefined)
            .filter((slot) => slot.in === 'query')
            .flatMap((slot) => [
              ...mutationsIn({ ...full, query: {} }, slot).map(({ call }) => call),
              ...searchesIn(slot.name).map((words) => ({ ...full, query: { [slot.name]: words } })),
            ]);
          for (const call of chance.some(odd, pick(trial.size, 4, 1_000))) await world.send(call, tenant);
        }
        trial.progress(`${operation.id}, ${world.answers} answers`);
      }
      const toOperators = await lookAtListener(world, trial, chance);
      const note = `${toOperators} of them of the operators' listener`;
      const tried = world.answers + toOperators;
      return { tried, unit: 'answers', note, violations: world.violations.list } satisfies Figures;
    }),
};

/**
 * Whether a tenant also sends invalid parameters to an operation. In the short form, the seed selects one tenant for
 * this.
 */
function sendsOdd({ tenants }: World, { size, seed }: Trial, operation: number, tenant: Tenant): boolean {
  return size !== 'short' || tenants.indexOf(tenant) === (operation + seed) % tenants.length;
}

/**
 * Sends valid and mutated calls about each site to the operators' listener, and searches the responses for texts of the other
 * tenants. Returns the number of responses.
 */
async function lookAtListener(world: World, trial: Trial, chance: Chance): Promise<number> {
  return withListener(world, trial, async (listener) => {
    for (const [index, operation] of operatorOperations.entries()) {
      for (const tenant of world.tenants) {
        for (const full of [false, true]) {
          await ask(listener, await operatorCall(listener, tenant, operation, { full }), tenant);
        }
        const call = await operatorCall(listener, tenant, operation, { full: true });
        const odd = parameterSlotsOf(operation).flatMap((slot) => mutationsIn(call, slot).map((one) => one.call));
        const about =
          (ABOUT_ALL.includes(operation.id) && operation.safe) || !sendsOdd(world, trial, index, tenant)
            ? []
            : chance.some(odd, pick(trial.size, 4, 300));
        for (const one of about) await ask(listener, withKey(one), tenant);
        await settle(listener, tenant);
      }
      trial.progress(`${operation.id}, ${listener.world.answers} answers`);
    }
    return listener.world.answers;
  });
}

function withKey(call: Call): Call {
  if (call.operation.safe) return call;
  return { ...call, headers: { ...call.headers, 'Idempotency-Key': randomUUID() } };
}

/** Returns search words that all tenants have in common, and prefixes of their markers. */
function searchesIn(name: string): string[] {
  return name === 'q' ? ['mug', 'zz', 'zza', 'zzb', 'zzc', 'colour', 'mugg', 'slate'] : [];
}
