import type { operations } from '@commerce-backend/spec';
import contract from '@commerce-backend/spec/openapi.json' with { type: 'json' };

/** The contract in the form that the server uses: a table of operations. */

export type OperationId = keyof operations;
export type Surface = 'agent' | 'dashboard' | 'storefront' | 'sync';

export type Method = 'get' | 'post' | 'put' | 'patch' | 'delete';

export interface Parameter {
  name: string;
  in: 'query' | 'header' | 'path' | 'cookie';
  required?: boolean;
  schema: { type?: string; items?: { type?: string } };
}

/** An operation of the contract, with everything that the pipeline needs to know about it. */
export interface Operation {
  id: OperationId;
  surface: Surface;
  /** The part of the operationId after the dot, which names the handler. */
  name: string;
  method: Method;
  path: string;
  /** Status of the operation's only success. */
  status: number;
  /** Alternatives, each a set of required security schemes; empty for public operations. */
  security: string[][];
  scope: string | undefined;
  /** Whether the caller must confirm their identity: always, or if the body has one of these fields. */
  stepUp: boolean | string[];
  rateLimit: string;
  /** Whether the response contains a secret, so that it is stored encrypted under the Idempotency-Key. */
  secret: boolean;
  /** Whether its error responses may contain a secret too. */
  secretRefusal: boolean;
  /** What names the shop of an operation without credentials: the site id, or the device_code in the body. */
  namedBy: 'site' | 'device_code' | undefined;
  /** When the Idempotency-Key may be missing: if the body is a form, always, or never. */
  keyWaived: 'forms' | 'always' | undefined;
  /** Whether its error responses have error_description, as OAuth clients expect (RFC 6749 §5.2). */
  oauth: boolean;
  /** Whether only people may do this. Agents get `human_confirmation_required`. */
  humanOnly: boolean;
  /** Whether a staff session may call it without having chosen a merchant. */
  merchantOptional: boolean;
  /** Whether staff may call it while the site is suspended, for exports. */
  whileSuspended: boolean;
  /** Whether it only reads, although its request may have a body. */
  safe: boolean;
  bodyLimitBytes: number;
  hasBody: boolean;
  /** Fields of the body if it may be sent as a form too. */
  form: Record<string, JsonObject> | undefined;
  /** Whether the response is available as Markdown too. */
  markdown: boolean;
  cacheable: boolean;
  /** The resource, which is the part of the path after the API. */
  noun: string;
  /** Name of the response schema. */
  answers: string | undefined;
  /** Whether it accepts If-Match, because it changes a resource that has a version. */
  guarded: boolean;
  /** Whether it returns the version of its resource. */
  tagged: boolean;
  parameters: Parameter[];
  /** The contract that contains the operation. */
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

/** The operations of a contract document. Those for operators are in another document (operator-contract.ts). */
export function operationsIn(source: ContractDocument): Operation[] {
  return Object.entries(source.paths).flatMap(([path, item]) =>
    METHODS.flatMap((method) => {
      const declared = item[method];
      return declared ? [describe(source, path, method, declared, item)] : [];
    }),
  );
}

/** The alternative security schemes. If no credential is required, an optional one is not an alternative. */
function alternativesOf({ security }: JsonObject): string[][] {
  const alternatives = asList(security).map((requirement) => Object.keys(requirement));
  return alternatives.every((schemes) => schemes.length > 0) ? alternatives : [];
}

/** Finds an operation by id. */
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
    noun: path.split('/')[3] ?? '',
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

/** Follows a `$ref` in the contract. */
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
