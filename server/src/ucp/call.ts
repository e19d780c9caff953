import { createHash, hkdfSync, randomUUID } from 'node:crypto';
import type { ErrorBody, HTTPValidationError } from '@commerce-backend/spec';
import type { Caller, Claim } from '../http/callers/caller.ts';
import { NO_CLAIM } from '../http/callers/open-callers.ts';
import { type Operation, type OperationId, operationOf } from '../http/contract/contract.ts';
import type { CallOperation, Served } from '../http/in-process.ts';
import type { AgentProfile } from '../shop/agents/profiles.ts';
import { claimKey, keepAnswer, type RequestKey } from '../shop/agents/ucp-requests.ts';
import { inShop } from '../shop/in-shop.ts';
import type { Front } from '../shop/merchant/front.ts';
import { CAPS, sanitizeMerchantText } from '../shop/merchant-text.ts';
import { type Sealing, seal, unseal } from '../shop/sealing.ts';
import { type Shop, SYSTEM, type Tenant } from '../shop/shop.ts';
import { WHICH_ITEMS } from '../shop/stock/stock.ts';
import type { ProfileDeps } from './agent.ts';
import { type Asker, insufficientScope, invalidToken } from './identity.ts';
import { type CapabilityName, type Message, NoResource, ProtocolError } from './protocol.ts';

export interface UcpDeps extends ProfileDeps {
  baseUrl: string;
  callOperation: CallOperation;
  /** Throws the error for a credential that the operation does not accept. */
  identify(claim: Claim, operation: Operation): Promise<Caller>;
}

interface Answered {
  status: number;
  body: ErrorBody | HTTPValidationError;
  headers: Record<string, string>;
}

/** The error response of an operation. */
export class Refused extends Error {
  readonly status: number;
  readonly body: ErrorBody | HTTPValidationError;
  readonly headers: Record<string, string>;
  readonly asker: Asker;

  constructor({ status, body, headers }: Answered, asker: Asker) {
    super(body.message);
    this.status = status;
    this.body = body;
    this.headers = headers;
    this.asker = asker;
  }

  /** Whether this is a protocol error: neither a person nor the agent can resolve it within this request. */
  get isOfProtocol(): boolean {
    const { error } = this.body;
    return this.status === 401 || this.status === 429 || this.status >= 500 || OF_PROTOCOL.includes(error ?? '');
  }
}

const OF_PROTOCOL = ['insufficient_scope', 'idempotency_in_flight'];

interface Asked {
  path?: Record<string, string>;
  query?: Record<string, string | string[]>;
  body?: unknown;
  /** Distinguishes this change from others in the same request. */
  step?: string;
}

export interface Opened extends Asker {
  served: Served;
  tenant: Tenant;
  front: Front;
  /** The origin of the shop's pages. */
  origin: string;
  profile: AgentProfile;
  /** Whether a key of the profile has signed the request. Without a signature, anybody can name the profile. */
  isSigned: boolean;
  agreed: Set<CapabilityName>;
  /** The agent token (`agt_…`), if the request has one. */
  token: string | undefined;
  key: string | undefined;
}

/** One UCP request over REST or MCP. It changes carts and checkouts by operations of the contract. */
export class UcpCall {
  readonly opened: Opened;
  /** Messages to add to the response. */
  readonly messages: Message[] = [];
  readonly #deps: UcpDeps;
  readonly #seed: string;
  readonly #claim: Claim;
  asked = false;

  constructor(deps: UcpDeps, opened: Opened) {
    const { tenant, token, profile, key, resource } = opened;
    const { id: profile_id, host, url } = profile;
    const { host: platform_host } = new URL(url);
    const site_id = tenant.site_id;
    this.opened = opened;
    this.#deps = deps;
    this.#claim = token
      ? { ...NO_CLAIM, kind: 'agent', secret: token, site_id, byProtocol: true, resource, platform_host }
      : { ...NO_CLAIM, kind: 'guest_agent', secret: `${site_id} ${profile_id}`, site_id, guest: { profile_id, host } };
    this.#seed = key === undefined ? randomUUID() : `${this.#claim.secret} ${key.toLowerCase()}`;
  }

  get isGuest(): boolean {
    return this.opened.token === undefined;
  }

  has(name: CapabilityName): boolean {
    return this.opened.agreed.has(name);
  }

  /** Calls an operation and returns its response. Throws `Refused`. */
  async ask<T>(id: OperationId, { path, query, body, step = id }: Asked = {}): Promise<T> {
    this.asked = true;
    const operation = operationOf(id);
    const key = !operation.safe && { 'idempotency-key': this.#keyOf(step) };
    const headers = { ...this.#credential(), ...key };
    const given = { operation, headers, vouched: this.#claim, ...(path && { path }), ...(query && { query }) };
    const answer = await this.#deps.callOperation(this.opened.served, {
      ...given,
      ...(body !== undefined && { body }),
    });
    if (answer.status < 400) return answer.body as T;
    throw new Refused(answer as Answered, this.opened);
  }

  /** Throws `Refused` if a later operation of this request will not accept the caller, before anything is written. */
  async requireAccess(id: OperationId): Promise<void> {
    const operation = operationOf(id);
    try {
      await this.#deps.identify(this.#claim, operation);
    } catch (error) {
      this.asked = true;
      const call = { operation, headers: this.#credential(), vouched: this.#claim };
      const answer = await this.#deps.callOperation.refuse(this.opened.served, call, error as Error);
      throw new Refused(answer as Answered, this.opened);
    }
  }

  #credential(): Record<string, string> {
    const { token } = this.opened;
    return token ? { authorization: `Bearer ${token}` } : {};
  }

  /**
   * Derives an idempotency key for each change from the request's key, so that a repeated request repeats no change.
   */
  #keyOf(step: string): string {
    const hex = createHash('sha256').update(`${this.#seed} ${step}`).digest('hex');
    return [
      hex.slice(0, 8),
      hex.slice(8, 12),
      `4${hex.slice(13, 16)}`,
      `8${hex.slice(17, 20)}`,
      hex.slice(20, 32),
    ].join('-');
  }

  /** Runs work in the shop that no operation of the contract does. */
  inShop<T>(work: (shop: Shop) => Promise<T>): Promise<T> {
    return inShop(this.#deps.db, this.opened.tenant, SYSTEM, work);
  }

  /** Rejects a revoked or expired token, and records the call, for requests that have called no operation. */
  async identify(): Promise<void> {
    if (!this.asked && !this.isGuest) await this.ask('agent.getToken');
  }

  /**
   * Runs `work` once: a repeated request gets the first response. Throws a ProtocolError if the key was used for
   * another request.
   */
  async once(request: string, work: () => Promise<string>): Promise<string> {
    const { key: given } = this.opened;
    if (given === undefined) return work();
    const key = this.#requestKey(given, request);
    const { same, answer } = await this.inShop((shop) => claimKey(shop, key));
    if (!same) {
      throw new ProtocolError(409, 'idempotency_conflict', 'This Idempotency-Key was used for another request.');
    }
    const sealing = this.#sealingOf(given);
    if (answer !== null) return unseal(sealing, answer);
    const made = seal(sealing, await work());
    return unseal(sealing, await this.inShop((shop) => keepAnswer(shop, key, made)));
  }

  /** Stored responses contain links that give access, so they are encrypted. */
  #sealingOf(key: string): Sealing {
    const derived = hkdfSync('sha256', key.toLowerCase(), this.#claim.secret, 'ucp answer', 32);
    return { key: Buffer.from(derived), tag: 'last' };
  }

  #requestKey(key: string, request: string): RequestKey {
    const hash = (text: string) => createHash('sha256').update(text).digest();
    return { caller_hash: hash(this.#claim.secret), key_hash: hash(key.toLowerCase()), request_hash: hash(request) };
  }
}

/** Converts an operation's error to a message for the agent. Throws protocol errors and all other errors. */
export function messageOf(error: unknown, path?: string): Message {
  if (!(error instanceof Refused)) throw error;
  if (error.isOfProtocol) throw protocolErrorOf(error);
  const { body } = error;
  const at = path === undefined ? {} : { path };
  const code = CODES[body.error ?? ''] ?? body.error ?? 'invalid';
  const said =
    'detail' in body && Array.isArray(body.detail) ? body.detail.map(({ msg }) => msg).join(' ') : body.message;
  // Removes a reference to a field that UCP does not have. The path identifies the item.
  const content = sanitizeMerchantText(said.replace(WHICH_ITEMS, ''), CAPS.value) ?? 'The request was refused.';
  // The agent cannot resolve this error, and the buyer need not.
  if (code === 'buyer_data_locked') return { type: 'warning', code, content, ...at };
  const { next, alternatives } = body as ErrorBody;
  const wayOut = { ...(next && { next: next.replace(OF_LINES, '') }), ...(alternatives && { alternatives }) };
  return { type: 'error', code, content, severity: 'recoverable', ...at, ...wayOut };
}

const OF_LINES = ' of each line in lines';

const CODES: Record<string, string> = {
  insufficient_stock: 'out_of_stock',
  validation_error: 'invalid',
  shipping_option_unavailable: 'fulfillment_option_unavailable',
  cart_expired: 'not_found',
  cart_not_active: 'not_found',
};

export function protocolErrorOf({ status, body, headers, asker }: Refused): ProtocolError {
  const told = { 'Retry-After': 'retry-after', RateLimit: 'ratelimit', 'RateLimit-Policy': 'ratelimit-policy' };
  const limit = Object.entries(told).flatMap(([name, key]) =>
    headers[key] === undefined ? [] : [[name, headers[key]]],
  );
  const conflict = body.error?.startsWith('idempotency') && status < 500 ? 409 : status;
  const message = messageOfFields(body) ?? body.message ?? 'The request was refused.';
  const refusal = { content: message, headers: Object.fromEntries(limit) };
  if (status === 401) return invalidToken(asker, refusal);
  if (body.error === 'insufficient_scope') return insufficientScope(asker, String(body.scope), refusal);
  return new ProtocolError(conflict, body.error ?? 'error', message, refusal.headers);
}

/** Joins the errors of all fields, as in `cheaper_than: The shop has no product with this id.` */
function messageOfFields(body: Refused['body']): string | undefined {
  if (!('detail' in body) || !Array.isArray(body.detail) || body.detail.length === 0) return undefined;
  return body.detail.map(({ loc, msg }) => `${loc.slice(1).join('.')}: ${msg}`).join(' ');
}

/** Throws a NoResource with the message of an error. */
export function noResource(error: unknown): never {
  const message = messageOf(error);
  throw new NoResource([{ ...message, type: 'error', severity: 'unrecoverable' } as Message]);
}
