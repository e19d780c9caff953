import { document, type Operation, type Parameter, resolve } from '../../http/contract/contract.ts';

/** A code sample for an operation, with curl or the SDK. Values come from the contract's examples. */
export interface Sample {
  lang: string;
  label: string;
  source: string;
}

export function samplesOf(operation: Operation): Sample[] {
  return [
    { lang: 'Shell', label: 'curl', source: curlSample(operation) },
    { lang: 'JavaScript', label: 'SDK', source: sdkSample(operation) },
  ];
}

/** For each security scheme: the shell variable and the SDK option for its credential. */
const CREDENTIALS: Record<string, { variable: string; option: string }> = {
  SiteId: { variable: 'SITE_ID', option: 'siteId' },
  StorefrontToken: { variable: 'STOREFRONT_TOKEN', option: 'storefrontToken' },
  CustomerToken: { variable: 'CUSTOMER_TOKEN', option: 'customerToken' },
  ApiKey: { variable: 'API_KEY', option: 'apiKey' },
  StaffSession: { variable: 'SESSION_TOKEN', option: 'sessionToken' },
  SyncSecret: { variable: 'SYNC_SECRET', option: 'syncSecret' },
  AgentToken: { variable: 'AGENT_TOKEN', option: 'agentToken' },
};

/**
 * The security schemes of a sample: the alternative with the fewest schemes. If several have equally few, the last one,
 * because programs use API keys.
 */
function schemesOf({ security }: Operation): string[] {
  const least = Math.min(...security.map((schemes) => schemes.length));
  return schemesFor(security.filter((schemes) => schemes.length === least)) ?? [];
}

/** The last alternative. Skips those with other credentials besides an agent token, because agents rarely use them. */
function schemesFor(alternatives: string[][]): string[] | undefined {
  return alternatives.findLast((schemes) => schemes.length === 1 || !schemes.includes('AgentToken'));
}

function credentialOf(scheme: string): { variable: string; option: string } {
  const known = CREDENTIALS[scheme];
  if (!known) throw new Error(`The samples do not know how to bring along ${scheme}.`);
  return known;
}

function curlSample(operation: Operation): string {
  const { method, path } = operation;
  const { path: inPath, query, header } = parametersOf(operation);
  const address = path.replaceAll(/\{(\w+)\}/g, (_, name) => encodeURIComponent(String(inPath[name])));
  const search = new URLSearchParams(
    Object.entries(query).flatMap(([name, value]) =>
      [value].flat().map((one): [string, string] => [name, String(one)]),
    ),
  );
  const body = bodyOf(operation);
  const verb = method === 'get' || (method === 'post' && body !== undefined) ? '' : `-X ${method.toUpperCase()} `;
  const headers = [
    ...schemesOf(operation).map((scheme) => `${headerOf(scheme)}$${credentialOf(scheme).variable}`),
    ...(takesKey(operation) ? ["Idempotency-Key: $(node -p 'crypto.randomUUID()')"] : []),
    ...Object.entries(header).map(([name, value]) => `${name}: ${String(value).replaceAll('"', '\\"')}`),
    ...(body === undefined ? [] : ['Content-Type: application/json']),
  ];
  const parts = [
    `curl ${verb}"$BASE_URL${address}${search.size > 0 ? `?${search}` : ''}"`,
    ...headers.map((header) => `-H "${header}"`),
    ...(body === undefined ? [] : [`-d '${JSON.stringify(body, null, 2).replaceAll("'", `'\\''`)}'`]),
  ];
  return parts.join(' \\\n  ');
}

/** The header of a security scheme, up to the credential. */
function headerOf(scheme: string): string {
  const { type, name } = document.components.securitySchemes?.[scheme] ?? {};
  return type === 'apiKey' ? `${name}: ` : 'Authorization: Bearer ';
}

function sdkSample(operation: Operation): string {
  const { method, path, surface } = operation;
  const parameters = parametersOf(operation);
  const params = {
    ...(Object.keys(parameters.path).length > 0 && { path: parameters.path }),
    ...(Object.keys(parameters.query).length > 0 && { query: parameters.query }),
    ...(Object.keys(parameters.header).length > 0 && { header: parameters.header }),
  };
  const body = bodyOf(operation);
  const init = { ...(Object.keys(params).length > 0 && { params }), ...(body !== undefined && { body }) };
  const credentials = schemesOf(operation).map((scheme) => credentialOf(scheme).option);
  const client = credentials.length > 0 ? surface : 'client';
  const create =
    credentials.length > 0 ? `create${surface[0]?.toUpperCase()}${surface.slice(1)}Client` : 'createClient';
  const given = Object.keys(init).length > 0 ? `, ${literal(init)}` : '';
  return [
    `import { ${create}, unwrap } from '@commerce-backend/sdk';`,
    '',
    `const ${client} = ${create}({ ${['baseUrl', ...credentials].join(', ')} });`,
    `const answer = await unwrap(${client}.${method.toUpperCase()}('${path}'${given}));`,
  ].join('\n');
}

const QUOTED_NAME = /^( *)"([A-Za-z_$][\w$]*)":/gm;

/** A value as source code. Property names are unquoted where possible. */
function literal(value: unknown): string {
  return JSON.stringify(value, null, 2).replaceAll(QUOTED_NAME, '$1$2:');
}

/** The required parameters, and the first optional query parameter with an example in the contract. */
function parametersOf({ id, parameters }: Operation): Record<'path' | 'query' | 'header', Record<string, unknown>> {
  const optional = parameters.find((one) => one.in === 'query' && !one.required && exampleOf(one) !== undefined);
  const valuesOf = (place: Parameter['in']) =>
    Object.fromEntries(
      parameters
        .filter((one) => one.in === place && (one.required || one === optional))
        .map((one) => {
          const example = exampleOf(one);
          if (example === undefined) throw new Error(`${id}: the contract has no example of ${one.name}.`);
          return [one.name, example];
        }),
    );
  const { 'Idempotency-Key': _, ...header } = valuesOf('header');
  return { path: valuesOf('path'), query: valuesOf('query'), header };
}

function exampleOf(parameter: Parameter): unknown {
  return (parameter as { example?: unknown }).example;
}

function takesKey({ safe, method, parameters }: Operation): boolean {
  return !(safe && method === 'get') && parameters.some(({ name, required }) => name === 'Idempotency-Key' && required);
}

interface Content {
  example?: unknown;
  examples?: Record<string, { value?: unknown; $ref?: string }>;
}

/** The contract's first example of a request body. */
function bodyOf({ path, method }: Operation): unknown {
  const declared = document.paths[path]?.[method]?.requestBody;
  if (!declared) return undefined;
  const { content } = resolve(declared as Record<string, unknown>) as { content: Record<string, Content> };
  const { example, examples = {} } = content['application/json'] ?? {};
  const [first] = Object.values(examples);
  return example ?? (first && resolve(first as Record<string, unknown>).value);
}
