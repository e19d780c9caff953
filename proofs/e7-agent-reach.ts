import { operationTable } from '../server/src/http/contract/contract.ts';
import { bearer, newCustomer, openAgent } from './agents.ts';
import { effects, holdingsOf } from './database.ts';
import type { Figures, Proof } from './frame.ts';
import { validCall } from './requests.ts';
import { inWorld } from './world.ts';

/** An active agent token by itself, on every operation that is not for agents, and on those of agents without the scope. */
export const E7: Proof = {
  id: 'E7',
  promise: 'An agent token alone opens nothing outside of the agent surface, and there only what its scopes name.',
  run: (trial) =>
    inWorld(trial, async (world) => {
      const [tenant] = world.tenants;
      const { id } = await newCustomer(world, tenant);
      const agent = await openAgent(world, tenant, id);
      const bare = await openAgent(world, tenant, id);
      await world.owner.query(`update commerce.tokens set scopes = '{}' where id = $1`, [bare.id]);
      let tried = 0;
      for (const operation of operationTable) {
        if (operation.security.length === 0) continue;
        const own = operation.surface === 'agent';
        if (own && operation.scope === 'agent:self') continue;
        const call = await validCall(world, tenant, operation, { alternative: 0 });
        const beside = ['Authorization', 'X-API-Key', 'X-Sync-Secret', 'X-Service-Token'];
        const alone = Object.fromEntries(Object.entries(call.headers).filter(([name]) => !beside.includes(name)));
        const ways = [{ ...alone, ...bearer(own ? bare.secret : agent.secret) }];
        const before = await holdingsOf(world.owner, tenant.site_id);
        for (const headers of ways) {
          const { status, text } = await world.send({ ...call, headers }, tenant);
          tried += 1;
          if (status !== 401 && status !== 403)
            world.violations.add(`${operation.id}: ${status} ${text.slice(0, 300)}`);
        }
        const changed = effects(before, await holdingsOf(world.owner, tenant.site_id));
        if (changed.length > 0) world.violations.add(`${operation.id} was refused, yet ${changed.join(', ')} changed`);
        trial.progress(`${operation.id}, ${tried} requests`);
      }
      return { tried, unit: 'requests', violations: world.violations.list } satisfies Figures;
    }),
};
