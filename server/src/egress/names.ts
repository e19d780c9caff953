import type { LookupAddress } from 'node:dns';
import { Resolver } from 'node:dns/promises';
import { isIP } from 'node:net';
import { networkInterfaces } from 'node:os';
import ipaddr from 'ipaddr.js';

/**
 * Resolves host names that tenants or callers choose, with DNS queries on the event loop. The system's lookup uses four
 * threads for the whole process, so a few names with unresponsive DNS servers would delay all others.
 */
export const resolver = new Resolver({ timeout: 1_000, tries: 2 });

/** All IPv4 and IPv6 addresses of a host name. An IP address is returned as it is. Rejects if there is none. */
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

/** IP addresses of this server: of its network interfaces and of its public host name. */
export async function ownAddresses(ownHost: string): Promise<ReadonlySet<string>> {
  const before = known.get(ownHost);
  if (!before) remember(ownHost, lookUp(ownHost, []));
  else if (Date.now() - before.asked > KEPT_MS) {
    // The previous addresses stay in use during the query, so that no caller waits.
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

/** Resolves the server's host name. Returns the former addresses if DNS does not answer. */
async function lookUp(ownHost: string, former: string[]): Promise<string[]> {
  const found = await addressesOf(ownHost).catch(() => undefined);
  return found?.map(({ address }) => address) ?? former;
}

/** Normalizes an IP address. IPv4-mapped IPv6 addresses become IPv4. */
export function normalised(address: string): string {
  return ipaddr.isValid(address) ? ipaddr.process(address).toString() : address;
}
