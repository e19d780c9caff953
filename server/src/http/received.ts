import type { IncomingHttpHeaders } from 'node:http';

/** The sender of a request at the network level. Express's `Request` has these fields too. */
export interface Sender {
  ip?: string | undefined;
  /** Names in lower case. */
  headers: IncomingHttpHeaders;
}

/**
 * The parts of a request. Unknown ones are empty, because a rejected request may have neither an operation nor a body.
 */
export interface Received extends Sender {
  method: string;
  /** The path as sent, without the query. */
  path: string;
  /** Path parameters, by the names of the contract. */
  params: Record<string, unknown>;
  query: Record<string, unknown>;
  body: unknown;
}
