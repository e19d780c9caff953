/** If-None-Match and If-Match by weak comparison (RFC 9110 §13.1.2): proxies that compress weaken a tag. */
export function matches(wanted: string | undefined, etag: string): boolean {
  return wanted?.split(',').some((tag) => ['*', etag].includes(tag.trim().replace(/^W\//, ''))) ?? false;
}
