/** The contract with which this CLI was built. Commands that look up operations use all of it, flags only a part. */

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

export const METHODS: readonly Method[] = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'];

/** The JSON Schema keywords that the CLI uses. */
export interface Schema {
  $ref?: string;
  type?: string | string[];
  description?: string;
  format?: string;
  enum?: unknown[];
  const?: unknown;
  default?: unknown;
  minimum?: number;
  maximum?: number;
  minProperties?: number;
  required?: string[];
  properties?: Record<string, Schema>;
  additionalProperties?: Schema | boolean;
  items?: Schema;
  allOf?: Schema[];
  oneOf?: Schema[];
  anyOf?: Schema[];
}

export interface Parameter {
  name: string;
  in: 'path' | 'query' | 'header';
  required?: boolean;
  description?: string;
  schema: Schema;
}

interface Content {
  required?: boolean;
  content?: Record<string, { schema?: Schema }>;
}

export interface Operation {
  operationId: string;
  summary: string;
  description: string;
  method: Method;
  path: string;
  parameters: Parameter[];
  body: Schema | undefined;
  bodyRequired: boolean;
  responses: Record<string, Schema | undefined>;
}

interface RawOperation
  extends Omit<Operation, 'method' | 'path' | 'parameters' | 'body' | 'bodyRequired' | 'responses'> {
  parameters?: (Parameter | { $ref: string })[];
  requestBody?: Content;
  responses: Record<string, Content | { $ref: string }>;
}

type RawPath = Partial<Record<Lowercase<Method>, RawOperation>> & Pick<RawOperation, 'parameters'>;

export interface Contract {
  operations: Operation[];
  /** Description of each event type. */
  events: Partial<Record<string, string>>;
  /** Resolves a `$ref`. Other schemas are returned unchanged. */
  resolve: (schema: Schema) => Schema;
}

export async function readContract(): Promise<Contract> {
  const { default: raw } = await import('@commerce-backend/spec/openapi.json', { with: { type: 'json' } });
  return contractOf(raw);
}

/** Builds a Contract from an OpenAPI document. */
export function contractOf(raw: { paths: object; webhooks: object }): Contract {
  const find = <Found>(ref: string) =>
    ref
      .slice('#/'.length)
      .split('/')
      .reduce<unknown>((at, key) => (at as Record<string, unknown>)[key], raw) as Found;
  const followed = <Found extends object>(value: Found | { $ref: string }): Found =>
    '$ref' in value ? find<Found>(value.$ref as string) : value;
  const operationsOf = ([path, item]: [string, RawPath]): Operation[] =>
    METHODS.flatMap((method) => {
      const found = item[method.toLowerCase() as Lowercase<Method>];
      if (!found) return [];
      const { operationId, summary, description } = found;
      const parameters = [...(item.parameters ?? []), ...(found.parameters ?? [])].map((one) => followed(one));
      const responses = Object.entries(found.responses).map(([status, one]) => [status, schemaOf(followed(one))]);
      const body = found.requestBody && schemaOf(found.requestBody);
      const bodyRequired = found.requestBody?.required === true;
      const request = { method, path, parameters, body, bodyRequired };
      return [{ operationId, summary, description, ...request, responses: Object.fromEntries(responses) }];
    });
  const webhooks = Object.entries(raw.webhooks as Record<string, { post: { summary: string } }>);
  return {
    events: Object.fromEntries(webhooks.map(([type, { post }]) => [type, post.summary])),
    operations: Object.entries(raw.paths as Record<string, RawPath>).flatMap(operationsOf),
    resolve: (schema) => (schema.$ref ? find<Schema>(schema.$ref) : schema),
  };
}

function schemaOf({ content }: Content): Schema | undefined {
  return content?.['application/json']?.schema;
}

/** The operation for a method and path; undefined if the contract has none. */
export function operationOf({ operations }: Contract, method: Method, path: string): Operation | undefined {
  const found = operations.filter((one) => one.method === method && isAt(one, path));
  // Literal paths take precedence over parameters: /orders/mark-paid is not an order id.
  return found.find((one) => one.path === path) ?? found[0];
}

/** Whether the path matches the operation's path with parameters filled in. */
export function isAt(operation: Operation, path: string): boolean {
  const asked = path.split('/');
  const parts = operation.path.split('/');
  const isPart = (part: string, at: number) => part === asked[at] || (part.startsWith('{') && asked[at] !== '');
  return parts.length === asked.length && parts.every(isPart);
}

/** Properties and required properties of a schema, including those of schemas that it extends. */
export function propertiesOf(contract: Contract, schema: Schema): Required<Pick<Schema, 'properties' | 'required'>> {
  const { properties = {}, required = [], allOf = [] } = contract.resolve(schema);
  const parts = allOf.map((part) => propertiesOf(contract, part));
  return {
    properties: Object.assign({}, ...parts.map((part) => part.properties), properties),
    required: [...parts.flatMap((part) => part.required), ...required],
  };
}

/** Type names of a schema; empty if it has none. */
export function typesOf(contract: Contract, schema: Schema): string[] {
  const { type, enum: values, oneOf = [], anyOf = [], allOf = [] } = contract.resolve(schema);
  if (type !== undefined) return [type].flat();
  const parts = [...oneOf, ...anyOf, ...allOf].flatMap((part) => typesOf(contract, part));
  return parts.length > 0 ? [...new Set(parts)] : [...new Set((values ?? []).map((value) => typeof value))];
}
