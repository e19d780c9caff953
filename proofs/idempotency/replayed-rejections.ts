import { randomUUID } from 'node:crypto';
import type { Operation } from '../../server/src/http/contract/contract.ts';
import { isReplay, MUTATIONS, sameAnswer, underKey, unexpected } from '../testing/idempotent-requests.ts';
import { MAKERS } from '../testing/objects.ts';
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
      const operations = chance.some(MUTATIONS, pick(trial.size, 30, MUTATIONS.length));
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
  /** A call that is rejected at first. */
  call: Call;
  status: number;
  /** Removes the reason for the rejection, so that the call succeeds under a new key. */
  fix(): Promise<unknown>;
}

type Rejection = (world: World, tenant: Tenant) => Promise<Story>;

const STORIES: Record<string, Rejection> = {
  'a slug that is taken': async (world, tenant) => {
    const slug = `taken-${randomUUID()}`;
    const first = (await callAs(world, tenant, 'dashboard.createProduct', {
      name: 'Cup',
      price: '1.00',
      slug,
    })) as Made;
    const call = await validCall(world, tenant, operationOf('dashboard.createProduct'));
    call.body = { ...(call.body as object), slug };
    return { call, status: 409, fix: () => remove(world, tenant, first) };
  },
  'a SKU that is taken': async (world, tenant) => {
    const sku = `taken-${randomUUID()}`;
    const first = (await callAs(world, tenant, 'dashboard.createProduct', { name: 'Cup', price: '1.00', sku })) as Made;
    const call = await validCall(world, tenant, operationOf('dashboard.createProduct'));
    call.body = { name: 'Cup', price: '1.00', sku };
    return { call, status: 409, fix: () => remove(world, tenant, first) };
  },
  'a handle that is taken': async (world, tenant) => {
    const handle = `taken-${randomUUID()}`;
    const first = (await callAs(world, tenant, 'dashboard.createCollection', { title: 'Cups', handle })) as Made;
    const call = await validCall(world, tenant, operationOf('dashboard.createCollection'));
    call.body = { title: 'Cups', handle };
    const fix = () => callAs(world, tenant, 'dashboard.deleteCollection', undefined, { collection_id: first.id });
    return { call, status: 409, fix };
  },
  'a quantity that has changed': async (world, tenant) => {
    const call = await validCall(world, tenant, operationOf('dashboard.adjustInventory'));
    call.body = { set_to: 7, expected_quantity: 41, reason: 'correction' };
    const fix = () =>
      callAs(world, tenant, 'dashboard.adjustInventory', { delta: 1, reason: 'received' }, { ...call.path });
    return { call, status: 409, fix };
  },
  'stock that is not there': async (world, tenant) => {
    const call = await validCall(world, tenant, operationOf('dashboard.adjustInventory'));
    call.body = { delta: -41, reason: 'damaged' };
    const fix = () =>
      callAs(world, tenant, 'dashboard.adjustInventory', { delta: 1, reason: 'received' }, { ...call.path });
    return { call, status: 409, fix };
  },
  'a code that does not exist yet': async (world, tenant) => {
    const call = await validCall(world, tenant, operationOf('storefront.applyDiscount'));
    const code = `LATER-${randomUUID()}`;
    call.body = { code };
    const fix = () => callAs(world, tenant, 'dashboard.createDiscount', { code, kind: 'percentage', value: '5' });
    return { call, status: 400, fix };
  },
  'more in the cart than there is': async (world, tenant) => {
    const call = await validCall(world, tenant, operationOf('storefront.addCartItem'));
    const { variant_id } = call.body as { variant_id: string };
    call.body = { variant_id, quantity: 41 };
    const fix = () =>
      callAs(world, tenant, 'dashboard.adjustInventory', { delta: 1, reason: 'received' }, { variant_id });
    return { call, status: 409, fix };
  },
  'an order that is not paid': async (world, tenant) => {
    const call = await validCall(world, tenant, operationOf('dashboard.createRefund'));
    const { order: [order_id = ''] = [] } = await MAKERS.order.make(world, tenant);
    call.path = { order_id };
    const fix = () => callAs(world, tenant, 'dashboard.markOrderPaid', undefined, { order_id });
    return { call, status: 409, fix };
  },
  // This rejection happens before the transaction begins.
  'a webhook that is disabled': async (world, tenant) => {
    const call = await validCall(world, tenant, operationOf('dashboard.testWebhook'));
    const setTo = (status: string) => callAs(world, tenant, 'dashboard.updateWebhook', { status }, { ...call.path });
    await setTo('disabled');
    return { call, status: 409, fix: () => setTo('active') };
  },
  'an e-mail that is taken': async (world, tenant) => {
    const email = `taken-${randomUUID()}@example.com`;
    const first = (await callAs(world, tenant, 'dashboard.createCustomer', { email })) as Made;
    const call = await validCall(world, tenant, operationOf('dashboard.createCustomer'));
    call.body = { email };
    const fix = () => callAs(world, tenant, 'dashboard.anonymizeCustomer', undefined, { customer_id: first.id });
    return { call, status: 409, fix };
  },
};

interface Made {
  id: string;
}

function remove(world: World, tenant: Tenant, { id }: Made): Promise<unknown> {
  return callAs(world, tenant, 'dashboard.deleteProduct', undefined, { product_id: id });
}

async function refuseThenFix(world: World, tenant: Tenant, what: string, teller: Rejection): Promise<void> {
  const { call, status, fix } = await teller(world, tenant);
  const first = await world.send(call, tenant);
  if (first.status !== status) unexpected(world, call, `${what}, at first`, first);
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
