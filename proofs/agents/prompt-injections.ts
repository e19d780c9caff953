import { randomUUID } from 'node:crypto';
import { operationTable } from '../../server/src/http/contract/contract.ts';
import { withoutHidden } from '../../server/src/shop/hidden-characters.ts';
import { UNLISTED } from '../../server/src/shop/products/fields.ts';
import type { FunctionName } from '../../server/src/ucp/functions.ts';
import { FUNCTION_NAMES, faultsInAnswer, publishProfile } from '../../server/test/ucp.ts';
import { bearer, callOf } from '../testing/agents.ts';
import { callTool } from '../testing/mcp.ts';
import { takeTransfers } from '../testing/products-and-checkouts.ts';
import { type Proof, pick } from '../testing/proof.ts';
import { type Chance, chanceOf } from '../testing/random.ts';
import { type Call, send } from '../testing/raw-requests.ts';
import { type OpenShop, onPremises } from '../testing/test-server.ts';
import { type Asked, answerIn, askOverMcp, askOverRest } from '../testing/ucp.ts';
import { AgentPurchases } from './agent-purchases.ts';
import { faultsInJson, faultsInMarkdown } from './agent-texts.ts';
import { INJECTIONS, type Injection } from './injection-texts.ts';

/**
 * Puts instructions for language models into the texts of a shop and its customer, and reads them through all agent
 * operations in both formats, and through all UCP functions over both transports.
 */
export const J7: Proof = {
  id: 'J7',
  promise:
    'Texts of merchants and customers reach agents without markup, URLs and hidden characters, and only in marked fields.',
  run: (trial) =>
    onPremises(trial, async (premises) => {
      const shop = await premises.openShop();
      await takeTransfers(shop);
      const profile = await publishProfile();
      const readings = new Readings(shop, profile.url);
      const chosen = pick(trial.size, someDisguises(chanceOf(trial.seed)), INJECTIONS);
      try {
        for (const injection of chosen) await expose(shop, injection, readings);
      } finally {
        await profile.close();
      }
      for (const id of readings.unread())
        premises.violations.add(`no request was sent to ${id}: add it to proofs/agents/prompt-injections.ts`);
      for (const name of readings.silent())
        premises.violations.add(`no response of ${name} over UCP contained a planted text, so the proof shows nothing`);
      const note = `${chosen.length} texts, each in every field of a shop that takes it; ${readings.shown} answers showed one, ${readings.shownOverUcp} of them over UCP`;
      return { tried: readings.answers, unit: 'answers', violations: premises.violations.list, note };
    }),
};

/** The disguises that the short form always uses: markup and URLs. */
const ALWAYS = ['tags', 'addresses'];

/** Returns a text for each disguise in ALWAYS and for one other, chosen at random, with different instructions. */
function someDisguises(chance: Chance): Injection[] {
  const others = [...new Set(INJECTIONS.map(({ disguise }) => disguise))].filter((one) => !ALWAYS.includes(one));
  return [...ALWAYS, chance.of(others)].map((wanted, i) => {
    const dressed = INJECTIONS.filter(({ disguise }) => disguise === wanted);
    return dressed[i % dressed.length] as Injection;
  });
}

/** Calls operations as an agent and checks the texts in their responses. */
class Readings {
  answers = 0;
  /** The number of responses that contained a marker. If it is 0, the proof has tested nothing. */
  shown = 0;
  shownOverUcp = 0;
  readonly #shop: OpenShop;
  readonly #profile: string;
  readonly #asked = new Set<string>();
  readonly #showing = new Set<string>();

  /** `profile` is the URL of the agent's profile in UCP. */
  constructor(shop: OpenShop, profile: string) {
    this.#shop = shop;
    this.#profile = profile;
  }

  /** Calls the operation as Markdown, as an MCP tool and as JSON. Checks all responses, and returns the JSON body. */
  async ask(agent: AgentPurchases, { canary }: Injection, id: string, parts: Partial<Call> = {}) {
    const { baseUrl, violations } = this.#shop.premises;
    const faults: string[] = [];
    const read = async (Accept: string) => {
      const reply = await send(baseUrl, callOf(id, { ...bearer(agent.agent.secret), Accept }, parts));
      this.answers += 1;
      if (reply.text.includes(canary)) this.shown += 1;
      if (reply.status >= 500) faults.push(`${id}: expected no 5xx, got ${reply.status} ${reply.text}`);
      return reply;
    };
    this.#asked.add(id);
    const markdown = await read('text/markdown');
    const isMarkdown = String(markdown.headers['content-type']).startsWith('text/markdown');
    if (isMarkdown) faults.push(...faultsInMarkdown(markdown.text, canary, id));
    const used = await callTool(this.#shop.premises, this.#shop, agent.agent.secret, callOf(id, {}, parts));
    this.answers += 1;
    // If the tool revokes the token, the request for Markdown has already revoked it.
    if (used.status !== 401) {
      faults.push(...faultsInMarkdown(used.result?.content[0]?.text ?? 'no text', canary, `${id} over MCP`));
      faults.push(...faultsInJson(used.result?.structuredContent, canary, `${id} over MCP`));
    }
    const { text } = await read('application/json');
    const body = JSON.parse(text) as Record<string, never>;
    faults.push(...faultsInJson(body, canary, id));
    for (const fault of new Set(faults)) violations.add(fault);
    return body;
  }

  /** Calls a UCP function over REST and MCP, as a guest if no agent is given. Checks and returns both responses. */
  async askUcp(agent: AgentPurchases | undefined, { canary }: Injection, asked: Asked) {
    const { baseUrl, violations } = this.#shop.premises;
    const { site_id } = this.#shop;
    const speaker = { baseUrl, site_id, profile: this.#profile, ...(agent && { secret: agent.agent.secret }) };
    const answers: Record<string, unknown>[] = [];
    for (const [way, ask] of Object.entries({ REST: askOverRest, MCP: askOverMcp })) {
      const at = `${asked.name} over UCP by ${way}${agent ? '' : ' for a guest'}`;
      const reply = await ask(speaker, asked);
      this.answers += 1;
      if (reply.text.includes(canary)) {
        this.shown += 1;
        this.shownOverUcp += 1;
        this.#showing.add(asked.name);
      }
      const answer = answerIn(reply);
      if (answer === undefined)
        violations.add(`${at}: the response is not JSON: ${reply.status} ${reply.text.slice(0, 500)}`);
      const faults = [...faultsInJson(answer, canary, at), ...faultsInAnswer(asked.name, answer)];
      for (const fault of new Set(faults)) violations.add(fault);
      answers.push(answer ?? {});
    }
    this.#asked.add(asked.name);
    return answers;
  }

  /** The agent operations and UCP functions that were not called. */
  unread(): string[] {
    const all = operationTable.filter(({ surface, security }) => surface === 'agent' && security.length > 0);
    return [...all.map(({ id }) => id), ...FUNCTION_NAMES].filter((id) => !this.#asked.has(id));
  }

  /** The UCP functions that were called, but whose responses never contained a marker. */
  silent(): string[] {
    return FUNCTION_NAMES.filter((name) => this.#asked.has(name) && !this.#showing.has(name));
  }
}

/**
 * Creates a product, a customer and an order with the text in their fields, and reads them through the operations of
 * agents.
 */
async function expose(shop: OpenShop, injection: Injection, readings: Readings): Promise<void> {
  const { word } = injection;
  const agent = await AgentPurchases.open(shop, 1_000_000_000);
  const { product_id, variant_id, parcel_id } = await sell(shop, injection);
  const shipping_option_id = await dress(shop, injection, product_id);
  await write(shop, 'storefront.updateCustomer', ['first_name', 'last_name', 'phone'], injection, agent.as);
  const ask = (id: string, parts: Partial<Call> = {}) => readings.ask(agent, injection, id, parts);

  await ask('agent.getCustomer');
  await ask('agent.getToken');
  await ask('agent.searchCatalog', { query: { q: word } });
  await ask('agent.searchCatalog', { query: { limit: '3' } });
  await ask('agent.getFacets');
  await ask('agent.getProduct', { path: { product_id } });
  await ask('agent.findProducts', { body: { query: word } });
  await ask('agent.findProducts', { body: { query: `${word} mug, colour ${word}, cheap, not leather` } });
  const { cart } = (await ask('agent.findAndAdd', { body: { variant_id } })) as { cart?: { id: string } };
  const cart_id = cart?.id ?? '';
  await ask('agent.findAndAdd', { body: { query: word } });
  await ask('agent.findAndAdd', { body: { query: word, limit: 1 } });
  await ask('agent.findAndAdd', { body: { variant_id, quantity: 999 } });
  await ask('agent.getCart', { path: { cart_id } });
  await putRight(ask, cart_id, variant_id);
  // Adds a parcel, because a paid order with nothing to ship is fulfilled immediately, so no carrier could be entered.
  await ask('agent.addCartItem', { path: { cart_id }, body: { variant_id: parcel_id, quantity: 1 } });
  const overUcp = (name: FunctionName, id?: string, body?: object) =>
    readings.askUcp(agent, injection, { name, ...(id !== undefined && { id }), ...(body && { body }) });
  await shopOverUcp(shop, agent, injection, overUcp, parcel_id);
  await shopAsGuest(parcel_id, word, (name, body) => readings.askUcp(undefined, injection, { name, body }));
  await ask('agent.findAndBuy', { body: { product_id } });
  await ask('agent.findAndBuy', { body: { variant_id, quantity: 999 } });
  const { checkout } = (await ask('agent.findAndBuy', { body: { cart_id } })) as { checkout?: { id: string } };
  const checkout_id = checkout?.id ?? '';
  await ask('agent.getCheckout', { path: { checkout_id } });
  await ask('agent.listCartShippingOptions', { path: { cart_id }, query: { country: 'DE' } });
  await agent.payBy(checkout_id, { shipping_address: ADDRESS, shipping_option_id });
  const confirmed = await agent.confirmWhatever(checkout_id);
  const order_id = confirmed.data?.order.id ?? '';
  if (!order_id)
    shop.premises.violations.add(
      `${injection.disguise}: the purchase was not confirmed: ${JSON.stringify(confirmed.refusal)}`,
    );
  await shop.must('dashboard.markOrderPaid', { path: { order_id } });
  await write(shop, 'dashboard.createFulfillment', ['carrier', 'tracking_number'], injection, { path: { order_id } });
  await ask('agent.listOrders');
  await ask('agent.getOrder', { path: { order_id } });
  const line_item_id = confirmed.data?.order.line_items[0]?.id ?? '';
  const lines = [{ line_item_id, quantity: 1 }];
  await ask('agent.prepareReturn', { body: { order_id, lines, reason: 'other' } });
  await overUcp('get_order', order_id);
  await overUcp('get_checkout', checkout_id);
  // Errors about deleted objects quote their texts.
  await shop.must('dashboard.deleteProduct', { path: { product_id } });
  await ask('agent.findAndBuy', { body: { variant_id } });
  await ask('agent.getCheckout', { path: { checkout_id } });
  await ask('agent.listAudit');
  await ask('agent.revokeToken');
  // Deletes the shipping option, because a shop may have at most a hundred.
  await shop.must('dashboard.deleteShippingOption', { path: { shipping_option_id } });
}

type Ask = (id: string, parts?: Partial<Call>) => Promise<Record<string, never>>;

/** Calls further operations of the agent, including calls that are refused with alternatives. */
async function putRight(ask: Ask, cart_id: string, variant_id: string): Promise<void> {
  await ask('agent.getShop');
  await ask('agent.createCart', { body: {} });
  await ask('agent.listCarts');
  const body = { variant_id, quantity: 1 };
  const { cart } = (await ask('agent.addCartItem', { path: { cart_id }, body })) as {
    cart?: { items: { id: string }[] };
  };
  const path = { cart_id, line_item_id: cart?.items[0]?.id ?? '' };
  await ask('agent.updateCartItem', { path, body: { quantity: 2 } });
  await ask('agent.updateCartItem', { path: { ...path, line_item_id: randomUUID() }, body: { quantity: 2 } });
  await ask('agent.addCartItem', { path: { cart_id }, body: { variant_id, quantity: 900 } });
  await ask('agent.getProduct', { path: { product_id: variant_id } });
  await ask('agent.getOrder', { path: { order_id: randomUUID() } });
  await ask('agent.applyDiscount', { path: { cart_id }, body: { code: 'NONE' } });
  await ask('agent.removeDiscount', { path: { cart_id } });
  const { checkout } = (await ask('agent.createCheckout', { body: { cart_id } })) as { checkout?: { id: string } };
  await ask('agent.cancelCheckout', { path: { checkout_id: checkout?.id ?? '' } });
  await ask('agent.removeCartItem', { path });
  await ask('agent.addCartItem', { path: { cart_id }, body });
}

/** Calls the UCP functions of a purchase, with a shipping address that contains the text. */
async function shopOverUcp(
  shop: OpenShop,
  { as }: AgentPurchases,
  { word, text }: Injection,
  ask: (name: FunctionName, id?: string, body?: object) => Promise<Record<string, unknown>[]>,
  variant_id: string,
): Promise<void> {
  const line_items = [{ item: { id: variant_id }, quantity: 1 }];
  await ask('search_catalog', undefined, { query: word });
  await ask('lookup_catalog', undefined, { ids: [variant_id] });
  await ask('get_product', undefined, { id: variant_id });
  const [cart] = await ask('create_cart', undefined, { line_items });
  const cart_id = String(cart?.id);
  await ask('get_cart', cart_id);
  await ask('update_cart', cart_id, { line_items, discounts: { codes: [word] } });
  await ask('update_cart', cart_id, { line_items: [{ item: { id: variant_id }, quantity: 900 }] });
  const [begun, other] = await ask('create_checkout', undefined, { line_items });
  const checkout_id = String(begun?.id);
  const cleaned = visibleText(text).slice(0, 100);
  const written = { first_name: cleaned, last_name: cleaned, address1: cleaned, address2: cleaned, city: cleaned };
  const shipping_address = { ...written, postal_code: '10115', country: 'DE' };
  await shop.must('storefront.updateCheckout', {
    ...as,
    path: { checkout_id },
    body: { shipping_address, phone: visibleText(text).slice(0, 64) },
  });
  const shown = JSON.stringify(await ask('get_checkout', checkout_id));
  if (!shown.includes('"destinations"')) shop.premises.violations.add(`no address was shown: ${shown}`);
  await ask('update_checkout', checkout_id, { line_items, buyer: { email: 'june@example.com' } });
  await ask('complete_checkout', checkout_id);
  await ask('cancel_checkout', checkout_id);
  await ask('cancel_checkout', String(other?.id));
  await ask('cancel_cart', cart_id);
}

/** A guest's UCP calls, including rejected ones: too many units, and an unknown discount code. */
async function shopAsGuest(
  variant_id: string,
  word: string,
  ask: (name: FunctionName, body: object) => Promise<unknown>,
): Promise<void> {
  const lines = (quantity: number) => [{ item: { id: variant_id }, quantity }];
  await ask('search_catalog', { query: word });
  await ask('get_product', { id: variant_id });
  await ask('create_cart', { line_items: lines(900) });
  await ask('create_checkout', { line_items: lines(1), discounts: { codes: [word] } });
}

/** The text without invisible characters, which a merchant's input must not contain. */
function visibleText(text: string): string {
  return withoutHidden(text, { lines: false });
}

const NO_TEXTS = ['description_html', 'returnable', 'withdrawal_exempt'];

/** The text fields that only a product's page shows, apart from the formatted description. */
const PAGE_TEXTS = UNLISTED.storefront.filter((field) => !NO_TEXTS.includes(field));

async function sell(shop: OpenShop, { text, canary, word }: Injection) {
  const cleaned = visibleText(`${word} ${text}`);
  const [name, value] = [cleaned.slice(0, 255), cleaned.slice(0, 500)];
  const hidden = { bold: `<b>${word}</b>`, turned: `\u200F${word}`, long: `${word}\u00AD` };
  const variant = { price: '10', inventory_quantity: 3, requires_shipping: false, sku: name };
  const product = await shop.must('dashboard.createProduct', {
    body: {
      ...{ name, vendor: name, product_type: name, tags: [name], status: 'active' },
      ...(isFormatted(canary)
        ? { description_html: `<p>${cleaned}</p><ul><li>${cleaned}</li></ul>` }
        : { description: cleaned }),
      ...Object.fromEntries(PAGE_TEXTS.map((field) => [field, name])),
      metadata: { [canary]: value, colour: value },
      options: [
        { name, values: [name, word, hidden.turned] },
        { name: 'Colour', values: [hidden.bold, hidden.long] },
      ],
      variants: [
        { ...variant, option1: name, option2: hidden.bold },
        { ...variant, option1: word, option2: hidden.long, sku: null },
        { ...variant, option1: hidden.turned, option2: hidden.bold, sku: null },
        { ...variant, option1: word, option2: hidden.bold, sku: null, requires_shipping: true, inventory_quantity: 30 },
      ],
    },
  });
  return {
    product_id: product.id,
    variant_id: product.variants[0]?.id ?? '',
    parcel_id: product.variants.find(({ requires_shipping }) => requires_shipping)?.id ?? '',
  };
}

const ADDRESS = { last_name: 'Okafor', address1: 'Lindenallee 7', city: 'Berlin', postal_code: '10115', country: 'DE' };

/** Puts the text into the shop's name, a collection and a shipping option. Returns the option's id. */
async function dress(shop: OpenShop, { text, word }: Injection, product_id: string): Promise<string> {
  const cleaned = visibleText(`${word} ${text}`);
  const name = cleaned.slice(0, 255);
  await shop.must('dashboard.updateSettings', { body: { name } });
  const { id: collection_id } = await shop.must('dashboard.createCollection', {
    body: { title: name, description: cleaned },
  });
  await shop.must('dashboard.addCollectionProducts', {
    path: { collection_id },
    body: { product_ids: [product_id] },
  });
  const option = { name, description: cleaned.slice(0, 1_000), price: '1' };
  return (await shop.must('dashboard.createShippingOption', { body: option })).id;
}

/**
 * Whether the text is put into the formatted description, from which the server derives the plain one. True for about
 * half of the injections.
 */
function isFormatted(canary: string): boolean {
  return (canary.codePointAt(3) ?? 0) % 2 === 0;
}

/** Writes the text into each of these fields, shortened to its limit. */
async function write(
  shop: OpenShop,
  id: 'storefront.updateCustomer' | 'dashboard.createFulfillment',
  fields: string[],
  { text }: Injection,
  request: object,
): Promise<void> {
  const texts = fields.map((field) => [field, visibleText(text).slice(0, field === 'phone' ? 64 : 255)]);
  const { status, refusal } = await shop.ask(id, { ...request, body: Object.fromEntries(texts) });
  if (status >= 300) throw new Error(`${id} of the proof was refused: ${JSON.stringify(refusal)}`);
}
