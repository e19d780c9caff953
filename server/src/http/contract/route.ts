import { createRequire } from 'node:module';
import type { HTTPMethod } from 'find-my-way';
import { ShopError } from '../../shop/errors.ts';
import { type Operation, operationTable } from './contract.ts';

/**
 * Finds the operation for a request's path. The time does not depend on the number of operations. Paths are
 * case-sensitive, and extra slashes are not accepted.
 */
export interface Routing {
  /** Throws `not_found`, or `method_not_allowed` with the methods of the path. */
  route(method: string, url: string): Match;
  /** Methods of a path, for the `Allow` and CORS headers; empty for an unknown path. */
  allowedMethods(url: string): string[];
}

export interface Match {
  operation: Operation;
  path: Record<string, string>;
}

const METHODS: HTTPMethod[] = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'];

/** find-my-way answers 404 for path parameters above 100 characters by default. The contract sets its own limits. */
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
      // An empty parameter, as in `/products/`, is not found.
      return found && Object.values(found.params).includes('') ? null : found;
    } catch {
      return null; // The percent-encoding is invalid, so no path matches.
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

/** Maximum length of a path quoted in the error message. */
const LONGEST_NAMED = 200;

let routing: Routing | undefined;

/** Created on first use, because it compiles a function for each part of a path. */
function contractRouting(): Routing {
  routing ??= createRouting(operationTable);
  return routing;
}

export const route: Routing['route'] = (method, url) => contractRouting().route(method, url);
export const allowedMethods: Routing['allowedMethods'] = (url) => contractRouting().allowedMethods(url);
