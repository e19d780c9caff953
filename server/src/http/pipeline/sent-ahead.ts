import { LRUCache } from 'lru-cache';
import { networkOf } from '../../shop/client-network.ts';
import { hashToken } from '../../shop/tokens.ts';
import type { Claim } from '../callers/caller.ts';

/**
 * What is sent together with the look-up of a credential, before it is known (read-ahead.ts, work-ahead.ts), is sent for nobody whose
 * last request was refused.
 */

/** Callers by credential and network, who are not in it any more once they are admitted. */
export const refusedCallers = new LRUCache<string, true>({ max: 10_000 });

/** Names for a credential, and for who shows it from where, which may be kept in memory. */
export function namesOf({ secret, customer_secret, storefront_secret }: Claim, ip: string | undefined) {
  const credential = hashToken(`${secret} ${customer_secret} ${storefront_secret}`).toString('base64url');
  return { credential, caller: `${credential} ${networkOf(ip)}` };
}
