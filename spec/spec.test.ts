import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';

// biome-ignore lint/suspicious/noExplicitAny: walks a JSON document whose shape the tests check
type Json = any;

const read = (file: string) => readFileSync(new URL(file, import.meta.url), 'utf8');
const contract: Json = JSON.parse(read('generated/openapi.json'));
const METHODS = ['get', 'put', 'post', 'patch', 'delete'];
const WITHOUT_REF_LOOPS = 40;
const RATE_LIMITS = [
  ...[
    'dashboard',
    'order_mail',
    'staff_invitation',
    'login',
    'storefront_read',
    'cart_write',
    'discount_apply',
    'checkout',
  ],
  ...['customer', 'customer_login', 'reset_request', 'sync'],
  ...['consent_request', 'consent_poll', 'agent', 'agent_find', 'agent_buy'],
];

function resolve(node: Json): Json {
  let found = node;
  for (let hops = 0; found?.$ref; hops++) {
    if (hops > WITHOUT_REF_LOOPS) throw new Error(`References never end at ${node.$ref}`);
    found = found.$ref
      .slice(2)
      .split('/')
      .reduce((parent: Json, key: string) => parent[key.replaceAll('~1', '/').replaceAll('~0', '~')], contract);
  }
  return found;
}

const operations = Object.entries<Json>(contract.paths).flatMap(([path, item]) =>
  METHODS.filter((method) => item[method]).map((method) => ({
    id: item[method].operationId as string,
    path,
    method,
    operation: item[method],
    parameters: [...(item.parameters ?? []), ...(item[method].parameters ?? [])].map(resolve),
    body: resolve(item[method].requestBody)?.content?.['application/json'],
  })),
);
/** Agent scopes by the path segment after `/api/agent`. */
const AGENT_SCOPES: Record<string, string[]> = {
  catalog: ['catalog:read'],
  intent: ['catalog:read', 'cart:write', 'checkout:create'],
  carts: ['cart:write'],
  shop: ['catalog:read'],
  checkouts: ['checkout:create'],
  customer: ['customer:self'],
  orders: ['orders:read'],
  returns: ['returns:request'],
  audit: ['agent:self'],
  token: ['agent:self'],
};
/** Called by standard OAuth clients, without credentials and without an Idempotency-Key. */
const FOR_OAUTH_CLIENTS = ['agent.requestConsent', 'agent.pollConsent'];

const DASHBOARD_SCOPES: string[] = contract['x-roles'].owner;
/** Operations on the caller's own account, which need no scope. */
const OWN_ACCOUNT = ['account', 'auth', 'me', 'assistant-request', 'assistants', 'assistant-actions'];

/** The scopes of which the operation must require one. */
function scopesFor(id: string, path: string, method: string, { security, 'x-safe': safe }: Json): string[] {
  const part = path.split('/')[3] ?? '';
  if (id.startsWith('agent.')) return AGENT_SCOPES[part] ?? [];
  if (id.startsWith('dashboard.')) {
    if (OWN_ACCOUNT.includes(part)) return ['none'];
    return DASHBOARD_SCOPES.filter((scope) => method !== 'get' || !scope.endsWith(':write'));
  }
  if (!id.startsWith('storefront.')) return method === 'get' || safe ? ['read'] : ['write', 'catalog:write'];
  if (part === 'cart') return ['cart:write'];
  if (part === 'checkout') return ['checkout:create'];
  if (part !== 'customer') return ['catalog:read'];
  const signedIn = security.every((requirement: Json) => requirement.CustomerToken);
  return signedIn ? ['customer:self', 'orders:read', 'addresses:write'] : ['customer:auth'];
}

const mutations = operations.filter(({ method }) => method !== 'get');

/** All schemas within a schema, with their paths. Components are visited once. */
function* schemasIn(schema: Json, at: string, seen = new Set<Json>()): Generator<{ at: string; schema: Json }> {
  const found = resolve(schema);
  if (!found || typeof found !== 'object' || seen.has(found)) return;
  seen.add(found);
  yield { at, schema: found };
  for (const [name, property] of Object.entries(found.properties ?? {})) {
    yield* schemasIn(property, `${at}.${name}`, seen);
  }
  for (const word of ['items', 'additionalProperties', 'propertyNames']) {
    yield* schemasIn(found[word], `${at}.${word}`, seen);
  }
  for (const word of ['oneOf', 'anyOf', 'allOf']) {
    for (const [index, part] of (found[word] ?? []).entries()) yield* schemasIn(part, `${at}.${word}[${index}]`, seen);
  }
}

const requestSchemas = operations.flatMap(({ id, body, parameters }) => [
  ...(body ? schemasIn(body.schema, `${id} body`) : []),
  ...parameters.flatMap((parameter) => [...schemasIn(parameter.schema, `${id} ${parameter.name}`)]),
]);
const responseSchemas = operations.flatMap(({ id, operation }) =>
  Object.entries<Json>(operation.responses).flatMap(([status, response]) => {
    const message = resolve(response).content?.['application/json'];
    return message ? [...schemasIn(message.schema, `${id} ${status}`)] : [];
  }),
);
const isOf = (schema: Json, type: string) => [schema.type].flat().includes(type);
const places = (found: { at: string }[]) => [...new Set(found.map(({ at }) => at))];

describe('files', () => {
  const contents = [
    ...read('openapi.yaml').matchAll(/^ {2}(\/api\/[^:\s]+):\s*\{?\s*\$ref:\s*["']paths\/(.+?)\.yaml["']/gm),
  ];

  test('every path is defined in the file with its name', () => {
    expect(contents).toHaveLength(Object.keys(contract.paths).length);
    for (const [, path = '', file] of contents) {
      const [surface, ...rest] = path.replace('/api/', '').split('/');
      expect(file).toBe(`${surface}/${rest.join('_')}`);
    }
  });

  test('every event is defined in the file with its name, and is an event type', () => {
    const files = readdirSync(new URL('webhooks', import.meta.url)).map((file) => file.replace('.yaml', ''));
    expect(files.sort()).toEqual(Object.keys(contract.webhooks).sort());
    expect(Object.keys(contract.webhooks)).toEqual(contract.components.schemas.EventType.enum);
    for (const [type, { post }] of Object.entries<Json>(contract.webhooks)) {
      expect(post.requestBody.content['application/json'].schema.properties.type.const).toBe(type);
    }
  });

  test('every file of a path is in the table of contents', () => {
    const files = readdirSync(new URL('paths', import.meta.url), { recursive: true }).map(String);
    expect(files.filter((file) => file.endsWith('.yaml')).sort()).toEqual(
      contents.map(([, , file]) => `${file}.yaml`).sort(),
    );
  });

  test('the contract and its package have the same version', () => {
    expect(JSON.parse(read('package.json')).version).toBe(contract.info.version);
  });
});

/** Whether the operation needs no credentials. */
function isOpen({ security }: Json): boolean {
  return security.length === 0 || security.some((schemes: Json) => Object.keys(schemes).length === 0);
}

describe('operations', () => {
  test('each operationId starts with the API of its path', () => {
    for (const { id, path } of operations) expect(path).toMatch(new RegExp(`^/api/${id.split('.')[0]}/`));
    expect(new Set(operations.map(({ id }) => id)).size).toBe(operations.length);
  });

  test('every mutation declares the header Idempotency-Key and the status 409', () => {
    // These operations are POST, but write nothing.
    const reads = ['agent.findProducts', 'agent.prepareReturn'];
    for (const { id, parameters, operation } of mutations) {
      const key = parameters.find(({ name }) => name === 'Idempotency-Key');
      const mayLack = FOR_OAUTH_CLIENTS.includes(id) || reads.includes(id);
      expect(key, id).toMatchObject({ in: 'header', ...(!mayLack && { required: true }) });
      expect(Object.keys(operation.responses), id).toContain('409');
    }
  });

  test('every operation declares the error statuses that follow from its path, body and credentials', () => {
    for (const { id, path, method, operation, body } of operations) {
      const owed = ['422', '429', '500', '503'];
      if (!FOR_OAUTH_CLIENTS.includes(id)) owed.push('401');
      if (operation.security.length > 0 && id !== 'dashboard.logout') owed.push('403');
      if (path.includes('{')) owed.push('404');
      // The server reads an undeclared body too, except for GET.
      if (body || method !== 'get') owed.push('413', '415');
      if (/\{(cart_id|checkout_id)\}/.test(path)) owed.push('410');
      expect(Object.keys(operation.responses), id).toEqual(expect.arrayContaining(owed));
    }
  });

  test('every operation with credentials names its scope, and every operation names its rate limit', () => {
    for (const { id, path, method, operation } of operations) {
      expect(RATE_LIMITS, id).toContain(operation['x-rate-limit']);
      if (isOpen(operation) && !id.startsWith('dashboard.')) continue;
      expect(scopesFor(id, path, method, operation), id).toContain(operation['x-scope']);
    }
  });

  test('roles and the shorthands for API keys contain only known scopes', () => {
    const { 'x-roles': roles, 'x-key-scopes': words } = contract;
    const { StaffRole, ApiKeyScope } = contract.components.schemas;
    expect(Object.keys(roles)).toEqual(StaffRole.enum);
    expect(ApiKeyScope.enum).toEqual([...Object.keys(words), ...roles.owner]);
    for (const scopes of [...Object.values<Json>(roles), ...Object.values<Json>(words)]) {
      expect(roles.owner).toEqual(expect.arrayContaining(scopes));
    }
    const beyond = [
      'orders:payments',
      'orders:export',
      'customers:export',
      'payments:write',
      'keys:write',
      'staff:write',
    ];
    expect(roles.owner.filter((scope: string) => !words.write.includes(scope))).toEqual(beyond);
  });

  test('each operation that returns a secret is marked with x-secret-response or x-secret-refusal', () => {
    for (const { id, operation } of operations) {
      const holdsSecret = (kind: string) =>
        Object.entries<Json>(operation.responses)
          .filter(([status]) => status.startsWith(kind))
          .flatMap(([, response]) => resolve(response).content?.['application/json'] ?? [])
          .some((message: Json) =>
            [...schemasIn(message.schema, '')].some(({ at }) =>
              /\.(secret|client_secret|access_token|totp_secret|recovery_codes|device_code|checkout_url|upload_url|redirect_url)$/.test(
                at,
              ),
            ),
          );
      // Mails of a test order contain links with tokens.
      const hasMails = id === 'dashboard.placeTestOrder';
      expect(operation['x-secret-response'] ?? false, id).toBe(holdsSecret('2') || hasMails);
      expect(operation['x-secret-refusal'] ?? false, id).toBe(holdsSecret('4'));
    }
  });

  test('every JSON body has an example', () => {
    for (const { id, operation, body } of operations) {
      const messages = Object.values<Json>(operation.responses).map((r) => resolve(r).content?.['application/json']);
      for (const message of [body, ...messages].filter(Boolean)) {
        expect(message.example ?? Object.keys(message.examples ?? {})[0], id).toBeDefined();
      }
    }
  });

  test('every tag is in exactly one chapter', () => {
    const chapters = contract['x-tagGroups'].flatMap(({ tags }: Json) => tags);
    expect(chapters.sort()).toEqual(contract.tags.map(({ name }: Json) => name).sort());
  });
});

describe('bounds', () => {
  test('objects in request bodies declare whether they accept unknown fields', () => {
    const objects = requestSchemas.filter(({ schema, at }) => isOf(schema, 'object') && !at.includes('allOf'));
    expect(places(objects.filter(({ schema }) => schema.additionalProperties === undefined))).toEqual([]);
  });

  test('every string in requests and responses has a maximum length', () => {
    const strings = [...requestSchemas, ...responseSchemas].filter(({ schema }) => isOf(schema, 'string'));
    const unbounded = strings.filter(({ schema }) => !(schema.maxLength || schema.enum || schema.const));
    expect(strings.length).toBeGreaterThan(100);
    expect(places(unbounded)).toEqual([]);
  });

  test('every integer and list in requests and responses has bounds', () => {
    const all = [...requestSchemas, ...responseSchemas];
    const integers = all.filter(({ schema }) => isOf(schema, 'integer') || isOf(schema, 'number'));
    const lists = all.filter(({ schema }) => isOf(schema, 'array'));
    expect(places(integers.filter(({ schema: { minimum, maximum } }) => !(minimum <= maximum)))).toEqual([]);
    expect(places(lists.filter(({ schema }) => !schema.maxItems))).toEqual([]);
  });

  test('responses require every field, with the exceptions that this test lists', () => {
    const extra = ['facets', 'understood', 'input', 'ctx'];
    // Exceptions: orders and events, because imports and older versions store fewer fields; agent schemas, which stay
    // short to save tokens; tax rates, which are returned as they were set; and errors, whose fields depend on the
    // code.
    const sparse = new Set(
      [
        'Order',
        'LineItem',
        'Address',
        'Attribution',
        'AgentCandidate',
        'EventPayload',
        'AgentUnderstood',
        'CountryTaxRate',
        'CompletionRefusal',
        'ErrorBody',
        'HTTPValidationError',
        'AgentAlternative',
      ].map((name) => contract.components.schemas[name]),
    );
    const answerOf = (path: string): Json => {
      const { example, examples } = resolve(contract.paths[path].get.responses[200]).content['application/json'];
      return example ?? resolve(Object.values<Json>(examples)[0]).value;
    };
    const [listed] = answerOf('/api/storefront/products').products;
    const pageTexts = Object.keys(answerOf('/api/storefront/products/{id_or_slug}')).filter(
      (name) => !(name in listed),
    );
    // Only import rows with removed values have warnings, and a warning's extra fields depend on its code.
    const isExtra = (at: string, name: string) =>
      extra.includes(name) ||
      // Uploaded images have more fields than images by URL.
      (['status', 'sources'].includes(name) && at.endsWith('images.items')) ||
      (name === 'warnings' && /\.(importProducts|upsertProducts) /.test(at)) ||
      // Lists omit long texts.
      pageTexts.includes(name) ||
      (['reason', 'countries'].includes(name) && at.endsWith('warnings.items'));
    for (const { at, schema } of responseSchemas) {
      const names = Object.keys(schema.properties ?? {}).filter((name) => !isExtra(at, name));
      if (at.includes('.rules.') || at.includes('.bank_details') || sparse.has(schema)) continue;
      expect(schema.required ?? [], at).toEqual(expect.arrayContaining(names));
    }
  });
});

describe('errors', () => {
  test('every error code has a description and a 4xx or 5xx status', () => {
    const { enum: codes, 'x-error-catalogue': catalogue } = contract.components.schemas.ErrorCode;
    expect(Object.keys(catalogue)).toEqual(codes);
    const ids = operations.map(({ id }) => id);
    for (const [code, { advice, ...entry }] of Object.entries<Json>(catalogue)) {
      if (advice) expect(advice.next, code).toMatch(/^[A-Z].*\.$/);
      if (advice?.operation) expect(ids, code).toContain(advice.operation);
      expect(entry, code).toEqual({
        status: expect.any(Number),
        retryable: expect.any(Boolean),
        meaning: expect.stringMatching(/\.$/),
        remedy: expect.stringMatching(/\.$/),
      });
      expect(entry.status, code).toBeGreaterThanOrEqual(400);
    }
  });

  test('each error example has the status and the `retryable` value of its code', () => {
    const catalogue = contract.components.schemas.ErrorCode['x-error-catalogue'];
    for (const { id, operation } of operations) {
      for (const [status, response] of Object.entries<Json>(operation.responses)) {
        if (Number(status) < 400) continue;
        for (const { value } of Object.values<Json>(resolve(response).content['application/json'].examples)) {
          expect(catalogue[value.error], `${id} ${status}`).toMatchObject({
            status: Number(status),
            retryable: value.retryable,
          });
        }
      }
    }
  });

  test('the extra fields of an error code match its description and its examples', () => {
    const { ErrorFields, ErrorCode, ErrorBody } = contract.components.schemas;
    const fields: Json = ErrorFields.properties;
    for (const [code, { meaning }] of Object.entries<Json>(ErrorCode['x-error-catalogue'])) {
      const named = [...meaning.matchAll(/\b(?:the fields?|The field) ((?:[a-z_]+, )*[a-z_]+(?: and [a-z_]+)?)/g)];
      for (const field of named.flatMap(([, names]) => names.split(/, | and /))) {
        expect(Object.keys(fields[code]?.properties ?? {}), code).toContain(field);
      }
    }
    expect(ErrorCode.enum).toEqual(expect.arrayContaining(Object.keys(fields)));
    let examples = 0;
    for (const { operation, id } of operations) {
      for (const [status, response] of Object.entries<Json>(operation.responses)) {
        if (Number(status) < 400 || status === '422') continue;
        for (const { value } of Object.values<Json>(resolve(response).content['application/json'].examples)) {
          const added = Object.keys(value).filter((field) => !ErrorBody.properties[field]);
          const { properties = {}, required = [] } = fields[value.error] ?? {};
          expect(Object.keys(properties), `${id} ${value.error}`).toEqual(expect.arrayContaining(added));
          expect(added, `${id} ${value.error}`).toEqual(expect.arrayContaining(required));
          examples += added.length;
        }
      }
    }
    expect(examples).toBeGreaterThan(0);
  });

  test('every error code in a description exists in the catalogue', () => {
    const { enum: codes } = contract.components.schemas.ErrorCode;
    for (const [, code] of JSON.stringify(contract).matchAll(/\b4\d\d ([a-z]+_[a-z_]+)\b/g)) {
      expect(codes).toContain(code);
    }
  });
});

test('every pattern has an error message in words, without a regular expression', () => {
  const without: string[] = [];
  const walk = (node: Json, place: string) => {
    if (typeof node !== 'object' || node === null) return;
    if (typeof node.pattern === 'string' && (node.type !== undefined || node.$ref !== undefined)) {
      const message = node['x-pattern-message'];
      if (!/^Should be [^^\\[\]*]+\.$/.test(message ?? '')) without.push(`${place}: ${message}`);
    }
    for (const [key, part] of Object.entries(node)) walk(part, `${place}/${key}`);
  };
  walk(contract, '');
  walk(JSON.parse(read('generated/operator.json')), 'operator');
  expect(without).toEqual([]);
});

describe('declared response headers', () => {
  const headersAt = (operation: Json, status: string) =>
    Object.keys(resolve(operation.responses[status])?.headers ?? {});

  test('every response declares X-Request-Id, and responses of rate-limited operations declare RateLimit', () => {
    for (const { id, operation } of operations) {
      for (const status of Object.keys(operation.responses)) {
        const headers = headersAt(operation, status);
        expect(headers, `${id} ${status}`).toContain('X-Request-Id');
        if (!operation['x-rate-limit']) continue;
        expect(headers, `${id} ${status}`).toEqual(expect.arrayContaining(['RateLimit', 'RateLimit-Policy']));
      }
    }
  });

  test('success responses declare Idempotency-Replayed exactly if the operation takes an Idempotency-Key', () => {
    for (const { id, operation, parameters } of operations) {
      const isKeyed = parameters.some(({ name }: Json) => name === 'Idempotency-Key');
      const success = Object.keys(operation.responses).find((status) => status.startsWith('2')) ?? '';
      expect(headersAt(operation, success).includes('Idempotency-Replayed'), id).toBe(isKeyed);
    }
  });
});
