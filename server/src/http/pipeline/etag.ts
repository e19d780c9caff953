/** If-None-Match and If-Match with weak comparison (RFC 9110 §13.1.2), because compressing proxies weaken a tag. */
export function matches(wanted: string | undefined, etag: string): boolean {
  return wanted?.split(',').some((tag) => ['*', etag].includes(tag.trim().replace(/^W\//, ''))) ?? false;
}
