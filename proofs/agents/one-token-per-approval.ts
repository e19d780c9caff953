import { approvedDeviceCode, askForConsent, pollConsent } from '../testing/agents.ts';
import { type Proof, pick } from '../testing/proof.ts';
import type { Tenant, World } from '../testing/tenant.ts';
import { inWorld } from '../testing/three-tenants.ts';

/** Clients poll too early, and many clients poll concurrently after the approval. Only one poll may get a token. */
export const F2: Proof = {
  id: 'F2',
  promise:
    'A client that polls too early is slowed down for good, and an approval issues exactly one token to any number of polls.',
  run: (trial) =>
    inWorld(trial, async (world) => {
      const [tenant] = world.tenants;
      const [rounds, parallel] = pick(trial.size, [3, 32] as const, [200, 64] as const);
      for (let round = 0; round < rounds; round += 1) {
        const device_code = await approvedDeviceCode(world, tenant);
        const replies = await Promise.all(
          Array.from({ length: parallel }, () => pollConsent(world, tenant, device_code)),
        );
        const issued = replies.filter(({ status }) => status === 200).length;
        if (issued !== 1)
          world.violations.add(`${issued} of ${parallel} simultaneous polls returned a token, instead of 1`);
        // Every other poll must get `invalid_grant`. If only a database constraint prevented the second token, the poll
        // would get 500.
        for (const { status, text } of replies.filter(({ status }) => status !== 200)) {
          if (status !== 400 || !text.includes('"invalid_grant"'))
            world.violations.add(`a late poll got ${status} ${text}`);
        }
        await hurry(world, tenant);
      }
      return { tried: rounds * (parallel + 4), unit: 'polls', violations: world.violations.list };
    }),
};

/**
 * The second, third and fourth poll come too early. Each adds five seconds to the interval that the server requires.
 */
async function hurry(world: World, tenant: Tenant): Promise<void> {
  const { device_code } = await askForConsent(world, tenant);
  const received: [string, string | undefined][] = [];
  for (let i = 0; i < 4; i += 1) {
    const { text, headers } = await pollConsent(world, tenant, device_code);
    received.push([(JSON.parse(text) as { error: string }).error, headers['retry-after']]);
  }
  const expected = [
    ['authorization_pending', '5'],
    ['slow_down', '10'],
    ['slow_down', '15'],
    ['slow_down', '20'],
  ];
  if (JSON.stringify(received) !== JSON.stringify(expected))
    world.violations.add(`hurried polls got ${JSON.stringify(received)}`);
}
