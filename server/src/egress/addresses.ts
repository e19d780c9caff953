import { type LookupAddress, type LookupOptions, lookup } from 'node:dns';
import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';
import { addressesOf, normalised, ownAddresses } from './names.ts';

/**
 * Which addresses a tenant may have us call (hazards §2.4). An URL is judged by its text when it is registered and before
 * each attempt, a name by all that it resolves to when a connection is made: the checked address is the one connected to,
 * so that a name which resolves to something else a moment later gains nothing.
 */
export interface EgressPolicy {
  /** Lets plain http and private addresses pass: for receivers on a developer's machine. Refused in production. */
  allowPrivate: boolean;
  /** The host of the configured public address: the server is not to be called by itself, under whatever name. */
  ownHost: string;
}

/** An address that must not be called. The message says why, to whoever registered it. */
export class AddressRefused extends Error {
  readonly code = 'ADDRESS_REFUSED';
}

const OWN = 'The address must not be that of this server.';
const PORTS = ['', '443', '8443'];
const LOCAL_NAMES = /(?:^|\.)(?:localhost|local|internal|intranet|lan|home|corp|arpa|onion|test|invalid)$/;
/** Clouds answer here with secrets; the first looks public. */
const DENIED = ['168.63.129.16', '169.254.169.254', '100.100.100.200', 'fd00:ec2::254'];

/** The URL, checked as far as its text tells. Throws AddressRefused. */
export function checkUrl(text: string, policy: EgressPolicy): URL {
  if (!URL.canParse(text)) throw new AddressRefused('This is not an address.');
  const url = new URL(text);
  if (url.username || url.password) throw new AddressRefused('The address must not hold a user name or password.');
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
  if (!name.includes('.') || LOCAL_NAMES.test(name)) throw new AddressRefused('The host must be a public one.');
  if (name === ownHost) throw new AddressRefused(OWN);
}

/** Throws AddressRefused unless the IP address is one of the public internet, and none of the server's `own`. */
export function checkAddress(address: string, own: ReadonlySet<string> = new Set()): void {
  if (!isPublic(address))
    throw new AddressRefused('The host must be on the public internet, not in a private network.');
  if (own.has(normalised(address))) throw new AddressRefused(OWN);
}

function isPublic(address: string): boolean {
  if (!ipaddr.isValid(address)) return false;
  const parsed = ipaddr.process(address);
  if (parsed.range() !== 'unicast' || DENIED.includes(parsed.toString())) return false;
  // ipaddr.js takes some of what is outside 2000::/3 for unicast, such as ::127.0.0.1.
  return parsed.kind() === 'ipv4' || (parsed.toByteArray()[0] ?? 0) >> 5 === 1;
}

/** What a name stands for, all of it checked: one bad address among several refuses them all. */
export async function checkedAddresses(name: string, { ownHost }: EgressPolicy): Promise<LookupAddress[]> {
  const [found, own] = await Promise.all([addressesOf(name), ownAddresses(ownHost)]);
  for (const { address } of found) checkAddress(address, own);
  return found;
}

type LookupCallback = (error: NodeJS.ErrnoException | null, address: string | LookupAddress[], family?: number) => void;

/**
 * A `lookup` for connections that answers checked addresses alone. Where private addresses pass, names of the machine do,
 * too, which the DNS does not know: there it is the system's own.
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
