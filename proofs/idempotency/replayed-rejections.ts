import { randomUUID } from 'node:crypto';
import type { Operation } from '../../server/src/http/contract/contract.ts';
import { isReplay, MUTATIONS, sameAnswer, underKey, unexpected } from '../testing/idempotent-requests.ts';
import { changes, holdingsOf } from '../testing/owner-queries.ts';
import { type Figures, type Proof, pick } from '../testing/proof.ts';
import { chanceOf } from '../testing/random.ts';
import type { Call } from '../testing/raw-requests.ts';
import { failStatements } from '../testing/statements.ts';
import { callAs, operationOf, type Tenant, type World } from '../testing/tenant.ts';
import { inWorld } from '../testing/three-tenants.ts';
import { validCall } from '../testing/valid-requests.ts';

/** A repeated key must replay the shop's decision, but not a temporary failure. */
export const H5: Proof = {
  id: 'H5',
  promise:
    'A rejection is replayed even if its reason no longer exists; a server error is not stored, so the retry is executed.',
  run: (trial) =>
    inWorld(trial, async (world) => {
      const chance = chanceOf(trial.seed);
      let tried = 0;
      for (const [what, story] of Object.entries(STORIES)) {
        await refuseThenFix(world, world.tenants[0], what, story);
        tried += 3;
      }
      const operations = chance.some(MUTATIONS, pick(trial.size, 15, MUTATIONS.length));
      for (const operation of operations) {
        const failures = chance.some(FAILURES, pick(trial.size, 2, FAILURES.length));
        const call = await validCall(world, world.tenants[0], operation);
        tried += await failThenRetry(world, world.tenants[0], call, failures);
        trial.progress(`${operation.id}, ${tried} requests`);
      }
      tried += await mistakeThenRight(world, world.tenants[0], operations);
      return { tried, unit: 'requests', violations: world.violations.list } satisfies Figures;
    }),
};

interface Story {
  /** The operation whose call is rejected at first. */
  operation: string;
  status: number;
  /** Causes the rejection, and adapts the valid call. Returns a function that removes the reason of the rejection. */
  refuse(call: Call, by: By): Promise<() => Promise<unknown>> | (() => Promise<unknown>);
}

/** Calls an operation as the tenant. */
type By = (operation: string, body?: unknown, path?: Record<string, string>) => Promise<unknown>;

interface Made {
  id: string;
}

const receive = (by: By, variant_id = '') =>
  by('dashboard.adjustInventory', { delta: 1, reason: 'received' }, { variant_id });

const STORIES: Record<string, Story> = {
  'a slug that is taken': takenBy('Product', 'slug', { name: 'Cup', price: '1.00' }),
  'a SKU that is taken': takenBy('Product', 'sku', { name: 'Cup', price: '1.00' }),
  'a handle that is taken': takenBy('Collection', 'handle', { title: 'Cups' }),
  'an e-mail that is taken': {
    operation: 'dashboard.createCustomer',
    status: 409,
    async refuse(call, by) {
      call.body = { email: `taken-${randomUUID()}@example.com` };
      const { id } = (await by('dashboard.createCustomer', call.body)) as Made;
      return () => by('dashboard.anonymizeCustomer', undefined, { customer_id: id });
    },
  },
  'a quantity that has changed': {
    operation: 'dashboard.adjustInventory',
    status: 409,
    refuse(call, by) {
      call.body = { set_to: 7, expected_quantity: 41, reason: 'correction' };
      return () => receive(by, call.path.variant_id);
    },
  },
  'stock that is not there': {
    operation: 'dashboard.adjustInventory',
    status: 409,
    refuse(call, by) {
      call.body = { delta: -41, reason: 'damaged' };
      return () => receive(by, call.path.variant_id);
    },
  },
  'a code that does not exist yet': {
    operation: 'storefront.applyDiscount',
    status: 400,
    refuse(call, by) {
      const code = `LATER-${randomUUID()}`;
      call.body = { code };
      return () => by('dashboard.createDiscount', { code, kind: 'percentage', value: '5' });
    },
  },
  'more in the cart than there is': {
    operation: 'storefront.addCartItem',
    status: 409,
    refuse(call, by) {
      const { variant_id } = call.body as { variant_id: string };
      call.body = { variant_id, quantity: 41 };
      return () => receive(by, variant_id);
    },
  },
  // This rejection happens before the transaction begins.
  'a webhook that is disabled': {
    operation: 'dashboard.testWebhook',
    status: 409,
    async refuse(call, by) {
      await by('dashboard.updateWebhook', { status: 'disabled' }, call.path);
      return () => by('dashboard.updateWebhook', { status: 'active' }, call.path);
    },
  },
};

/** The value of a field that must be unique is taken, until the object that has it is deleted. */
function takenBy(noun: 'Product' | 'Collection', field: string, body: object): Story {
  return {
    operation: `dashboard.create${noun}`,
    status: 409,
    async refuse(call, by) {
      call.body = { ...body, [field]: `taken-${randomUUID()}` };
      const { id } = (await by(`dashboard.create${noun}`, call.body)) as Made;
      return () => by(`dashboard.delete${noun}`, undefined, { [`${noun.toLowerCase()}_id`]: id });
    },
  };
}

async function refuseThenFix(world: World, tenant: Tenant, what: string, story: Story): Promise<void> {
  const call = await validCall(world, tenant, operationOf(story.operation));
  const fix = await story.refuse(call, (operation, body, path) => callAs(world, tenant, operation, body, { ...path }));
  const first = await world.send(call, tenant);
  if (first.status !== story.status) unexpected(world, call, `${what}, at first`, first);
  await fix();
  const replay = await world.send(call, tenant);
  if (!isReplay(replay) || !sameAnswer(first, replay)) unexpected(world, call, `${what}, under the same key`, replay);
  const fresh = await world.send(underKey(call), tenant);
  if (fresh.status !== call.operation.status) unexpected(world, call, `${what}, under a new key`, fresh);
}

interface Failure {
  what: string;
  matches: RegExp;
  after?: RegExp;
  code: string;
  status: number;
}

/**
 * The places at which the database fails (during the work, while the response is stored, or at the commit), each with
 * its error.
 */
const FAILURES: Failure[] = [
  { what: 'in the work', matches: /^/, after: /pg_try_advisory_xact_lock/ },
  { what: 'while the answer is stored', matches: /^\s*(?:with kept as \()?insert into idempotency_keys/ },
  { what: 'at the commit', matches: /^commit/ },
].flatMap((place) => [
  { ...place, code: 'XX000', status: 500 },
  { ...place, code: '57P01', status: 503 },
]);

/** The database fails at each place in turn. The call must leave no row, and the retry must take effect. */
async function failThenRetry(world: World, tenant: Tenant, call: Call, failures: Failure[]): Promise<number> {
  const before = await holdingsOf(world.owner, tenant.site_id);
  for (const { what, matches, after, code, status } of failures) {
    const restore = failStatements(matches, code, 'failed by the proof', after);
    const failed = await world.send(call, tenant);
    restore();
    if (failed.status !== status) unexpected(world, call, `with ${code} ${what}`, failed);
  }
  // Every poll is recorded in agent_consents, even if it fails.
  const noted = call.operation.namedBy === 'device_code' ? ['agent_consents'] : [];
  const changed = Object.keys(changes(before, await holdingsOf(world.owner, tenant.site_id))).filter(
    (table) => !noted.includes(table),
  );
  if (changed.length > 0)
    world.violations.add(`${call.operation.id}: a request that failed with 5xx changed ${changed.join(', ')}`);
  const retry = await world.send(call, tenant);
  if (retry.status !== call.operation.status || isReplay(retry)) unexpected(world, call, 'the retry', retry);
  return failures.length + 1;
}

/** A validation error must not be stored, so that the corrected request can use the same key. */
async function mistakeThenRight(world: World, tenant: Tenant, operations: Operation[]): Promise<number> {
  const writing = operations.filter(({ hasBody }) => hasBody);
  for (const operation of writing) {
    const call = await validCall(world, tenant, operation);
    const wrong = await world.send({ ...call, body: { zz_unknown: true } }, tenant);
    if (wrong.status !== 422) unexpected(world, call, 'with an unknown field', wrong);
    const right = await world.send(call, tenant);
    if (right.status !== operation.status) unexpected(world, call, 'corrected, under the same key', right);
  }
  return 2 * writing.length;
}
