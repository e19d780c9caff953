/** Whether percent-encoded text is valid UTF-8. URLSearchParams would silently replace invalid bytes with U+FFFD. */
export function isDecodable(encoded: string): boolean {
  try {
    return !encoded.includes('%') || decodeURIComponent(encoded) !== '';
  } catch {
    return false;
  }
}

/** Whether PostgreSQL can store a text: it must not contain NUL characters or unpaired surrogates. */
export function isStorable(text: string): boolean {
  return !text.includes('\0') && text.isWellFormed();
}
