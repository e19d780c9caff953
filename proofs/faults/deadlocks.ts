import { setTimeout as sleep } from 'node:timers/promises';
import type { Pool } from 'pg';
import { takeTransfers } from '../testing/products-and-checkouts.ts';
import { type Figures, type Proof, pick } from '../testing/proof.ts';
import { chanceOf } from '../testing/random.ts';
import { onPremises } from '../testing/test-server.ts';
import { CONTENTIONS } from './deadlock-attempts.ts';

/** 64 clients use the same rows at the same time, each in a different order. */
export const C15: Proof = {
  id: 'C15',
  promise: 'No client gets a deadlock error, whatever operations run at the same time on the same rows.',
  run: (trial) =>
    onPremises(trial, async ({ owner, violations, openShop }) => {
      const chance = chanceOf(trial.seed);
      const rounds = pick(trial.size, 1, 20);
      const before = await deadlocksOf(owner);
      let tried = 0;
      for (const [what, contend] of Object.entries(CONTENTIONS)) {
        const shop = await openShop();
        await takeTransfers(shop);
        for (let round = 1; round <= rounds; round += 1) {
          const actions = chance.some(await contend(shop, chance), CLIENTS);
          const { requests } = shop;
          await Promise.all(actions.map((act) => act()));
          tried += shop.requests - requests;
        }
        trial.progress(`${what}: ${tried} requests`);
      }
      // PostgreSQL counts all deadlocks, including those after which the server retried, but reports them late.
      await sleep(STATISTICS_WITHIN_MS);
      const found = (await deadlocksOf(owner)) - before;
      const note = `${Object.keys(CONTENTIONS).length} kinds of contention, ${CLIENTS} clients; ${found} deadlocks in the database`;
      return { tried, unit: 'requests', violations: violations.list, note } satisfies Figures;
    }),
};

const CLIENTS = 64;
/** PostgreSQL backends report statistics at most once a second. */
const STATISTICS_WITHIN_MS = 1_100;

async function deadlocksOf(owner: Pool): Promise<number> {
  const { rows } = await owner.query<{ deadlocks: string }>(
    'select deadlocks from pg_stat_database where datname = current_database()',
  );
  return Number(rows[0]?.deadlocks);
}
