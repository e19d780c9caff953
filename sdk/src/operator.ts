import type { components, paths } from '@commerce-backend/spec/operator';
import { type Client, type ClientOptions, createSurfaceClient } from './client.ts';
import type { Eased, Open } from './contract.ts';
import { given } from './credentials.ts';

export type OperatorPaths = { [Path in keyof paths]: { [Verb in keyof paths[Path]]: Eased<paths[Path][Verb]> } };
export type OperatorClient = Client<OperatorPaths>;

/** The schemas of the operators' contract as clients receive them: `OperatorSchemas['FleetSite']`. */
export type OperatorSchemas = Open<components['schemas']>;

export interface OperatorOptions extends ClientOptions {
  /** An operator's key (`opr_…`). It has full access to all sites: it belongs on a server, never in a page. */
  operatorKey: string;
}

/**
 * A client for the operator listener (`OPERATOR_PORT`) at `baseUrl`; the shops' port serves none of it. Throws a
 * TypeError without its key or with an invalid `baseUrl`.
 *
 *     const operators = createOperatorClient({ baseUrl: 'http://127.0.0.1:8090', operatorKey: process.env.OPERATOR_KEY ?? '' });
 *     const { sites } = await unwrap(operators.GET('/api/operator/sites', { params: { query: { sort: 'health' } } }));
 */
export function createOperatorClient({ operatorKey, ...rest }: OperatorOptions): OperatorClient {
  return createSurfaceClient<OperatorPaths>(rest, { Authorization: `Bearer ${given('operatorKey', operatorKey)}` });
}
