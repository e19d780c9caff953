import type { IncomingHttpHeaders } from 'node:http';

/** Who sent a request, as far as the network shows. Express's `Request` has these fields, too. */
export interface Sender {
  ip?: string | undefined;
  /** Names in lower case. */
  headers: IncomingHttpHeaders;
}

/** The parts of a request. Those that are not known yet are empty: a refused request may have no operation and no body. */
export interface Received extends Sender {
  method: string;
  /** The path as sent, without the query. */
  path: string;
  /** The parameters in the path, by the names of the contract. */
  params: Record<string, unknown>;
  query: Record<string, unknown>;
  body: unknown;
}
