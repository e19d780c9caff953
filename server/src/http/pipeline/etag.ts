/**
 * Whether If-None-Match or If-Match contains the ETag. The comparison is weak (RFC 9110 §13.1.2), because proxies that
 * compress responses mark their ETags as weak.
 */
export function matches(wanted: string | undefined, etag: string): boolean {
  return wanted?.split(',').some((tag) => ['*', etag].includes(tag.trim().replace(/^W\//, ''))) ?? false;
}
