import { MOCK_CONTRACT } from '../generated/mock-contract.ts';
import type { MockOperation } from './contract-types.ts';

/** Operations, request schemas and errors of the contract. */
export const { operations, schemas, errors } = MOCK_CONTRACT;

const byId = new Map(operations.map((operation) => [operation.id, operation]));

/** Finds an operation. Throws a TypeError for an unknown operationId. */
export function operationById(id: string): MockOperation {
  const found = byId.get(id);
  if (!found) throw new TypeError(`The contract has no operation ${id}.`);
  return found;
}

export interface Route {
  operation: MockOperation;
  /** Decoded path parameters. */
  path: Record<string, string>;
}

/**
 * Finds the operation of a request. If only the method is wrong, returns the path's methods; for an unknown path an
 * empty list.
 */
export function routeOf(method: string, pathname: string): Route | string[] {
  const asked = pathname.split('/');
  const matching = operations.flatMap((operation) => {
    const path = matched(operation.path.split('/'), asked);
    return path ? [{ operation, path }] : [];
  });
  // Literal paths come before paths with parameters.
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
