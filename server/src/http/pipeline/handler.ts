import type { operations } from '@commerce-backend/spec';
import type { Pool } from 'pg';
import type { Egress } from '../../egress/post.ts';
import type { CheckoutDeps } from '../../shop/payments/deps.ts';
import type { ShownJson } from '../../shop/products/shown.ts';
import type { Shop } from '../../shop/shop.ts';
import type { Caller } from '../callers/caller.ts';
import type { OperationId, Surface } from '../contract/contract.ts';
import type { Answer } from './errors.ts';
import type { OwnAccount } from './own-account.ts';
import type { Performed } from './performed.ts';

/** One function per operation of an API, named by the operationId after the dot. A missing one is a compile error. */
export type Handlers<S extends Surface> = {
  [Id in OperationId as Id extends `${S}.${infer Name}` ? Name : never]: Handler<Id> | Prepared<Id>;
};

/** Runs an operation in its transaction, or a read on its connection. Returns the body of the 2xx response. */
export type Handler<Id extends OperationId> = (call: Call<Id>) => Promise<Reply<Id> | ShownJson<Reply<Id>>>;

/**
 * A handler with work that must not hold a connection, such as hashing a password or calling a payment provider.
 * `prepare` does that work outside of any transaction, after authentication and never for a replay. It returns the
 * function to run in the transaction.
 */
export interface Prepared<Id extends OperationId> {
  prepare(call: Omit<WholeCall<Id>, 'shop' | 'noteAccount'> & Preparing): Promise<Handler<Id>>;
  /**
   * Whether the handler hashes a password for callers without credentials. The number of concurrent hashes is limited.
   */
  hashes?: true;
}

/** The arguments of `prepare` in addition to the call. */
export interface Preparing {
  db: Pool;
  /**
   * Whether `prepare` should stop waiting, because the client has disconnected, the process is shutting down or the
   * deadline has passed.
   */
  ended(): boolean;
  /** Calls another operation as the same caller, in transactions of its own. */
  perform(call: Performed): Promise<Answer>;
}

/** A handler of any operation. Validation has ensured that the arguments fit. */
export type Run = (call: never) => Promise<unknown>;
export interface PreparedHandler {
  prepare(call: never): Promise<Run>;
  hashes?: true;
}
export type AnyHandler = Run | PreparedHandler;

/**
 * The argument of a handler. Handlers of cacheable reads do not get the caller, because callers share their responses.
 */
export type Call<Id extends OperationId> = 304 extends keyof operations[Id]['responses']
  ? Pick<WholeCall<Id>, 'shop' | 'baseUrl' | 'path' | 'query'>
  : WholeCall<Id>;

/** The shop of the tenant, and the validated parts of the request with the contract's types. */
export interface WholeCall<Id extends OperationId> {
  shop: Shop;
  caller: Caller;
  /** The configured base URL, for links. Never taken from the request. */
  baseUrl: string;
  /** The dependencies of checkouts, in addition to the shop. */
  checkoutDeps: CheckoutDeps;
  /** IP address and other data about the origin of the request. */
  origin: Origin;
  /** Sends HTTP requests to URLs that tenants or callers choose, such as webhooks and profiles of UCP platforms. */
  egress: Egress;
  /**
   * Records the staff login that a call without a session concerns, or the shop that a person joins. The call is
   * audited in the shops of that login, or in that shop.
   */
  noteAccount: (account: OwnAccount) => void;
  path: NonNullable<operations[Id]['parameters']['path']>;
  query: NonNullable<operations[Id]['parameters']['query']>;
  body: operations[Id] extends { requestBody?: infer Body } ? Json<NonNullable<Body>> : undefined;
}

export interface Origin {
  ip: string | null;
  user_agent: string | null;
  /** The unlock passes in the browser's cookie (unlock-cookie.ts). */
  unlocks: string[];
  /** The best supported language by Accept-Language. */
  locale: string | null;
}

type Success = 200 | 201 | 202 | 204;

/** The response body. Each operation declares exactly one 2xx response, which the linter of the contract enforces. */
export type Reply<Id extends OperationId> = Json<
  operations[Id]['responses'][keyof operations[Id]['responses'] & Success]
>;

type Json<Message> = Message extends { content: { 'application/json': infer Body } } ? Body : undefined;
