import type { IncomingHttpHeaders } from 'node:http';
import { networkOf } from '../../shop/client-network.ts';
import type { ShopError } from '../../shop/errors.ts';
import { isUuid } from '../callers/claims.ts';
import type { Sender } from '../received.ts';

/**
 * Counts calls with an invalid credential by address, site and kind of credential, and rejects them above a limit. A
 * call with a valid credential is never rejected for the calls of others at the same address.
 */

/** Whether an error concerns the credential. A wrong password does not: it has its own limits. */
export function isCredentialRefusal({ code }: ShopError): boolean {
  return code === 'unauthorized' || code === 'invalid_token';
}

export function keyOfFailure({ ip = '', headers }: Sender, kind = kindIn(headers)): string {
  const site = headers['x-site-id'];
  return `${networkOf(ip)} ${isUuid(site) ? site.toLowerCase() : 'no site'} ${kind}`;
}

/** The most specific credential: a customer's token sent with a storefront token counts as the customer's failure. */
function kindIn(headers: IncomingHttpHeaders): string {
  const [, prefix] = /^Bearer (cust|agt|mch)_/i.exec(headers.authorization ?? '') ?? [];
  if (prefix) return prefix.toLowerCase();
  const named = ['authorization', 'x-api-key', 'x-sync-secret', 'x-service-token'] as const;
  return named.find((name) => headers[name] !== undefined) ?? 'none';
}
