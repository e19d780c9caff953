import type { IncomingHttpHeaders } from 'node:http';
import { networkOf } from '../../shop/client-network.ts';
import type { ShopError } from '../../shop/errors.ts';
import { isUuid } from '../callers/claims.ts';
import type { Sender } from '../received.ts';

/**
 * Counts calls with an invalid credential by IP address, site and kind of credential, and rejects them above a limit. A
 * call with a valid credential is never rejected because of others at the same IP address.
 */

/** Whether an error is about the credential. A wrong password is not: it has its own limits. */
export function isCredentialRefusal({ code }: ShopError): boolean {
  return code === 'unauthorized' || code === 'invalid_token';
}

export function keyOfFailure({ ip = '', headers }: Sender, kind = kindIn(headers)): string {
  const site = headers['x-site-id'];
  return `${networkOf(ip)} ${isUuid(site) ? site.toLowerCase() : 'no site'} ${kind}`;
}

/**
 * The kind of the most specific credential: if a customer's token is sent with a storefront token, the failure counts
 * for customers' tokens.
 */
function kindIn(headers: IncomingHttpHeaders): string {
  const [, prefix] = /^Bearer (cust|agt|mch)_/i.exec(headers.authorization ?? '') ?? [];
  if (prefix) return prefix.toLowerCase();
  const named = ['authorization', 'x-api-key', 'x-sync-secret', 'x-service-token'] as const;
  return named.find((name) => headers[name] !== undefined) ?? 'none';
}
