import type { IncomingHttpHeaders } from 'node:http';

/** The sender of a request. Express's `Request` has these fields. */
export interface Sender {
  ip?: string | undefined;
  /** Names in lower case. */
  headers: IncomingHttpHeaders;
}

/** The parts of a request. Empty if unknown: a rejected request may have no operation and no body. */
export interface Received extends Sender {
  method: string;
  /** The path as sent, without the query. */
  path: string;
  /** Path parameters by their names in the contract. */
  params: Record<string, unknown>;
  query: Record<string, unknown>;
  body: unknown;
}
