/** Whether a percent-encoded text stands for UTF-8; URLSearchParams would put U+FFFD in the place of what does not. */
export function isDecodable(encoded: string): boolean {
  try {
    return !encoded.includes('%') || decodeURIComponent(encoded) !== '';
  } catch {
    return false;
  }
}

/** PostgreSQL keeps neither NUL nor half a surrogate pair. */
export function isStorable(text: string): boolean {
  return !text.includes('\0') && text.isWellFormed();
}
