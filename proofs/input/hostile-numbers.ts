import { operationTable } from '../../server/src/http/contract/contract.ts';
import { underKey, unexpected } from '../testing/idempotent-requests.ts';
import { effects, holdingsOf } from '../testing/owner-queries.ts';
import {
  answersOf,
  onlyVariantOf,
  putInCarts,
  putOnSale,
  takeParcels,
  takeTransfers,
} from '../testing/products-and-checkouts.ts';
import { type Figures, type Proof, pick } from '../testing/proof.ts';
import { chanceOf } from '../testing/random.ts';
import { type Call, exchange, type Reply, targetOf } from '../testing/raw-requests.ts';
import { isAmount, isNumber, type Slot, slotsOf, withValue } from '../testing/request-values.ts';
import type { Tenant, World } from '../testing/tenant.ts';
import { type OpenShop, onPremises } from '../testing/test-server.ts';
import { inWorld } from '../testing/three-tenants.ts';
import { exampleOf, validCall } from '../testing/valid-requests.ts';

/**
 * Sends invalid numbers and amounts to each field that accepts one: values that are invalid everywhere, and values that
 * only this field rejects. Also orders carts whose sums reach the largest amounts.
 */
export const D7: Proof = {
  id: 'D7',
  promise:
    'A negative, fractional, overflowing or non-numeric quantity or amount is rejected, and no sum breaks the server.',
  run: async (trial) => {
    const found = await inWorld(trial, async (world) => {
      const [tenant] = world.tenants;
      const chance = chanceOf(trial.seed);
      let tried = 0;
      for (const operation of operationTable) {
        const places = slotsOf(operation, exampleOf(operation)).filter((slot) => isNumber(slot) || isAmount(slot));
        if (places.length === 0) continue;
        const call = await validCall(world, tenant, operation, { full: true });
        onlyFirstRow(call);
        const before = await holdingsOf(world.owner, tenant.site_id);
        for (const slot of places) {
          const attacks = attacksOn(slot).filter((token) => !isStripped(operation.id, token));
          for (const token of chance.some(attacks, pick(trial.size, 2, 1_000))) {
            await attack(world, tenant, call, slot, token);
            tried += 1;
          }
        }
        const changed = effects(before, await holdingsOf(world.owner, tenant.site_id));
        if (changed.length > 0)
          world.violations.add(`${operation.id}: rejected requests changed ${changed.join(', ')}`);
      }
      return { tried, violations: world.violations.list };
    });
    const sums = await onPremises(trial, async (premises) => {
      for (const currency of pick(trial.size, ['EUR'], ['EUR', 'JPY', 'KWD'])) {
        const shop = await premises.openShop({ currency });
        await takeTransfers(shop);
        for (const action of [raisedInCart, dearestOrder, manyDearest]) {
          for (const fault of await action(shop)) premises.violations.add(`${currency}, ${action.name}: ${fault}`);
        }
      }
      return premises.violations.list;
    });
    return {
      tried: found.tried,
      unit: 'hostile numbers and amounts',
      violations: [...found.violations, ...sums],
    } satisfies Figures;
  },
};

/** Numbers as JSON text, because JSON.stringify would change some of them. */
const NUMBERS = [
  ...['-1', '-0.5', '0.1', '1.5', '1e-1', '1e400', '-1e400', '9e99', '2147483648', '4294967296', '-2147483649'],
  ...['9007199254740993', '9223372036854775807', '9223372036854775808', '18446744073709551616', '1'.repeat(400)],
  ...['"1"', '"1.0"', '""', '" 1"', '"0x1"', '"1e1"', '"NaN"', '"Infinity"', '"١"', 'true', '[]', '[1]', '{}'],
  '{"$gt":0}',
];

const AMOUNTS = [
  ...['-1.00', '-0', '-0.00', '+1.00', '1e3', '1E3', '0x10', '0b1', '1,00', '1.000,00', "1'000", '1 000', '1_000'],
  ...['1.', '.5', '.', '', ' ', ' 1.00', '1.00 ', '1.00\n', '\t1', '01.00', '00', '1.2345', '1.00.00', '１.００'],
  ...['١.٠٠', '1.0\u0660', '½', '1 EUR', '€1', '1$', '1%', '1000000000000', '1000000000000.00'],
  ...['NaN', 'Infinity', '-Infinity', 'null', 'true', '1;drop', "1'--", '{}', '[]', '1\u0000', '\u22121.00'],
  ...['9223372036854775807', '9223372036854775808', '92233720368547758.08', '18446744073709551616', '1'.repeat(1_000)],
  ...[`0.${'0'.repeat(1_000)}1`, '0.1234'],
].map((text) => JSON.stringify(text));

const NO_TEXTS = ['1', '1.5', '0', '-1', '1e400', '9223372036854775808', 'true', '[]', '["1.00"]', '{}'];

/** Returns the values, as JSON, that the field's own schema does not allow. */
function attacksOn(slot: Slot): string[] {
  const { minimum, maximum, type } = slot.schema as { minimum?: number; maximum?: number; type: string | string[] };
  const nullable = [type].flat().includes('null');
  const always = nullable || slot.in === 'query' ? [] : ['null'];
  if (isAmount(slot)) return [...AMOUNTS, ...(slot.in === 'query' ? [] : NO_TEXTS), ...always];
  const bounds = [minimum === undefined ? [] : [minimum - 1], maximum === undefined ? [] : [maximum + 1]].flat();
  const hostile = [...NUMBERS, ...bounds.map(String), ...always];
  const allowed = (token: string) =>
    /^-?\d+$/.test(token) && Number(token) >= (minimum ?? -Infinity) && Number(token) <= (maximum ?? Infinity);
  // Leaves out JSON strings, lists and objects for a query, because all values in a query are text.
  const apt = slot.in === 'query' ? hostile.filter((token) => !/^["[{]/.test(token)) : hostile;
  return apt.filter((token) => !allowed(token));
}

const IMPORTS = [
  'dashboard.importCustomers',
  'dashboard.importOrders',
  'dashboard.importProducts',
  'sync.upsertProducts',
];

/**
 * An import removes control characters from texts and warns about them. Without these characters, the two texts are
 * valid amounts.
 */
function isStripped(operation_id: string, token: string): boolean {
  return IMPORTS.includes(operation_id) && ['"\\t1"', '"1.00\\n"'].includes(token);
}

/** Removes the other rows of an import, because they are valid and would be written. */
function onlyFirstRow({ operation, body }: Call): void {
  if (!IMPORTS.includes(operation.id)) return;
  const { products, customers, orders } = body as Record<string, unknown[] | undefined>;
  for (const rows of [products, customers, orders]) rows?.splice(1);
}

const MARK = 'the token stands here';

async function attack(world: World, tenant: Tenant, valid: Call, slot: Slot, token: string): Promise<void> {
  const query = slot.in === 'query';
  const marked = underKey(withValue(valid, slot, query ? textOf(token) : MARK));
  const body = marked.body === undefined ? undefined : JSON.stringify(marked.body).replace(JSON.stringify(MARK), token);
  const headers = { ...marked.headers, ...(body !== undefined && { 'Content-Type': 'application/json' }) };
  const reply = await exchange(world.baseUrl, marked.operation.method.toUpperCase(), targetOf(marked), headers, body);
  world.look(reply, tenant, marked.operation.id);
  if (isRefusal(reply)) return;
  unexpected(world, marked, `${slot.at.join('/')} = ${token.slice(0, 60)}`, reply);
}

function textOf(token: string): string {
  return token.startsWith('"') ? (JSON.parse(token) as string) : token;
}

/** Whether the response is a 422, or an import that rejected the row. */
function isRefusal({ status, text }: Reply): boolean {
  if (status === 422) return true;
  if (status !== 200 || !text.includes('"results"')) return false;
  const { results } = JSON.parse(text) as { results: { status: string }[] };
  return results.every((result) => result.status === 'failed');
}

const DEAREST: Record<string, string> = { EUR: '999999999999.99', JPY: '999999999999', KWD: '999999999999.999' };

function dearestOf({ tenant }: OpenShop): string {
  return DEAREST[tenant.currency] ?? '';
}

/**
 * Raises the price of products that are already in a cart in large quantities. No order may be placed, because its
 * total would be too large.
 */
async function raisedInCart(shop: OpenShop): Promise<string[]> {
  const products = await Promise.all(
    Array.from({ length: 10 }, () => putOnSale(shop, { price: '1', track_inventory: false })),
  );
  const pieces = products.map((product) => ({ variant_id: onlyVariantOf(product), quantity: 999 }));
  const [before = '', cart_id = ''] = await putInCarts(shop, [pieces, pieces]);
  const { id: checkout_id } = await shop.must('storefront.createCheckout', { body: { cart_id: before } });
  const path = { checkout_id };
  await shop.must('storefront.updateCheckout', { path, body: answersOf() });
  for (const { id: product_id } of products) {
    await shop.must('dashboard.updateProduct', { path: { product_id }, body: { price: dearestOf(shop) } });
  }
  await shop.must('dashboard.createDiscount', { body: { code: 'HALF', kind: 'percentage', value: '33.33' } });
  await shop.ask('storefront.getCart', { path: { cart_id } });
  await shop.ask('storefront.applyDiscount', { path: { cart_id }, body: { code: 'HALF' } });
  await shop.ask('storefront.listCartShippingOptions', { path: { cart_id }, query: { country: 'DE' } });
  await shop.ask('storefront.createCheckout', { body: { cart_id } });
  await shop.ask('storefront.getCheckout', { path });
  await shop.ask('storefront.updateCheckout', { path, body: { note: 'Dear me' } });
  const first = await shop.ask('storefront.completeCheckout', { path, body: {} });
  const body = { expected_total: dearestOf(shop) };
  const second = await shop.ask('storefront.completeCheckout', { path, body });
  return first.data || second.data ? ['an order has a total that cannot be computed exactly'] : [];
}

/** Orders one unit at the highest price, with the highest tax rate and an equally expensive shipping option. */
async function dearestOrder(shop: OpenShop): Promise<string[]> {
  const price = dearestOf(shop);
  await shop.must('dashboard.updateSettings', { body: { default_tax_rate: '1', prices_include_tax: false } });
  const product = await putOnSale(shop, { price, track_inventory: false, requires_shipping: true });
  const option = await shop.must('dashboard.createShippingOption', { body: { name: 'By hand', price } });
  const [cart_id = ''] = await putInCarts(shop, [[{ variant_id: onlyVariantOf(product), quantity: 1 }]]);
  const { id: checkout_id } = await shop.must('storefront.createCheckout', { body: { cart_id } });
  const path = { checkout_id };
  const { shipping_address } = await takeParcels(shop);
  const body = { ...answersOf(), shipping_address, shipping_option_id: option.id };
  await shop.must('storefront.updateCheckout', { path, body });
  const { order } = await shop.must('storefront.completeCheckout', { path, body: {} });
  await shop.must('dashboard.updateSettings', { body: { default_tax_rate: '0', prices_include_tax: true } });
  const digits = (text: string) => BigInt(text.replace('.', ''));
  return digits(order.total) === 4n * digits(price) ? [] : [`${order.total} is not four times ${price}`];
}

/** Adds the most expensive products to a cart. A limit must reject at least one. */
async function manyDearest(shop: OpenShop): Promise<string[]> {
  const { id: cart_id } = await shop.must('storefront.createCart');
  const statuses = new Set<number>();
  for (const quantity of [1, 999, 1, 999]) {
    const product = await putOnSale(shop, { price: dearestOf(shop), track_inventory: false });
    const body = { variant_id: onlyVariantOf(product), quantity };
    statuses.add((await shop.ask('storefront.addCartItem', { path: { cart_id }, body })).status);
    await shop.ask('storefront.getCart', { path: { cart_id } });
  }
  return statuses.has(409) ? [] : [`no limit was met: ${[...statuses]}`];
}
