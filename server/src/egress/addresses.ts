/**
 * Restricts which hosts tenants and callers can make the server call. A URL is checked when it is registered and before
 * each request. The IP addresses of its host are checked for each connection, which then uses a checked address, so DNS
 * rebinding has no effect.
 */

import { type LookupAddress, type LookupOptions, lookup } from 'node:dns';
import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';
import { addressesOf, normalised, ownAddresses } from './names.ts';

export interface EgressPolicy {
  /** Allows plain http and private IP addresses, for receivers on a developer's machine. Never set in production. */
  allowPrivate: boolean;
  /** Host of the configured base URL, which the server must not call. */
  ownHost: string;
}

/** Thrown for a URL or IP address that the server must not call. The message states the reason. */
export class AddressRefused extends Error {
  readonly code = 'ADDRESS_REFUSED';
}

const OWN = 'The address must not be that of this server.';
const PORTS = ['', '443', '8443'];
const LOCAL_NAMES = /(?:^|\.)(?:localhost|local|internal|intranet|lan|home|corp|arpa|onion|test|invalid)$/;
/** Metadata services of cloud providers, which return secrets. The first is not in a private range. */
const DENIED = ['168.63.129.16', '169.254.169.254', '100.100.100.200', 'fd00:ec2::254'];

/** Parses a URL. Throws AddressRefused if it may not be called. */
export function checkUrl(text: string, policy: EgressPolicy): URL {
  if (!URL.canParse(text)) throw new AddressRefused('This is not a valid URL.');
  const url = new URL(text);
  if (url.username || url.password) throw new AddressRefused('The address must not contain a user name or password.');
  if (policy.allowPrivate && (url.protocol === 'http:' || url.protocol === 'https:')) return url;
  if (url.protocol !== 'https:') throw new AddressRefused('The address must begin with https://.');
  if (!PORTS.includes(url.port)) throw new AddressRefused('The port must be 443 or 8443.');
  checkHost(url.hostname, policy);
  return url;
}

function checkHost(hostname: string, { ownHost }: EgressPolicy): void {
  const literal = hostname.replace(/^\[|\]$/g, '');
  if (isIP(literal)) {
    checkAddress(literal);
    return;
  }
  const name = hostname.replace(/\.$/, '');
  if (!name.includes('.') || LOCAL_NAMES.test(name)) throw new AddressRefused('The host must be a public name.');
  if (name === ownHost) throw new AddressRefused(OWN);
}

/** Throws AddressRefused unless the IP address is public and not one of the server's `own`. */
export function checkAddress(address: string, own: ReadonlySet<string> = new Set()): void {
  if (!isPublic(address))
    throw new AddressRefused('The host must be on the public internet, not in a private network.');
  if (own.has(normalised(address))) throw new AddressRefused(OWN);
}

function isPublic(address: string): boolean {
  if (!ipaddr.isValid(address)) return false;
  const parsed = ipaddr.process(address);
  if (parsed.range() !== 'unicast' || DENIED.includes(parsed.toString())) return false;
  // ipaddr.js classifies some IPv6 addresses outside 2000::/3 as unicast, such as ::127.0.0.1.
  return parsed.kind() === 'ipv4' || (parsed.toByteArray()[0] ?? 0) >> 5 === 1;
}

/** Resolves a host name. Throws AddressRefused if one of its IP addresses may not be called. */
export async function checkedAddresses(name: string, { ownHost }: EgressPolicy): Promise<LookupAddress[]> {
  const [found, own] = await Promise.all([addressesOf(name), ownAddresses(ownHost)]);
  for (const { address } of found) checkAddress(address, own);
  return found;
}

type LookupCallback = (error: NodeJS.ErrnoException | null, address: string | LookupAddress[], family?: number) => void;

/**
 * A `lookup` function for sockets that returns only checked IP addresses. If private addresses are allowed, it is the
 * system's lookup, which also resolves local names.
 */
export function guardedLookup(policy: EgressPolicy) {
  return (hostname: string, options: LookupOptions, callback: LookupCallback): void => {
    if (policy.allowPrivate) {
      lookup(hostname, options, callback);
      return;
    }
    const answer = (found: LookupAddress[]) => {
      const [first] = found;
      if (options.all) callback(null, found);
      else callback(null, first?.address ?? '', first?.family);
    };
    checkedAddresses(hostname, policy).then(answer, (error) => callback(error, []));
  };
}
