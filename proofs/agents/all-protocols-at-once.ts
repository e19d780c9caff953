import { type Proof, pick } from '../testing/proof.ts';
import { openShelf, stayWithin } from './agent-category-rounds.ts';
import { withProcesses } from './agent-on-all-protocols.ts';
import { spendAtOnce, withoutMeans } from './budget-races.ts';
import { endMidway } from './revocation.ts';

/**
 * Repeats the races of E1, E5 and E6 with one token that is used over the API, MCP and both transports of UCP
 * concurrently, through several servers.
 */
export const M2: Proof = {
  id: 'M2',
  promise:
    'One token used over all protocols at once never exceeds its budget, leaves its categories, or outlives its revocation.',
  run: (trial) => {
    const { size, seed } = trial;
    return withProcesses(trial, pick(size, 2, 3), async (arena) => {
      const { variant_id } = await arena.sell(null);
      const parallel = pick(size, 8, 32);
      let tried = await withoutMeans(arena, variant_id);
      let [cents, confirmed, before, late, outside] = [0, 0, 0, 0, 0];
      for (let round = 0; round < pick(size, 1, 150); round += 1) {
        const spent = await spendAtOnce(arena, variant_id, parallel, seed + round);
        tried += spent.purchases;
        cents += spent.cents_over;
        confirmed += spent.confirmed;
      }
      for (let round = 0; round < pick(size, 1, 120); round += 1) {
        const ended = await endMidway(arena, variant_id, seed + round);
        tried += ended.after;
        before += ended.before;
        late += ended.late;
      }
      const shelf = await openShelf(arena);
      for (let round = 0; round < pick(size, 1, 40); round += 1) {
        const kept = await stayWithin(arena, shelf, parallel);
        tried += kept.tried;
        outside += kept.outside;
      }
      const note =
        `${confirmed} orders, cents over a budget: ${cents}; ${before} calls accepted before the revocations and ` +
        `${late} after them; purchases outside of the categories: ${outside}`;
      return { tried, unit: 'purchases and calls by four ways', note };
    });
  },
};
