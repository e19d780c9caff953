import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { type OperationId, operationTable } from '../../server/src/http/contract/contract.ts';
import { compileSchema } from '../../server/src/http/contract/schemas.ts';
import { ValidationError } from '../../server/src/shop/errors.ts';
import { canonicalAmount } from '../../server/src/shop/money.ts';
import {
  checkOut,
  onlyVariantOf,
  order,
  putInCarts,
  putOnSale,
  takeTransfers,
} from '../testing/products-and-checkouts.ts';
import { type Figures, type Proof, pick } from '../testing/proof.ts';
import type { Call } from '../testing/raw-requests.ts';
import { valueAt } from '../testing/request-mutations.ts';
import { isAmount, type Slot, slotsOf, withValue } from '../testing/request-values.ts';
import { type Answer, type OpenShop, onPremises } from '../testing/test-server.ts';
import { exampleOf } from '../testing/valid-requests.ts';

/**
 * Sends texts of all kinds as amounts: up to a million to the contract's validation and money.ts, and in each currency
 * up to 120 to every field that accepts an amount.
 */
export const D10: Proof = {
  id: 'D10',
  promise:
    'An amount is accepted exactly as written and shown in its canonical form, or rejected; its value never changes.',
  run: (trial) =>
    onPremises(trial, async ({ violations, openShop }) => {
      const parsed = pick(trial.size, 20_000, 1_000_000);
      let taken = 0;
      const result = fc.check(
        fc.property(
          fc.oneof({ arbitrary: amounts, weight: 4 }, { arbitrary: noise, weight: 1 }),
          fc.constantFrom(0, 2, 3),
          (text, digits) => {
            const [canonical, right] = [parse(text, digits), formOf(text, digits)];
            if (canonical !== right)
              throw new Error(`${JSON.stringify(text)} with ${digits} digits becomes ${canonical}, not ${right}`);
            if (canonical === undefined) return;
            taken += 1;
            if (parse(canonical, digits) !== canonical) throw new Error(`${canonical} is not its own form`);
            if (!isShown(canonical)) throw new Error(`${canonical} is no amount of the contract`);
          },
        ),
        { seed: trial.seed, numRuns: parsed },
      );
      if (result.failed) violations.add(fc.defaultReportMessage(result) ?? 'an amount failed');
      let [sent, places] = [0, 0];
      for (const currency of ['EUR', 'JPY', 'KWD']) {
        const shop = await openShop({ currency });
        const texts = fc.sample(amounts, { seed: trial.seed, numRuns: pick(trial.size, 2, 120) });
        const faults = await sendAll(shop, texts, (found) => {
          places = found;
        });
        for (const fault of faults) violations.add(`${currency}: ${fault}`);
        sent += shop.requests;
      }
      return {
        tried: parsed,
        unit: 'texts',
        violations: violations.list,
        note: `${taken} of them amounts; ${sent} requests through ${places} fields in EUR, JPY and KWD`,
      } satisfies Figures;
    }),
};

const isMoneyInput = compileSchema('/components/schemas/MoneyInput', false) as (value: unknown) => boolean;
const isMoneyInputOrNull = compileSchema('/components/schemas/MoneyInputOrNull', false) as (value: unknown) => boolean;
const isShown = compileSchema('/components/schemas/Money', false) as (value: unknown) => boolean;

/** Returns the parsed amount; undefined if the server rejects the text. */
function parse(text: string, digits: number): string | undefined {
  if (isMoneyInput(text) !== isMoneyInputOrNull(text)) throw new Error(`${JSON.stringify(text)} is judged in two ways`);
  if (!isMoneyInput(text)) return undefined;
  try {
    return canonicalAmount(text, digits, ['body', 'amount']);
  } catch (error) {
    if (error instanceof ValidationError) return undefined;
    throw error;
  }
}

/** Returns the canonical form of an amount, read character by character; undefined for any other text. */
function formOf(text: string, digits: number): string | undefined {
  const [whole = '', fraction, ...more] = text.split('.');
  const isDigits = (part: string) => part !== '' && [...part].every((char) => char >= '0' && char <= '9');
  if (more.length > 0 || !isDigits(whole) || whole.length > 12 || (whole.length > 1 && whole.startsWith('0')))
    return undefined;
  // The contract allows three decimals. Decimals beyond the currency's digits must be zeros.
  if (fraction !== undefined && (!isDigits(fraction) || fraction.length > 3)) return undefined;
  if (/[1-9]/.test(fraction?.slice(digits) ?? '')) return undefined;
  return digits === 0 ? whole : `${whole}.${(fraction ?? '').slice(0, digits).padEnd(digits, '0')}`;
}

const digit = fc.constantFrom(...'0123456789');
const amount = fc
  .tuple(fc.array(digit, { minLength: 1, maxLength: 13 }), fc.option(fc.array(digit, { maxLength: 4 })))
  .map(([whole, fraction]) => whole.join('') + (fraction ? `.${fraction.join('')}` : ''));
const trimmed = amount.map((text) => text.replace(/^0+(?=\d)/, '').replace(/\.$/, ''));
const garbled = fc
  .tuple(trimmed, fc.nat(17), fc.constantFrom(...'+-eE.,_ xX\'"\t\n0０٣½€', '\u0000', '\u2212', '\u200b'))
  .map(([text, at, char]) => text.slice(0, at) + char + text.slice(at));

const amounts = fc.oneof({ arbitrary: trimmed, weight: 4 }, amount, garbled);
const noise = fc.oneof(
  fc.double().map(String),
  fc.bigInt({ min: -(2n ** 70n), max: 2n ** 70n }).map(String),
  fc.string({ unit: 'binary' }),
  fc.constantFrom('', '.', 'NaN', 'Infinity', '1e3', '0x1F', 'null'),
);

/** The objects whose fields receive the amounts. */
interface Things {
  product_id: string;
  variant_id: string;
  /** A product with sizes, one of which has no variant. */
  sized_id: string;
  discount_id: string;
  shipping_option_id: string;
  order_id: string;
  checkout_id: string;
}

type Body = Record<string, unknown>;

/**
 * How an operation receives an amount. By default, the response contains the amount in the same place as the request.
 */
interface Sender {
  if_match?: string;
  path?(things: Things): Record<string, string>;
  /** Builds the rest of the body, which then gets the amount `text` at the place `at`. */
  body?(at: Slot['at'], text: string, shop: OpenShop, things: Things): Body;
  /** Fields for which a valid amount may be rejected for another reason, such as a limit. */
  picky?: string[];
  /**
   * Returns the values that the server shows for the amount, in this and other responses; undefined if the server
   * rejected the amount.
   */
  shown?(shop: OpenShop, answer: Answer<never>, slot: Slot, things: Things): Promise<unknown[] | undefined>;
}

const product = (at: Slot['at']): Body => {
  const one = { name: 'Mug', slug: randomUUID(), price: '0' };
  const sizes = { options: [{ name: 'Size', values: ['S'] }], variants: [{ option1: 'S', price: '0' }] };
  return at.includes('variants') ? { ...one, ...sizes } : one;
};
/** Builds an order to import with the amount in this place, and a matching total. */
function pastOrder([field, index]: Slot['at'], text: string, currency: string): Body {
  const sold = field === 'shipping_cost' || field === 'tax' ? '0' : text;
  const lines = Array.from({ length: field === 'line_items' ? Number(index) + 1 : 1 }, () => '0');
  return {
    ...{ order_number: randomUUID(), currency, created_at: '2024-11-05T09:28:00Z', tax_included: true },
    line_items: [...lines.slice(1), sold].map((price) => ({ name: 'Mug', quantity: 1, price })),
    total: field === 'discount' || field === 'tax' ? '0' : text,
    ...(field === 'refunds' && { refunds: [{ amount: text }] }),
  };
}
const PRODUCT: Sender = {
  path: ({ product_id }) => ({ product_id }),
  picky: ['compare_at_price'],
  async shown(shop, { data }, { at }) {
    if (!data) return undefined;
    const { id: product_id } = data as { id: string };
    const read = await shop.must('dashboard.getProduct', { path: { product_id } });
    return [valueAt(data, at), valueAt(read, at)];
  },
};
const VARIANT: Sender = {
  path: ({ product_id, variant_id }) => ({ product_id, variant_id }),
  picky: ['compare_at_price'],
};
const DISCOUNT: Sender = { path: ({ discount_id }) => ({ discount_id }), picky: ['value'] };
const OPTION: Sender = { path: ({ shipping_option_id }) => ({ shipping_option_id }) };

const SENDERS: Record<string, Sender> = {
  'dashboard.createProduct': { ...PRODUCT, body: product },
  'dashboard.updateProduct': PRODUCT,
  'dashboard.replaceProduct': {
    if_match: '*',
    path: ({ sized_id }) => ({ product_id: sized_id }),
    picky: ['compare_at_price'],
    body: () => ({ variants: [{ option1: 'S', price: '0' }] }),
  },
  'dashboard.importProducts': {
    picky: ['compare_at_price'],
    body: ([, , ...at]) => ({ products: [product(at)] }),
    async shown(shop, { data }, { at: [, , ...at] }) {
      const [row] = (data as { results: { status: string; product_id: string }[] } | undefined)?.results ?? [];
      if (row?.status !== 'created') return undefined;
      return [valueAt(await shop.must('dashboard.getProduct', { path: { product_id: row.product_id } }), at)];
    },
  },
  'dashboard.importOrders': {
    picky: ['amount'],
    body: ([, , ...at], text, shop) => ({ orders: [pastOrder(at, text, shop.tenant.currency)] }),
    async shown(shop, { data }, { at: [, , ...at] }) {
      const [row] = (data as { results: { status: string; order_id: string }[] } | undefined)?.results ?? [];
      if (row?.status !== 'created') return undefined;
      return [valueAt(await shop.must('dashboard.getOrder', { path: { order_id: row.order_id } }), at)];
    },
  },
  'dashboard.createVariant': {
    path: ({ sized_id }) => ({ product_id: sized_id }),
    picky: ['compare_at_price'],
    body: () => ({ option1: 'L', price: '0' }),
    async shown(shop, { data }, { at }) {
      if (!data) return undefined;
      const { id: variant_id, product_id } = data as { id: string; product_id: string };
      await shop.must('dashboard.deleteVariant', { path: { product_id, variant_id } });
      return [valueAt(data, at)];
    },
  },
  'dashboard.updateVariant': VARIANT,
  'dashboard.updateVariants': {
    picky: ['compare_at_price'],
    body: (_, __, ___, { variant_id }) => ({ variants: [{ variant_id }] }),
    async shown(shop, { data }, { at, name }, { product_id }) {
      const [row] = (data as { results: { reason: string | null }[] } | undefined)?.results ?? [];
      if (!row || row.reason === 'invalid') return undefined;
      // An `expected` value other than the current one changes nothing.
      if (at.includes('expected')) return [];
      const { variants } = await shop.must('dashboard.getProduct', { path: { product_id } });
      return [valueAt(variants[0], [name])];
    },
  },
  'dashboard.createDiscount': { ...DISCOUNT, body: () => ({ code: randomUUID(), kind: 'fixed_amount', value: '1' }) },
  'dashboard.updateDiscount': DISCOUNT,
  'dashboard.createShippingOption': {
    body: () => ({ name: 'Parcel', price: '0' }),
    async shown(shop, { data }, { at }) {
      if (!data) return undefined;
      const { id: shipping_option_id } = data as { id: string };
      await shop.must('dashboard.deleteShippingOption', { path: { shipping_option_id } });
      return [valueAt(data, at)];
    },
  },
  'dashboard.updateShippingOption': {
    ...OPTION,
    body: () => ({ minimum_subtotal: null, maximum_subtotal: null }),
  },
  'dashboard.createRefund': {
    path: ({ order_id }) => ({ order_id }),
    picky: ['amount', 'shipping'],
    body: ([field]) => ({ reason: 'damaged', ...(field === 'shipping' && { amount: '1' }) }),
  },
  'dashboard.updateSettings': { body: () => ({ return_policy: { enabled: true, window_days: 30 } }) },
  'dashboard.suggestRefund': {
    path: ({ order_id }) => ({ order_id }),
    picky: ['shipping'],
    body: () => ({ line_items: [] }),
  },
  // The order, its line and the returns do not exist, so a valid amount gets 404.
  'dashboard.createReturn': {
    picky: ['fee'],
    body: () => ({ order_id: randomUUID(), lines: [{ line_item_id: randomUUID(), quantity: 1, reason: 'other' }] }),
  },
  'dashboard.approveReturn': { path: () => ({ return_id: randomUUID() }), picky: ['fee'] },
  'dashboard.refundReturn': { path: () => ({ return_id: randomUUID() }), picky: ['amount', 'shipping'] },
  'dashboard.createCustomer': { body: () => ({ email: `${randomUUID()}@mail.example` }) },
  // The customer, the variant and the draft do not exist, so a valid amount gets 404.
  'dashboard.updateCustomer': { path: () => ({ customer_id: randomUUID() }), picky: ['credit_limit'] },
  'dashboard.createDraftOrder': {
    picky: ['price', 'value'],
    body: () => ({ lines: [{ variant_id: randomUUID(), quantity: 1 }] }),
  },
  'dashboard.updateDraftOrder': { path: () => ({ draft_order_id: randomUUID() }), picky: ['price', 'value'] },
  // Capturing fails: the order was paid by transfer, so no payment is authorized.
  'dashboard.captureOrder': { path: ({ order_id }) => ({ order_id }), picky: ['amount'] },
  // Recording fails, because the order has not expired.
  'dashboard.recordOrderPayment': { path: ({ order_id }) => ({ order_id }), picky: ['amount'] },
  // The total is compared with that of the edit, whose line does not exist.
  'dashboard.editOrder': {
    path: ({ order_id }) => ({ order_id }),
    picky: ['expected_total'],
    body: () => ({ change: [{ line_item_id: randomUUID(), quantity: 1 }] }),
  },
  // The response does not show the amount, which is only compared with the order's total.
  'dashboard.markOrdersPaid': {
    body: () => ({ orders: [{ order_number: 'none' }] }),
    async shown(_, { status }) {
      return status === 200 ? [] : undefined;
    },
  },
  // The sent amount differs from the checkout's total, so the error `price_changed` contains it as `expected_total`.
  'storefront.completeCheckout': {
    path: ({ checkout_id }) => ({ checkout_id }),
    async shown(_, { refusal }) {
      return refusal?.error === 'price_changed' ? [refusal.expected_total] : undefined;
    },
  },
  'dashboard.listProducts': { shown: shownNowhere },
  'storefront.listProducts': { shown: shownNowhere },
};

/** For filters, which responses do not contain. The proof can only check whether the amount is accepted. */
async function shownNowhere(_: unknown, { status }: { status: number }): Promise<string[] | undefined> {
  return status === 200 ? [] : undefined;
}

/**
 * Operations that are not tested here. D8 tests the amounts in orders of widgets. Agents have the same price filters as
 * storefront.listProducts. Rows sent with a sync key have the format of dashboard.importProducts.
 */
const ELSEWHERE = [
  'sync.createOrder',
  'sync.upsertProducts',
  ...['searchCatalog', 'findProducts', 'findAndAdd', 'findAndBuy'].map((name) => `agent.${name}`),
];

async function things(shop: OpenShop): Promise<Things> {
  await takeTransfers(shop);
  const dear = await putOnSale(shop, { price: '999999999999', track_inventory: false });
  const bought = await order(shop, [{ variant_id: onlyVariantOf(dear), quantity: 1 }]);
  await shop.must('dashboard.markOrderPaid', { path: { order_id: bought.id } });
  const [cart_id = ''] = await putInCarts(shop, [[{ variant_id: onlyVariantOf(dear), quantity: 1 }]]);
  const options = [{ name: 'Size', values: ['S', 'L'] }];
  const sized = await putOnSale(shop, { options, variants: [{ option1: 'S', price: '0' }] });
  const target = await putOnSale(shop);
  const code = { code: randomUUID(), kind: 'fixed_amount', value: '1' } as const;
  const option = await shop.must('dashboard.createShippingOption', { body: { name: 'Parcel', price: '0' } });
  return {
    product_id: target.id,
    variant_id: onlyVariantOf(target),
    sized_id: sized.id,
    discount_id: (await shop.must('dashboard.createDiscount', { body: code })).id,
    shipping_option_id: option.id,
    order_id: bought.id,
    checkout_id: (await checkOut(shop, cart_id)).id,
  };
}

/** Sends every amount to each field that accepts one, except in the operations of ELSEWHERE. */
async function sendAll(shop: OpenShop, texts: string[], count: (places: number) => void): Promise<string[]> {
  const targets = await things(shop);
  const faults: string[] = [];
  let places = 0;
  for (const operation of operationTable) {
    const slots = slotsOf(operation, exampleOf(operation)).filter(isAmount);
    const sender = SENDERS[operation.id];
    if (slots.length > 0 && !sender && !ELSEWHERE.includes(operation.id))
      faults.push(`${operation.id} has amounts, but no entry in SENDERS of amounts-as-text.ts`);
    if (!sender) continue;
    for (const slot of slots) {
      places += 1;
      for (const text of texts) {
        const fault = await sendOne(shop, targets, sender, slot, operation.id, text);
        if (fault) faults.push(`${operation.id} ${slot.at.join('/')}: ${fault}`);
      }
    }
  }
  count(places);
  return faults;
}

async function sendOne(
  shop: OpenShop,
  targets: Things,
  sender: Sender,
  slot: Slot,
  id: OperationId,
  text: string,
): Promise<string | undefined> {
  const inQuery = slot.in === 'query';
  const call = {
    path: {},
    query: {},
    headers: {},
    body: sender.body?.(slot.at, text, shop, targets) ?? {},
  } as unknown as Call;
  const { query, body } = withValue(call, slot, text);
  const request = { path: sender.path?.(targets) ?? {}, query, if_match: sender.if_match, ...(!inQuery && { body }) };
  const answer: Answer<never> = await shop.ask(id as never, request as never);
  const shown = await (sender.shown ?? atSamePlace)(shop, answer, slot, targets);
  const right = formOf(text, shop.tenant.currency_digits);
  if (shown === undefined) {
    const isRefused = right === undefined || sender.picky?.includes(slot.name);
    return isRefused ? undefined : `${text} is refused: ${answer.status} ${JSON.stringify(answer.refusal)}`;
  }
  if (right === undefined) return `${JSON.stringify(text)} is taken`;
  const wrong = shown.find((one) => one !== right);
  return wrong === undefined ? undefined : `${text} becomes ${JSON.stringify(wrong)}, not ${right}`;
}

async function atSamePlace(_: OpenShop, { data }: Answer<never>, { at }: Slot): Promise<unknown[] | undefined> {
  return data ? [valueAt(data, at)] : undefined;
}
