import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';

// biome-ignore lint/suspicious/noExplicitAny: walks a JSON document whose shape the tests check
type Json = any;

const contract: Json = JSON.parse(readFileSync(new URL('generated/openapi.json', import.meta.url), 'utf8'));
const schemas: Json = contract.components.schemas;
const operations: Json[] = Object.values<Json>(contract.paths).flatMap((item) =>
  Object.values<Json>(item).filter((part) => part?.operationId),
);
const operationOf = (id: string): Json => operations.find(({ operationId }) => operationId === id);

const sorted = (names: string) => names.split(' ').sort();

describe('compatibility with the published interface', () => {
  const ORDER_REQUIRED =
    'id merchant_id order_number line_items subtotal tax shipping_cost discount total currency status payment_status ' +
    'fulfillment_status source created_at updated_at';
  const ORDER_MORE =
    'customer_id email phone payment_method billing_address shipping_address shipping_method tracking_number tracking_url ' +
    'note staff_note shipped_at delivered_at cancelled_at';
  const LINE_MORE = 'id variant_id product_id sku option1 option2 option3 variant_name image_url';
  const ADDRESS = 'first_name last_name company address1 address2 city state postal_code country phone';
  const CUSTOMER = 'id email first_name last_name phone marketing_opt_in email_verified_at created_at';
  const APPLICATION = 'code kind amount_off currency allocations';

  test.each([
    // Fields may only be added to the interface. This one was added later.
    ['Order', ORDER_REQUIRED, `${ORDER_MORE} shipping_kind`],
    ['LineItem', 'name quantity price total', LINE_MORE],
    ['Address', '', ADDRESS],
    ['Customer', CUSTOMER, ''],
    ['DiscountApplication', APPLICATION, ''],
  ])('%s has exactly the fields of the published interface, and requires the same fields', (name, required, more) => {
    expect([...(schemas[name].required ?? [])].sort()).toEqual(sorted(required).filter(Boolean));
    expect(Object.keys(schemas[name].properties).sort()).toEqual(sorted(`${required} ${more}`).filter(Boolean));
  });

  test('staff can read an order’s taxes, language, agent and refund due', () => {
    const { required, properties } = schemas.OrderDetails.allOf[1];
    const added = 'tax_lines locale agent_token_id attribution refund_due'.split(' ');
    expect(required).toEqual(expect.arrayContaining(added));
    expect(Object.keys(properties)).toEqual(expect.arrayContaining(added));
  });

  test('no response has the field payment_confirmed_at', () => {
    expect(JSON.stringify(schemas)).not.toContain('payment_confirmed_at');
  });

  test('the operation that marks an order as paid has no request body', () => {
    expect(operationOf('dashboard.markOrderPaid')).not.toHaveProperty('requestBody');
  });

  test('registration, resending the verification and password reset declare a constant success response and no 404', () => {
    for (const verb of ['registerCustomer', 'resendVerification', 'requestPasswordReset']) {
      const { responses } = operationOf(`storefront.${verb}`);
      const { properties } = responses['202'].content['application/json'].schema;
      expect(properties, verb).toEqual({ status: { type: 'string', const: expect.any(String) } });
      expect(Object.keys(responses), verb).not.toContain('404');
    }
  });
});

describe('order statuses', () => {
  const { description } = contract.tags.find(({ name }: Json) => name === 'Orders');
  const machines: [string, string, string[]][] = [
    ['status', 'OrderStatus', ['pending', 'confirmed']],
    ['payment_status', 'PaymentStatus', ['pending', 'awaiting_payment']],
    ['fulfillment_status', 'FulfillmentStatus', ['unfulfilled']],
  ];

  test.each(machines)(
    'every value of %s is an initial status or follows another status',
    (field, schema, beginnings) => {
      const chapter = description.split(`**${field}**`)[1].split('**')[0];
      const moves = [...chapter.matchAll(/^\| `(\w+)` \| `(\w+)` \|/gm)].map(([, from, to]) => ({ from, to }));
      const reached = new Set([...beginnings, ...moves.map(({ to }) => to)]);
      expect([...reached].sort()).toEqual([...schemas[schema].enum].sort());
      for (const { from } of moves) expect(reached, `${field} moves from ${from}`).toContain(from);
    },
  );
});

describe('examples', () => {
  /** All objects in the examples, at any depth. */
  function* objectsIn(node: Json): Generator<Json> {
    if (node === null || typeof node !== 'object') return;
    if (!Array.isArray(node)) yield node;
    for (const part of Object.values(node)) yield* objectsIn(part);
  }

  const cents = (amount: string) => Math.round(Number(amount) * 100);
  const found = [...objectsIn(contract.components.examples)];

  test('the amounts in examples of orders and checkouts add up', () => {
    const priced = found.filter((one) => 'shipping_cost' in one && !one.tax_included);
    expect(priced.length).toBeGreaterThan(5);
    for (const { subtotal, discount, shipping_cost, tax, total } of priced) {
      expect(cents(total)).toBe(cents(subtotal) - cents(discount) + cents(shipping_cost) + cents(tax));
    }
  });

  test('the allocations of a discount in examples add up to its amount', () => {
    const applied = found.filter((one) => 'allocations' in one);
    expect(applied.length).toBeGreaterThan(0);
    for (const { amount_off, allocations } of applied) {
      const parts = allocations.map((part: Json) => cents(part.amount_off));
      expect(parts.reduce((sum: number, part: number) => sum + part, 0)).toBe(cents(amount_off));
    }
  });
});
