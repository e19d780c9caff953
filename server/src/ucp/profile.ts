/** A shop's public UCP profile: its endpoints and capabilities, one document for each version. */

import type { JsonWebKey } from 'node:crypto';
import { CAPABILITIES, UCP_VERSION, VERSIONS } from './protocol.ts';

interface Published {
  /** The base URL of the shop's UCP endpoints. */
  issuer: string;
  /** The public keys that sign requests to platforms. */
  keys: JsonWebKey[];
}

/** The profile of the newest version, which names the profiles of the others. */
export function profileOf(published: Published) {
  const { ucp, ...rest } = profileIn(UCP_VERSION, published);
  const older = VERSIONS.filter((version) => version !== UCP_VERSION);
  const { issuer } = published;
  const supported_versions = Object.fromEntries(
    older.map((version) => [version, `${issuer}/.well-known/ucp/${version}`]),
  );
  return { ucp: { ...ucp, supported_versions }, ...rest };
}

/** The complete profile of one version. */
export function profileIn(version: string, { issuer, keys }: Published) {
  const root = `https://ucp.dev/${version}`;
  const spec = `${root}/specification/overview/`;
  const service = (transport: string, path: string, document: string) => ({
    ...{ version, spec, transport, endpoint: `${issuer}${path}`, schema: `${root}/services/shopping/${document}` },
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
      capabilities: capabilitiesAt(issuer, version),
      // An agent never pays; the buyer does, on the shop's page.
      payment_handlers: {},
    },
    keys,
    // Platforms of version 2026-04-08 read the keys here.
    signing_keys: keys,
  };
}

const PERMALINK = 'dev.ucp.shopping.permalink';

/** A permalink must use https, so a server without https offers none. Version 2026-04-08 has no permalinks. */
function capabilitiesAt(issuer: string, version: string) {
  const endpoint = `${issuer}/buy`;
  const hasPermalink = version !== '2026-04-08' && issuer.startsWith('https:');
  const named = Object.entries(CAPABILITIES).filter(([name]) => name !== PERMALINK || hasPermalink);
  return Object.fromEntries(
    named.map(([name, { spec, schema, ...rest }]) => [
      name,
      [
        {
          version,
          spec: `https://ucp.dev/${version}/specification/${specIn(version, spec)}`,
          schema: `https://ucp.dev/${version}/schemas/${schema}.json`,
          ...rest,
          ...(name === PERMALINK && { config: { endpoint } }),
        },
      ],
    ]),
  );
}

/** Version 2026-04-08 has all pages in one folder. */
function specIn(version: string, spec: string): string {
  return version === '2026-04-08' ? spec.replace(/^(shopping|common)\//, '') : spec;
}
