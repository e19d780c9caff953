import type { operations } from '@commerce-backend/spec';
import contract from '@commerce-backend/spec/openapi.json' with { type: 'json' };
import type { Pool } from 'pg';
import type { EgressPolicy } from '../../egress/addresses.ts';
import type { Shop } from '../../shop/shop.ts';
import type { Till } from '../../shop/till.ts';
import type { Caller } from '../callers/callers.ts';

/** The contract as the server uses it: the types of handlers, and a table of what each operation asks for. */

export type OperationId = keyof operations;
export type Surface = 'agent' | 'dashboard' | 'storefront' | 'sync';

/** One function per operation of the surface, under the name after the dot: a missing one does not compile. */
export type Handlers<S extends Surface> = {
  [Id in OperationId as Id extends `${S}.${infer Name}` ? Name : never]: Handler<Id> | Beforehand<Id>;
};

/** Does the work of an operation inside its transaction (reads: on its connection), and answers with the 2xx body. */
export type Handler<Id extends OperationId> = (call: Call<Id>) => Promise<Reply<Id>>;

/**
 * An operation with work that must not hold a connection, such as hashing a password: it runs first, outside any
 * transaction, and returns the handler proper.
 */
export interface Beforehand<Id extends OperationId> {
  beforehand(call: Omit<Call<Id>, 'shop'> & Beforehands): Promise<Handler<Id>>;
  /** It hashes a password for anyone who asks: only so many are let in at once, before they cost anything. */
  hashes?: true;
}

/** What stands outside the transaction is given besides. */
export interface Beforehands {
  db: Pool;
  /** Whether the caller has gone, or the process drains: who waits for something waits no longer. */
  ended(): boolean;
}

/** What a handler is given: the tenant's shop and the parts of the request, validated and typed by the contract. */
export interface Call<Id extends OperationId> {
  shop: Shop;
  caller: Caller;
  /** The configured public address, for links. Never taken from the request. */
  baseUrl: string;
  /** What selling needs besides the shop. */
  till: Till;
  /** Where the call comes from, as far as the server sees. */
  origin: Origin;
  /** Which addresses webhooks may go to. */
  egressPolicy: EgressPolicy;
  path: NonNullable<operations[Id]['parameters']['path']>;
  query: NonNullable<operations[Id]['parameters']['query']>;
  body: operations[Id] extends { requestBody?: infer Body } ? Json<NonNullable<Body>> : undefined;
}

export interface Origin {
  ip: string | null;
  user_agent: string | null;
}

type Success = 200 | 201 | 202 | 204;

/** What it returns: the body alone, since every operation declares exactly one 2xx response (a lint rule of the spec). */
export type Reply<Id extends OperationId> = Json<
  operations[Id]['responses'][keyof operations[Id]['responses'] & Success]
>;

type Json<Message> = Message extends { content: { 'application/json': infer Body } } ? Body : undefined;

export type Method = 'get' | 'post' | 'put' | 'patch' | 'delete';

export interface Parameter {
  name: string;
  in: 'query' | 'header' | 'path' | 'cookie';
  required?: boolean;
  schema: { type?: string; items?: { type?: string } };
}

/** One operation of the contract, with all that the pipeline has to know of it. */
export interface Operation {
  id: OperationId;
  surface: Surface;
  /** The operationId after the dot: the handler's name. */
  name: string;
  method: Method;
  path: string;
  /** The status of its one success. */
  status: number;
  /** Alternatives, each a set of security schemes that must all be there; empty for public operations. */
  security: string[][];
  scope: string | undefined;
  rateLimit: string;
  /** The answer carries a secret: it is stored encrypted under the idempotency key. */
  secret: boolean;
  /** What names the shop of an operation without credentials: the id of the site, or the device_code in the body. */
  namedBy: 'site' | 'device_code' | undefined;
  /** Whether the Idempotency-Key may be absent: from forms, always, or never. */
  keyWaived: 'forms' | 'always' | undefined;
  /** Its refusals carry error_description, as OAuth clients expect (RFC 6749 §5.2). */
  oauth: boolean;
  /** Agents are told that a human must do this. */
  humanOnly: boolean;
  /** A staff session need not have chosen a merchant. */
  merchantOptional: boolean;
  /** It changes nothing: a read, though its request may have a body. */
  safe: boolean;
  bodyLimitBytes: number;
  hasBody: boolean;
  /** The fields of the body when it may come as a form, too. */
  form: Record<string, JsonObject> | undefined;
  /** The answer can be had as Markdown. */
  markdown: boolean;
  cacheable: boolean;
  parameters: Parameter[];
}

type JsonObject = Record<string, unknown>;

export const document = contract as unknown as JsonObject & {
  info: { version: string };
  paths: Record<string, Record<string, JsonObject>>;
  components: Record<string, Record<string, JsonObject>>;
};

const METHODS: Method[] = ['get', 'post', 'put', 'patch', 'delete'];
const BODY_LIMIT_KB = 100;

export const operationTable: Operation[] = Object.entries(document.paths).flatMap(([path, item]) =>
  METHODS.flatMap((method) => {
    const declared = item[method];
    return declared ? [describe(path, method, declared, item)] : [];
  }),
);

function describe(path: string, method: Method, declared: JsonObject, item: JsonObject): Operation {
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
    security: asList(declared.security).map((requirement) => Object.keys(requirement)),
    scope: declared['x-scope'] as string | undefined,
    rateLimit: String(declared['x-rate-limit']),
    secret: declared['x-secret-response'] === true,
    namedBy: declared['x-caller'] as Operation['namedBy'],
    keyWaived: declared['x-key-waived'] as Operation['keyWaived'],
    oauth: declared['x-oauth'] === true,
    humanOnly: declared['x-human-only'] === true,
    merchantOptional: declared['x-merchant-optional'] === true,
    safe: method === 'get' || declared['x-safe'] === true,
    bodyLimitBytes: Number(declared['x-body-limit-kb'] ?? BODY_LIMIT_KB) * 1024,
    hasBody: declared.requestBody !== undefined,
    form: form?.schema && propertiesOf(form.schema),
    markdown: success['text/markdown'] !== undefined,
    cacheable: statuses.includes(304),
    parameters: parameters.map((parameter) => ({ ...parameter, schema: resolve(parameter.schema as JsonObject) })),
  };
}

function contentOf(message: unknown): Record<string, { schema?: JsonObject }> {
  const { content = {} } = message ? resolve(message as JsonObject) : {};
  return content as Record<string, { schema?: JsonObject }>;
}

function propertiesOf(schema: JsonObject): Record<string, JsonObject> {
  const properties = Object.entries((resolve(schema).properties ?? {}) as Record<string, JsonObject>);
  return Object.fromEntries(properties.map(([name, property]) => [name, resolve(property)]));
}

function asList(value: unknown): JsonObject[] {
  return Array.isArray(value) ? value : [];
}

/** Follows a `$ref` of the bundled document. */
export function resolve(node: JsonObject): JsonObject {
  if (typeof node.$ref !== 'string') return node;
  const target = node.$ref
    .split('/')
    .slice(1)
    .reduce<unknown>((at, key) => (at as JsonObject)[key.replaceAll('~1', '/').replaceAll('~0', '~')], document);
  return resolve(target as JsonObject);
}
