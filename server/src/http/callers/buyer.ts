import { isIP } from 'node:net';
import type { ValidationErrorItem } from '@commerce-backend/spec';
import { normalised } from '../../egress/names.ts';
import type { Operation } from '../contract/contract.ts';
import type { Sender } from '../received.ts';
import type { Caller } from './caller.ts';

/**
 * The buyer for whom a shop's own server calls the storefront API. X-Buyer-IP is accepted only with a private
 * storefront token, because anyone else could evade rate limits by sending a new IP address with each call.
 */
export interface Buyer {
  ip?: string;
  mistakes: ValidationErrorItem[];
}

/**
 * Whether this is a storefront request with an X-Buyer-IP header, which is valid only with a private storefront token.
 */
export function namesBuyer({ surface }: Operation, { headers }: Sender): boolean {
  return surface === 'storefront' && headers['x-buyer-ip'] !== undefined;
}

export function buyerOf(operation: Operation, { private_token_id }: Caller, sender: Sender): Buyer {
  if (!private_token_id || !namesBuyer(operation, sender)) return { mistakes: [] };
  const address = String(sender.headers['x-buyer-ip']);
  // A zone, as in `fe80::1%eth0`, has a meaning only on one machine.
  if (isIP(address) > 0 && !address.includes('%')) return { ip: normalised(address), mistakes: [] };
  const msg = 'Send exactly one IPv4 or IPv6 address without a port, or omit the header.';
  return { mistakes: [{ loc: ['header', 'X-Buyer-IP'], msg, type: 'value_error' }] };
}
