/**
 * Limits for JSON text, which are checked before it is parsed: parsing a megabyte of brackets or keys would block every
 * other request. No operation needs nearly as much.
 */

export const MAX_DEPTH = 20;
export const MAX_ENTRIES = 10_000;
export const MAX_FIELDS = 1_000;
export const MAX_VALUES = 100_000;

export type Excess = 'too_deep' | 'too_many_entries' | 'too_many_fields' | 'too_many_values';

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const OPEN_LIST = 0x5b;
const CLOSE_LIST = 0x5d;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;

/**
 * The first limit that a UTF-8 text exceeds; undefined if none. Scans each byte once, and accepts text that is not
 * JSON.
 */
export function excessOf(text: Uint8Array): Excess | undefined {
  const commas = new Uint32Array(MAX_DEPTH + 1);
  const limits = new Uint32Array(MAX_DEPTH + 1);
  let depth = 0;
  let values = 1;
  for (let at = 0; at < text.length; at += 1) {
    switch (text[at]) {
      case QUOTE:
        at = endOfString(text, at);
        break;
      case OPEN_LIST:
      case OPEN_OBJECT:
        depth += 1;
        values += 1;
        if (depth > MAX_DEPTH) return 'too_deep';
        commas[depth] = 0;
        limits[depth] = text[at] === OPEN_LIST ? MAX_ENTRIES : MAX_FIELDS;
        break;
      case CLOSE_LIST:
      case CLOSE_OBJECT:
        if (depth > 0) depth -= 1;
        break;
      case COMMA:
        values += 1;
        commas[depth] = (commas[depth] ?? 0) + 1;
        // n commas separate n + 1 values.
        if (depth > 0 && (commas[depth] ?? 0) >= (limits[depth] ?? 0)) {
          return limits[depth] === MAX_FIELDS ? 'too_many_fields' : 'too_many_entries';
        }
        break;
    }
    if (values > MAX_VALUES) return 'too_many_values';
  }
  return undefined;
}

/** Index of the closing quote of the string at `start`, or the length of the text if there is none. */
function endOfString(text: Uint8Array, start: number): number {
  let at = start + 1;
  while (at < text.length && text[at] !== QUOTE) at += text[at] === BACKSLASH ? 2 : 1;
  return at;
}
