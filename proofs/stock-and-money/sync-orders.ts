import { randomUUID } from 'node:crypto';
import { reviveSyncKey } from '../testing/objects.ts';
import { type Figures, type Proof, pick } from '../testing/proof.ts';
import { type Chance, chanceOf } from '../testing/random.ts';
import { syncOrderOf } from '../testing/sales.ts';
import { callAs, credentialsOf, operationOf, type Tenant, type World } from '../testing/tenant.ts';
import { inWorld } from '../testing/three-tenants.ts';

/** A widget sends orders with wrong prices or objects of other shops. Accepted orders are read back. */
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
      for (let count = 1; count <= tried; count += 1) await attack(world, tenant, { goods, foreign, chance });
      return { tried, unit: 'orders', violations: world.violations.list } satisfies Figures;
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

/** Sends an order, either correct or with a wrong claim. */
async function attack(world: World, tenant: Tenant, scene: Scene): Promise<void> {
  const { chance } = scene;
  const { order, cents } = await honestOrder(world, tenant, scene);
  const lie = chance.next() < 0.7 ? chance.of(Object.keys(LIES)) : undefined;
  if (lie) LIES[lie]?.(order, scene);
  const what = `${lie ?? 'an honest order'}: ${JSON.stringify(order)}`;

  const operation = operationOf('sync.createOrder');
  const headers = { ...credentialsOf(tenant, operation), 'Idempotency-Key': randomUUID() };
  const reply = await world.send({ operation, path: {}, query: {}, headers, body: order }, tenant);

  const expected = lie ? [404, 422] : [201];
  if (!expected.includes(reply.status))
    world.violations.add(`${what}: expected ${expected.join(' or ')}, got ${reply.status}: ${reply.text}`);
  else if (!lie) await judge(world, tenant, JSON.parse(reply.text), cents, what);
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
  order: { subtotal: string } | null;
}

/**
 * Checks that an accepted order has the catalogue's prices, and that reading it by id and by reference returns the
 * first response.
 */
async function judge(world: World, tenant: Tenant, made: SyncOrder, cents: number, what: string): Promise<void> {
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
