import { randomUUID } from 'node:crypto';
import { reviveSyncKey } from '../testing/objects.ts';
import { type Figures, type Proof, pick } from '../testing/proof.ts';
import { type Chance, chanceOf } from '../testing/random.ts';
import { syncOrderOf } from '../testing/sales.ts';
import { callAs, credentialsOf, operationOf, type Tenant, type World } from '../testing/tenant.ts';
import { inWorld } from '../testing/three-tenants.ts';

/**
 * A widget sends orders with wrong prices or objects of other shops. Accepted orders are read back, even if optional
 * fields are missing.
 */
export const D8: Proof = {
  id: 'D8',
  promise: "A widget's order is accepted only at the catalogue's prices, and can always be read back.",
  run: (trial) =>
    inWorld(trial, async (world) => {
      const [tenant, other] = world.tenants;
      await reviveSyncKey(world, tenant);
      const goods = await goodsOf(world, tenant);
      const foreign = await goodsOf(world, other);
      const chance = chanceOf(trial.seed);
      const tried = pick(trial.size, 30, 5_000);
      const taken: Taken[] = [];
      for (let count = 1; count <= tried; count += 1) {
        const made = await attack(world, tenant, { goods, foreign, chance });
        if (made) taken.push(made);
        if (count % 500 === 0) trial.progress(`${count} orders, ${taken.length} taken`);
      }
      if (taken.length === 0) world.violations.add('every order was rejected, including valid ones');
      const sparse = await readSparse(world, tenant, chance.some(taken, pick(trial.size, 10, 256)), chance);
      const note = `${taken.length} of them honest and taken, ${sparse} read back with fields missing`;
      return { tried, unit: 'orders', note, violations: world.violations.list } satisfies Figures;
    }),
};

/** A variant that is on sale. */
interface Good {
  name: string;
  product_id: string;
  variant_id: string;
  sku: string;
  option1: string;
  cents: number;
}

/** Creates two products in two sizes, each with its own price, always in stock. */
async function goodsOf(world: World, tenant: Tenant): Promise<Good[]> {
  const goods: Good[] = [];
  for (const cents of [1_050, 30]) {
    const mark = `${tenant.canary}-${randomUUID().slice(0, 8)}`;
    const product = (await callAs(world, tenant, 'dashboard.createProduct', {
      name: mark,
      slug: mark,
      status: 'active',
      options: [{ name: 'Size', values: ['S', 'L'] }],
      variants: ['S', 'L'].map((option1, index) => ({
        option1,
        sku: `${mark}-${option1}`,
        price: amount(cents * (index + 1)),
        inventory_quantity: 10_000_000,
      })),
    })) as { id: string; variants: { id: string; sku: string; option1: string }[] };
    for (const [index, { id, sku, option1 }] of product.variants.entries()) {
      const price = cents * (index + 1);
      goods.push({ name: mark, product_id: product.id, variant_id: id, sku, option1, cents: price });
    }
  }
  return goods;
}

function amount(cents: number): string {
  return (cents / 100).toFixed(2);
}

type Line = Record<string, unknown> & { quantity: number };

interface Order extends Record<string, unknown> {
  line_items: Line[];
}

interface Scene {
  goods: Good[];
  foreign: Good[];
  chance: Chance;
}

/** The ways in which a widget can identify a variant. */
const NAMINGS: ((good: Good) => object)[] = [
  ({ variant_id }) => ({ variant_id }),
  ({ sku }) => ({ sku }),
  ({ product_id, option1 }) => ({ product_id, option1 }),
  ({ option1 }) => ({ option1 }),
  ({ variant_id, sku, product_id, option1 }) => ({
    variant_id,
    sku,
    product_id,
    option1,
    option2: null,
    image_url: null,
  }),
];

/** Changes that make a claim wrong. Each must cause a rejection of the order. */
const LIES: Record<string, (order: Order, scene: Scene) => void> = {
  'a lower price': ({ line_items: [line] }) => {
    Object.assign(line as Line, { price: '0.01', total: amount((line as Line).quantity) });
  },
  'a higher price': ({ line_items: [line] }) => Object.assign(line as Line, { price: '99.00' }),
  'a price of nothing': ({ line_items: [line] }) => Object.assign(line as Line, { price: '0', total: '0' }),
  'a lower total of a line': ({ line_items }) => Object.assign(line_items.at(-1) as Line, { total: '0.01' }),
  'a lower subtotal': (order) => Object.assign(order, { subtotal: '0.01' }),
  'a lower total': (order) => Object.assign(order, { total: '0.01' }),
  'the price of another': ({ line_items: [line] }, { foreign: [good] }) =>
    Object.assign(line as Line, { variant_id: good?.variant_id }),
  'a SKU of another shop': ({ line_items: [line] }, { foreign: [good] }) =>
    Object.assign(line as Line, { sku: good?.sku }),
  'a product of another shop': ({ line_items: [line] }, { foreign: [good] }) =>
    Object.assign(line as Line, { product_id: good?.product_id }),
  'a name of another shop alone': (order, { foreign: [good] }) => {
    const { quantity, price, total } = order.line_items[0] as Line;
    order.line_items[0] = { name: good?.name, quantity, price, total };
  },
  'another size': ({ line_items: [line] }) => Object.assign(line as Line, { option1: 'XL' }),
  'another currency': (order, { chance }) => Object.assign(order, { currency: chance.of(['USD', 'JPY', 'XXX']) }),
  'a price of three decimals': ({ line_items: [line] }) => Object.assign(line as Line, { price: '10.505' }),
  'a negative price': ({ line_items: [line] }) => Object.assign(line as Line, { price: '-10.50', total: '-10.50' }),
  'an odd quantity': ({ line_items: [line] }, { chance }) =>
    Object.assign(line as Line, { quantity: chance.of([0, -1, 1.5, 1_000, 2 ** 53]) }),
};

interface Taken {
  id: string;
  order_id: string | undefined;
}

/** Sends an order, either correct or with a wrong claim. Returns the order if it was accepted. */
async function attack(world: World, tenant: Tenant, scene: Scene): Promise<Taken | undefined> {
  const { chance } = scene;
  const { order, cents } = await honestOrder(world, tenant, scene);
  const lie = chance.next() < 0.7 ? chance.of(Object.keys(LIES)) : undefined;
  if (lie) LIES[lie]?.(order, scene);
  const what = `${lie ?? 'an honest order'}: ${JSON.stringify(order)}`;

  const operation = operationOf('sync.createOrder');
  const headers = { ...credentialsOf(tenant, operation), 'Idempotency-Key': randomUUID() };
  const reply = await world.send({ operation, path: {}, query: {}, headers, body: order }, tenant);

  if (lie) {
    if (reply.status !== 422 && reply.status !== 404)
      world.violations.add(`${what}: expected 422 or 404, got ${reply.status}: ${reply.text}`);
    return undefined;
  }
  if (reply.status !== 201) {
    world.violations.add(`${what}: expected 201, got ${reply.status}: ${reply.text}`);
    return undefined;
  }
  return judge(world, tenant, JSON.parse(reply.text), cents, what);
}

async function honestOrder(world: World, tenant: Tenant, { goods, chance }: Scene) {
  const lines: Line[] = [];
  let cents = 0;
  for (const good of chance.some(goods, 1 + Math.floor(chance.next() * goods.length))) {
    const quantity = 1 + Math.floor(chance.next() * 9);
    cents += good.cents * quantity;
    const price = { price: amount(good.cents), total: amount(good.cents * quantity) };
    lines.push({ name: good.name, quantity, ...price, ...chance.of(NAMINGS)(good) });
  }
  const base = (await syncOrderOf(world, tenant)) as Order;
  const optional = ['email', 'phone', 'shipping_address', 'shipping_option_id', 'note'];
  for (const field of optional) if (chance.next() < 0.3) delete base[field];
  const order: Order = { ...base, payment: chance.of(['bank_transfer', 'hosted_checkout']), line_items: lines };
  if (chance.next() < 0.5) order.subtotal = amount(cents);
  return { order, cents };
}

interface SyncOrder {
  id: string;
  reference: string;
  status: string;
  order: { id: string; subtotal: string; line_items: { price: string; quantity: number; total: string }[] } | null;
}

/**
 * Checks that an accepted order has the catalogue's prices, and that reading it by id and by reference returns the first
 * response.
 */
async function judge(world: World, tenant: Tenant, made: SyncOrder, cents: number, what: string): Promise<Taken> {
  if (made.order && made.order.subtotal !== amount(cents)) {
    world.violations.add(`subtotal ${made.order.subtotal} instead of ${amount(cents)} for ${what}`);
  }
  const byId = await read(world, tenant, 'sync.getOrder', { sync_order_id: made.id });
  if (byId.text !== JSON.stringify(made))
    world.violations.add(`sync.getOrder does not return the created order, but ${byId.status} ${byId.text}: ${what}`);
  const byReference = await read(world, tenant, 'sync.listOrders', {}, { reference: made.reference });
  const expected = JSON.stringify({ orders: [made], next_cursor: null });
  if (byReference.text !== expected)
    world.violations.add(
      `sync.listOrders by reference does not return the created order, but ${byReference.status} ${byReference.text}: ${what}`,
    );
  return { id: made.id, order_id: made.order?.id };
}

function read(
  world: World,
  tenant: Tenant,
  id: string,
  path: Record<string, string>,
  query: Record<string, string> = {},
) {
  const operation = operationOf(id);
  const alternative = operation.security.findIndex((schemes) => schemes.includes('ApiKey'));
  const headers = credentialsOf(tenant, operation, Math.max(0, alternative));
  return world.send({ operation, path, query, headers }, tenant);
}

const OPTIONAL = ['variant_id', 'product_id', 'sku', 'option1', 'option2', 'option3', 'variant_name', 'image_url'];

/**
 * Removes random optional fields from the lines of orders, and expects that both APIs still return them. Returns the number of
 * orders.
 */
async function readSparse(world: World, tenant: Tenant, taken: Taken[], chance: Chance): Promise<number> {
  let count = 0;
  for (const { id, order_id } of taken) {
    if (!order_id) continue;
    const missing = OPTIONAL.filter(() => chance.next() < 0.5);
    const nothing = missing.map((field) => `${field} = null`).join(', ');
    if (nothing) await world.owner.query(`update commerce.order_lines set ${nothing} where order_id = $1`, [order_id]);
    for (const [operation, path] of [
      ['sync.getOrder', { sync_order_id: id }],
      ['dashboard.getOrder', { order_id }],
    ] as const) {
      const { status, text } = await read(world, tenant, operation, path);
      if (status !== 200) world.violations.add(`${operation} without ${missing}: expected 200, got ${status} ${text}`);
    }
    count += 1;
  }
  return count;
}
