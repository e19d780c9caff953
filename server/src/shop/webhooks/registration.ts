import { setTimeout as pause } from 'node:timers/promises';
import { AddressRefused, checkedAddresses, checkUrl, type EgressPolicy } from '../../egress/addresses.ts';
import { ValidationError } from '../errors.ts';

const PATIENCE_MS = 2_000;

/**
 * Checks a webhook's URL at registration; each delivery checks it again. Accepts a host name that does not resolve, or
 * not within two seconds, and rejects one that resolves to an IP address that the server must not call. Throws a
 * ValidationError at `body.url`.
 */
export async function checkRegistration(text: string, policy: EgressPolicy): Promise<void> {
  try {
    const { hostname } = checkUrl(text, policy);
    if (policy.allowPrivate) return;
    await Promise.race([
      checkedAddresses(hostname.replace(/^\[|\]$/g, ''), policy).catch(passOverUnresolved),
      pause(PATIENCE_MS, undefined, { ref: false }),
    ]);
  } catch (error) {
    if (!(error instanceof AddressRefused)) throw error;
    throw new ValidationError([{ loc: ['body', 'url'], msg: error.message, type: 'url_refused' }]);
  }
}

/** Ignores errors of DNS queries, such as ENOTFOUND. Rethrows all others. */
function passOverUnresolved(error: { code?: string }): void {
  if (!/^E[A-Z]+$/.test(error.code ?? '')) throw error;
}
