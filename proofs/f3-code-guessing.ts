import { mintUserCode } from '../server/src/shop/user-codes.ts';
import { askForConsent, asSignedIn, callOf, forgetGuesses, newCustomer } from './agents.ts';
import { send } from './client.ts';
import { type Figures, type Proof, pick } from './frame.ts';
import { inWorld } from './world.ts';

const OF_CUSTOMER = 5;
const IN_SHOP = 50;

/** Codes that nobody was given, tried by one customer, and by so many that each stays below the customer's own limit. */
export const F3: Proof = {
  id: 'F3',
  promise: 'Nobody tries more than 5 unknown codes in 15 minutes, nor a whole shop more than 50 in an hour.',
  run: (trial) =>
    inWorld(trial, async (world) => {
      const [, tenant] = world.tenants;
      let tried = 0;
      for (let round = 0; round < pick(trial.size, 1, 20); round += 1) {
        const { user_code } = await askForConsent(world, tenant);
        await forgetGuesses(world, tenant);
        const guess = async (token: string) => {
          tried += 1;
          const path = { user_code: mintUserCode() };
          return (await send(world.baseUrl, callOf('storefront.getAgentConsent', asSignedIn(tenant, token), { path })))
            .status;
        };
        const one = await newCustomer(world, tenant);
        const ofOne = await Promise.all(Array.from({ length: 32 }, () => guess(one.token)));
        judge(ofOne, OF_CUSTOMER, 'one customer');

        await forgetGuesses(world, tenant);
        const many = await Promise.all(Array.from({ length: 16 }, () => newCustomer(world, tenant)));
        const ofAll = await Promise.all(many.flatMap(({ token }) => [1, 2, 3, 4].map(() => guess(token))));
        judge(ofAll, IN_SHOP, 'the whole shop');

        // Whoever has a real code still gets through in the next hour, and is not counted.
        await forgetGuesses(world, tenant);
        const headers = asSignedIn(tenant, one.token);
        for (let look = 0; look < 2 * OF_CUSTOMER; look += 1) {
          const { status } = await send(
            world.baseUrl,
            callOf('storefront.getAgentConsent', headers, { path: { user_code } }),
          );
          if (status !== 200) world.violations.add(`a known code got ${status}`);
        }
        trial.progress(`round ${round + 1}`);
      }
      await forgetGuesses(world, tenant);
      return { tried, unit: 'guesses', violations: world.violations.list } satisfies Figures;

      function judge(statuses: number[], limit: number, who: string): void {
        const judged = statuses.filter((status) => status === 404).length;
        const refused = statuses.filter((status) => status === 429).length;
        if (judged !== limit || judged + refused !== statuses.length) {
          world.violations.add(`${who}: ${judged} guesses were judged, ${refused} refused, of ${statuses.length}`);
        }
      }
    }),
};
