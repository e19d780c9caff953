import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

/**
 * The key for rate limits per IP address. An IPv6 host can use any address in its network of 64 bits (RFC 4291 §2.5.1),
 * so the whole network shares one key.
 */
export function networkOf(address = ''): string {
  if (!address.includes(':')) return address;
  const [withoutZone = ''] = address.split('%');
  if (!ipaddr.isValid(withoutZone)) return address;
  const parsed = ipaddr.process(withoutZone);
  if (parsed instanceof ipaddr.IPv4) return parsed.toString();
  return `${new ipaddr.IPv6([...parsed.parts.slice(0, 4), 0, 0, 0, 0]).toString()}/64`;
}

/**
 * The sender's IP address as PostgreSQL stores it: without a zone, as in `fe80::1%eth0`, which has a meaning only on
 * one machine. Null if a proxy passed on an invalid one.
 */
export function storableAddress(address = ''): string | null {
  const [withoutZone = ''] = address.split('%');
  return isIP(withoutZone) > 0 ? withoutZone : null;
}
