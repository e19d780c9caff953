/** Replaces the outgoing network of this process: records connections, but makes none. */

import dns, { type LookupAddress, type LookupOptions } from 'node:dns';
import { syncBuiltinESMExports } from 'node:module';
import { BlockList, isIP, isIPv6, Socket } from 'node:net';

export interface DryNetwork {
  /** The forbidden IP addresses to which a socket was about to connect. */
  forbidden: string[];
  /** The number of public IP addresses to which a socket was about to connect. */
  others: number;
  end(): void;
}

type Connect = (this: Socket, ...args: unknown[]) => Socket;
type Lookup = (
  host: string,
  options: LookupOptions,
  done: (error: Error | null, found: string | LookupAddress[]) => void,
) => void;

/** Connections to `ownPorts`, those of the database and the server, work as usual. */
export function dryNetwork(ownPorts: number[]): DryNetwork {
  const prototype = Socket.prototype as unknown as { connect: Connect };
  const { connect } = prototype;
  const network: DryNetwork = {
    forbidden: [],
    others: 0,
    end() {
      prototype.connect = connect;
    },
  };
  prototype.connect = function (...args) {
    const options = optionsOf(args);
    if (options.path || ownPorts.includes(Number(options.port))) return connect.apply(this, args);
    const refuse = (error = refused()) => this.destroy(error);
    const note = (address: string) => {
      if (isForbidden(address)) network.forbidden.push(address);
      else network.others += 1;
    };
    if (isIP(options.host)) {
      note(options.host);
      process.nextTick(refuse);
      return this;
    }
    (options.lookup ?? (dns.lookup as Lookup))(options.host, { all: true }, (error, found) => {
      for (const one of error ? [] : [found].flat()) note(typeof one === 'string' ? one : one.address);
      process.nextTick(refuse, error ?? undefined);
    });
    return this;
  };
  return network;
}

/**
 * Returns the options from the arguments of `connect`, which has several forms. Node itself passes a normalized list.
 */
function optionsOf([first, second]: unknown[]): { host: string; port?: number; path?: string; lookup?: Lookup } {
  if (typeof first === 'string') return { host: '', path: first };
  if (typeof first === 'number') return { host: typeof second === 'string' ? second : 'localhost', port: first };
  const options = (Array.isArray(first) ? first[0] : first) as { host?: string };
  return { ...options, host: options.host ?? 'localhost' };
}

function refused(): Error {
  return Object.assign(new Error('Nobody is called.'), { code: 'ECONNREFUSED' });
}

/** The IP address to which the server's own public name resolves in this process. */
export const OWN_ADDRESS = '93.184.215.99';

/** IANA's special-purpose registries, copied here so that the proof does not depend on the code under test. */
const SPECIAL = new BlockList();
for (const range of [
  ...['0.0.0.0/8', '10.0.0.0/8', '100.64.0.0/10', '127.0.0.0/8', '169.254.0.0/16', '172.16.0.0/12', '192.0.0.0/24'],
  ...['192.0.2.0/24', '192.168.0.0/16', '198.18.0.0/15', '198.51.100.0/24', '203.0.113.0/24', '224.0.0.0/3'],
  // The metadata service of a cloud provider, which has a public IP address.
  '168.63.129.16/32',
  `${OWN_ADDRESS}/32`,
]) {
  const [net = '', bits] = range.split('/');
  SPECIAL.addSubnet(net, Number(bits), 'ipv4');
}
for (const [net, bits] of [
  ['2001::', 23],
  ['2001:db8::', 32],
  ['2002::', 16],
] as const) {
  SPECIAL.addSubnet(net, bits, 'ipv6');
}
const GLOBAL = new BlockList();
GLOBAL.addSubnet('2000::', 3, 'ipv6');

/** Whether the server must never connect to this IP address. */
function isForbidden(address: string): boolean {
  if (!isIPv6(address)) return SPECIAL.check(address, 'ipv4');
  return address.includes('%') || !GLOBAL.check(address, 'ipv6') || SPECIAL.check(address, 'ipv6');
}

/** The IP addresses of each name. Lookups get the first and the second list in turn, as with DNS rebinding. */
export type Answers = Record<string, [string[], string[]]>;

/**
 * Resolves only these names and `localhost`, and sends no query to the network. Returns a function that restores the
 * resolver.
 */
export function answerNames(answers: Answers): () => void {
  const original = { lookup: dns.lookup, promised: dns.promises.lookup };
  const resolver = dns.promises.Resolver.prototype;
  const { resolve4, resolve6 } = resolver;
  const looks = new Map<string, number>();
  // Counts lookups of IPv4, of IPv6 and of both separately.
  const find = (name: string, family = 0): LookupAddress[] | undefined => {
    const look = looks.get(`${name} ${family}`) ?? 0;
    looks.set(`${name} ${family}`, look + 1);
    const found = answers[name]?.[look % 2];
    return found?.length ? found.map((address) => ({ address, family: isIPv6(address) ? 6 : 4 })) : undefined;
  };
  const missing = (name: string) => Object.assign(new Error(`getaddrinfo ENOTFOUND ${name}`), { code: 'ENOTFOUND' });
  const lookup: Lookup = (name, options, done) => {
    if (name === 'localhost' || isIP(name)) return (original.lookup as Lookup)(name, options, done);
    const found = find(name);
    process.nextTick(done, found ? null : missing(name), options.all ? (found ?? []) : found?.[0]?.address);
  };
  const promised = async (name: string, options: LookupOptions) => {
    if (name === 'localhost' || isIP(name)) return original.promised(name, options);
    const found = find(name);
    if (!found) throw missing(name);
    return found;
  };
  const resolving = (family: number) => async (name: string) => {
    const found = find(name, family)?.filter((one) => one.family === family);
    if (!found) throw missing(name);
    return found.map(({ address }) => address);
  };
  Object.assign(resolver, { resolve4: resolving(4), resolve6: resolving(6) });
  Object.assign(dns, { lookup });
  Object.assign(dns.promises, { lookup: promised });
  syncBuiltinESMExports();
  return () => {
    Object.assign(resolver, { resolve4, resolve6 });
    Object.assign(dns, { lookup: original.lookup });
    Object.assign(dns.promises, { lookup: original.promised });
    syncBuiltinESMExports();
  };
}
