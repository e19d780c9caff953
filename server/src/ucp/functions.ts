import type { Cart, Checkout } from '@commerce-backend/spec';
import { noResource, type UcpCall } from './call.ts';
import { emptyCart, fill, findCart, makeCart, viewOfCart } from './carts.ts';
import { getProduct, lookupCatalog, searchCatalog } from './catalog.ts';
import { cancelCheckout, changeCheckout, findCheckout, makeCheckout, viewOfCheckout } from './checkouts.ts';
import { getOrder } from './orders.ts';
import { activeFor, type CapabilityName, NoResource, UCP_VERSION } from './protocol.ts';
import {
  type CartWish,
  type CheckoutWish,
  checkRequest,
  type LookupWish,
  type ProductWish,
  type RequestName,
  type SearchWish,
} from './requests.ts';

/** The functions of UCP's shopping service, for every way in. */
export interface UcpFunction {
  /** The capability that both sides must speak. */
  root: CapabilityName;
  request: RequestName;
  /** The status of REST when something was made. */
  created?: true;
  /** The agent must send a key. */
  keyed?: true;
  run(call: UcpCall, id: string, body: unknown): Promise<object>;
}

const CART = 'dev.ucp.shopping.cart';
const CHECKOUT = 'dev.ucp.shopping.checkout';
const LOOKUP = 'dev.ucp.shopping.catalog.lookup';

/** A change is made once per key, and shown as it is now. */
async function cartAfter(call: UcpCall, name: string, id: string, body: unknown, work: () => Promise<Cart>) {
  let cart: Cart | undefined;
  const made = await call.once(JSON.stringify([name, id, body ?? null]), async () => {
    cart = await work();
    return cart.id;
  });
  return viewOfCart(
    call,
    cart ?? (await call.ask<Cart>('storefront.getCart', { path: { cart_id: made } }).catch(noResource)),
  );
}

async function checkoutAfter(call: UcpCall, name: string, id: string, body: unknown, work: () => Promise<Checkout>) {
  let checkout: Checkout | undefined;
  const made = await call.once(JSON.stringify([name, id, body ?? null]), async () => {
    checkout = await work();
    return checkout.id;
  });
  return viewOfCheckout(call, checkout ?? (await findCheckout(call, made)));
}

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
    ...{ root: CART, request: 'cart', created: true },
    run: (call, id, body) => cartAfter(call, 'create_cart', id, body, () => makeCart(call, body as CartWish)),
  },
  get_cart: {
    ...{ root: CART, request: 'nothing' },
    run: async (call, id) => viewOfCart(call, await findCart(call, id)),
  },
  update_cart: {
    ...{ root: CART, request: 'cart' },
    run: (call, id, body) =>
      cartAfter(call, 'update_cart', id, body, async () => fill(call, (await findCart(call, id)).id, body as CartWish)),
  },
  cancel_cart: {
    ...{ root: CART, request: 'nothing' },
    run: (call, id) => cartAfter(call, 'cancel_cart', id, null, () => emptyCart(call, id)),
  },
  create_checkout: {
    ...{ root: CHECKOUT, request: 'new_checkout', created: true },
    run: (call, id, body) =>
      checkoutAfter(call, 'create_checkout', id, body, () => makeCheckout(call, body as CheckoutWish)),
  },
  get_checkout: {
    ...{ root: CHECKOUT, request: 'nothing' },
    run: async (call, id) => viewOfCheckout(call, await findCheckout(call, id)),
  },
  update_checkout: {
    ...{ root: CHECKOUT, request: 'checkout' },
    run: (call, id, body) =>
      checkoutAfter(call, 'update_checkout', id, body, () => changeCheckout(call, id, body as CheckoutWish)),
  },
  /** Only the human completes: the answer is the checkout as it is. */
  complete_checkout: {
    ...{ root: CHECKOUT, request: 'nothing', keyed: true },
    run: (call, id, body) => checkoutAfter(call, 'complete_checkout', id, body, () => findCheckout(call, id)),
  },
  cancel_checkout: {
    ...{ root: CHECKOUT, request: 'nothing', keyed: true },
    run: (call, id) => checkoutAfter(call, 'cancel_checkout', id, null, () => cancelCheckout(call, id)),
  },
  get_order: { root: 'dev.ucp.shopping.order', request: 'nothing', run: (call, id) => getOrder(call, id) },
} satisfies Record<string, UcpFunction>;

export type FunctionName = keyof typeof FUNCTIONS;

export interface UcpAnswer {
  created: boolean;
  body: object;
}

/** The answer of a function: the resource, or the messages that say why there is none. Throws a ProtocolError, or `Refused`. */
export async function answerOf(call: UcpCall, name: FunctionName, id: string, body: unknown): Promise<UcpAnswer> {
  const { root, request, run, created }: UcpFunction = FUNCTIONS[name];
  checkRequest(request, body ?? {});
  const { agreed, origin } = call.opened;
  try {
    if (!agreed.has(root)) throw incompatible(root);
    const capabilities = activeFor(root, agreed);
    const ucp = {
      version: UCP_VERSION,
      status: 'success',
      capabilities,
      ...(root === CHECKOUT && { payment_handlers: {} }),
    };
    const shown = await run(call, id, body ?? {});
    const messages = 'messages' in shown || call.messages.length === 0 ? {} : { messages: call.messages };
    return { created: created === true, body: { ucp, ...shown, ...messages } };
  } catch (error) {
    if (!(error instanceof NoResource)) throw error;
    const ucp = { version: UCP_VERSION, status: 'error', capabilities: activeFor(root, agreed) };
    const body = { ucp, messages: error.messages, continue_url: call.opened.front.storefront_url ?? `${origin}/` };
    return { created: false, body };
  }
}

function incompatible(root: CapabilityName): NoResource {
  const content = `Your profile does not declare ${root} in version ${UCP_VERSION}.`;
  return new NoResource([{ type: 'error', code: 'capabilities_incompatible', content, severity: 'unrecoverable' }]);
}
