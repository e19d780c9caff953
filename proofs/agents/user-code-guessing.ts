import { mintUserCode } from '../../server/src/shop/agents/user-codes.ts';
import { askForConsent, asSignedIn, callOf, forgetGuesses, newCustomer } from '../testing/agents.ts';
import { type Proof, pick } from '../testing/proof.ts';
import { send } from '../testing/raw-requests.ts';
import { inWorld } from '../testing/three-tenants.ts';

const OF_CUSTOMER = 5;
const OF_ADDRESS = 10;
const IN_SHOP = 50;

/**
 * Tries unknown user codes: as one customer, as many customers from one IP address, and as many customers from many
 * addresses, each below its own limit.
 */
export const F3: Proof = {
  id: 'F3',
  promise:
    'Unknown user codes are limited to 5 tries in 15 minutes per customer, and in an hour to 10 per IP address and 50 per shop.',
  run: (trial) =>
    inWorld(trial, async (world) => {
      const [, tenant] = world.tenants;
      let tried = 0;
      for (let round = 0; round < pick(trial.size, 1, 20); round += 1) {
        const { user_code } = await askForConsent(world, tenant);
        await forgetGuesses(world, tenant);
        const guess = async (token: string, address: string) => {
          tried += 1;
          const path = { user_code: mintUserCode() };
          const headers = { ...asSignedIn(tenant, token), 'X-Forwarded-For': address };
          return (await send(world.baseUrl, callOf('storefront.getAgentConsent', headers, { path }))).status;
        };
        const customersOf = (many: number) =>
          Promise.all(Array.from({ length: many }, () => newCustomer(world, tenant)));
        const address = (n: number) => `10.${round}.${n >> 8}.${n & 255}`;
        const one = await newCustomer(world, tenant);
        const ofOne = await Promise.all(Array.from({ length: 32 }, (_, n) => guess(one.token, address(n))));
        judge(ofOne, OF_CUSTOMER, 'one customer');

        await forgetGuesses(world, tenant);
        const neighbours = await customersOf(8);
        const atOnce = neighbours.flatMap(({ token }) => [1, 2, 3, 4].map(() => guess(token, address(1_000))));
        judge(await Promise.all(atOnce), OF_ADDRESS, 'one address');

        await forgetGuesses(world, tenant);
        const many = await customersOf(16);
        const ofAll = many.flatMap(({ token }, n) => [1, 2, 3, 4].map((m) => guess(token, address(2_000 + 4 * n + m))));
        judge(await Promise.all(ofAll), IN_SHOP, 'the whole shop');

        // After the counts are reset, as an hour later, a customer who enters a valid code must succeed and not be
        // counted.
        await forgetGuesses(world, tenant);
        const headers = asSignedIn(tenant, one.token);
        for (let look = 0; look < 2 * OF_CUSTOMER; look += 1) {
          const { status } = await send(
            world.baseUrl,
            callOf('storefront.getAgentConsent', headers, { path: { user_code } }),
          );
          if (status !== 200) world.violations.add(`a known code got ${status}`);
        }
      }
      await forgetGuesses(world, tenant);
      return { tried, unit: 'guesses', violations: world.violations.list };

      function judge(statuses: number[], limit: number, who: string): void {
        const judged = statuses.filter((status) => status === 404).length;
        const refused = statuses.filter((status) => status === 429).length;
        if (judged !== limit || judged + refused !== statuses.length) {
          world.violations.add(`${who}: ${judged} guesses were judged, ${refused} refused, of ${statuses.length}`);
        }
      }
    }),
};
