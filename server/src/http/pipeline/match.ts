import type { Request } from 'express';
import { ShopError } from '../../shop/errors.ts';
import type { Operation } from '../contract/contract.ts';
import { route } from '../contract/route.ts';
import { isDecodable } from '../contract/storable.ts';

const MAX_URL_LENGTH = 8 * 1024;

/** The operation that a request is for, with the parameters of its path. Throws invalid_request, 404 and 405. */
export function address({ method, originalUrl }: Request): { operation: Operation; path: Record<string, string> } {
  if (originalUrl.length > MAX_URL_LENGTH) throw new ShopError('invalid_request', 'The address is too long.');
  if (!originalUrl.startsWith('/')) throw new ShopError('invalid_request', 'Send only the path, starting with /.');
  if (!isDecodable(originalUrl))
    throw new ShopError('invalid_request', 'The path has a % sequence that is not valid UTF-8.');
  const { operation, path } = route(method, originalUrl);
  return { operation, path: Object.fromEntries(Object.entries(path).map(([name, value]) => [name, folded(value)])) };
}

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** Ids are compared as text in places, so they get one spelling from here on. */
function folded(value: string): string {
  return UUID.test(value) ? value.toLowerCase() : value;
}
