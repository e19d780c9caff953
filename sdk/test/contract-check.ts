/** Checks responses against the contract itself, not against the mocks' copy. */

import contract from '@commerce-backend/spec/openapi.json' with { type: 'json' };
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import { routeOf } from '../src/mocks/contract.ts';

type Json = Record<string, unknown>;
interface Described {
  operationId: string;
  parameters?: Json[];
  requestBody?: Json;
  responses: Record<string, Json>;
}

export const described = new Map<string, { operation: Described; path: string; method: string; shared: Json[] }>(
  Object.entries(contract.paths as unknown as Record<string, Record<string, unknown>>).flatMap(([path, item]) =>
    ['get', 'post', 'put', 'patch', 'delete'].flatMap((method) => {
      const operation = item[method] as Described | undefined;
      const shared = (item.parameters ?? []) as Json[];
      return operation ? [[operation.operationId, { operation, path, method, shared }] as const] : [];
    }),
  ),
);

export function followed(node: Json | undefined): Json | undefined {
  if (typeof node?.$ref !== 'string') return node;
  const parts = node.$ref.slice(2).split('/');
  return parts.reduce<unknown>((at, key) => (at as Json)[key], contract) as Json;
}

const ajv = new Ajv2020({
  ...{ strict: false, validateSchema: false, validateFormats: false, inlineRefs: false },
  code: { optimize: false },
});
ajv.addSchema({ ...contract, $id: 'contract' });
const compiled = new Map<string, ValidateFunction>();

/** Describes how a response violates the contract; empty if it does not. */
export async function faultsOf(request: Request, response: Response): Promise<string[]> {
  const route = routeOf(request.method, new URL(request.url).pathname);
  if (Array.isArray(route)) return response.status === 404 || response.status === 405 ? [] : ['No such operation.'];
  const { operation } = described.get(route.operation.id) ?? {};
  const answer = operation?.responses[String(response.status)];
  if (!answer) return [`${route.operation.id} does not declare the status ${response.status}.`];
  const schema = (followed(answer)?.content as Record<string, Json> | undefined)?.['application/json']?.schema;
  const text = await response.clone().text();
  if (!schema) return text === '' ? [] : ['The body should be empty.'];
  const key = `${route.operation.id} ${response.status}`;
  let validate = compiled.get(key);
  if (!validate) {
    validate = ajv.compile(JSON.parse(JSON.stringify(schema).replaceAll('"#/', '"contract#/')));
    compiled.set(key, validate);
  }
  if (validate(JSON.parse(text))) return [];
  return (validate.errors ?? []).map(({ instancePath, message }) => `${key}: ${instancePath} ${message}`);
}

/** Wraps a fetch function so that it throws if a response violates the contract. */
export function judged(fetch: (request: Request) => Promise<Response>) {
  return async (request: Request): Promise<Response> => {
    const response = await fetch(request.clone());
    const faults = await faultsOf(request, response);
    if (faults.length > 0) throw new Error(`${request.method} ${request.url}\n${faults.join('\n')}`);
    return response;
  };
}
