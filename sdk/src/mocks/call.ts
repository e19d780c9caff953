import type { operations } from '@commerce-backend/spec';
import type { MockOperation } from './contract-types.ts';
import type { State, StoredAgent, StoredCustomer } from './state.ts';

export type OperationId = keyof operations;

/** An authenticated and validated request, with the contract's types. */
export interface Call<Id extends OperationId = OperationId> {
  state: State;
  operation: MockOperation;
  path: NonNullable<operations[Id]['parameters']['path']>;
  query: NonNullable<operations[Id]['parameters']['query']>;
  body: operations[Id] extends { requestBody?: infer Body } ? Json<NonNullable<Body>> : undefined;
  /** The customer, also if an agent acts for them; null for a guest. */
  customer: StoredCustomer | null;
  agent: StoredAgent | null;
  /** Token of the customer or agent; empty for a guest. */
  token: string;
}

/** The parts of a call on which the shop's rules depend. */
export type Caller = Pick<Call, 'state' | 'customer' | 'agent'>;

type Json<Message> = Message extends { content: { 'application/json': infer Body } } ? Body : undefined;
type Success = 200 | 201 | 202 | 204;
type Answer<Id extends OperationId> = Json<operations[Id]['responses'][keyof operations[Id]['responses'] & Success]>;

/** Returns the body of a successful response. */
export type Handler<Id extends OperationId> = (call: Call<Id>) => Answer<Id>;

/** Handlers by operationId. */
export type Handlers = { [Id in OperationId]?: Handler<Id> };
