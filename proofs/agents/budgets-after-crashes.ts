import { killServers } from '../testing/killed-servers.ts';
import { type Proof, pick } from '../testing/proof.ts';
import { AgentShoppers } from './agent-shoppers.ts';

/**
 * Spends budgets to their limit while servers are killed at any moment. Each call is retried until it has a response.
 */
export const E2: Proof = {
  id: 'E2',
  promise: 'However servers are killed, no budget of an agent is exceeded, and no spending is lost.',
  async run(trial) {
    const { databaseUrl, seed, size } = trial;
    const goal = pick(size, 2, 500);
    let shoppers: AgentShoppers | undefined;
    try {
      const ended = await killServers(trial, goal, async (servers) => {
        shoppers = await AgentShoppers.open({ databaseUrl, servers, shoppers: pick(size, 4, 8), seed });
        return shoppers;
      });
      return { tried: goal, unit: 'kill -9', ...ended };
    } finally {
      await shoppers?.end();
    }
  },
};
