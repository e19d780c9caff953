import { createHash } from 'node:crypto';
import { ENDS_ITS_CREDENTIAL, isReplay, MUTATIONS, sameAnswer, unexpected } from '../testing/idempotent-requests.ts';
import { type Figures, type Proof, pick } from '../testing/proof.ts';
import { chanceOf } from '../testing/random.ts';
import type { Call } from '../testing/raw-requests.ts';
import type { World } from '../testing/tenant.ts';
import { inWorld } from '../testing/three-tenants.ts';
import { validCall } from '../testing/valid-requests.ts';

/**
 * Repeats a key just before and just after 24 hours. The time passes by moving the times in the database into the past.
 */
export const H3: Proof = {
  id: 'H3',
  promise: 'An idempotency key replays its response for 24 hours, and can be used for a new request after that.',
  run: (trial) =>
    inWorld(trial, async (world) => {
      const [tenant] = world.tenants;
      const lasting = MUTATIONS.filter(({ id }) => !ENDS_ITS_CREDENTIAL.includes(id));
      let tried = 0;
      for (const operation of chanceOf(trial.seed).some(lasting, pick(trial.size, 15, lasting.length))) {
        const call = await validCall(world, tenant, operation);
        const first = await world.send(call, tenant);
        await age(world, call, '23:59:57');
        const before = await world.send(call, tenant);
        if (!isReplay(before) || !sameAnswer(first, before)) unexpected(world, call, 'at 23:59:57', before);
        await age(world, call, '24:00:01');
        const after = await world.send(call, tenant);
        if (isReplay(after)) unexpected(world, call, 'at 24:00:01', after);
        tried += 3;
        trial.progress(`${operation.id}, ${tried} requests`);
      }
      return { tried, unit: 'requests', violations: world.violations.list } satisfies Figures;
    }),
};

async function age({ owner }: World, call: Call, interval: string): Promise<void> {
  const keyHash = createHash('sha256').update(String(call.headers['Idempotency-Key'])).digest();
  await owner.query('update commerce.idempotency_keys set completed_at = now() - $2::interval where key_hash = $1', [
    keyHash,
    interval,
  ]);
}
