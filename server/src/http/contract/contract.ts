import type { operations } from '@commerce-backend/spec';
import contract from '@commerce-backend/spec/openapi.json' with { type: 'json' };

export type OperationId = keyof operations;
export type Surface = 'agent' | 'dashboard' | 'storefront' | 'sync';

export type Method = 'get' | 'post' | 'put' | 'patch' | 'delete';

export interface Parameter {
  name: string;
  in: 'query' | 'header' | 'path' | 'cookie';
  required?: boolean;
  schema: { type?: string; items?: { type?: string } };
}

/** An operation of the contract, as the request pipeline uses it. */
export interface Operation {
  id: OperationId;
  surface: Surface;
  /** The operationId without its prefix. It names the handler. */
  name: string;
  method: Method;
  path: string;
  /** Status of the only success response. */
  status: number;
  /** Alternative sets of required security schemes; empty if no credential is required. */
  security: string[][];
  scope: string | undefined;
  /**
   * Whether the caller must have confirmed the password or a second factor: always, or if the body has one of these
   * fields.
   */
  stepUp: boolean | string[];
  rateLimit: string;
  /** Whether the success response contains a secret, which is then encrypted in the stored response. */
  secret: boolean;
  /** Whether error responses may contain a secret, too. */
  secretRefusal: boolean;
  /**
   * How a request without credentials names its shop: by site id, or by the device_code in its body. Undefined if it
   * names none.
   */
  namedBy: 'site' | 'device_code' | undefined;
  /**
   * Whether a mutation may omit the Idempotency-Key if its body is a form, or always. Undefined if the key is required.
   */
  keyWaived: 'forms' | 'always' | undefined;
  /** Whether error responses contain error_description for OAuth clients (RFC 6749 §5.2). */
  oauth: boolean;
  /** Whether agents are rejected with `human_confirmation_required`. */
  humanOnly: boolean;
  /** Whether staff may call the operation without having chosen a merchant. */
  merchantOptional: boolean;
  /** Whether staff may call the operation while the site is suspended. Only exports allow this. */
  whileSuspended: boolean;
  /** Whether the operation only reads. Its method may still be POST. */
  safe: boolean;
  bodyLimitBytes: number;
  hasBody: boolean;
  /** The body's properties if it may be sent as a form; otherwise undefined. */
  form: Record<string, JsonObject> | undefined;
  /** Whether the response is available as Markdown on request. */
  markdown: boolean;
  cacheable: boolean;
  /** Whether the operation's handler uses the catalogue's version: a cached read, or a search by an agent. */
  readsCatalogue: boolean;
  /** The resource, which is the part of the path after the API. */
  noun: string;
  /** Name of the response schema. */
  answers: string | undefined;
  /** Whether the operation accepts If-Match, because it changes a versioned resource. */
  guarded: boolean;
  /** Whether the operation returns an ETag with the resource's version. */
  tagged: boolean;
  parameters: Parameter[];
  /** The contract document that contains the operation. The operation's references are resolved in it. */
  document: ContractDocument;
}

type JsonObject = Record<string, unknown>;

export type ContractDocument = JsonObject & {
  info: { version: string };
  paths: Record<string, Record<string, JsonObject>>;
  components: Record<string, Record<string, JsonObject>>;
};

export const document = contract as unknown as ContractDocument;

const METHODS: Method[] = ['get', 'post', 'put', 'patch', 'delete'];
const BODY_LIMIT_KB = 100;
export const DEFAULT_BODY_LIMIT_BYTES = BODY_LIMIT_KB * 1024;

export const operationTable: Operation[] = operationsIn(document);

/** The operations of a contract document. The operators' API has its own document (operator-contract.ts). */
export function operationsIn(source: ContractDocument): Operation[] {
  return Object.entries(source.paths).flatMap(([path, item]) =>
    METHODS.flatMap((method) => {
      const declared = item[method];
      return declared ? [describe(source, path, method, declared, item)] : [];
    }),
  );
}

/** The alternative sets of security schemes; empty if one of them needs no credential. */
function alternativesOf({ security }: JsonObject): string[][] {
  const alternatives = asList(security).map((requirement) => Object.keys(requirement));
  return alternatives.every((schemes) => schemes.length > 0) ? alternatives : [];
}

export function operationOf(id: OperationId): Operation {
  const found = operationTable.find((operation) => operation.id === id);
  if (!found) throw new Error(`The contract has no operation ${id}.`);
  return found;
}

function describe(
  source: ContractDocument,
  path: string,
  method: Method,
  declared: JsonObject,
  item: JsonObject,
): Operation {
  const resolve = (node: JsonObject) => resolveIn(source, node);
  const contentOf = (message: unknown) => contentIn(source, message);
  const id = String(declared.operationId) as OperationId;
  const [surface, name = ''] = id.split('.') as [Surface, string];
  const noun = path.split('/')[3] ?? '';
  const parameters = [...asList(item.parameters), ...asList(declared.parameters)].map(
    resolve,
  ) as unknown as Parameter[];
  const statuses = Object.keys(declared.responses as JsonObject).map(Number);
  const status = statuses.find((one) => one >= 200 && one < 300) ?? 200;
  const success = contentOf((declared.responses as JsonObject)[status]);
  const form = contentOf(declared.requestBody)['application/x-www-form-urlencoded'];
  return {
    id,
    surface,
    name,
    method,
    path,
    status,
    security: alternativesOf(declared),
    scope: declared['x-scope'] === 'none' ? undefined : (declared['x-scope'] as string | undefined),
    stepUp: (declared['x-step-up'] as boolean | string[] | undefined) ?? false,
    rateLimit: String(declared['x-rate-limit']),
    secret: declared['x-secret-response'] === true,
    secretRefusal: declared['x-secret-refusal'] === true,
    namedBy: declared['x-caller'] as Operation['namedBy'],
    keyWaived: declared['x-key-waived'] as Operation['keyWaived'],
    oauth: declared['x-oauth'] === true,
    humanOnly: declared['x-human-only'] === true,
    merchantOptional: declared['x-merchant-optional'] === true,
    whileSuspended: declared['x-while-suspended'] === true,
    safe: method === 'get' || declared['x-safe'] === true,
    bodyLimitBytes: Number(declared['x-body-limit-kb'] ?? BODY_LIMIT_KB) * 1024,
    hasBody: declared.requestBody !== undefined,
    form: form?.schema && propertiesOf(source, form.schema),
    markdown: success['text/markdown'] !== undefined,
    cacheable: statuses.includes(304),
    readsCatalogue: statuses.includes(304) || (surface === 'agent' && ['catalog', 'intent'].includes(noun)),
    noun,
    answers: String(success['application/json']?.schema?.$ref ?? '')
      .split('/')
      .at(-1),
    guarded: parameters.some(({ name }) => name === 'If-Match'),
    tagged: hasTag(source, (declared.responses as JsonObject)[status]) && !statuses.includes(304),
    parameters: parameters.map((parameter) => ({ ...parameter, schema: resolve(parameter.schema as JsonObject) })),
    document: source,
  };
}

function contentIn(source: ContractDocument, message: unknown): Record<string, { schema?: JsonObject }> {
  const { content = {} } = message ? resolveIn(source, message as JsonObject) : {};
  return content as Record<string, { schema?: JsonObject }>;
}

function hasTag(source: ContractDocument, response: unknown): boolean {
  const { headers = {} } = response ? resolveIn(source, response as JsonObject) : {};
  return 'ETag' in (headers as JsonObject);
}

function propertiesOf(source: ContractDocument, schema: JsonObject): Record<string, JsonObject> {
  const properties = Object.entries((resolveIn(source, schema).properties ?? {}) as Record<string, JsonObject>);
  return Object.fromEntries(properties.map(([name, property]) => [name, resolveIn(source, property)]));
}

function asList(value: unknown): JsonObject[] {
  return Array.isArray(value) ? value : [];
}

/** Follows a `$ref` in the shops' contract. */
export function resolve(node: JsonObject): JsonObject {
  return resolveIn(document, node);
}

/** Follows a `$ref` in another contract document. */
export function resolveIn(source: ContractDocument, node: JsonObject): JsonObject {
  if (typeof node.$ref !== 'string') return node;
  const target = node.$ref
    .split('/')
    .slice(1)
    .reduce<unknown>((at, key) => (at as JsonObject)[key.replaceAll('~1', '/').replaceAll('~0', '~')], source);
  return resolveIn(source, target as JsonObject);
}
