import type { operations } from '@commerce-backend/spec';
import type { Pool } from 'pg';
import type { Egress } from '../../egress/post.ts';
import type { CheckoutDeps } from '../../shop/payments/deps.ts';
import type { ShownJson } from '../../shop/products/shown.ts';
import type { Shop } from '../../shop/shop.ts';
import type { Caller } from '../callers/caller.ts';
import type { OperationId, Surface } from '../contract/contract.ts';
import type { OwnAccount } from './own-account.ts';

/** Types of handlers, derived from the contract. */

/**
 * One function per operation of an API, named by the part of its id after the dot. If one is missing, this does not
 * compile.
 */
export type Handlers<S extends Surface> = {
  [Id in OperationId as Id extends `${S}.${infer Name}` ? Name : never]: Handler<Id> | Prepared<Id>;
};

/** Runs an operation inside its transaction, or a read on its connection, and returns the body of the 2xx response. */
export type Handler<Id extends OperationId> = (call: Call<Id>) => Promise<Reply<Id> | ShownJson<Reply<Id>>>;

/**
 * An operation with work that must not hold a connection, such as hashing a password or calling a payment provider.
 * `prepare` does that work outside of any transaction, for an authenticated caller and never for a replay. It returns
 * the function that runs in the transaction.
 */
export interface Prepared<Id extends OperationId> {
  prepare(call: Omit<WholeCall<Id>, 'shop' | 'noteAccount'> & Preparing): Promise<Handler<Id>>;
  /** Whether it hashes a password for anonymous callers, so that only a limited number may run at once. */
  hashes?: true;
}

/** What `prepare` gets in addition. */
export interface Preparing {
  db: Pool;
  /** Whether waiting is useless, because the client has disconnected or the process is shutting down. */
  ended(): boolean;
}

/** The handler of any operation, as `handle` calls it: the contract has checked its arguments. */
export type Run = (call: never) => Promise<unknown>;
export interface PreparedHandler {
  prepare(call: never): Promise<Run>;
  hashes?: true;
}
export type AnyHandler = Run | PreparedHandler;

/** What a handler gets. Callers share cached responses, so handlers of cacheable reads do not get the caller. */
export type Call<Id extends OperationId> = 304 extends keyof operations[Id]['responses']
  ? Pick<WholeCall<Id>, 'shop' | 'path' | 'query'>
  : WholeCall<Id>;

/** The tenant's shop, and the validated parts of the request with the types of the contract. */
export interface WholeCall<Id extends OperationId> {
  shop: Shop;
  caller: Caller;
  /** The configured base URL, for links. It is never taken from the request. */
  baseUrl: string;
  /** What checkouts need in addition to the shop. */
  checkoutDeps: CheckoutDeps;
  /** Where the call comes from, as far as the server knows. */
  origin: Origin;
  /** Sends requests to URLs of tenants. */
  egress: Egress;
  /**
   * Names the login of a call without a session, or the shop that a person joins, so that the call is recorded there.
   */
  noteAccount: (account: OwnAccount) => void;
  path: NonNullable<operations[Id]['parameters']['path']>;
  query: NonNullable<operations[Id]['parameters']['query']>;
  body: operations[Id] extends { requestBody?: infer Body } ? Json<NonNullable<Body>> : undefined;
}

export interface Origin {
  ip: string | null;
  user_agent: string | null;
  /** The browser's passes, which avoid login delays. */
  unlocks: string[];
  /** The supported language that `Accept-Language` prefers. */
  locale: string | null;
}

type Success = 200 | 201 | 202 | 204;

/** The response body, because every operation declares exactly one 2xx response (a lint rule of the spec). */
export type Reply<Id extends OperationId> = Json<
  operations[Id]['responses'][keyof operations[Id]['responses'] & Success]
>;

type Json<Message> = Message extends { content: { 'application/json': infer Body } } ? Body : undefined;
