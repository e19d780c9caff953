import { randomUUID } from 'node:crypto';
import { type Operation, operationTable } from '../../server/src/http/contract/contract.ts';
import { idPlaces } from '../tenancy/id-places.ts';
import { asCustomer } from '../testing/customers.ts';
import { withNewKey } from '../testing/idempotent-requests.ts';
import { isForCustomers, MAKERS } from '../testing/objects.ts';
import { effects, holdingsOf } from '../testing/owner-queries.ts';
import { type Figures, type Proof, pick, type Size } from '../testing/proof.ts';
import { type Chance, chanceOf } from '../testing/random.ts';
import { type Call, comparable, type Reply } from '../testing/raw-requests.ts';
import { type Slot, withValue } from '../testing/request-values.ts';
import { fillIn, makeCartOf, makeOrder } from '../testing/sales.ts';
import type { Ids, Kind, Tenant, World } from '../testing/tenant.ts';
import { inWorld } from '../testing/three-tenants.ts';
import { validCall } from '../testing/valid-requests.ts';
import { mayCall, type Principal, principalsOf } from './callers.ts';

/** Every kind of caller of a tenant, except agents, calls the tenant's operations with the objects of other buyers. */
export const A2: Proof = {
  id: 'A2',
  promise: 'Within a shop, no caller reaches an operation that is not open to them, nor the data of another customer.',
  run: (trial) =>
    inWorld(trial, async (world) => {
      const [tenant] = world.tenants;
      const chance = chanceOf(trial.seed);
      const owners = await ownersIn(world, tenant, pick(trial.size, 2, 12));
      let tried = 0;
      for (const operation of operationTable) {
        tried += await attack(world, tenant, owners, operation, trial.size, chance);
        trial.progress(`${operation.id}, ${tried} requests`);
      }
      return { tried, unit: 'requests', violations: world.violations.list } satisfies Figures;
    }),
};

/** A buyer with a cart, a checkout and an order. A customer also has an address. */
interface Owner {
  name: string;
  customer_id: string | null;
  token: string;
  ids: Partial<Ids>;
}

/** Kinds of objects that belong to one buyer, not to the whole shop. */
const OWNED: Kind[] = ['customer', 'address', 'cart', 'cart_line', 'checkout', 'order', 'order_line'];

/** The number of callers without access that try an operation in the short form. */
const REFUSED_IN_SHORT = 2;
const GUEST: Owner = { name: 'a guest', customer_id: null, token: '', ids: {} };

async function ownersIn(world: World, tenant: Tenant, customers: number): Promise<Owner[]> {
  const owners = [await furnish(world, tenant, GUEST)];
  for (let index = 1; index <= customers; index += 1) {
    const { customer, customer_token, address } = await MAKERS.customer.make(world, tenant);
    const [customer_id = '', token = ''] = [customer?.[0], customer_token?.[0]];
    const account = { name: `customer ${index}`, customer_id, token, ids: { customer, address } };
    owners.push(await furnish(world, tenant, account));
  }
  return owners;
}

async function furnish(world: World, tenant: Tenant, owner: Owner): Promise<Owner> {
  const shopper = asCustomer(tenant, owner.token);
  const order = await makeOrder(world, shopper);
  const cart = await makeCartOf(world, shopper);
  const checkout = [await fillIn(world, shopper, cart.cart?.[0])];
  return { ...owner, ids: { ...owner.ids, ...order, ...cart, checkout } };
}

/**
 * Sends calls that must be rejected: calls by callers without access, and calls on another person's objects. Returns
 * the number of calls.
 */
async function attack(
  world: World,
  tenant: Tenant,
  owners: Owner[],
  operation: Operation,
  size: Size,
  chance: Chance,
): Promise<number> {
  const call = await validCall(world, tenant, operation, { full: true });
  const places = placesIn(call);
  const before = await holdingsOf(world.owner, tenant.site_id);
  let tried = 0;
  let accepted = 0;
  const principals = principalsIn(tenant, owners);
  const refused = principals.filter((principal) => !mayCall(principal, operation));
  const left = size === 'short' ? chance.some(refused, refused.length - REFUSED_IN_SHORT) : [];
  for (const principal of principals.filter((one) => !left.includes(one))) {
    // One owner is enough if the call contains no buyer's object, and in the short form also if the caller lacks
    // access: such a call is rejected before any object is read.
    const closed = places.length === 0 || (size === 'short' && !mayCall(principal, operation));
    for (const owner of closed ? chance.some(owners, 1) : owners) {
      const about = callOf(call, principal, places, owner);
      if (!mayCall(principal, operation)) {
        judgeClosed(world, about, `${principal.name} about ${owner.name}`, await world.send(about, tenant));
        tried += 1;
      } else if (places.length > 0 && !mayTouch(principal, owner, operation)) {
        for (const some of places.length > 1 ? [places, ...places.map((place) => [place])] : [places]) {
          const status = await compare(world, tenant, callOf(call, principal, some, owner), some, owner);
          tried += 1;
          if (status < 400) accepted += 1;
        }
      }
    }
  }
  const changed = effects(before, await holdingsOf(world.owner, tenant.site_id));
  if (accepted === 0 && changed.length > 0) {
    world.violations.add(`${operation.id}: everything was refused, yet ${changed.join(', ')} changed`);
  }
  return tried;
}

interface Place {
  slot: Slot;
  kind: Kind;
}

/** Finds the fields of a call that identify a buyer's object. */
function placesIn({ operation, body }: Call): Place[] {
  return idPlaces(operation, body).flatMap(({ slot, kinds: [kind] }) =>
    kind && OWNED.includes(kind) ? [{ slot, kind }] : [],
  );
}

function principalsIn(tenant: Tenant, owners: Owner[]): Principal[] {
  const shoppers = owners.flatMap(({ customer_id, token }) => (customer_id ? [{ id: customer_id, token }] : []));
  return principalsOf(tenant, shoppers);
}

/** Changes the call so that this caller makes it, on the owner's objects. */
function callOf(call: Call, principal: Principal, places: Place[], { ids }: Owner): Call {
  const own = places.reduce((about, { slot, kind }) => withValue(about, slot, ids[kind]?.[0] ?? randomUUID()), call);
  const version = call.headers['If-Match'];
  const headers = { ...principal.headers, ...(version !== undefined && { 'If-Match': version }) };
  return withNewKey({ ...own, headers });
}

/**
 * Staff may access everybody's objects. On the storefront, anyone who has the id of a guest's cart may use that cart; a
 * customer's objects are open to that customer only.
 */
function mayTouch(principal: Principal, owner: Owner, operation: Operation): boolean {
  if (operation.surface !== 'storefront') return true;
  const own = owner.customer_id !== null && owner.customer_id === principal.customer_id;
  return own || (owner.customer_id === null && !isForCustomers(operation));
}

function judgeClosed(world: World, { operation }: Call, who: string, { status, text }: Reply): void {
  if (status === 401 || status === 403) return;
  world.violations.add(`${operation.id}: ${who}: expected 401 or 403, got ${status} ${text.slice(0, 300)}`);
}

/** Expects the same response for another person's objects as for missing ones. Returns the status. */
async function compare(world: World, tenant: Tenant, call: Call, places: Place[], owner: Owner): Promise<number> {
  const unknown = unknownOf(call, places);
  const foreign = await world.send(call, tenant);
  const nothing = await world.send(unknown, tenant);
  const actual = comparable(foreign, idsIn(call, places));
  const expected = comparable(nothing, idsIn(unknown, places));
  if (actual !== expected) {
    const where = places.map(({ slot }) => slot.name).join(', ');
    world.violations.add(`${call.operation.id}: ${where} of ${owner.name}: ${actual}, of nobody: ${expected}`);
  }
  return foreign.status;
}

function unknownOf(call: Call, places: Place[]): Call {
  return withNewKey(places.reduce((about, { slot }) => withValue(about, slot, randomUUID()), call));
}

function idsIn({ path, query, body }: Call, places: Place[]): string[] {
  return places.map(({ slot }) => {
    const place = { path, query, body, header: {} }[slot.in] as Record<string, unknown>;
    return String(slot.at.reduce<unknown>((at, key) => (at as Record<string | number, unknown>)[key], place));
  });
}
