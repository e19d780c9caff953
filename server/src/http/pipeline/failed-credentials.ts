/**
 * Counts calls with an invalid credential by IP address, site and kind of credential, and rejects them above a limit.
 * Calls with a valid credential are never rejected, whatever others at the same IP address do.
 */

import type { IncomingHttpHeaders } from 'node:http';
import { networkOf } from '../../shop/client-network.ts';
import type { ShopError } from '../../shop/errors.ts';
import { isUuid } from '../callers/claims.ts';
import type { Sender } from '../received.ts';

/** Whether an error is about the credential. A wrong password is not, because logins have their own limits. */
export function isCredentialRefusal({ code }: ShopError): boolean {
  return code === 'unauthorized' || code === 'invalid_token';
}

export function keyOfFailure({ ip = '', headers }: Sender, kind = kindIn(headers)): string {
  const site = headers['x-site-id'];
  return `${networkOf(ip)} ${isUuid(site) ? site.toLowerCase() : 'no site'} ${kind}`;
}

/**
 * Returns the kind of credential that failed. If a customer's token was sent with a storefront token, this is the
 * customer's token.
 */
function kindIn(headers: IncomingHttpHeaders): string {
  const [, prefix] = /^Bearer (cust|agt|mch)_/i.exec(headers.authorization ?? '') ?? [];
  if (prefix) return prefix.toLowerCase();
  const named = ['authorization', 'x-api-key', 'x-sync-secret', 'x-service-token'] as const;
  return named.find((name) => headers[name] !== undefined) ?? 'none';
}
