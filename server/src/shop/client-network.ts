import ipaddr from 'ipaddr.js';

/**
 * What counts as one address where calls are limited by address. An IPv6 host chooses its address freely within its network of
 * 64 bits (RFC 4291 §2.5.1), so the network is counted; an IPv4 address is counted by itself, however it is written.
 */
export function networkOf(address = ''): string {
  if (!address.includes(':')) return address;
  const [withoutZone = ''] = address.split('%');
  if (!ipaddr.isValid(withoutZone)) return address;
  const parsed = ipaddr.process(withoutZone);
  if (parsed instanceof ipaddr.IPv4) return parsed.toString();
  return `${new ipaddr.IPv6([...parsed.parts.slice(0, 4), 0, 0, 0, 0]).toString()}/64`;
}
