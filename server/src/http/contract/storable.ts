/** Whether a percent-encoded text is valid UTF-8. URLSearchParams would replace invalid parts with U+FFFD. */
export function isDecodable(encoded: string): boolean {
  try {
    return !encoded.includes('%') || decodeURIComponent(encoded) !== '';
  } catch {
    return false;
  }
}

/** Whether PostgreSQL can store a text: neither NUL characters nor unpaired surrogates. */
export function isStorable(text: string): boolean {
  return !text.includes('\0') && text.isWellFormed();
}
