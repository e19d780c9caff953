import { notFound, ShopError } from '../../shop/errors.ts';
import type { Operation } from '../contract/contract.ts';
import { type Match, route } from '../contract/route.ts';
import { isDecodable } from '../contract/storable.ts';

const MAX_URL_LENGTH = 8 * 1024;

/** The operation and path parameters of an HTTP request. Throws `invalid_request`, 404 or 405. */
export function matchOf(method: string, url: string): Match {
  if (url.length > MAX_URL_LENGTH) throw new ShopError('invalid_request', 'The address is too long.');
  if (!url.startsWith('/')) throw new ShopError('invalid_request', 'Send only the path, starting with /.');
  if (!isDecodable(url)) throw new ShopError('invalid_request', 'The path has a % sequence that is not valid UTF-8.');
  const { operation, path } = route(method, url);
  return matchWith(operation, path);
}

/**
 * Converts ids in path parameters to lower case, because some are compared as text. Throws 404 for an empty parameter.
 */
export function matchWith(operation: Operation, path: Record<string, string>): Match {
  const folded = Object.entries(path).map(([name, value]) => [name, UUID.test(value) ? value.toLowerCase() : value]);
  if (folded.some(([, value]) => value === '')) throw notFound(operation.noun);
  return { operation, path: Object.fromEntries(folded) as Record<string, string> };
}

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
