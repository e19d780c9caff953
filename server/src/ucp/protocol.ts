/** The subset of UCP that this server supports, and its errors. */

import type { ErrorBody } from '@commerce-backend/spec';

/** The versions that this server supports, newest first. */
export const VERSIONS = ['2026-08-25', '2026-04-08'];

export const UCP_VERSION = '2026-08-25';

export type CapabilityName = keyof typeof CAPABILITIES;

interface Capability {
  /** URL of the specification. */
  spec: string;
  schema: string;
  extends?: string | string[];
  config?: object;
}

const CART = 'dev.ucp.shopping.cart';
const CHECKOUT = 'dev.ucp.shopping.checkout';

/** The scopes that some functions require. All other scopes only extend the permissions of a guest. */
const GATING_SCOPES = {
  'dev.ucp.shopping.order:read': { description: { plain: 'Read your orders: lines, status, deliveries and refunds.' } },
};

export const CAPABILITIES = {
  'dev.ucp.shopping.catalog.search': { spec: 'shopping/catalog/search', schema: 'shopping/catalog_search' },
  'dev.ucp.shopping.catalog.lookup': { spec: 'shopping/catalog/lookup', schema: 'shopping/catalog_lookup' },
  [CART]: { spec: 'shopping/cart', schema: 'shopping/cart' },
  [CHECKOUT]: { spec: 'shopping/checkout', schema: 'shopping/checkout' },
  'dev.ucp.shopping.order': { spec: 'shopping/order', schema: 'shopping/order' },
  'dev.ucp.shopping.discount': { spec: 'discount', schema: 'shopping/discount', extends: [CART, CHECKOUT] },
  'dev.ucp.shopping.fulfillment': { spec: 'fulfillment', schema: 'shopping/fulfillment', extends: CHECKOUT },
  'dev.ucp.shopping.buyer_consent': { spec: 'buyer-consent', schema: 'shopping/buyer_consent', extends: CHECKOUT },
  'dev.ucp.common.identity_linking': {
    ...{ spec: 'common/identity-linking', schema: 'common/identity_linking' },
    config: { scopes: GATING_SCOPES },
  },
  'dev.ucp.shopping.permalink': { spec: 'permalink', schema: 'shopping/permalink' },
} satisfies Record<string, Capability>;

/** A permalink is not negotiated, because a browser opens it. */
type Negotiable = Exclude<CapabilityName, 'dev.ucp.shopping.permalink'>;

const NEGOTIABLE = Object.entries(CAPABILITIES).filter(([name]) => name !== 'dev.ucp.shopping.permalink') as [
  Negotiable,
  Capability,
][];

/** The capabilities that both sides support in a version. An extension needs its base. */
export function intersection(theirs: Record<string, string[]>, version: string): Set<CapabilityName> {
  const shared = NEGOTIABLE.filter(([name]) => theirs[name]?.includes(version));
  const names = new Set<string>(shared.map(([name]) => name));
  const isRooted = ([, one]: [Negotiable, Capability]) =>
    one.extends === undefined || parentsOf(one).some((parent) => names.has(parent));
  return new Set(shared.filter(isRooted).map(([name]) => name));
}

function parentsOf({ extends: parents = [] }: Capability): string[] {
  return [parents].flat();
}

/** The capabilities to list in a response: the capability of the function, and its extensions. */
export function activeFor(
  root: CapabilityName,
  agreed: Set<CapabilityName>,
  version: string,
): Record<string, { version: string }[]> {
  const names = NEGOTIABLE.filter(
    ([name, one]) => agreed.has(name) && (name === root || parentsOf(one).includes(root)),
  );
  return Object.fromEntries(names.map(([name]) => [name, [{ version }]]));
}

export type Severity = 'recoverable' | 'requires_buyer_input' | 'requires_buyer_review' | 'unrecoverable';

/** The next step and alternatives after an error, which the API returns in addition to UCP's fields. */
type WayOut = Pick<ErrorBody, 'next' | 'alternatives'>;

export type Message =
  | ({ type: 'error'; code: string; content: string; severity: Severity; path?: string } & WayOut)
  | { type: 'warning'; code: string; content: string; path?: string }
  | { type: 'info'; code: string; content: string; path?: string };

/** A failure of the protocol, not of the business. It has an HTTP status or, over MCP, a JSON-RPC code. */
export class ProtocolError extends Error {
  readonly status: number;
  readonly code: string;
  readonly headers: Record<string, string>;
  /** Fields of the response in addition to the code and the content. */
  readonly more: object;

  constructor(status: number, code: string, content: string, headers: Record<string, string> = {}, more: object = {}) {
    super(content);
    this.status = status;
    this.code = code;
    this.headers = headers;
    this.more = more;
  }
}

/** Thrown if a request failed and there is no resource to return. The messages contain the reason. */
export class NoResource extends Error {
  readonly messages: Message[];

  constructor(messages: Message[]) {
    super(messages.map(({ content }) => content).join(' '));
    this.messages = messages;
  }
}

export function unrecoverable(code: string, content: string): NoResource {
  return new NoResource([{ type: 'error', code, content, severity: 'unrecoverable' }]);
}
