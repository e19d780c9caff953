import type { components, paths } from '@commerce-backend/spec/operator';
import { type Client, type ClientOptions, createSurfaceClient } from './client.ts';
import type { Eased, Open } from './contract.ts';
import { given } from './credentials.ts';

export type OperatorPaths = { [Path in keyof paths]: { [Verb in keyof paths[Path]]: Eased<paths[Path][Verb]> } };
export type OperatorClient = Client<OperatorPaths>;

/** The nouns of the operators' contract as clients receive them: `OperatorSchemas['FleetSite']`. */
export type OperatorSchemas = Open<components['schemas']>;

export interface OperatorOptions extends ClientOptions {
  /** An operator's key (`opr_…`). It may do everything with all sites: it belongs on a server, never in a page. */
  operatorKey: string;
}

/** A client of the listener for operators (`OPERATOR_PORT`), where `baseUrl` leads; the shops' port serves none of it. */
export function createOperatorClient({ operatorKey, ...rest }: OperatorOptions): OperatorClient {
  return createSurfaceClient<OperatorPaths>(rest, { Authorization: `Bearer ${given('operatorKey', operatorKey)}` });
}
