import type { AgentConsentApproval, CustomerOrder, ErrorCode } from '@commerce-backend/spec';
import { authorize } from './authorizations.ts';
import { answer, type Backend, type Played } from './backend.ts';
import { CREDENTIALS, type MockCredentials } from './callers.ts';
import { completeCheckout, updateCheckout } from './checkouts.ts';
import { approve, deny, findConsent, openAgent, revoke, termsOf } from './consents.ts';
import { errors, operationById } from './contract.ts';
import { DEFAULT_DATA, type MockCustomer, type MockShopData } from './data.ts';
import { minorUnits } from './money.ts';
import { openState } from './opening.ts';
import { price } from './pricing.ts';
import { Refusal } from './refusal.ts';
import type { State, StoredCustomer, StoredVariant } from './state.ts';

export interface MockOptions {
  /** The address of the shop. Default: `http://localhost:8080`. Clients need the same address. */
  baseUrl?: string;
  /** Initial data that replaces parts of the built-in shop. */
  data?: Partial<MockShopData>;
}

/** An error to simulate: a code of the contract, a code with a message and extra fields, or no response. */
export type MockError = ErrorCode | 'no_answer' | { error: ErrorCode; message?: string; [field: string]: unknown };

/** The permissions of an agent. Defaults are those of a request for consent. */
export interface MockAgentTerms {
  /** In the currency's minor unit. */
  budget_cents: number;
  max_per_order_cents?: number;
  /** Product types and handles of collections; an empty list allows all. */
  categories?: string[];
  scopes?: ('catalog:read' | 'cart:write' | 'checkout:create' | 'customer:self' | 'orders:read' | 'returns:request')[];
  agent_name?: string;
  /** The e-mail of the agent's customer. Default: the first customer. */
  customer?: string;
}

/** The shop behind the mocks: its credentials, its calls and orders, and methods that change it without a call. */
export interface MockShop extends MockCredentials {
  readonly baseUrl: string;
  readonly siteId: string;
  readonly customers: readonly MockCustomer[];
  /** Every call so far, in order; status 0 without a response. */
  readonly calls: readonly { operationId: string; status: number }[];
  /** The orders, newest first. */
  readonly orders: readonly CustomerOrder[];
  /**
   * The id of a variant, by its SKU or by the slug of a product with a single variant. Throws a RangeError if there is
   * none.
   */
  variantId(skuOrSlug: string): string;
  /** Sets the stock of a variant, by its id, SKU or slug. */
  setStock(variant: string, quantity: number): void;
  /** Sets the price of a variant, as a decimal string such as `12.50`. */
  setPrice(variant: string, price: string): void;
  /** Expires a cart now. */
  expireCart(cartId: string): void;
  /** Expires a checkout now. */
  expireCheckout(checkoutId: string): void;
  /** Issues an agent token, as if the customer had approved the agent's request. */
  issueAgentToken(terms: MockAgentTerms): string;
  /**
   * Approves an agent's request as a customer, or the part of it in `approval`; the next poll gets the token. Default:
   * the first customer.
   */
  approve(userCode: string, approval?: Omit<AgentConsentApproval, 'current_password'>, email?: string): void;
  /** Denies an agent's request as a customer. */
  deny(userCode: string, email?: string): void;
  /**
   * Opens the address of `beginAuthorization` as a customer and decides. Returns the address that the browser is
   * redirected to, for `finishAuthorization`. It approves the whole request, or the part of it in the decision; a
   * request without a budget gets 5,000 in the minor unit. Throws a TypeError for an address that the server would
   * reject.
   */
  authorize(url: string, decision?: Omit<AgentConsentApproval, 'current_password'> | 'deny', email?: string): string;
  /** Revokes an agent as its customer: its next call fails with `invalid_token`. */
  revoke(agentToken: string): void;
  /**
   * Opens the page of a checkout as a human, fills in missing fields (e-mail, an address in Berlin, the cheapest
   * delivery, bank transfer) and places the order; for an agent's checkout as its customer. Throws an error with the
   * `code` that the server would return.
   */
  confirm(checkoutId: string): CustomerOrder;
  /**
   * Simulates an error for the next `times` calls of an operation, by default for one call. The client retries
   * retryable errors, so a test of `unavailable` needs `times: 3`, or a client with `maxAttempts: 1`.
   */
  fail(operationId: string, error: MockError, options?: { times?: number }): void;
  /** Resets the shop: deletes carts, orders, agents, calls and simulated errors. */
  reset(): void;
}

const DEFAULT_URL = 'http://localhost:8080';

/** Creates a shop in memory. */
export function openShop({ baseUrl = DEFAULT_URL, data = {} }: MockOptions = {}): {
  shop: MockShop;
  fetch: (request: Request) => Promise<Response>;
} {
  const begun = { ...DEFAULT_DATA, ...data };
  const begin = () => openState(structuredClone(begun), baseUrl.replace(/\/$/, ''));
  const failures = new Map<string, { played: Played; times: number }>();
  let calls: { operationId: string; status: number }[] = [];
  const backend: Backend = {
    state: begin(),
    playedFor(id) {
      const failure = failures.get(id);
      if (!failure) return undefined;
      failure.times -= 1;
      if (failure.times === 0) failures.delete(id);
      return failure.played;
    },
    note: (operationId, status) => void calls.push({ operationId, status }),
  };
  const shop: MockShop = {
    ...CREDENTIALS,
    ...{ baseUrl: backend.state.baseUrl, siteId: backend.state.site_id, customers: begun.customers },
    get calls() {
      return calls;
    },
    get orders() {
      return backend.state.orders;
    },
    ...changesOf(() => backend.state),
    ...peopleOf(() => backend.state),
    fail(operationId, error, { times = 1 } = {}) {
      failures.set(operationById(operationId).id, { played: playedOf(error), times });
    },
    reset() {
      backend.state = begin();
      failures.clear();
      calls = [];
    },
  };
  return { shop, fetch: (request) => answer(backend, request) };
}

function playedOf(error: MockError): Played {
  if (error === 'no_answer') return error;
  const { error: code, message, ...fields } = typeof error === 'string' ? { error } : error;
  if (!(code in errors)) throw new TypeError(`The contract has no error ${code}.`);
  return new Refusal(code, String(message ?? `Played by the mocks: ${code}.`), fields);
}

/** Helpers that change the shop without an API call. */
function changesOf(stateNow: () => State) {
  const find = (name: string) => findVariant(stateNow(), name);
  const past = new Date(0).toISOString();
  return {
    variantId: (name: string) => find(name).id,
    setStock(name: string, quantity: number) {
      const variant = find(name);
      variant.on_hand = quantity + variant.reserved;
    },
    setPrice(name: string, amount: string) {
      find(name).price = minorUnits(amount, stateNow().digits);
    },
    expireCart(id: string) {
      found(stateNow().carts.get(id), 'cart', id).expires_at = past;
    },
    expireCheckout(id: string) {
      found(stateNow().checkouts.get(id), 'checkout', id).expires_at = past;
    },
  };
}

function findVariant({ products }: State, name: string): StoredVariant {
  const variants = products.flatMap((product) => product.variants);
  const ofSlug = variants.filter(({ product }) => product.input.slug === name);
  const named = variants.find(({ id, sku }) => id === name || sku === name);
  return found(named ?? (ofSlug.length === 1 ? ofSlug[0] : undefined), 'variant', name);
}

function found<Thing>(thing: Thing | undefined, noun: string, name: string): Thing {
  if (thing === undefined) throw new RangeError(`The mock shop has no ${noun} ${name}.`);
  return thing;
}

const JUNE = {
  ...{ first_name: 'June', last_name: 'Okafor', address1: 'Lindenallee 7', city: 'Berlin', postal_code: '10115' },
  country: 'DE',
} as const;

/** Helpers that simulate actions of people. */
function peopleOf(stateNow: () => State) {
  const customerNamed = (email?: string): StoredCustomer => {
    const { customers } = stateNow();
    return found(
      email ? customers.find((one) => one.email === email.toLowerCase()) : customers[0],
      'customer',
      email ?? '',
    );
  };
  return {
    issueAgentToken({ customer, ...wish }: MockAgentTerms) {
      const terms = termsOf(stateNow(), { agent_name: 'Mock agent', ...wish });
      return openAgent(stateNow(), customerNamed(customer), terms).access_token;
    },
    approve(userCode: string, approval: AgentConsentApproval = {}, email?: string) {
      approve(stateNow(), customerNamed(email), userCode, approval);
    },
    deny(userCode: string, email?: string) {
      deny(customerNamed(email), findConsent(stateNow(), userCode));
    },
    authorize(url: string, decision: AgentConsentApproval | 'deny' = {}, email?: string) {
      return authorize(stateNow(), customerNamed(email), url, decision);
    },
    revoke(agentToken: string) {
      revoke(found(stateNow().agents.get(agentToken), 'agent with the token', agentToken), 'customer');
    },
    confirm(id: string): CustomerOrder {
      const state = stateNow();
      const checkout = found(state.checkouts.get(id), 'checkout', id);
      const customer = state.customers.find((one) => one.id === checkout.customer_id) ?? null;
      const caller = { state, customer, agent: null };
      if (checkout.order) return checkout.order;
      const { shipping_address, email } = checkout;
      updateCheckout(caller, id, { shipping_address: shipping_address ?? JUNE, email: email ?? 'june@mail.example' });
      const { choices, parcel, shipping_option } = price(state, checkout);
      const [cheapest] = choices
        .filter(({ kind }) => kind === 'delivery')
        .sort((a, b) => Number(a.price) - Number(b.price));
      const shipping_option_id = parcel.requires_shipping ? (shipping_option?.id ?? cheapest?.id ?? null) : null;
      const payment_method =
        checkout.payment_method ?? (shipping_option?.kind === 'pickup' ? 'manual' : 'bank_transfer');
      updateCheckout(caller, id, { shipping_option_id, payment_method });
      return completeCheckout(caller, id);
    },
  };
}
