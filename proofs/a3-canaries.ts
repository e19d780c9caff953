import { operationTable } from '../server/src/http/contract/contract.ts';
import { type Figures, type Proof, pick } from './frame.ts';
import { mutationsIn } from './mutations.ts';
import { chanceOf } from './random.ts';
import { validCall } from './requests.ts';
import { slotsOf } from './slots.ts';
import { inWorld } from './world.ts';

/** Every tenant calls everything, with lists, searches, pages and mistakes; every proof checks all of its answers like this. */
export const A3: Proof = {
  id: 'A3',
  promise: 'No answer shows a text of another tenant.',
  run: (trial) =>
    inWorld(trial, async (world) => {
      const chance = chanceOf(trial.seed);
      for (const operation of operationTable) {
        for (const tenant of world.tenants) {
          const alternatives = Math.min(operation.security.length, pick(trial.size, 1, 10)) || 1;
          for (let alternative = 0; alternative < alternatives; alternative += 1) {
            await world.send(await validCall(world, tenant, operation, { alternative }), tenant);
          }
          if (operation.method !== 'get') continue;
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
      return { tried: world.answers, unit: 'answers', violations: world.violations.list } satisfies Figures;
    }),
};

/** Words that all tenants have in common, and beginnings of their canaries. */
function searchesIn(name: string): string[] {
  return name === 'q' ? ['mug', 'zz', 'zza', 'zzb', 'zzc', 'colour', 'mugg', 'slate'] : [];
}
