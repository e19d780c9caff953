import { type LookupAddress, type LookupOptions, lookup } from 'node:dns';
import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';
import { addressesOf, normalised, ownAddresses } from './names.ts';

/**
 * Decides which addresses tenants may make this server call. The text of a URL is checked at registration and before each
 * attempt. The IP addresses of its host are checked at each connection, which uses a checked one, so that DNS rebinding has no
 * effect.
 */
export interface EgressPolicy {
  /** Allows plain http and private addresses, for receivers on a developer's machine. Rejected in production. */
  allowPrivate: boolean;
  /** The host of the configured public address. The server must not call itself under any name. */
  ownHost: string;
}

/** A forbidden address. The message gives the reason to the tenant. */
export class AddressRefused extends Error {
  readonly code = 'ADDRESS_REFUSED';
}

const OWN = 'The address must not be that of this server.';
const PORTS = ['', '443', '8443'];
const LOCAL_NAMES = /(?:^|\.)(?:localhost|local|internal|intranet|lan|home|corp|arpa|onion|test|invalid)$/;
/** IP addresses of metadata services of clouds, which return secrets; the first looks like a public address. */
const DENIED = ['168.63.129.16', '169.254.169.254', '100.100.100.200', 'fd00:ec2::254'];

/** The parsed URL, if its text is acceptable. Throws AddressRefused. */
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

/** Throws AddressRefused unless the IP address is on the public internet, and not one of the server's `own`. */
export function checkAddress(address: string, own: ReadonlySet<string> = new Set()): void {
  if (!isPublic(address))
    throw new AddressRefused('The host must be on the public internet, not in a private network.');
  if (own.has(normalised(address))) throw new AddressRefused(OWN);
}

function isPublic(address: string): boolean {
  if (!ipaddr.isValid(address)) return false;
  const parsed = ipaddr.process(address);
  if (parsed.range() !== 'unicast' || DENIED.includes(parsed.toString())) return false;
  // ipaddr.js classifies some addresses outside 2000::/3 as unicast, such as ::127.0.0.1.
  return parsed.kind() === 'ipv4' || (parsed.toByteArray()[0] ?? 0) >> 5 === 1;
}

/** The IP addresses of a host name. Throws AddressRefused if one of them is forbidden. */
export async function checkedAddresses(name: string, { ownHost }: EgressPolicy): Promise<LookupAddress[]> {
  const [found, own] = await Promise.all([addressesOf(name), ownAddresses(ownHost)]);
  for (const { address } of found) checkAddress(address, own);
  return found;
}

type LookupCallback = (error: NodeJS.ErrnoException | null, address: string | LookupAddress[], family?: number) => void;

/**
 * A `lookup` for connections that returns only checked addresses. If private addresses are allowed, it is the system's
 * own lookup, which also resolves local names.
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
