import { killServers } from '../testing/killed-servers.ts';
import { type Proof, pick } from '../testing/proof.ts';
import { Shoppers } from './shoppers.ts';

/** Kills servers one after the other, at any moment of their work, while the next one is already running. */
export const C1: Proof = {
  id: 'C1',
  promise: 'However servers are killed, no acknowledged order is lost, and none is duplicated or incomplete.',
  async run(trial) {
    const { databaseUrl, seed, size } = trial;
    const goal = pick(size, 3, 1_000);
    const ended = await killServers(trial, goal, (servers) =>
      Shoppers.open({ databaseUrl, servers, shoppers: pick(size, 6, 12), seed }),
    );
    return { tried: goal, unit: 'kill -9', ...ended };
  },
};
