import type { IncomingHttpHeaders } from 'node:http';
import { networkOf } from '../../shop/client-network.ts';
import type { ShopError } from '../../shop/errors.ts';
import { isUuid } from '../callers/claims.ts';
import type { Sender } from '../received.ts';

/**
 * Calls whose credential is bad are counted by address, site and kind of credential. They are refused when there are too
 * many; a call with a good credential never is, whatever others behind the same address sent.
 */

/** Whether a refusal is about the credential: a wrong password is not, it has limits of its own. */
export function isCredentialRefusal({ code }: ShopError): boolean {
  return code === 'unauthorized' || code === 'invalid_token';
}

export function keyOfFailure({ ip = '', headers }: Sender, kind = kindIn(headers)): string {
  const site = headers['x-site-id'];
  return `${networkOf(ip)} ${isUuid(site) ? site.toLowerCase() : 'no site'} ${kind}`;
}

/** The most specific one that was sent: a customer's token beside the storefront's is the customer's failure. */
function kindIn(headers: IncomingHttpHeaders): string {
  const [, prefix] = /^Bearer (cust|agt|mch)_/i.exec(headers.authorization ?? '') ?? [];
  if (prefix) return prefix.toLowerCase();
  const named = ['authorization', 'x-api-key', 'x-sync-secret', 'x-service-token'] as const;
  return named.find((name) => headers[name] !== undefined) ?? 'none';
}
