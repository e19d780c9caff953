import type { UcpCall } from './call.ts';
import { cancelCart, fill, findCart, makeCart, viewOfCart } from './carts.ts';
import { getProduct, lookupCatalog, searchCatalog } from './catalog.ts';
import {
  cancelCheckout,
  changeCheckout,
  completeCheckout,
  findCheckout,
  makeCheckout,
  viewOfCheckout,
} from './checkouts.ts';
import { getOrder } from './orders.ts';
import { activeFor, type CapabilityName, NoResource } from './protocol.ts';
import {
  type CartWish,
  type CheckoutWish,
  checkRequest,
  type LookupWish,
  type ProductWish,
  type RequestName,
  type SearchWish,
} from './requests.ts';
import { requestFrom, responseIn } from './versions.ts';

/** The functions of UCP's shopping service, for REST and MCP. */
export interface UcpFunction {
  /** The capability that both sides must support. */
  root: CapabilityName;
  request: RequestName;
  /** REST responds with 201. */
  created?: true;
  /** Repeating the call with the same idempotency key has no further effect. */
  changes?: true;
  /** The agent must send an idempotency key. */
  keyed?: true;
  run(call: UcpCall, id: string, body: unknown): Promise<object>;
}

const CART = 'dev.ucp.shopping.cart';
const CHECKOUT = 'dev.ucp.shopping.checkout';
const LOOKUP = 'dev.ucp.shopping.catalog.lookup';

export const FUNCTIONS = {
  search_catalog: {
    ...{ root: 'dev.ucp.shopping.catalog.search', request: 'search' },
    run: (call, _id, body) => searchCatalog(call, body as SearchWish),
  },
  lookup_catalog: {
    root: LOOKUP,
    request: 'lookup',
    run: (call, _id, body) => lookupCatalog(call, body as LookupWish),
  },
  get_product: { root: LOOKUP, request: 'product', run: (call, _id, body) => getProduct(call, body as ProductWish) },
  create_cart: {
    ...{ root: CART, request: 'cart', created: true, changes: true },
    run: async (call, _id, body) => viewOfCart(call, await makeCart(call, body as CartWish)),
  },
  get_cart: {
    ...{ root: CART, request: 'nothing' },
    run: async (call, id) => viewOfCart(call, await findCart(call, id)),
  },
  update_cart: {
    ...{ root: CART, request: 'cart', changes: true },
    run: async (call, id, body) => viewOfCart(call, await fill(call, (await findCart(call, id)).id, body as CartWish)),
  },
  cancel_cart: {
    ...{ root: CART, request: 'nothing', changes: true },
    run: async (call, id) => viewOfCart(call, await cancelCart(call, id)),
  },
  create_checkout: {
    ...{ root: CHECKOUT, request: 'new_checkout', created: true, changes: true },
    run: async (call, _id, body) => viewOfCheckout(call, await makeCheckout(call, body as CheckoutWish)),
  },
  get_checkout: {
    ...{ root: CHECKOUT, request: 'nothing' },
    run: async (call, id) => viewOfCheckout(call, await findCheckout(call, id)),
  },
  update_checkout: {
    ...{ root: CHECKOUT, request: 'checkout', changes: true },
    run: async (call, id, body) => viewOfCheckout(call, await changeCheckout(call, id, body as CheckoutWish)),
  },
  complete_checkout: {
    ...{ root: CHECKOUT, request: 'nothing', keyed: true, changes: true },
    run: async (call, id) => viewOfCheckout(call, await completeCheckout(call, id)),
  },
  cancel_checkout: {
    ...{ root: CHECKOUT, request: 'nothing', keyed: true, changes: true },
    run: async (call, id) => viewOfCheckout(call, await cancelCheckout(call, id)),
  },
  get_order: { root: 'dev.ucp.shopping.order', request: 'nothing', run: (call, id) => getOrder(call, id) },
} satisfies Record<string, UcpFunction>;

export type FunctionName = keyof typeof FUNCTIONS;

export interface UcpAnswer {
  created: boolean;
  body: object;
}

/** Returns the resource, or messages that explain why there is none. Throws `ProtocolError` or `Refused`. */
export async function answerOf(call: UcpCall, name: FunctionName, id: string, given: unknown): Promise<UcpAnswer> {
  const { request, changes }: UcpFunction = FUNCTIONS[name];
  const body = requestFrom(call.opened.profile.version, given);
  checkRequest(request, body ?? {});
  const work = () => shownOf(call, name, id, body ?? {});
  const answer = changes
    ? (JSON.parse(
        await call.once(JSON.stringify([name, id, body ?? null]), async () => JSON.stringify(await work())),
      ) as UcpAnswer)
    : await work();
  await call.identify();
  return answer;
}

async function shownOf(call: UcpCall, name: FunctionName, id: string, body: unknown): Promise<UcpAnswer> {
  const { root, run, created }: UcpFunction = FUNCTIONS[name];
  const { agreed, origin, front, profile } = call.opened;
  const { version } = profile;
  const capabilities = activeFor(root, agreed, version);
  try {
    if (!agreed.has(root)) throw incompatible(root, version);
    const ucp = { version, status: 'success', capabilities, ...(root === CHECKOUT && { payment_handlers: {} }) };
    const shown = await run(call, id, body);
    const messages = 'messages' in shown || call.messages.length === 0 ? {} : { messages: call.messages };
    return { created: created === true, body: { ucp, ...responseIn(version, { ...shown, ...messages }) } };
  } catch (error) {
    if (!(error instanceof NoResource)) throw error;
    const ucp = { version, status: 'error', capabilities };
    const continue_url = front.storefront_url ?? `${origin}/`;
    return { created: false, body: { ucp, messages: error.messages, continue_url } };
  }
}

function incompatible(root: CapabilityName, version: string): NoResource {
  const content = `Your profile does not declare ${root} in version ${version}.`;
  return new NoResource([{ type: 'error', code: 'capabilities_incompatible', content, severity: 'unrecoverable' }]);
}
