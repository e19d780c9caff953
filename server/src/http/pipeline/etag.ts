/**
 * Compares If-None-Match or If-Match with an ETag. The comparison is weak (RFC 9110 §13.1.2), because compressing
 * proxies weaken ETags.
 */
export function matches(wanted: string | undefined, etag: string): boolean {
  return wanted?.split(',').some((tag) => ['*', etag].includes(tag.trim().replace(/^W\//, ''))) ?? false;
}
