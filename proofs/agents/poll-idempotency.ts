import { randomUUID } from 'node:crypto';
import { askForConsent, asSignedIn, callOf, newCustomer } from '../testing/agents.ts';
import { type Proof, pick } from '../testing/proof.ts';
import { inWorld } from '../testing/three-tenants.ts';

/** One idempotency key is used for all polls of a request, from the first until after the agent is revoked. */
export const F5: Proof = {
  id: 'F5',
  promise:
    'Polls with the same idempotency key never replay a pending response; they repeat the issued token, but not after it was revoked.',
  run: (trial) =>
    inWorld(trial, async (world) => {
      const [tenant] = world.tenants;
      const rounds = pick(trial.size, 3, 300);
      for (let round = 0; round < rounds; round += 1) {
        const customer = await newCustomer(world, tenant);
        const { device_code, user_code } = await askForConsent(world, tenant);
        const key = { 'Idempotency-Key': randomUUID() };
        const poll = async () => {
          const { status, text } = await world.send(
            callOf('agent.pollConsent', key, { body: { device_code } }),
            tenant,
          );
          return { status, body: JSON.parse(text) as { error?: string; access_token?: string; token_id?: string } };
        };
        const headers = asSignedIn(tenant, customer.token);
        const waiting = await poll();
        await world.send(callOf('storefront.approveAgentConsent', headers, { path: { user_code } }), tenant);
        const first = await poll();
        const again = await poll();
        const path = { agent_token_id: first.body.token_id ?? '' };
        await world.send(callOf('storefront.revokeAgent', headers, { path }), tenant);
        const dead = await poll();
        const received = [
          waiting.body.error,
          first.status,
          again.body.access_token === first.body.access_token,
          dead.body.error,
        ];
        const expected = ['authorization_pending', 200, true, 'key_not_active'];
        if (JSON.stringify(received) !== JSON.stringify(expected) || dead.body.access_token !== undefined) {
          world.violations.add(`the polls of one key got ${JSON.stringify(received)}`);
        }
      }
      return { tried: rounds * 4, unit: 'polls', violations: world.violations.list };
    }),
};
