/** A shop's public UCP profile: its endpoints and capabilities. */

import type { JsonWebKey } from 'node:crypto';
import { CAPABILITIES, UCP_VERSION } from './protocol.ts';

const PUBLISHED = `https://ucp.dev/${UCP_VERSION}`;

/** `issuer` is the base URL of the shop's UCP endpoints; `keys` sign its requests to platforms. */
export function profileOf(issuer: string, keys: JsonWebKey[]) {
  const version = UCP_VERSION;
  const spec = `${PUBLISHED}/specification/overview/`;
  const service = (transport: string, path: string, document: string) => ({
    ...{ version, spec, transport, endpoint: `${issuer}${path}`, schema: `${PUBLISHED}/services/shopping/${document}` },
  });
  return {
    ucp: {
      version,
      services: {
        'dev.ucp.shopping': [
          service('rest', '/ucp/v1', 'rest.openapi.json'),
          service('mcp', '/ucp/mcp', 'mcp.openrpc.json'),
        ],
      },
      capabilities: capabilitiesAt(issuer),
      // An agent never pays; the buyer does, on the shop's page.
      payment_handlers: {},
    },
    keys,
  };
}

/** A permalink must use https, which a server in development does not have. */
function capabilitiesAt(issuer: string) {
  const endpoint = `${issuer}/buy`;
  const named = Object.entries(CAPABILITIES).filter(
    ([name]) => name !== 'dev.ucp.shopping.permalink' || issuer.startsWith('https:'),
  );
  return Object.fromEntries(
    named.map(([name, { spec, schema, ...rest }]) => [
      name,
      [
        {
          version: UCP_VERSION,
          spec: `${PUBLISHED}/specification/${spec}`,
          schema: `${PUBLISHED}/schemas/${schema}.json`,
          ...rest,
          ...(name === 'dev.ucp.shopping.permalink' && { config: { endpoint } }),
        },
      ],
    ]),
  );
}
