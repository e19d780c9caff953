import type { LookupAddress } from 'node:dns';
import { Resolver } from 'node:dns/promises';
import { isIP } from 'node:net';
import { networkInterfaces } from 'node:os';
import ipaddr from 'ipaddr.js';

/**
 * Resolves host names of tenants by DNS queries on the event loop. The system's own lookup has four threads for the
 * whole process, so a few names with unresponsive DNS servers would delay all others.
 */
export const resolver = new Resolver({ timeout: 1_000, tries: 2 });

/** All IP addresses of a host name, of both families; for an IP address, itself. Rejects if there is none. */
export async function addressesOf(name: string): Promise<LookupAddress[]> {
  const family = isIP(name);
  if (family) return [{ address: name, family }];
  const [four, six] = await Promise.allSettled([resolver.resolve4(name), resolver.resolve6(name)]);
  const found = [
    ...(four.status === 'fulfilled' ? four.value : []).map((address) => ({ address, family: 4 })),
    ...(six.status === 'fulfilled' ? six.value : []).map((address) => ({ address, family: 6 })),
  ];
  if (found.length === 0 && four.status === 'rejected') throw four.reason;
  return found;
}

const KEPT_MS = 60_000;

interface Known {
  addresses: Promise<string[]>;
  asked: number;
}
const known = new Map<string, Known>();

/** The IP addresses of this server: those of its interfaces, and those of its public name. */
export async function ownAddresses(ownHost: string): Promise<ReadonlySet<string>> {
  const before = known.get(ownHost);
  if (!before) remember(ownHost, lookUp(ownHost, []));
  else if (Date.now() - before.asked > KEPT_MS) {
    // The old addresses are used meanwhile, so that nothing waits.
    before.asked = Date.now();
    void before.addresses.then(async (former) => remember(ownHost, Promise.resolve(await lookUp(ownHost, former))));
  }
  const named = await known.get(ownHost)?.addresses;
  const bound = Object.values(networkInterfaces()).flatMap((all = []) => all.map(({ address }) => address));
  return new Set([...(named ?? []), ...bound].map(normalised));
}

function remember(ownHost: string, addresses: Promise<string[]>): void {
  known.set(ownHost, { addresses, asked: Date.now() });
}

/** If the DNS does not answer, the old addresses stay valid. */
async function lookUp(ownHost: string, former: string[]): Promise<string[]> {
  const found = await addressesOf(ownHost).catch(() => undefined);
  return found?.map(({ address }) => address) ?? former;
}

/** Normalizes an IP address; IPv4 within IPv6 becomes IPv4. */
export function normalised(address: string): string {
  return ipaddr.isValid(address) ? ipaddr.process(address).toString() : address;
}
