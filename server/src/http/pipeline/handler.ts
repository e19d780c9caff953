import type { operations } from '@commerce-backend/spec';
import type { Pool } from 'pg';
import type { Egress } from '../../egress/post.ts';
import type { CheckoutDeps } from '../../shop/payments/deps.ts';
import type { ShownJson } from '../../shop/products/shown.ts';
import type { Shop } from '../../shop/shop.ts';
import type { Caller } from '../callers/caller.ts';
import type { OperationId, Surface } from '../contract/contract.ts';
import type { OwnAccount } from './own-account.ts';

/** The types of handlers, as the contract has them. */

/** One function per operation of the surface, under the name after the dot: a missing one does not compile. */
export type Handlers<S extends Surface> = {
  [Id in OperationId as Id extends `${S}.${infer Name}` ? Name : never]: Handler<Id> | Prepared<Id>;
};

/** Does the work of an operation inside its transaction (reads: on its connection), and answers with the 2xx body. */
export type Handler<Id extends OperationId> = (call: Call<Id>) => Promise<Reply<Id> | ShownJson<Reply<Id>>>;

/**
 * An operation with work that must not hold a connection, such as hashing a password or calling a payment provider. `prepare` does
 * that work outside any transaction, for an authenticated caller, never for a replay; it returns what runs in the transaction.
 */
export interface Prepared<Id extends OperationId> {
  prepare(call: Omit<WholeCall<Id>, 'shop' | 'noteAccount'> & Preparing): Promise<Handler<Id>>;
  /** It hashes a password for anyone who asks, so only so many run at once. */
  hashes?: true;
}

/** What `prepare` gets besides the call. */
export interface Preparing {
  db: Pool;
  /** Whether the client has gone or the process drains, so that there is nothing left to wait for. */
  ended(): boolean;
}

/** Any operation's handler, as `handle` calls it: the contract has checked what it is given. */
export type Run = (call: never) => Promise<unknown>;
export interface PreparedHandler {
  prepare(call: never): Promise<Run>;
  hashes?: true;
}
export type AnyHandler = Run | PreparedHandler;

/** A handler's argument. The cache shares an answer between callers, so handlers of cacheable reads get no caller. */
export type Call<Id extends OperationId> = 304 extends keyof operations[Id]['responses']
  ? Pick<WholeCall<Id>, 'shop' | 'path' | 'query'>
  : WholeCall<Id>;

/** The tenant's shop and the parts of the request, validated and typed by the contract. */
export interface WholeCall<Id extends OperationId> {
  shop: Shop;
  caller: Caller;
  /** The configured public address, for links. Never taken from the request. */
  baseUrl: string;
  /** What selling needs besides the shop. */
  checkoutDeps: CheckoutDeps;
  /** Where the call comes from, as far as the server sees. */
  origin: Origin;
  /** Sends to addresses that tenants name. */
  egress: Egress;
  /** Says whose login a call is about that no session makes, or which shop somebody joins: it is recorded there. */
  noteAccount: (account: OwnAccount) => void;
  path: NonNullable<operations[Id]['parameters']['path']>;
  query: NonNullable<operations[Id]['parameters']['query']>;
  body: operations[Id] extends { requestBody?: infer Body } ? Json<NonNullable<Body>> : undefined;
}

export interface Origin {
  ip: string | null;
  user_agent: string | null;
  /** The passes against login delays that its browser holds. */
  unlocks: string[];
  /** The language that it asks for with `Accept-Language`, among those that there are texts in. */
  locale: string | null;
}

type Success = 200 | 201 | 202 | 204;

/** What it returns: the body alone, since every operation declares exactly one 2xx response (a lint rule of the spec). */
export type Reply<Id extends OperationId> = Json<
  operations[Id]['responses'][keyof operations[Id]['responses'] & Success]
>;

type Json<Message> = Message extends { content: { 'application/json': infer Body } } ? Body : undefined;
