import { setTimeout as pause } from 'node:timers/promises';
import { AddressRefused, checkedAddresses, checkUrl, type EgressPolicy } from '../../egress/addresses.ts';
import { ValidationError } from '../errors.ts';

const PATIENCE_MS = 2_000;

/**
 * The first of two checks of a webhook's URL, at registration. A host name that does not resolve yet is accepted; one
 * that resolves to a private IP address is rejected. Throws a ValidationError at `body.url`.
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

/** Ignores errors of DNS queries, such as ENOTFOUND. Rethrows rejections and our own errors. */
function passOverUnresolved(error: { code?: string }): void {
  if (!/^E[A-Z]+$/.test(error.code ?? '')) throw error;
}
