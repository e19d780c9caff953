import type { ErrorCode } from '@commerce-backend/spec';
import { MOCK_CONTRACT } from '../generated/mock-contract.ts';

/** The contract as far as the mocks need it: how requests are validated, what is answered, what errors say. */
export interface MockContract {
  operations: MockOperation[];
  /** The schemas that requests refer to, by name. */
  schemas: Record<string, JsonSchema>;
  errors: Record<ErrorCode, CatalogueEntry>;
}

export type JsonSchema = Record<string, unknown>;

export interface MockOperation {
  id: string;
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** With its parameters in braces. */
  path: string;
  /** The status of success. */
  status: number;
  /** The contract's example of success; undefined where there is no body. */
  answer?: unknown;
  /** The alternatives of credentials; none for what is open to everybody. */
  security: string[][];
  scope?: string;
  humanOnly?: boolean;
  /** The Idempotency-Key is optional. */
  keyWaived?: boolean;
  parameters: MockParameter[];
  body?: { required: boolean; schema: JsonSchema };
}

export interface MockParameter {
  name: string;
  in: 'path' | 'query' | 'header';
  required: boolean;
  schema: JsonSchema;
}

interface CatalogueEntry {
  status: number;
  retryable: boolean;
  /** What agents are told to do. */
  next?: string;
  next_operation?: string;
}

export const { operations, schemas, errors } = MOCK_CONTRACT;

const byId = new Map(operations.map((operation) => [operation.id, operation]));

/** Throws a TypeError for an id that the contract does not have. */
export function operationById(id: string): MockOperation {
  const found = byId.get(id);
  if (!found) throw new TypeError(`The contract has no operation ${id}.`);
  return found;
}

export interface Route {
  operation: MockOperation;
  /** The parameters of the path, decoded. */
  path: Record<string, string>;
}

/** The operation of a request, or the methods that its path has; an empty list when there is no such path. */
export function routeOf(method: string, pathname: string): Route | string[] {
  const asked = pathname.split('/');
  const matching = operations.flatMap((operation) => {
    const path = matched(operation.path.split('/'), asked);
    return path ? [{ operation, path }] : [];
  });
  // A literal path comes before one with a parameter.
  matching.sort((a, b) => Object.keys(a.path).length - Object.keys(b.path).length);
  const wanted = method === 'HEAD' ? 'GET' : method;
  return matching.find(({ operation }) => operation.method === wanted) ?? matching.map((one) => one.operation.method);
}

function matched(parts: string[], asked: string[]): Record<string, string> | undefined {
  if (parts.length !== asked.length) return undefined;
  const path: Record<string, string> = {};
  for (const [i, part] of parts.entries()) {
    const given = asked[i] ?? '';
    if (!part.startsWith('{')) {
      if (part !== given) return undefined;
    } else if (given === '') return undefined;
    else path[part.slice(1, -1)] = decoded(given);
  }
  return path;
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
