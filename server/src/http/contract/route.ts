import { createRequire } from 'node:module';
import type { HTTPMethod } from 'find-my-way';
import { ShopError } from '../../shop/errors.ts';
import { type Operation, operationTable } from './contract.ts';

/**
 * Finds the operation of a request by its path, in a time that does not depend on the number of operations. Case and
 * slashes must match exactly.
 */
export interface Routing {
  /** Finds the operation. Throws `not_found`, or `method_not_allowed` with the methods of the path. */
  route(method: string, url: string): Match;
  /** The methods of a path, for `Allow` and CORS; empty for an unknown path. */
  allowedMethods(url: string): string[];
}

export interface Match {
  operation: Operation;
  path: Record<string, string>;
}

const METHODS: HTTPMethod[] = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'];

/** The contract limits the length of path parameters; find-my-way's default of 100 would answer 404 for long slugs. */
const MAX_PARAMETER_LENGTH = 16 * 1024;

const require = createRequire(import.meta.url);

export function createRouting(operations: Operation[]): Routing {
  const findMyWay = require('find-my-way') as typeof import('find-my-way');
  const router = findMyWay({
    caseSensitive: true,
    ignoreTrailingSlash: false,
    ignoreDuplicateSlashes: false,
    maxParamLength: MAX_PARAMETER_LENGTH,
  });
  for (const operation of operations) {
    const pattern = operation.path.replaceAll(/\{(\w+)\}/g, ':$1');
    router.on(operation.method.toUpperCase() as HTTPMethod, pattern, () => undefined, operation);
  }

  function find(method: string, url: string) {
    try {
      const found = router.find(method as HTTPMethod, url);
      // A parameter is never empty: `/products/` does not mean a product without a name.
      return found && Object.values(found.params).includes('') ? null : found;
    } catch {
      return null; // No path of the API has invalid percent-encoding.
    }
  }

  function allowedMethods(url: string): string[] {
    const declared = METHODS.filter((method) => find(method, url));
    return declared.flatMap((method) => (method === 'GET' ? ['GET', 'HEAD'] : [method]));
  }

  function route(method: string, url: string): Match {
    const found = find(method === 'HEAD' ? 'GET' : method, url);
    if (found) return { operation: found.store as Operation, path: found.params as Record<string, string> };
    const allowed = allowedMethods(url);
    if (allowed.length === 0)
      throw new ShopError('not_found', `The API has no path ${url.split('?')[0]?.slice(0, LONGEST_NAMED)}.`);
    throw new ShopError('method_not_allowed', `This path supports ${allowed.join(', ')}.`, { allowed });
  }

  return { route, allowedMethods };
}

/** Maximum length of an unknown path in the error message. */
const LONGEST_NAMED = 200;

let routing: Routing | undefined;

/** The contract's routes, created on first use, because that compiles a function for each part of a path. */
function contractRouting(): Routing {
  routing ??= createRouting(operationTable);
  return routing;
}

export const route: Routing['route'] = (method, url) => contractRouting().route(method, url);
export const allowedMethods: Routing['allowedMethods'] = (url) => contractRouting().allowedMethods(url);
