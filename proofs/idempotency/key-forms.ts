import { randomUUID } from 'node:crypto';
import {
  ENDS_ITS_CREDENTIAL,
  isReplay,
  MUTATIONS,
  refusesKey,
  sameAnswer,
  underKey,
  unexpected,
} from '../testing/idempotent-requests.ts';
import { changes, holdingsOf } from '../testing/owner-queries.ts';
import { type Figures, type Proof, pick } from '../testing/proof.ts';
import { chanceOf } from '../testing/random.ts';
import { inWorld } from '../testing/three-tenants.ts';
import { validCall } from '../testing/valid-requests.ts';

/** Sends one idempotency key in two spellings, and sends invalid keys. */
export const H4: Proof = {
  id: 'H4',
  promise:
    'An idempotency key is one UUID, in either case of letters; any other value is rejected, and nothing is written.',
  run: (trial) =>
    inWorld(trial, async (world) => {
      const [tenant] = world.tenants;
      let tried = 0;
      const chance = chanceOf(trial.seed);
      for (const operation of chance.some(MUTATIONS, pick(trial.size, 12, MUTATIONS.length))) {
        const key = randomUUID();
        const call = await validCall(world, tenant, operation);
        const before = await holdingsOf(world.owner, tenant.site_id);
        for (const [what, form] of Object.entries(malformed(key))) {
          if (form === undefined && operation.keyWaived === 'always') continue;
          const attack = form === undefined ? withoutKey(call) : underKey(call, form);
          const reply = await world.send(attack, tenant);
          if (!refusesKey(reply)) unexpected(world, call, `the key ${what}`, reply);
          tried += 1;
        }
        const changed = Object.keys(changes(before, await holdingsOf(world.owner, tenant.site_id)));
        if (changed.length > 0)
          world.violations.add(`${operation.id}: requests with an invalid key changed ${changed.join(', ')}`);

        const first = await world.send(underKey(call, key), tenant);
        const capitals = await world.send(underKey(call, key.toUpperCase()), tenant);
        const gone = ENDS_ITS_CREDENTIAL.includes(operation.id) && capitals.status === 401;
        const same = isReplay(capitals) && sameAnswer(first, capitals);
        if (first.status !== operation.status) unexpected(world, call, 'in small letters', first);
        if (!same && !gone) unexpected(world, call, 'in capitals', capitals);
        tried += 2;
        trial.progress(`${operation.id}, ${tried} requests`);
      }
      return { tried, unit: 'requests', violations: world.violations.list } satisfies Figures;
    }),
};

function malformed(key: string): Record<string, string | string[] | undefined> {
  return {
    missing: undefined,
    empty: '',
    'as a urn': `urn:uuid:${key}`,
    'in braces': `{${key}}`,
    'in quotes': `"${key}"`,
    'without hyphens': key.replaceAll('-', ''),
    'with something behind': `${key}0`,
    'with a digit that is none': `g${key.slice(1)}`,
    'no UUID': 'order-1',
    'in two headers': [key, randomUUID()],
    'twice in two headers': [key, key],
    'as a list': `${key}, ${key}`,
    'of 10 KB': 'a'.repeat(10_000),
  };
}

function withoutKey<C extends { headers: Record<string, unknown> }>(call: C): C {
  const { 'Idempotency-Key': _, ...headers } = call.headers;
  return { ...call, headers };
}
