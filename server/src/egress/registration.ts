import { lookup } from 'node:dns/promises';
import { setTimeout as pause } from 'node:timers/promises';
import { ValidationError } from '../shop/errors.ts';
import { AddressRefused, checkAddress, checkUrl, type EgressPolicy } from './addresses.ts';

const PATIENCE_MS = 2_000;

/**
 * The first of the two times that an address is judged: when somebody registers it. A name that does not resolve now may
 * later; one that resolves to a private address is refused at once. Throws a ValidationError at `body.url`.
 */
export async function checkRegistration(text: string, policy: EgressPolicy): Promise<void> {
  try {
    const { hostname } = checkUrl(text, policy);
    if (policy.allowPrivate) return;
    for (const address of await resolved(hostname.replace(/^\[|\]$/g, ''))) checkAddress(address);
  } catch (error) {
    if (!(error instanceof AddressRefused)) throw error;
    throw new ValidationError([{ loc: ['body', 'url'], msg: error.message, type: 'url_refused' }]);
  }
}

async function resolved(hostname: string): Promise<string[]> {
  const found = lookup(hostname, { all: true }).catch(() => []);
  const addresses = await Promise.race([found, pause(PATIENCE_MS, [], { ref: false })]);
  return addresses.map(({ address }) => address);
}
