import { setTimeout as pause } from 'node:timers/promises';
import { AddressRefused, checkedAddresses, checkUrl, type EgressPolicy } from '../../egress/addresses.ts';
import { ValidationError } from '../errors.ts';

const PATIENCE_MS = 2_000;

/**
 * The first of two checks of an address, when it is registered. A name that does not resolve now may resolve later; one that
 * resolves to a private address is refused at once. Throws a ValidationError at `body.url`.
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

/** The error codes of DNS queries, such as ENOTFOUND; those of refusals and of our own errors differ. */
function passOverUnresolved(error: { code?: string }): void {
  if (!/^E[A-Z]+$/.test(error.code ?? '')) throw error;
}
